public import Distress
public import HubStore
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
        /// Whether it may end a case that somebody else has.
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
            for item in state.cases.values {
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

    /// - Returns: false when somebody else has it, or there is no such case.
    public func act(_ act: HelperAct, _ helper: Helper, on id: IncidentID) async -> Bool {
        let outcome = state.withLock { state -> Work? in
            guard var item = state.cases[id], item.isOpen, !item.isTest else { return nil }
            let owner = helper.owner, time = now()
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
            case .take:
                if let has = item.owner, has != owner { return nil }
                acknowledge()
                if item.owner == nil { state.cases[id]?.ownerName = helper.name }
                return handle([(.taken(by: owner, of: item.alarm.id), now())], of: item.person, &state)
            case .release, .finish:
                guard item.owner == owner || act == .finish && helper.hasAuthority else { return nil }
                let word: DistressEvent =
                    act == .release
                    ? .released(by: owner, of: item.alarm.id)
                    : .finished(by: owner, of: item.alarm.id, withAuthority: helper.hasAuthority)
                return handle([(word, now())], of: item.person, &state)
            }
        }
        guard let outcome else { return false }
        await finish(outcome)
        search(id)
        sendDue()
        return outcome.refusedBy == nil
    }

    /// A control room's signed answer: by the name of the room, which must have been called.
    public func answer(_ act: HelperAct, room name: String, incident id: IncidentID) async -> Bool {
        let found = state.withLock { state in
            state.cases.values.first { ($0.id == id || $0.alarm.goes(by: id)) && $0.roomLinks?[name] != nil }?.id
        }
        guard let found else { return false }
        return await self.act(act, .room(name: name), on: found)
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
    func openCase(of person: PersonID) -> SOSCase? {
        if let own = entries[person]?.open { return cases[own] }
        return cases.values.first { $0.isOpen && !$0.isTest && $0.others?.contains(person) == true }
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
