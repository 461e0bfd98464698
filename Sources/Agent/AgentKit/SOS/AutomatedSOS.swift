internal import Alerts
internal import Distress
internal import Logging
internal import Peripherals
internal import Seams
internal import Sensing
internal import SyncProtocol
internal import Vitals

/// AutomatedSOS on the box: every reading goes through the machine as it comes, and what that asks for is done here, the alarm first. Nothing
/// here waits for the disk, the database, the name service or the hub.
@BoxActor
final class AutomatedSOS {
    let context: BoxContext
    let stations: SOSStations
    let calls: LocalCalls
    let protection: SOSProtection
    let reports: SOSReports
    private let means: LocalMeans
    private let places: LastPlaces
    private let notices: SOSNotices
    let publisher: StatusPublisher
    private let stallDetector: StallDetector
    private var timer: Task<Void, Never>?
    /// When ``timer`` rings.
    private var scheduled: Milliseconds?

    init(
        _ context: BoxContext, _ stations: SOSStations, _ means: LocalMeans, _ places: LastPlaces, _ calls: LocalCalls,
        _ protection: SOSProtection, _ reports: SOSReports, _ notices: SOSNotices, _ publisher: StatusPublisher,
        _ stallDetector: StallDetector
    ) {
        (self.context, self.stations, self.means, self.places, self.calls) = (context, stations, means, places, calls)
        (self.protection, self.reports, self.notices) = (protection, reports, notices)
        (self.publisher, self.stallDetector) = (publisher, stallDetector)
    }

    // MARK: - Beginning

    /// - Parameter state: what was open when the agent ended.
    func resume(_ state: SOSState?) {
        let now = context.clock.boottime()
        if let state {
            let elapsed = state.boot == context.boot ? nil : min(86_400_000, max(0, context.clock.utc() - state.utc))
            for kept in state.persons {
                if case .suspecting = kept.watch.incident.state, elapsed != nil || now - state.at > SOSStation.questionOld {
                    context.logger.warning("AutomatedSOS had asked when the agent ended: what no reading repeats is asked again now")
                }
                guard let effects = stations.all[kept.person]?.restore(kept, at: now, keptAt: state.at, elapsed: elapsed) else { continue }
                resume(kept.person, at: now)
                run(effects, of: kept.person)
            }
        }
        // Also what was kept knows this start's stream by it.
        for person in stations.people {
            run(stations.all[person]?.take(isFixed: context.configuration.role == .gateway, at: now) ?? [], of: person)
        }
        for person in stations.people { reports.tell(of: person) }
    }

    private func resume(_ person: PersonID, at now: Milliseconds) {
        guard let watching = stations.all[person] else { return }
        if watching.isOpen { context.logger.notice("AutomatedSOS goes on with what was open when the agent ended") }
        if let question = watching.question { ask(question, of: person) }
        if watching.isHandedOver { stations.all[person]?.hub.reached = now }
        guard watching.isCalling, let alarm = watching.alarm else { return }
        stations.all[person]?.isCalling = false
        call(alarm, isUpdate: true, of: person)
    }

    func stop() { timer?.cancel() }

    // MARK: - What happens

    func watch(_ event: HeartRateEvent, of person: PersonID) {
        let now = context.clock.boottime()
        switch event {
        case .measurement(let sample):
            // What nothing alive has is not stored either.
            guard event.implausible == 0 else { return }
            run(stations.all[person]?.take(sample, at: now) ?? [], of: person)
        case .connected(let time): watch(StateEvent(time: time, code: .sensorConnected), of: person)
        case .lost(_, let time): watch(StateEvent(time: time, code: .sensorLost), of: person)
        case .reading(let reading): run(stations.all[person]?.take(reading, at: now) ?? [], of: person)
        case .battery, .bodyLocation, .charging: break
        }
    }

    func watch(_ sample: PositionSample, of person: PersonID) {
        var sample = sample
        _ = sample.clearImplausible()
        // A receiver at a gateway tells where the box is, and not whether its wearer climbs the stairs.
        feed(context.configuration.role == .gateway ? .place(sample) : .position(sample), of: person)
        places.keep(of: person)
        tellNewPlace(of: person)
    }

    func watch(_ event: StateEvent, of person: PersonID) {
        run(stations.all[person]?.take(event, at: context.clock.boottime()) ?? [], of: person)
    }

    func feed(_ event: DistressEvent, of person: PersonID) {
        run(stations.all[person]?.take(event, at: context.clock.boottime()) ?? [], of: person)
    }

    /// What only time brings: at the machine's own deadlines, by ``schedule()``, and with each tick of the box.
    func watchTime() {
        for person in stations.people { feed(.tick, of: person) }
        let now = context.clock.boottime()
        guard let still = stallDetector.beat(at: now) else { return }
        protection.noteStoodStill(at: now)
        context.logger.error("the box stood still for \(still / 1000) s: meanwhile the hub was asked to watch")
    }

    /// A timer of its own: it waits for nothing but time.
    private func schedule() {
        let due = stations.all.values.compactMap(\.watch.nextDeadline).min()
        guard due != scheduled else { return }
        scheduled = due
        timer?.cancel()
        timer = due.map { due in
            let wait = max(1, due - context.clock.boottime())
            return context.clock.machine.start { [weak self, machine = context.clock.machine] in
                try? await machine.sleep(for: .milliseconds(wait))
                if !Task.isCancelled { await self?.deadline() }
            }
        }
    }

    private func deadline() {
        scheduled = nil
        watchTime()
        schedule()
    }

    // MARK: - What follows from it

