internal import Alerts
internal import Distress
internal import Languages
internal import Logging
internal import Peripherals
internal import Seams
internal import Sensing
internal import SyncProtocol
internal import Vitals

// AutomatedSOS on the box: every reading goes through the machine as it comes, and what that asks for is done here, the alarm first. Nothing
// here waits for the disk, the database, the name service or the hub.
extension Box {
    // MARK: - Beginning

    /// For each person a machine and the means to call. What was open when the agent ended goes on at ``resumeSOS()``.
    static func watchings(_ identity: Identity, _ sos: SOSParts, _ language: Language, _ clock: BoxClock) -> [PersonID: SOSStation] {
        var watchings: [PersonID: SOSStation] = [:]
        for bound in identity.persons {
            let known = HeldSettings(sos.settings).inForce(bound.person)
            let usual = SOSSettings.Person(
                person: bound.person, distress: DistressSettings(isOn: sos.isSettingsLost), name: bound.name, language: language.rawValue)
            watchings[bound.person] = SOSStation(
                person: bound.person, settings: known ?? usual, stream: clock.machine.randomness.id(), at: clock.boottime())
            watchings[bound.person]?.isSettingsLost = sos.isSettingsLost
        }
        return watchings
    }

    func resumeSOS() {
        let now = clock.boottime()
        if let state = parts.sos.state {
            let elapsed = state.boot == boot ? nil : min(86_400_000, max(0, clock.utc() - state.utc))
            for kept in state.persons {
                if case .suspecting = kept.watch.incident.state, elapsed != nil || now - state.at > SOSStation.questionOld {
                    logger.warning("AutomatedSOS had asked when the agent ended: what no reading repeats is asked again now")
                }
                guard let effects = watchings[kept.person]?.restore(kept, at: now, keptAt: state.at, elapsed: elapsed) else { continue }
                resume(kept.person, at: now)
                run(effects, of: kept.person)
            }
        }
        // Also what was kept knows this start's stream by it.
        for person in watchings.keys.sorted() {
            run(watchings[person]?.take(isFixed: configuration.role == .gateway, at: now) ?? [], of: person)
        }
        for person in watchings.keys.sorted() { tellHub(of: person) }
        calling = clock.machine.start { [weak self, callEvents] in
            for await word in callEvents.stream { await self?.called(word.event, about: word.incident, of: word.person) }
        }
    }

    private func resume(_ person: PersonID, at now: Milliseconds) {
        guard let watching = watchings[person] else { return }
        if watching.isOpen { logger.notice("AutomatedSOS goes on with what was open when the agent ended") }
        if let question = watching.question { ask(question, of: person) }
        if watching.isHandedOver { watchings[person]?.hub.reached = now }
        guard watching.isCalling, let alarm = watching.alarm else { return }
        watchings[person]?.isCalling = false
        call(alarm, isUpdate: true, of: person)
    }

    // MARK: - What happens

    func watch(_ event: HeartRateEvent, of person: PersonID) {
        let now = clock.boottime()
        switch event {
        case .measurement(let sample):
            // What nothing alive has is not stored either.
            guard event.implausible == 0 else { return }
            run(watchings[person]?.take(sample, at: now) ?? [], of: person)
        case .connected(let time): watch(StateEvent(time: time, code: .sensorConnected), of: person)
        case .lost(_, let time): watch(StateEvent(time: time, code: .sensorLost), of: person)
        case .reading(let reading): run(watchings[person]?.take(reading, at: now) ?? [], of: person)
        case .battery, .bodyLocation, .charging: break
        }
    }

    func watch(_ sample: PositionSample, of person: PersonID) {
        var sample = sample
        _ = sample.clearImplausible()
        // A receiver at a gateway tells where the box is, and not whether its wearer climbs the stairs.
        feed(configuration.role == .gateway ? .place(sample) : .position(sample), of: person)
        keepPlace(of: person)
        tellNewPlace(of: person)
    }

    func watch(_ event: StateEvent, of person: PersonID) {
        run(watchings[person]?.take(event, at: clock.boottime()) ?? [], of: person)
    }

    func feed(_ event: DistressEvent, of person: PersonID) {
        run(watchings[person]?.take(event, at: clock.boottime()) ?? [], of: person)
    }

