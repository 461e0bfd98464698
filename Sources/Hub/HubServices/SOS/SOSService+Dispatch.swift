import Distress
import EmergencyDispatch
import HubStore
import Vitals

/// The runner of cases: feeds them what happens, and carries out what they ask for. What follows from an event is decided by
/// ``EmergencyDispatch/SOSCases`` alone.
extension SOSService {
    /// Has a case decide, in memory alone: whoever calls it sees to it that the case is stored. Under the lock.
    /// - Returns: what it asks for; nothing where there is no such case.
    @discardableResult
    func decide(_ event: DispatchEvent, in id: IncidentID, _ state: inout State) -> [DispatchEffect] {
        state.cases.handle(event, in: id, at: now())
    }

    /// Has a case decide, hands it on to be stored, and tells the person's detector. Under the lock.
    /// - Returns: what is left to be done without the lock.
    func dispatch(_ event: DispatchEvent, to id: IncidentID, _ state: inout State) -> SOSWork {
        guard let person = state.cases[id]?.person else { return SOSWork(refusal: .gone) }
        var work = SOSWork()
        for effect in decide(event, in: id, &state) {
            switch effect {
            case .store:
                guard let item = state.cases[id] else { continue }
                writer.add(person, state: nil, cases: [item])
                if !item.isOpen, item.due == nil { state.settle(item) }
            case .tell(let events, let isHandedOver):
                if isHandedOver { state.handingOver = id }
                work.add(handle(events.map { ($0, now()) }, of: person, &state))
                if isHandedOver { state.handingOver = nil }
            case .plan: work.rounds.append(id)
            case .search: work.searches.append(id)
            case .send: work.sends.insert(id)
            case .show: work.topics.insert(person)
            case .showCrews(let crews): work.crews.formUnion(crews)
            case .findCrews(let search): work.find = search
            case .deliver(let call): work.call = call
            case .notify(let crews): work.notified = crews
            case .lostOwner: work.lostOwner = true
            case .refused(let why): work.refusal = why
            case .over: break
            }
        }
        return work
    }

    /// Takes the lock for one event.
    @discardableResult
    func dispatch(_ event: DispatchEvent, to id: IncidentID) -> SOSWork { state.withLock { dispatch(event, to: id, &$0) } }
}
