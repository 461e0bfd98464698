internal import Distress
internal import EmergencyDispatch
internal import Sensing
internal import SyncProtocol
internal import Vitals

/// AutomatedSOS for one person on this box: the machine, and what is known around it. A value; the box runs its effects.
///
/// ## Identities of samples
/// The machine wants each sample's identity as it arrives, long before the sample is sealed into a segment; on a disk that hangs it never
/// is. So every start of the agent makes a stream of its own for what it watches, and counts in it: sequence 0, and the index goes up by one
/// with each heart rate, and with each event apart. An incident's id follows from such a key, is made once, and travels with the alarm: the
/// hub takes it from there and does not work it out from stored segments. Which stored readings it is about, the alarm says by their times
/// in the boot's clock, under which the segments have them as well.
struct SOSStation: Sendable {
    static let callsMax = 64, decisionsMax = 32
    static let questionOld: Milliseconds = 120_000
    /// Readings that are taken so long after they were measured: this box does not keep up, and the hub shall watch.
    static let behindAfter: Milliseconds = 15_000
    /// Nothing was looked at for so long: the machine slept, or stood still, and nobody could answer.
    /// Less than ``DistressConstants/answerTime``, so that no question's time runs out unseen.
    static let sleptAfter: Milliseconds = 3000
    /// Between two looks while the machine is awake.
    static let lookEvery: Milliseconds = 1000
    /// What was due so long ago was not done.
    static let overdueAfter: Milliseconds = 5000

    let person: PersonID
    var settings: SOSSettings.Person
    /// The settings were there and could not be read.
    var isSettingsLost = false
    private(set) var watch: DistressWatch
    private let stream: StreamID
    private var heartRates: UInt32 = 0
    private var events: UInt32 = 0

    var question: Question?
    var warning: Warning?
    /// The box's calls by its own means for the present case, oldest first.
    var calls: [SOSReport.LocalCall] = []
    /// The local channels were started for the present case and are not over.
    var isCalling = false
    /// "Get help" was pressed here: a tone calls whoever is near until somebody takes it, or another button is pressed.
    var callsNear = false
    private(set) var decisions: [Decision] = []
    var hub = HubReportState()
    var drill: BoxStatus.Drill?
    /// How this box holds whoever has it to it (``AutomatedSOS/holdOwners(at:)``).
    var held = OwnerHold()
    /// The test of ``drill``, and the number of the last planned one that the hub asked for.
    var drillAlarm: Alarm?
    var drilled: UInt64 = 0
    /// Somebody may have been told by the box itself of the present case.
    var hasTold = false
    /// For which everything above stands.
    var begun: IncidentID?
    /// The case that began at the hub, while this box had none.
    var adopted: IncidentID?
    /// A case that is over, of which the hub has not heard, and the person is watched again since.
    var untold: Incident.Closed?
    /// Other people who may be meant by the present case: help was asked for at a button that belongs to nobody.
    private(set) var others: [PersonID] = []
    private var othersOfNext: [PersonID] = []
    /// Of a time in which nobody is watched here, by the person's own act or since a case is over.
    var reminder: Reminder?
    /// When ``reminder`` was last of what another box says; nil where it is of this one.
    var elsewhereSeen: Milliseconds?
    /// When the person pressed here to have their other boxes watch again, until the hub has heard of it.
    var broughtBack: Milliseconds?
    /// When the person last paused here, or chose what is collected.
    var chosen: Milliseconds?
    /// When the watch was told anything last: each second, unless the machine slept or stood still.
    private var lastLook: Milliseconds?
    /// The last reading was taken too late.
    private var isBehind = false
    private var lastTaken: Milliseconds?
    /// The last position of which the local channels told.
    var toldPosition: LastPosition?
    /// Since when nobody could be called, and whether that was told.
    var nobodySince: Milliseconds?
    var isNobodyTold = false
    /// The question that was answered last.
    private(set) var answered: IncidentID?
    /// When a detector beside the agent reported each last.
    var flagged: [Flag: Milliseconds] = [:]
    /// Signs of life, while the person wants to be asked without one; nil otherwise.
    var activity: InactivityWatch?
    /// Warnings of which hub or contacts have not heard, oldest first.
    var owedWarnings: [OwedWarning] = []
    var hubSilence = HubSilence()
    /// When the box asked by voice last.
    var inactivityAsked: Milliseconds?
    /// When ``activity`` was written to the disk last.
    var activityKept: Milliseconds?
    /// The last failure, by way.
    private var problems: [String: String] = [:]