    /// What only time brings: at the machine's own deadlines, by ``schedule()``, and with each tick of the box.
    func watchTime() {
        for person in watchings.keys.sorted() { feed(.tick, of: person) }
        let now = clock.boottime()
        guard let still = detectorGuard.beat(at: now) else { return }
        stoodStill = now
        logger.error("the box stood still for \(still / 1000) s: meanwhile the hub was asked to watch")
    }

    /// A timer of its own: it waits for nothing but time.
    private func schedule() {
        let due = watchings.values.compactMap(\.watch.nextDeadline).min()
        guard due != scheduled else { return }
        scheduled = due
        sosTimer?.cancel()
        sosTimer = due.map { due in
            let wait = max(1, due - clock.boottime())
            return clock.machine.start { [weak self, machine = clock.machine] in
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
                watchings[person]?.question = question
                ask(question, of: person)
                isNews = true
            case .withdraw(let question, let why):
                withdraw(question, why, of: person)
                isNews = true
            case .report(let alarm):
                begin(alarm, of: person)
                tellHub(of: person, isNews: true)
                isHeard = true
            case .deliver(let delivery):
                call(delivery.alarm, isUpdate: delivery.message == .update, of: person)
                isNews = true
            case .tell(let announcement):
                tell(announcement, of: person)
                isNews = true
            case .warn(let warning):
                owe(warning, of: person)
                isNews = true
            case .test(let alarm): logger.notice("AutomatedSOS: a test, nobody is called", metadata: ["incident": "\(alarm.id)"])
            case .sameEpisode, .protection: isNews = true
            case .decided(let decision): log(decision)
            }
        }
        guard isNews || isHeard else { return }
        if isNews { tellHub(of: person, isNews: true) }
        keepSOS()
        publish()
    }

    /// Without values: those are nobody's business in the journal. `trackme-agent status` has the reasons.
    private func log(_ decision: Decision) {
        switch decision.kind {
        case .counting, .notCounting, .context, .limits, .rearmed, .ignored: break
        default: logger.notice("AutomatedSOS: \(decision.kind.rawValue)")
        }
    }

    // MARK: - The question

    /// On a box of several people the question says whose answer is wanted.
    func ask(_ question: Question, of person: PersonID) {
        let isNamed = identity.persons.count > 1, name = isNamed ? ["name": watchings[person]?.settings.name ?? ""] : [:]
        let key = isNamed ? "prompt.sos.question.named" : "prompt.sos.question"
        if question.tier == .critical {
            parts.announcer.alarm(true, saying: key, name)
        } else {
            parts.announcer.prompt(key, name)
        }
    }

    /// Whose answer a press without a name gives: of several people who are asked at once, the one who was asked last, as the box says.
    var asked: PersonID? {
        watchings.values.filter { $0.question != nil }.max {
            ($0.question?.askedAt ?? 0, $0.person) < ($1.question?.askedAt ?? 0, $1.person)
        }?.person
    }

    private func withdraw(_ question: Question, _ why: Withdrawal, of person: PersonID) {
        if watchings[person]?.question?.id == question.id { watchings[person]?.question = nil }
        quieten()
        if why == .raised { say(prompt: "prompt.sos.raised") }
        // The question that another person has not answered yet is the one that is asked now.
        if let next = asked, next != person, let question = watchings[next]?.question { ask(question, of: next) }
    }

    /// Unless the tone is still wanted: for whoever is near, or for a question or call, also another person's.
    func quieten() {
        let isWanted = watchings.values.contains { $0.isCalling || $0.callsNear || $0.question?.tier == .critical }
        if !isWanted { parts.announcer.alarm(false) }
    }

    // MARK: - The alarm

    func begin(_ alarm: Alarm, of person: PersonID) {
        // Told again with more in it: what is known of the case stays.
        guard watchings[person]?.begun != alarm.id else { return setFacts(alarm, of: person) }
        watchings[person]?.beginCase(alarm.id)
        // A test gives way also where the box does not call.
        if let drill = watchings[person]?.drill, !drill.isOver { callers[person]?.stop() }
        watchings[person]?.calls = []
        watchings[person]?.hasTold = false
        watchings[person]?.warning = nil
        watchings[person]?.owedWarnings = []
        watchings[person]?.hub.reached = nil
        watchings[person]?.hub.owner = nil
        watchings[person]?.hub.told = []
        watchings[person]?.drill = nil
        watchings[person]?.hub.answer?.coming = nil
        setFacts(alarm, of: person)
    }

