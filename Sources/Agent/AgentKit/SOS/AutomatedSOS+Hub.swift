internal import Distress
internal import EmergencyDispatch
internal import Logging
internal import Peripherals
internal import SyncProtocol
internal import Vitals

// What is due at the hub, and of whoever took the case.
extension AutomatedSOS {
    /// With each tick of the box.
    func tellHubWhatIsDue() {
        let now = context.clock.boottime()
        holdOwners(at: now)
        for person in stations.people {
            guard let watching = stations.all[person] else { continue }
            let isDown = reports.isDetectorDown(watching, at: now)
            if watching.hub.saidDown != isDown {
                stations.all[person]?.hub.saidDown = isDown
                if isDown { context.logger.notice("AutomatedSOS: this box does not watch: the hub is asked to") }
                reports.tell(of: person, isNews: true)
                continue
            }
            if watching.isReportDue(weaknesses: protection.weaknessesForHub(watching), at: now) { reports.tell(of: person) }
            if watching.isHandedOverTooLong(at: now) { feed(.otherSide(.unreachable), of: person) }
        }
    }

    // MARK: - SOS-20 at the box: whoever took the case is held to it, with or without the hub

    /// A contact who answered a box is asked by this one where the hub does not (``EmergencyDispatch/OwnerHold``).
    func holdOwners(at now: Milliseconds) {
        for person in stations.people {
            guard let watching = stations.all[person] else { continue }
            var taken: Incident.Taken?
            if case .taken(let found) = watching.watch.incident.state { taken = found }
            let hub = stations.isHubHeard(person) ? watching.hub.answer : nil
            let step = stations.all[person]?.held.look(
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
        calls.setFacts(taken.alarm, of: person)
        calls.changePlan(of: person)
        if let index = calls.index(of: taken.owner, person) { calls.caller(of: person)?.ask(index) }
    }

    private func release(_ taken: Incident.Taken, of person: PersonID) {
        // A hub that is back and still says so is right; of a contact who answered a box its word may be older.
        if !taken.owner.isContact { stations.all[person]?.hub.owner = nil }
        context.logger.warning("AutomatedSOS: whoever took the case does not say that somebody is there: the box calls again")
        feed(.released(by: taken.owner, of: taken.alarm.id), of: person)
    }

    // MARK: - The machine's sleep

    func take(_ event: SleepEvent) {
        protection.take(event, at: context.clock.boottime())
        switch event {
        case .held: context.logger.notice("this machine is kept awake while somebody is watched")
        case .released: context.logger.notice("nothing keeps this machine awake")
        case .refused(let problem): context.logger.error("\(problem)")
        case .fallsAsleep:
            context.logger.error("this machine falls asleep: nobody is watched until it wakes up")
            tellOfSleep("prompt.sos.asleep")
        case .wokeUp:
            context.logger.error("this machine was asleep: nobody was watched meanwhile")
            tellOfSleep("prompt.sos.awake")
        }
        publisher.publish()
    }

    private func tellOfSleep(_ prompt: String) {
        let watched = stations.all.values.filter(\.settings.distress.isOn).map(\.person)
        guard !watched.isEmpty else { return }
        context.say(prompt: prompt)
        for person in watched.sorted() { reports.tell(of: person, isNews: true) }
    }
}