    init(person: PersonID, settings: SOSSettings.Person, stream: StreamID, at now: Milliseconds) {
        (self.person, self.settings, self.stream) = (person, settings, stream)
        watch = DistressWatch(person: person, provenance: .live, side: .box, settings: settings.distress, at: now)
    }

    // MARK: - Events

    mutating func take(_ sample: HeartRateSample, at now: Milliseconds) -> [DistressEffect] {
        defer { heartRates &+= 1 }
        (isBehind, lastTaken) = (now - sample.time > Self.behindAfter, now)
        return take(.heartRate(sample, SampleKey(stream: stream, sequence: 0, kind: .heartRate, index: heartRates)), at: now)
    }

    /// Temperatures are counted with the events: they are no heart rates.
    mutating func take(_ reading: ScalarSample, at now: Milliseconds) -> [DistressEffect] {
        // Events that waited in a queue say nothing about now.
        guard now - reading.time <= DistressConstants.staleAfter else { return [] }
        let key = SampleKey(stream: stream, sequence: 0, kind: .event, index: events)
        guard let event = DistressEvent(reading, key: key) else { return [] }
        if case .temperature = event { events &+= 1 }
        return take(event, at: now)
    }

    mutating func take(_ event: StateEvent, at now: Milliseconds) -> [DistressEffect] {
        defer { events &+= 1 }
        return take(.event(event, SampleKey(stream: stream, sequence: 0, kind: .event, index: events)), at: now)
    }

    /// Whether this box stays where it is, as its role says: then whoever it hears is at home.
    mutating func take(isFixed: Bool, at now: Milliseconds) -> [DistressEffect] { take(.box(stream, isFixed: isFixed), at: now) }

    mutating func take(_ event: DistressEvent, at now: Milliseconds) -> [DistressEffect] {
        let before = watch.incident
        var effects: [DistressEffect] = []
        // Without the moment in which it was awake: also one that is always slow lets each time run out.
        if let lastLook, now - lastLook > Self.sleptAfter {
            effects += watch.handle(.awoke(after: now - lastLook - Self.lookEvery), at: now)
        }
        lastLook = now
        effects += watch.handle(event, at: now)
        noteSigns(in: event, at: now)
        if case .waiting(let closed) = before.state, watch.incident.alarm == nil, alarm == nil, owesHub { untold = closed }
        // Over, and watched on: the hub has yet to hear how it ended.
        if let answered = watch.incident.answered, answered != before.answered { untold = answered }
        for case .withdraw(let question, .answered) in effects { answered = question.id }
        for case .decided(let decision) in effects { decisions.append(decision) }
        if decisions.count > Self.decisionsMax { decisions.removeFirst(decisions.count - Self.decisionsMax) }
        return effects
    }

    /// Of a question that begins with no sample.
    mutating func nextEventKey() -> SampleKey {
        defer { events &+= 1 }
        return SampleKey(stream: stream, sequence: 0, kind: .event, index: events)
    }

    /// Whether a way has another problem than it had; one that is merely tried again has not.
    mutating func isNewProblem(of call: SOSReport.LocalCall) -> Bool {
        let way = "\(call.channel.rawValue) \(call.recipient)"
        guard let problem = call.problem else {
            if call.state != .started { problems[way] = nil }
            return false
        }
        defer { problems[way] = problem }
        return problems[way] != problem
    }