    func setFacts(_ alarm: Alarm, of person: PersonID, outcome: Outcome? = nil) {
        guard let watching = watchings[person] else { return }
        let facts = SOSMessages.Facts(
            alarm: alarm, position: place(of: alarm, person),
            noPosition: settings[person].kinds.position ? .noFix : .switchedOff, person: caseSettings(watching), outcome: outcome,
            takenBy: ownerName(watching),
            utcOffset: clock.utc() - clock.boottime(), isClockTrusted: trust != .unconfirmed)
        messages[person]?.set(facts)
        let told = lastPlace(of: person)
        watchings[person]?.toldPosition = told
    }

    private func call(_ alarm: Alarm, isUpdate: Bool, of person: PersonID) {
        setFacts(alarm, of: person)
        changePlan(of: person)
        watchings[person]?.isCalling = true
        callers[person]?.raise(mode: .live, isUpdate: isUpdate, since: isUpdate ? alarm.raisedAt + clock.utc() - clock.boottime() : nil)
        if !canCall(person) { say(prompt: isNobodySetUp(person) ? "prompt.sos.nobody-set-up" : "prompt.sos.nobody") }
    }

    /// Who comes must find the person who moves on, or whose place was not known: 100 m, as the crow flies.
    private func tellNewPlace(of person: PersonID) {
        guard let watching = watchings[person], let alarm = watching.watch.incident.alarm, let place = lastPlace(of: person) else { return }
        // One of unknown age that is found again has one.
        if let told = watching.toldPosition, place.isNear(told), told.isAgeUnknown == place.isAgeUnknown { return }
        setFacts(alarm, of: person)
        if watching.isCalling { callers[person]?.changed() }
        tellHub(of: person, isNews: true)
    }

    private func tell(_ announcement: Announcement, of person: PersonID) {
        switch announcement {
        case .taken(let alarm, _):
            setFacts(alarm, of: person)
            endCalls(of: person) { $0.acknowledged() }
            say(prompt: "prompt.sos.taken")
        case .released: say(prompt: "prompt.sos.released")
        case .personAnswered: say(prompt: "prompt.sos.still-coming")
        case .refused: break
        case .over(let alarm, let outcome):
            setFacts(alarm, of: person, outcome: outcome)
            let wasCalling = watchings[person]?.isCalling == true
            endCalls(of: person) { $0.stop() }
            if !wasCalling { standDown(of: person) }
            if case .finished = outcome { say(prompt: "prompt.sos.over") }
            tellReminders(of: person)
        }
    }

    private func endCalls(of person: PersonID, _ end: (any LocalCalling) -> Void) {
        if watchings[person]?.isCalling == true, let caller = callers[person] { end(caller) }
        watchings[person]?.isCalling = false
        watchings[person]?.callsNear = false
        quieten()
    }

    /// Somebody took it, so that the calls have ended: whoever the box had told hears of the end all the same, in writing alone.
    private func standDown(of person: PersonID) {
        guard let watching = watchings[person] else { return }
        guard watching.hasTold || watching.owner?.isContact == true else { return }
        changePlan(of: person)
        callers[person]?.standDown()
    }

    // MARK: - Keeping

    /// Beside the alarm, and never waited for.
    func keepSOS() {
        sosStateFile.keep(
            SOSState(
                boot: boot, at: clock.boottime(), utc: clock.utc(), persons: watchings.keys.sorted().compactMap { watchings[$0]?.kept }))
    }
}

extension Owner {
    /// A contact who answered the box itself (RFC 3966).
    init(contact: SOSSettings.Contact) { self.init("tel:\(contact.phone)") }
    var isContact: Bool { phone != nil }
    /// nil for whoever took it otherwise.
    var phone: String? { id.hasPrefix("tel:") ? String(id.dropFirst(4)) : nil }
}
