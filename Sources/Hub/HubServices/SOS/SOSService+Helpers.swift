public import Distress
public import HubStore
import Logging
import Privacy
import Synchronization
public import Vitals

/// Contacts, caregivers and parents: they acknowledge, take over, give back, end.
extension SOSService {
    public enum Helper: Sendable, Hashable {
        case contact(Int, name: String)
        case account(AccountID, name: String)
        /// A control room: it may end what others have.
        case room(name: String)

        public var owner: Owner {
            switch self {
            case .contact(let index, _): .contact(index)
            case .account(let account, _): .account(account)
            case .room(let name): .room(name)
            }
        }
        /// Whether it may end a case that somebody else has, and stand ambulances down.
        public var hasAuthority: Bool { if case .room = self { true } else { false } }
        public var name: String {
            switch self {
            case .contact(_, let name), .account(_, let name), .room(let name): name
            }
        }
    }

    public enum HelperAct: String, Sendable, Hashable, CaseIterable {
        /// I have seen it.
        case seen
        /// I see to it.
        case take
        /// I am still at it, and nobody is with the person yet.
        case coming
        /// Somebody is with the person.
        case arrived
        /// I cannot come after all.
        case release
        /// It is over.
        case finish
    }

    /// The case behind a contact's or a control room's link, and who that is; nil for a wrong one, and for one that is over and done with.
    public func contact(link: String) -> (item: SOSCase, helper: Helper)? {
        // A message may have put a full stop behind it.
        let link = String(link.prefix(32))
        guard link.count == 32 else { return nil }
        return state.withLock { state in
            for item in state.cases.values where !item.isTest {
                if let room = item.roomLinks?.first(where: { $0.value == link })?.key { return (item, .room(name: room)) }
                guard let index = item.links.firstIndex(of: link) else { continue }
                let name = item.calls.lazy.compactMap { call -> String? in
                    if case .contact(index, let contact) = call.recipient { contact.name } else { nil }
                }.first
                return (item, .contact(index, name: name ?? ""))
            }
            return nil
        }
    }

    /// - Returns: false when somebody else has it, when it is not the helper's to end, or there is no such case.
    public func act(_ act: HelperAct, _ helper: Helper, on id: IncidentID) async -> Bool {
        let hasAuthority = helper.hasAuthority || act == .finish && speaksForPerson(helper, in: id)
        let outcome = state.withLock { state -> Work? in
            guard var item = state.cases[id], item.isOpen, !item.isTest else { return nil }
            // A contact who answered the box stands there by their number.
            let owner = item.isOwned(by: helper.owner) ? item.owner ?? helper.owner : helper.owner, time = now()
            func acknowledge() {
                switch helper {
                case .contact(let index, _): item.acknowledge(contact: index, now: time)
                case .account(let account, _): item.acknowledge(account: account, now: time)
                case .room(let name): item.acknowledge(room: name, now: time)
                }
                item.heldUntil = nil
                state.cases[id] = item
                writer.add(item.person, state: nil, cases: [item])
            }
            switch act {
            case .seen:
                acknowledge()
                var work = Work()
                work.topics.insert(item.person)
                return work
            case .coming, .arrived:
                acknowledge()
                if item.owner == owner || act == .arrived { state.cases[id]?.answerOwner(isThere: act == .arrived, now: time) }
                if let changed = state.cases[id] { writer.add(item.person, state: nil, cases: [changed]) }
                var work = Work()
                work.topics.insert(item.person)
                return work
            case .take:
                if let has = item.owner, has != owner, has.isProfessional || !owner.isProfessional { return nil }
                acknowledge()
                if item.owner != owner { state.cases[id]?.ownerName = helper.name }
                return give(item, to: owner, &state)
            case .release:
                guard item.owner == owner else { return nil }
                return handle([(.released(by: owner, of: item.alarm.id), now())], of: item.person, &state)
            case .finish:
                guard hasAuthority || item.owner == owner && (owner.isProfessional || !item.hasAmbulance) else { return nil }
                // Whoever speaks for the person ends what nobody had taken as the person would: monitoring goes on (SOS-21).
                let word: DistressEvent =
                    item.owner == nil && !helper.hasAuthority
                    ? .state(StateEvent(time: time, code: .ok), Self.okKey(of: id, at: time))
                    : .finished(by: owner, of: item.alarm.id, withAuthority: hasAuthority)
                return handle([(word, now())], of: item.person, &state)
            }
        }
        guard let outcome else { return false }
        await finish(outcome)
        search(id)
        sendDue()
        return outcome.refusedBy == nil
    }

    private static func okKey(of id: IncidentID, at time: Milliseconds) -> SampleKey {
        SampleKey(
            stream: StreamID(high: id.high, low: id.low), sequence: UInt64(clamping: time), kind: .event,
            index: UInt32(StateEvent.Code.ok.rawValue))
    }

    /// A minor's parent ends a case as the person would, where nobody else may be meant. Where that cannot be read, nobody does.
    private func speaksForPerson(_ helper: Helper, in id: IncidentID) -> Bool {
        guard case .account(let account, _) = helper, let item = state.withLock({ $0.cases[id] }) else { return false }
        return (try? mayEnd(item, account)) ?? false
    }

    /// Whether an account says yes or no for everybody who may be meant by a case.
    public func mayEnd(_ item: SOSCase, _ account: AccountID) throws -> Bool {
        try !item.meant.isEmpty && item.meant.allSatisfy { try decides(account, for: $0) }
    }

