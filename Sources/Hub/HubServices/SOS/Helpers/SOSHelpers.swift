public import Distress
public import EmergencyDispatch
import HubStore
import Logging
import Privacy
import Vitals

/// Contacts, caregivers, parents and control rooms: they acknowledge, take over, give back, end.
public struct SOSHelpers: SOSSubject {
    let sos: SOSService

    /// The case behind a contact's or a control room's link, and who that is; nil for a wrong one, and for one that is over and done with.
    public func contact(link: String) -> (item: SOSCase, helper: SOSHelper)? {
        // A message may have put a full stop behind it.
        let link = String(link.prefix(32))
        guard link.count == 32 else { return nil }
        return sos.state.withLock { state in
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

    /// The case behind a contact's or a control room's link when it is over since a few minutes.
    public func ended(link: String) -> SOSCase? {
        let link = String(link.prefix(32)), time = now()
        guard link.count == 32 else { return nil }
        return sos.state.withLock { state in
            state.ended.values.first { item in
                time - (item.ended ?? 0) < SOSTimings.endShown
                    && (item.links.contains(link) || item.roomLinks?.values.contains(link) == true)
            }
        }
    }

    /// - Returns: false when somebody else has it, when it is not the helper's to end, or there is no such case.
    public func act(_ act: SOSHelperAct, _ helper: SOSHelper, on id: IncidentID) async -> Bool {
        let speaks = act == .finish && speaksForPerson(helper, in: id)
        let work = sos.dispatch(.helper(act, by: helper, speaksForPerson: speaks), to: id)
        guard work.refusal == nil else { return false }
        await sos.finish(work)
        crews.search(id)
        sending.sendDue()
        return work.refusedBy == nil
    }

    /// A minor's parent ends a case as the person would, where nobody else may be meant. Where that cannot be read, nobody does.
    private func speaksForPerson(_ helper: SOSHelper, in id: IncidentID) -> Bool {
        guard case .account(let account, _) = helper, let item = sos.state.withLock({ $0.cases[id] }) else { return false }
        return (try? addressees.mayEnd(item, account)) ?? false
    }

    /// A control room's signed answer: by the name of the room, which must have been called. Whatever it says of a test confirms that.
    public func answer(_ act: SOSHelperAct, room name: String, incident id: IncidentID) async -> Bool {
        func isMeant(_ item: SOSCase) -> Bool { (item.id == id || item.alarm.goes(by: id)) && item.roomLinks?[name] != nil }
        let found = sos.state.withLock { $0.cases.values.first(where: isMeant) ?? $0.recentTests(at: now()).first(where: isMeant) }
        guard let found else { return false }
        if found.isTest { return await drills.confirm(found, by: .room(name: name)) }
        return await self.act(act, .room(name: name), on: found.id)
    }
}
