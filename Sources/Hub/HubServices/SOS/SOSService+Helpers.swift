public import Distress
public import HubStore
import Logging
import Privacy
import Synchronization
public import Vitals

/// Contacts, caregivers and parents: they acknowledge, take over, give back, end.
extension SOSService {
    public typealias Helper = SOSHelper
    public typealias HelperAct = SOSHelperAct

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
        let speaks = act == .finish && speaksForPerson(helper, in: id)
        let work = dispatch(.helper(act, by: helper, speaksForPerson: speaks), to: id)
        guard work.refusal == nil else { return false }
        await finish(work)
        search(id)
        sendDue()
        return work.refusedBy == nil
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

    /// Whoever has a case has so long to answer when they are asked, minutes.
    public static let answerMinutes = Int(DispatchLimits.answerTime / 60_000)

    /// Whoever has a case is asked after a time whether somebody is with the person; without an answer it goes on to the next (SOS-20).
    func askOwners() async {
        let time = now()
        let due = state.withLock { state in state.cases.values.filter { $0.ownerDue.map { $0 <= time } ?? false } }
        guard !due.isEmpty else { return }
        var left = Work()
        for item in due {
            let crewPlaceAt = item.crew.flatMap { crews.place(of: $0.account)?.time }
            let work = dispatch(.hub(.ownerDue(crewPlaceAt: crewPlaceAt)), to: item.id)
            guard work.lostOwner else { continue }
            logger.critical(
                "whoever has a case did not say whether somebody is with the person: it goes on", metadata: ["incident": "\(item.id)"])
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
    func openCase(of person: PersonID) -> SOSCase? {
        if let own = entries[person]?.open { return cases[own] }
        return cases.values.first { $0.isOpen && !$0.isTest && $0.others?.contains(person) == true && $0.meant.contains(person) }
    }
}

extension AccountID {
    var topic: SOSBus.Topic { person }
}
