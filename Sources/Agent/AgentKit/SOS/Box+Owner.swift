internal import Distress
internal import EmergencyDispatch
internal import Logging
internal import Peripherals
internal import SyncProtocol
internal import Vitals

// SOS-20 at the box: whoever took the case is held to it, with or without the hub.
extension Box {
    /// A contact who answered a box is asked by this one where the hub does not (``EmergencyDispatch/OwnerHold``).
    func holdOwners(at now: Milliseconds) {
        for person in watchings.keys.sorted() {
            guard let watching = watchings[person] else { continue }
            var taken: Incident.Taken?
            if case .taken(let found) = watching.watch.incident.state { taken = found }
            let hub = isHubHeard(person) ? watching.hub.answer : nil
            let step = watchings[person]?.held.look(
                taken?.owner, isBoxAnswered: taken?.owner.isContact == true, hub.map { .heard(asksOwner: $0.asksOwner) } ?? .silent, at: now
            )
            guard let step, let taken else { continue }
            switch step {
            case .ask: ask(taken, of: person)
            case .release: release(taken, of: person)
            }
        }
    }

    /// By the contacts of this moment: they may have changed since, and the agent may have been started anew.
    private func ask(_ taken: Incident.Taken, of person: PersonID) {
        setFacts(taken.alarm, of: person)
        changePlan(of: person)
        if let index = messages[person]?.index(of: taken.owner) { callers[person]?.ask(index) }
    }

    private func release(_ taken: Incident.Taken, of person: PersonID) {
        // A hub that is back and still says so is right; of a contact who answered a box its word may be older.
        if !taken.owner.isContact { watchings[person]?.hub.owner = nil }
        logger.warning("AutomatedSOS: whoever took the case does not say that somebody is there: the box calls again")
        feed(.released(by: taken.owner, of: taken.alarm.id), of: person)
    }
}