    /// This box's own watching does not keep up with time.
    func isDetectorDown(at now: Milliseconds) -> Bool {
        if let due = watch.nextDeadline, now - due > Self.overdueAfter { return true }
        return isBehind && lastTaken.map { now - $0 < 60_000 } ?? false
    }

    // MARK: - What is open

    /// A question or an alarm waits for somebody.
    var isOpen: Bool { question != nil || watch.incident.alarm != nil }

    /// The case that is open, or that is over and waits for "reactivate".
    var alarm: Alarm? {
        if case .waiting(let closed) = watch.incident.state { return closed.alarm }
        return watch.incident.alarm
    }

    var outcome: Outcome? {
        if case .waiting(let closed) = watch.incident.state { return closed.outcome }
        return nil
    }

    var owner: Owner? {
        switch watch.incident.state {
        case .taken(let taken): taken.owner
        case .waiting(let closed): closed.owner
        default: nil
        }
    }

    /// The case that the person ended before anybody had taken it, while what was answered is silent.
    func answered(at now: Milliseconds) -> Incident.Closed? {
        watch.incident.alarm == nil ? watch.incident.answered.flatMap { now - $0.at < DistressConstants.silence ? $0 : nil } : nil
    }

    /// Somebody asks for help who may be one of these as well: of the case that is open, or of the next one.
    mutating func mayAlsoBe(_ people: [PersonID]) {
        if watch.incident.alarm == nil { othersOfNext = people } else { others = people }
    }

    /// What was known of the case before is over, and a test gives way.
    mutating func beginCase(_ id: IncidentID) {
        (begun, others, othersOfNext) = (id, othersOfNext, [])
        (calls, hasTold, warning, owedWarnings, drill) = ([], false, nil, [], nil)
        (hub.reached, hub.owner, hub.told) = (nil, nil, [])
        hub.answer?.coming = nil
    }

    /// Nobody is called by the local channels any more.
    mutating func endCalls() { (isCalling, callsNear) = (false, false) }

    var isAdopted: Bool { watch.incident.alarm.map { $0.id == adopted || $0.aliases.contains { $0 == adopted } } ?? false }

    /// The hub goes on with it, and the box does not call.
    var isHandedOver: Bool {
        if case .delivering(let delivering) = watch.incident.state { return delivering.nextAt == nil }
        return false
    }

    // MARK: - Keeping

    mutating func note(_ call: SOSReport.LocalCall) {
        if call.channel != .sound, call.state != .failed { hasTold = true }
        calls.append(call)
        if calls.count > Self.callsMax { calls.removeFirst(calls.count - Self.callsMax) }
    }

    mutating func noteDrill(_ call: SOSReport.LocalCall) {
        drill?.calls.append(call)
        if let count = drill?.calls.count, count > Self.callsMax { drill?.calls.removeFirst() }
    }

    var kept: SOSState.Person {
        SOSState.Person(
            person: person, watch: watch, pressed: hub.pressed, revision: hub.revision, isCalling: isCalling, hasTold: hasTold,
            untold: untold, told: hub.told.sorted(), others: others.isEmpty ? nil : others, activity: activity,
            warning: warning, owedWarnings: owedWarnings.isEmpty ? nil : owedWarnings,
            owesHubIsBack: hubSilence.owesBack ? true : nil)
    }

    /// What sensor and box were found to be before: the new monitor begins with nothing, and tells only what differs from that. Otherwise a
    /// strap that was charging as the agent ended would count as charging for ever.
    private mutating func forgetMonitor(at now: Milliseconds) -> [DistressEffect] {
        let usual: [(StateEvent.Code, Int64)] = [
            (.resumed, 0), (.kindsChosen, 3), (.sensorCharging, 0), (.sensorContact, 1), (.sensorFrozen, 0), (.sensorAway, 0),
        ]
        return usual.flatMap { take(StateEvent(time: now, code: $0.0, value: $0.1), at: now) }
    }

