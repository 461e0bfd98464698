import Accounts
public import Alerts
import Distress
import EmergencyDispatch
public import HubStore
import Logging
import Telephony
public import Vitals

/// The people whom an alarm would reach by ways that work (SOS-1, SOS-18, SOS-22).
public struct SOSReachability: SOSSubject {
    let sos: SOSService

    /// Whether anybody would hear of an alarm.
    public enum Reach: Sendable, Hashable {
        case somebody
        /// There is nobody to tell.
        case nobody
        /// There is, and every way to them has failed an attempt or a probe: these.
        case waysFailed(Set<Way>)
    }

    /// A way that may reach somebody.
    public enum Means: Sendable, Hashable {
        /// The hub alone.
        case hub
        /// The hub, and boxes of the person that are heard now.
        case heardBoxes
        /// The hub, and boxes that were heard of in the last day: to decide about a setting, not to say that somebody is protected.
        case knownBoxes
    }

    /// The people whom an alarm of this person would reach now.
    public func reach(_ choice: SOSChoice, of person: PersonID, by means: Means) throws -> Reach {
        if means != .hub, reachesByBox(choice, of: person, isHeard: means == .heardBoxes) { return .somebody }
        if outlets.rooms.contains(where: outlets.isWorking) { return .somebody }
        var failed = Set(outlets.rooms.map { Way.room($0.name) })
        for contact in choice.contacts {
            let ways = outlets.works(for: contact)
            if ways.values.contains(true) { return .somebody }
            failed.formUnion(ways.keys)
        }
        for account in try addressees.caregivers(of: person) {
            guard let reader = try accounts.account(account) else { continue }
            let chosen = try accounts.notices.outWays(.sosRaised, to: reader)
            if try isReached(reader, chosen) { return .somebody }
            failed.formUnion([chosen.contains(.mail) ? .mail : nil, chosen.contains(.push) ? .push() : nil].compactMap(\.self))
        }
        return failed.isEmpty ? .nobody : .waysFailed(failed)
    }

    /// Whether an alarm of this person could be delivered now (SOS-1). A way that has failed is none. A contact with a telephone alone counts where
    /// the hub, or a box of the person, can reach it.
    public func canDeliver(_ choice: SOSChoice, of person: PersonID) throws -> Bool {
        try reach(choice, of: person, by: .knownBoxes) == .somebody
    }

    /// Why an alarm could be delivered to nobody.
    public enum Lack: Sendable, Hashable {
        /// There is neither contact, relative nor control room.
        case people
        /// There are contacts, and neither this hub nor a box of the person has a way to any of them.
        case ways
        /// There are ways, and all of them have failed.
        case workingWays
    }

    /// Why ``canDeliver(_:of:)`` is false; nil where it is true.
    public func lack(_ choice: SOSChoice, of person: PersonID) throws -> Lack? {
        switch try reach(choice, of: person, by: .knownBoxes) {
        case .somebody: nil
        case .waysFailed: .workingWays
        case .nobody: choice.contacts.isEmpty ? .people : .ways
        }
    }

    /// Whether this hub itself texts or calls telephones.
    public var hasTelephone: Bool { outlets.text != nil || outlets.voice != nil }

    /// Whether a box of the person could call a contact, or reach somebody by a program of its owner: one that is heard, or one that was heard of in
    /// the last day.
    private func reachesByBox(_ choice: SOSChoice, of person: PersonID, isHeard: Bool) -> Bool {
        let time = now()
        let (boxes, since) = sos.state.withLock { (Array(($0.entries[person]?.state.boxes ?? [:]).values), $0.listening.since) }
        let known = boxes.filter { box in
            time - box.received < SOSTimings.awayAfter && (!isHeard || time - max(box.received, since) < SOSTimings.linkSilentAfter)
        }
        return known.contains { $0.means?.contains("hook") == true }
            || choice.contacts.contains { contact in known.contains { $0.reaches(contact) } }
    }

    /// The control rooms that an alarm goes to. Where none of those for its place works, every other one as well: a wrong room can pass it on.
    func roomsCalled(for position: LastPosition?) -> [String] {
        let fit = outlets.rooms(for: position)
        let works = outlets.rooms.filter(outlets.isWorking).map(\.name)
        return works.contains(where: fit.contains) ? fit : fit + works
    }

    /// Whether a notice of an alarm would leave to somebody, by mail or to a browser.
    func isReached(_ reader: StoredAccount, _ chosen: NoticeWays) throws -> Bool {
        if chosen.contains(.mail), !ways.isFailing(.mail, for: reader.email) { return true }
        guard chosen.contains(.push), !ways.isFailing(.push()) else { return false }
        return try accounts.pushes.pushDevices(of: reader).contains { device in
            let service = PushSender.service(of: device.address.endpoint)
            return !ways.isFailing(.push(service), for: "\(device.row)")
        }
    }

    /// Of which warnings of this person somebody hears by this hub.
    func warned(of person: PersonID, _ choice: SOSChoice) throws -> WarningsTold {
        let readers = try addressees.caregivers(of: person).compactMap { try accounts.account($0) }
        let isConsented = sos.state.withLock { $0.entries[person]?.isConsented ?? false }
        return try outlets.warned(isConsented ? choice.contacts : [], isCared: !readers.isEmpty) { kind in
            try readers.contains { try isReached($0, accounts.notices.outWays(kind, to: $0)) }
        }
    }

    // MARK: The ways out

