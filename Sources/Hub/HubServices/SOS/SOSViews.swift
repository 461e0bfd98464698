import Accounts
public import Distress
import EmergencyDispatch
public import HubStore
import Seams
public import Vitals

/// One person's state, as pages show it.
public struct SOSView: Sendable, Hashable {
    /// The person's choice.
    public let choice: SOSChoice
    /// The emergency chain may be told.
    public let isConsented: Bool
    /// "Are you OK?", while it is asked here or on a box.
    public let question: Question?
    /// The case that is open for the person; nil for none.
    public let item: SOSCase?
    /// The case that was over last; nil for none.
    public let last: EndedCase?
    /// Nobody is watched until the person reactivates (SOS-8).
    public let isWaiting: Bool
    /// The person ended a case before anybody had taken it: until then what was answered is silent, and everything else is watched.
    public let answeredUntil: Milliseconds?
    /// Why the person is not protected now, as names of texts; empty for one who is (SOS-18).
    public let reasons: [String]
    /// Troubles that do not take the protection away and should be looked at, as names of texts.
    public let weaknesses: [String]
    /// The rhythm of a person who wants to be told of an irregular one; nil for everybody else.
    public let rhythm: HeartRhythm.Standing?
    /// Until when what a page shows of the whole chain is known, by the hub's clock: the newest report.
    public let heard: Milliseconds?

    /// Somebody watches, and somebody can be called.
    public var isProtected: Bool { reasons.isEmpty }
    /// Turned on, with a consent that runs.
    public var isOn: Bool { choice.isOn && isConsented }
}

/// The state that pages show.
public struct SOSViews: SOSSubject {
    let sos: SOSService

    /// The state of a person that pages show now; nil for somebody unknown or deleted.
    public func view(of person: PersonID) throws -> SOSView? {
        guard try sos.prepare(person),
            let found = sos.state.withLock({ state in state.entries[person].map { ($0, state.openCase(of: person)) } })
        else { return nil }
        let (entry, item) = found, time = now()
        let boxes = entry.state.boxes.values.filter { time - $0.received < SOSTimings.linkSilentAfter }
        var question = boxes.compactMap(\.question).max { $0.askedAt < $1.askedAt }
        if case .suspecting(let suspicion) = entry.state.watch.incident.state, suspicion.isAsked { question = suspicion.question }
        if let warning = entry.state.watch.incident.warning, question == nil { question = warning.question }
        // The box asks no more once there is a case.
        if item != nil { question = nil }
        // A box of release 0.3.0 waits also where this hub goes on.
        let isWaiting = entry.state.watch.incident.isWaiting || SOSEntry.isWaiting(boxes)
        let answered = entry.state.watch.incident.answered.map { $0.at + SOSTimings.quietTime }
        return SOSView(
            choice: entry.choice, isConsented: entry.isConsented, question: question, item: item, last: entry.state.last,
            isWaiting: isWaiting,
            answeredUntil: item == nil && !isWaiting && entry.choice.isOn ? answered.flatMap { $0 > time ? $0 : nil } : nil,
            reasons: try reasons(entry, person, isWaiting, time), weaknesses: entry.weaknesses(at: time),
            rhythm: entry.choice.tellsRhythm == true ? entry.state.rhythm ?? .init() : nil,
            heard: entry.state.boxes.values.map(\.received).max())
    }

    /// Every link of the chain: chosen, somebody to call, a box that reports, and what that says of sensor and person.
    private func reasons(_ entry: SOSEntry, _ person: PersonID, _ isWaiting: Bool, _ time: Milliseconds) throws -> [String] {
        guard entry.choice.isOn, entry.isConsented else { return ["off"] }
        let nobody: [String] =
            switch try reachability.reach(entry.choice, of: person, by: .heardBoxes) {
            case .somebody: []
            case .nobody: ["nobody"]
            case .waysFailed: ["waysFailed"]
            }
        return nobody + entry.unwatched(isWaiting, time, listeningSince: sos.listeningSince)
    }

    // MARK: Open cases

    /// An open case, as it concerns an account.
    public struct Emergency: Sendable, Hashable {
        /// Why it concerns the reader.
        public enum Concern: Sendable, Hashable {
            /// The reader is the person.
            case own
            /// The reader looks after the person.
            case cared
            /// The reader's crew has it.
            case crew
            /// It is offered to the reader's crew.
            case offered
        }
        /// The person whose page shows it: the person, or whom the reader looks after.
        public let person: PersonID
        /// Why it concerns the reader.
        public let concern: Concern
        /// When it began, UTC milliseconds.
        public let opened: Milliseconds
        /// As people call whoever has it; nil while nobody has it, or their name is not known.
        public let ownerName: String?
        /// Somebody has it.
        public let hasOwner: Bool
        /// The reader, or their crew, has it.
        public let isOwner: Bool
        /// Nobody can be called (``HubStore/SOSCase/hasNobody``).
        public let hasNobody: Bool
    }

    /// Cases that concern an account now: their own first, then the oldest first. Asked for each page; without an emergency it reads nothing.
    public func emergencies(for account: AccountID) throws -> [Emergency] {
        let time = now()
        let found = sos.state.withLock { state -> [(item: SOSCase, concern: Emergency.Concern)] in
            var found: [(SOSCase, Emergency.Concern)] = []
            if let own = state.openCase(of: account.person) { found.append((own, .own)) }
            found += state.cases.told(account).filter { !$0.people.contains(account.person) }.map { ($0, .cared) }
            for item in state.cases.occupying(account) {
                let isOffered =
                    item.seeksAmbulance && item.offers.contains { $0.account == account && $0.state == .open && $0.answerBy > time }
                if item.crew?.account == account { found.append((item, .crew)) } else if isOffered { found.append((item, .offered)) }
            }
            return found.filter { $0.0.isOpen && !$0.0.isTest }
        }
        return try found.compactMap { item, concern in
            var person = concern == .own ? account.person : item.person
            if concern == .cared {
                // A consent that ended since shows nothing more.
                guard let cared = try addressees.cared(in: item, by: account) else { return nil }
                person = cared
            }
            return Emergency(
                person: person, concern: concern, opened: item.opened, ownerName: item.ownerName, hasOwner: item.owner != nil,
                isOwner: item.owner == .account(account) || concern == .crew, hasNobody: item.hasNobody)
        }.sorted { ($0.concern == .own ? 0 : 1, $0.opened) < ($1.concern == .own ? 0 : 1, $1.opened) }
    }

    /// How an account is called as the owner of a case.
    public static func owner(_ account: AccountID) -> String { Owner.account(account).id }
}