    func run(_ effects: [DistressEffect], of person: PersonID) {
        defer { schedule() }
        guard !effects.isEmpty else { return }
        var isNews = false, isHeard = false
        for effect in effects {
            switch effect {
            case .ask(let question):
                stations.all[person]?.question = question
                ask(question, of: person)
                isNews = true
            case .withdraw(let question, let why):
                withdraw(question, why, of: person)
                isNews = true
            case .report(let alarm):
                begin(alarm, of: person)
                reports.tell(of: person, isNews: true)
                isHeard = true
            case .deliver(let delivery):
                call(delivery.alarm, isUpdate: delivery.message == .update, of: person)
                isNews = true
            case .tell(let announcement):
                tell(announcement, of: person)
                isNews = true
            case .warn(let warning):
                notices.owe(warning, of: person)
                isNews = true
            case .test(let alarm): context.logger.notice("AutomatedSOS: a test, nobody is called", metadata: ["incident": "\(alarm.id)"])
            case .sameEpisode, .protection: isNews = true
            case .decided(let decision): log(decision)
            }
        }
        guard isNews || isHeard else { return }
        if isNews { reports.tell(of: person, isNews: true) }
        stations.keep()
        publisher.publish()
    }

    /// Without values: those are nobody's business in the journal. `trackme-agent status` has the reasons.
    private func log(_ decision: Decision) {
        switch decision.kind {
        case .counting, .notCounting, .context, .limits, .rearmed, .ignored: break
        default: context.logger.notice("AutomatedSOS: \(decision.kind.rawValue)")
        }
    }

    // MARK: - The question

    /// On a box of several people the question says whose answer is wanted.
    func ask(_ question: Question, of person: PersonID) {
        let isNamed = context.identity.persons.count > 1, name = isNamed ? ["name": stations.all[person]?.settings.name ?? ""] : [:]
        let key = isNamed ? "prompt.sos.question.named" : "prompt.sos.question"
        if question.tier == .critical {
            context.announcer.alarm(true, saying: key, name)
        } else {
            context.announcer.prompt(key, name)
        }
    }

    private func withdraw(_ question: Question, _ why: Withdrawal, of person: PersonID) {
        if stations.all[person]?.question?.id == question.id { stations.all[person]?.question = nil }
        quieten()
        if why == .raised { context.say(prompt: "prompt.sos.raised") }
        // The question that another person has not answered yet is the one that is asked now.
        if let next = stations.asked, next != person, let question = stations.all[next]?.question { ask(question, of: next) }
    }

    /// Unless the tone is still wanted: for whoever is near, or for a question or call, also another person's.
    func quieten() {
        if !stations.isToneWanted { context.announcer.alarm(false) }
    }

    // MARK: - The alarm

    func begin(_ alarm: Alarm, of person: PersonID) {
        // Told again with more in it: what is known of the case stays.
        guard stations.all[person]?.begun != alarm.id else { return calls.setFacts(alarm, of: person) }
        // A test gives way also where the box does not call.
        if let drill = stations.all[person]?.drill, !drill.isOver { calls.caller(of: person)?.stop() }
        stations.all[person]?.beginCase(alarm.id)
        calls.setFacts(alarm, of: person)
    }

    private func call(_ alarm: Alarm, isUpdate: Bool, of person: PersonID) {
        calls.setFacts(alarm, of: person)
        calls.changePlan(of: person)
        stations.all[person]?.isCalling = true
        let since = isUpdate ? alarm.raisedAt + context.clock.utc() - context.clock.boottime() : nil
        calls.caller(of: person)?.raise(mode: .live, isUpdate: isUpdate, since: since)
        if !means.canCall(person) { context.say(prompt: means.isNobodySetUp(person) ? "prompt.sos.nobody-set-up" : "prompt.sos.nobody") }
    }

    /// Who comes must find the person who moves on, or whose place was not known: 100 m, as the crow flies.
    private func tellNewPlace(of person: PersonID) {
        guard let watching = stations.all[person], let alarm = watching.watch.incident.alarm, let place = places.lastPlace(of: person)
        else { return }
        // One of unknown age that is found again has one.
        if let told = watching.toldPosition, place.isNear(told), told.isAgeUnknown == place.isAgeUnknown { return }
        calls.setFacts(alarm, of: person)
        if watching.isCalling { calls.caller(of: person)?.changed() }
        reports.tell(of: person, isNews: true)
    }

    private func tell(_ announcement: Announcement, of person: PersonID) {
        switch announcement {
        case .taken(let alarm, _):
            calls.setFacts(alarm, of: person)
            endCalls(of: person) { $0.acknowledged() }
            context.say(prompt: "prompt.sos.taken")
        case .released: context.say(prompt: "prompt.sos.released")
        case .personAnswered: context.say(prompt: "prompt.sos.still-coming")
        case .refused: break
        case .over(let alarm, let outcome):
            calls.setFacts(alarm, of: person, outcome: outcome)
            let wasCalling = stations.all[person]?.isCalling == true
            endCalls(of: person) { $0.stop() }
            if !wasCalling { standDown(of: person) }
            if case .finished = outcome { context.say(prompt: "prompt.sos.over") }
            protection.tellReminders(of: person)
        }
    }

    private func endCalls(of person: PersonID, _ end: (any LocalCalling) -> Void) {
        if stations.all[person]?.isCalling == true, let caller = calls.caller(of: person) { end(caller) }
        stations.all[person]?.endCalls()
        quieten()
    }

    /// Somebody took it, so that the calls have ended: whoever the box had told hears of the end all the same, in writing alone.
    private func standDown(of person: PersonID) {
        guard let watching = stations.all[person] else { return }
        guard watching.hasTold || watching.owner?.isContact == true else { return }
        calls.changePlan(of: person)
        calls.caller(of: person)?.standDown()
    }
}