    /// Each person's links are looked at with the next look, whatever was known.
    func forgetReach() {
        sos.state.withLock { state in for person in state.entries.keys { state.entries[person]?.addresseesSeen = .min / 2 } }
    }

    /// Whoever has a contact whom a message did not reach is looked at with the next look: a program that hung has taken half a minute already.
    /// Whom others look after, the accounts alone know: where a mail was to no contact, everybody is.
    func forgetReach(of recipient: String, by way: Way) {
        guard !recipient.isEmpty else { return }
        sos.state.withLock { state in
            let people = state.entries.filter { $0.value.choice.contacts.contains { $0.phone == recipient || $0.email == recipient } }.keys
            for person in people.isEmpty && way == .mail ? Array(state.entries.keys) : Array(people) {
                state.entries[person]?.isReachStale = true
            }
        }
    }

    /// The number of people with AutomatedSOS on who have lost their last way, and of those for whom each way failed.
    public var unreached: PeopleUnreached {
        sos.state.withLock { state in
            state.entries.reduce(into: PeopleUnreached()) { unreached, entry in
                if entry.value.choice.isOn, entry.value.isConsented { unreached.add(entry.key, entry.value.failedWays) }
            }
        }
    }

    /// The outcome of a message, for the state of its way.
    func note(_ call: SOSCall, _ outcome: Result<String, any Error>) {
        if case .failure(let error) = outcome, error is SOSSending.NoSuchWay { return }
        guard let way = call.way else { return }
        guard case .failure(let error as CallFailed) = outcome else { return ways.attempted(way, to: call.address, outcome) }
        // A busy room, and a call that nobody wanted any more, are no fault of the way. What is shows the trunk as much as the room.
        let ofWay = error.outcome.ofWay
        ways.attempted(way, to: call.address, ofWay)
        if case .room(let name) = call.recipient { ways.attempted(.voice, to: name, ofWay) }
    }

    /// How long messages wait that nobody has tried to send: a queue that stands still is a way that has failed.
    func noteWaiting() {
        let time = now()
        let oldest = sos.state.withLock { state in
            state.cases.values.reduce(into: [Way: Milliseconds]()) { oldest, item in
                for call in item.calls where call.state == .waiting && call.tries == 0 && call.due <= time && !item.isHeld(at: time) {
                    guard let way = call.way else { continue }
                    oldest[way] = min(oldest[way] ?? call.due, call.due)
                }
            }
        }
        let mails: Milliseconds?, pushes: Milliseconds?
        do { (mails, pushes) = (try accounts.notices.oldestUntriedMail(), try accounts.pushes.oldestUntriedPush()) } catch {
            logger.error("how long messages wait cannot be read", metadata: ["error": "\(error)"])
            return
        }
        ways.waiting(.text, since: oldest[.text])
        ways.waiting(.mail, since: [oldest[.mail], mails].compactMap(\.self).min())
        ways.waiting(.push(), since: pushes)
        for room in outlets.rooms { ways.waiting(.room(room.name), since: oldest[.room(room.name)]) }
    }
}

extension SOSOutlets {
    /// Whether each way of this hub to a contact works; none where it has no way to them.
    func works(for contact: SOSContact) -> [Way: Bool] {
        var found: [Way: Bool] = [:]
        if let email = contact.email { found[.mail] = !ways.isFailing(.mail, for: email) }
        guard let phone = contact.phone else { return found }
        if contact.isTexted, text != nil { found[.text] = !ways.isFailing(.text, for: phone) }
        if contact.isCalled, let voice, voice.mayCall(phone) {
            found[.voice] = voice.problem == nil && !ways.isFailing(.voice, for: phone)
        }
        return found
    }

    fileprivate func isWorking(_ room: any EmergencyChannel) -> Bool {
        !ways.isFailing(.room(room.name)) && room.restsOn.map { !ways.isFailing($0) } ?? true
    }
}

extension SOSCall {
    /// By which way of the hub it leaves; nil for a notice, which has its own.
    fileprivate var way: Way? {
        switch (channel, recipient) {
        case (.text, _): .text
        case (.mail, _): .mail
        case (.voice, _): .voice
        case (.room, .room(let name)): .room(name)
        default: nil
        }
    }

    /// Tells the recipients of a way apart.
    fileprivate var address: String {
        guard case .contact(_, let contact) = recipient else { return "" }
        return (channel == .mail ? contact.email : contact.phone) ?? ""
    }
}

extension CallOutcome {
    /// The call's evidence about the trunk: a telephone that is busy, or that nobody answers, is no fault of the way to it.
    fileprivate var ofWay: Result<String, any Error> {
        switch self {
        case .taken, .heard, .noKey, .noAnswer, .busy, .recalled: .success(description)
        case .refused(let why):
            // RFC 3261, 21.4.5, 21.4.10, 21.4.22 and 21.6.3: there is no such telephone.
            .failure(WayFailure(description, isOfWay: !["404", "410", "484", "604"].contains(where: why.hasPrefix)))
        case .lineFailed: .failure(WayFailure(description))
        }
    }
}

extension SOSWatchState.Box {
    /// Whether it can text or call a contact by its own modem. A box that does not say by which means has some, unless it says that it has none.
    fileprivate func reaches(_ contact: SOSContact) -> Bool {
        guard contact.phone != nil else { return false }
        guard let means else { return weaknesses.map { !$0.contains("noOwnMeans") } ?? false }
        return contact.isTexted && means.contains("text") || contact.isCalled && means.contains("call")
    }
}