    /// The first whom an account looks after of those who may be meant by a case; nil for none.
    func cared(in item: SOSCase, by account: AccountID) throws -> PersonID? {
        try item.people.first { try caregivers(of: $0).contains(account) }
    }

    /// Gives a case to somebody; a contact or relative who has it is relieved by a crew or a control room. Under the lock.
    func give(_ item: SOSCase, to owner: Owner, _ state: inout State) -> Work {
        let taken = (DistressEvent.taken(by: owner, of: item.alarm.id), now())
        guard let helper = item.owner, helper != owner, !helper.isProfessional else { return handle([taken], of: item.person, &state) }
        state.handingOver = item.id
        defer { state.handingOver = nil }
        return handle([(.released(by: helper, of: item.alarm.id), now()), taken], of: item.person, &state)
    }

    /// Whoever has a case has so long to answer when they are asked, minutes.
    public static let answerMinutes = Int(SOSCase.answerTime / 60_000)

    /// Whoever has a case is asked after a time whether somebody is with the person; without an answer it goes on to the next (SOS-20).
    func askOwners() async {
        let time = now()
        let due = state.withLock { state in state.cases.values.filter { $0.ownerDue.map { $0 <= time } ?? false } }
        guard !due.isEmpty else { return }
        var left = Work()
        for item in due {
            guard let owner = item.owner else { continue }
            guard item.answerOwnerBy != nil else {
                change(item.id) { $0.askOwner(now: time) }
                continue
            }
            // A crew that drives presses nothing: its place says that it is on the way.
            if let crew = item.crew, let place = crews.place(of: crew.account), time - place.time < Self.comingAgeMax {
                change(item.id) { $0.answerOwner(isThere: false, now: time) }
                continue
            }
            logger.critical(
                "whoever has a case did not say whether somebody is with the person: it goes on", metadata: ["incident": "\(item.id)"])
            let work = state.withLock { state -> Work in
                state.cases[item.id]?.noteGone()
                return handle([(.released(by: owner, of: item.alarm.id), now())], of: item.person, &state)
            }
            await act(work)
            search(item.id)
            left.add(work)
        }
        sendDue()
        await keep(left)
    }

    /// Relatives in the person's order, and behind them whoever is not in it.
    static func ordered(_ caregivers: [AccountID], by order: [AccountID]) -> [AccountID] {
        order.filter(caregivers.contains) + caregivers.filter { !order.contains($0) }
    }

    /// A control room's signed answer: by the name of the room, which must have been called. Whatever it says of a test confirms that.
    public func answer(_ act: HelperAct, room name: String, incident id: IncidentID) async -> Bool {
        func isMeant(_ item: SOSCase) -> Bool { (item.id == id || item.alarm.goes(by: id)) && item.roomLinks?[name] != nil }
        let found = state.withLock { $0.cases.values.first(where: isMeant) ?? $0.recentTests(at: now()).first(where: isMeant) }
        guard let found else { return false }
        if found.isTest { return await confirmTest(found, by: .room(name: name)) }
        return await self.act(act, .room(name: name), on: found.id)
    }

    /// Of a case: also who belongs to others who may be meant.
    func plan(for item: SOSCase) -> SOSPlan {
        var plan = plan(for: item.person, at: item.alarm.position)
        for other in item.others ?? [] {
            let theirs = self.plan(for: other)
            for contact in theirs.contacts where !plan.contacts.contains(where: { $0.phone == contact.phone && $0.email == contact.email })
            {
                plan.contacts.append(contact)
            }
            plan.caregivers += theirs.caregivers.filter { !plan.caregivers.contains($0) && !item.people.contains($0.person) }
        }
        return plan
    }

    /// The case that is open for a person.
    /// Their own, or one in which they may be meant.
    public func openCase(of person: PersonID) -> SOSCase? { state.withLock { $0.openCase(of: person) } }
}

extension SOSService.State {
    /// Help in a case of which only caregivers know: others are called now, and not with its next round.
    /// - Returns: the case; nil where others are called already, or nobody asked for help.
    mutating func takeHelp(_ alarm: Alarm, in open: IncidentID?, at time: Milliseconds) -> IncidentID? {
        guard let open, var item = cases[open], item.isOpen, item.isConsented == false else { return nil }
        item.take(alarm, at: time)
        guard item.isHelp else { return nil }
        cases[open] = item
        return open
    }

    func openCase(of person: PersonID) -> SOSCase? {
        if let own = entries[person]?.open { return cases[own] }
        return cases.values.first { $0.isOpen && !$0.isTest && $0.others?.contains(person) == true && $0.meant.contains(person) }
    }
}

extension Owner {
    static func crew(_ account: AccountID) -> Owner { Owner("crew:\(account)") }
    static func account(_ account: AccountID) -> Owner { Owner("account:\(account)") }
    static func contact(_ index: Int) -> Owner { Owner("contact:\(index)") }
    static func room(_ name: String) -> Owner { Owner("room:\(name)") }
    /// The hub itself, for a case that nobody can know any more.
    static let hub = Owner("hub")

    /// Somebody whose word comes to the hub first: what a box says of them may be old.
    var isKnownHere: Bool { ["crew:", "account:", "contact:", "room:"].contains { id.hasPrefix($0) } || self == .hub }

    /// The crew's account; nil for other owners.
    var crew: AccountID? { id.hasPrefix("crew:") ? AccountID(String(id.dropFirst(5))) : nil }
}

extension AccountID {
    var topic: SOSBus.Topic { person }
}
