import Distress
import HubStore
import Synchronization
public import Vitals

extension SOSService {
    /// Where the person's own phone is, from a page of the hub. Kept while a case of theirs is open, and not otherwise.
    /// - Parameter place: its time is UTC milliseconds.
    /// - Returns: false when there is no open case.
    public func setPlace(_ place: PositionSample, of person: PersonID) async -> Bool {
        guard let item = openCase(of: person) else { return false }
        let work = state.withLock { moved(person, to: LastPosition(place), &$0) }
        await finish(work)
        search(item.id)
        return true
    }
}
