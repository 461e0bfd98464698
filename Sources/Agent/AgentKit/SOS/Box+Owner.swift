internal import Distress
internal import Logging
internal import Peripherals
internal import Vitals

// SOS-20 without the hub: a contact who took the case by answering the box is asked by it whether somebody is with the person.
extension Box {
    /// As the hub does it: asked after this, and given up without an answer after that.
    static let askOwnerAfter: Milliseconds = 600_000, ownerAnswerTime: Milliseconds = 180_000

    func holdOwners(at now: Milliseconds) {
        for person in watchings.keys.sorted() {
            guard let watching = watchings[person] else { continue }
            // While the hub is heard it asks.
            guard case .taken(let taken) = watching.watch.incident.state, taken.owner.isContact, !isHubHeard(person) else {
                watchings[person]?.held = (nil, nil)
                continue
            }
            let since = watching.held.since ?? now
            watchings[person]?.held.since = since
            if let asked = watching.held.askedAt {
                guard now - asked >= Self.ownerAnswerTime else { continue }
                watchings[person]?.held = (nil, nil)
                logger.warning("AutomatedSOS: whoever took the case does not say that somebody is there: the box calls again")
                feed(.released(by: taken.owner, of: taken.alarm.id), of: person)
            } else if now - since >= Self.askOwnerAfter {
                watchings[person]?.held.askedAt = now
                let index = Self.recipients(of: watching.settings).firstIndex { Owner(contact: $0.contact) == taken.owner }
                if let index { callers[person]?.ask(index) }
            }
        }
    }
}