    /// A case that was over before the restart is over after it.
    private mutating func end(_ closed: Incident.Closed, shifted difference: Milliseconds, at now: Milliseconds) {
        _ = take(.reported(closed.alarm.restored(by: difference)), at: now)
        if let owner = closed.owner { _ = take(.taken(by: owner), at: now) }
        switch closed.outcome {
        case .falseAlarm: _ = take(StateEvent(time: now, code: .falseAlarm), at: now)
        case .answeredLate: _ = take(StateEvent(time: now, code: .ok), at: now)
        case .finished, .test, .unknown: _ = take(.finished(by: closed.owner ?? Owner("before the restart")), at: now)
        }
    }

    /// Nobody could answer while the agent was away. What was answered before stays silent.
    private mutating func askAgain(
        _ kept: SOSState.Person, shifted difference: Milliseconds, at now: Milliseconds
    ) -> [DistressEffect] {
        if let answered = kept.watch.incident.answered, now - difference - answered.at < DistressConstants.silence {
            end(answered, shifted: difference, at: now)
        }
        return watch.askAgain(what: kept.watch, shiftedBy: difference, at: now)
    }

    /// Goes on where the agent was when it ended.
    /// - Parameter elapsed: since the state was kept; nil in the same boot, whose times go on.
    mutating func restore(_ kept: SOSState.Person, at now: Milliseconds, keptAt: Milliseconds, elapsed: Milliseconds?) -> [DistressEffect] {
        hub.restore(pressed: kept.pressed)
        // What is restored below is no sign of life of now.
        let shift = elapsed.map { now - $0 - keptAt } ?? 0
        defer { restoreActivity(kept, shifted: shift) }
        restoreWarnings(kept, shifted: shift)
        hubSilence = HubSilence(owesBack: kept.owesHubIsBack ?? false)
        hasTold = kept.hasTold ?? kept.isCalling
        (untold, others) = (kept.untold ?? kept.watch.incident.answered, kept.others ?? [])
        guard elapsed != nil else {
            let isOld = now - keptAt > Self.questionOld
            if isOld, case .suspecting = kept.watch.incident.state { return askAgain(kept, shifted: 0, at: now) }
            watch = kept.watch
            (hub.revision, hub.told) = (kept.revision, Set(kept.told ?? []))
            (question, isCalling, begun) = (watch.incident.openQuestion, kept.isCalling, watch.incident.alarm?.id)
            hub.owner = owner.flatMap { $0.isContact ? nil : $0 }
            // Nobody could answer a warning for so long.
            let asked = isOld ? take(.awoke(after: now - keptAt), at: now) : []
            return asked + forgetMonitor(at: now) + take(.settings(settings.distress), at: now)
        }
        // The boot clock began anew. A case goes on under its id.
        if let alarm = untold?.alarm { untold?.alarm = alarm.restored(by: shift) }
        switch kept.watch.incident.state {
        case .calm, .suspecting: return askAgain(kept, shifted: shift, at: now)
        case .waiting(let closed):
            end(closed, shifted: shift, at: now)
            return []
        case .raised, .delivering, .taken:
            guard let alarm = kept.watch.incident.alarm?.restored(by: shift) else { return [] }
            var effects = take(.reported(alarm), at: now)
            begun = alarm.id
            if case .taken(let taken) = kept.watch.incident.state {
                hub.owner = taken.owner.isContact ? nil : taken.owner
                effects += take(.taken(by: taken.owner), at: now)
            } else {
                effects += take(.otherSide(.unreachable), at: now)
            }
            return effects
        }
    }
}

extension Incident {
    /// The present question.
    var openQuestion: Question? {
        if case .suspecting(let suspicion) = state, suspicion.isAsked { return suspicion.question }
        return warning?.question
    }
}
