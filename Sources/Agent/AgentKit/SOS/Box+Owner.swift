internal import Distress
internal import Logging
internal import Peripherals
internal import SyncProtocol
internal import Vitals

// SOS-20 at the box: whoever took the case is held to it, with or without the hub.
extension Box {
    /// As the hub does it: contacts and relatives are asked after the first, crews and control rooms after the second, and have it no longer
    /// without an answer after the third.
    static let askOwnerAfter: Milliseconds = 600_000, askProfessionalAfter: Milliseconds = 1_200_000,
        ownerAnswerTime: Milliseconds = 180_000

    /// A contact who answered a box is asked by this one where the hub does not. Whoever took it at the hub cannot be asked here: they have it
    /// no longer once the hub was silent for as long as they would have had.
    func holdOwners(at now: Milliseconds) {
        for person in watchings.keys.sorted() {
            guard let watching = watchings[person] else { continue }
            let hub = isHubHeard(person) ? watching.hub.answer : nil
            guard case .taken(let taken) = watching.watch.incident.state, hub == nil || taken.owner.isContact && hub?.asksOwner != true
            else {
                watchings[person]?.held = (nil, nil)
                continue
            }
            let since = watching.held.since ?? now
            watchings[person]?.held.since = since
            if let asked = watching.held.askedAt {
                // A hub that knows that it cannot ask them gives the case on by itself, and the box follows.
                guard now - asked >= Self.ownerAnswerTime, hub?.asksOwner == nil else { continue }
                release(taken, of: person)
            } else if now - since >= (taken.owner.isProfessional ? Self.askProfessionalAfter : Self.askOwnerAfter) {
                watchings[person]?.held.askedAt = now
                ask(taken, of: person)
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
        watchings[person]?.held = (nil, nil)
        // A hub that is back and still says so is right; of a contact who answered a box its word may be older.
        if !taken.owner.isContact { watchings[person]?.hub.owner = nil }
        logger.warning("AutomatedSOS: whoever took the case does not say that somebody is there: the box calls again")
        feed(.released(by: taken.owner, of: taken.alarm.id), of: person)
    }
}
