public import Vitals

/// A finding of a ``Detector``.
public enum Finding: Hashable, Sendable {
    /// The first valid reading beyond a critical limit, or a flagged event.
    case suspicion(Abnormality)
    /// The third consecutive one.
    case qualified(Abnormality)
    /// A valid reading back inside before the third one.
    case cleared(Trigger)
    /// No valid reading for ``DistressConstants/gapMax`` since the first one.
    case lost(Abnormality)
    /// Nobody is watched from here on, by the person's own act: what was open is closed.
    case ended(Absence)
    /// Beyond a warning limit for ``DistressConstants/warningAfter``.
    case warning(Abnormality)
    case warningOver(Trigger)
    case decided(Decision)
}

/// From measurements to suspicions: quality gate, context, limits, three consecutive readings, warnings, hysteresis, silence.
///
/// A value without a clock. Time is the caller's; one that lies before an earlier one is taken as that one. Whatever is not a valid
/// reading takes protection away, and never counts as a low heart rate.
public struct Detector: Hashable, Sendable, Codable {
    public internal(set) var settings: DistressSettings
    /// nil: the table does not cover the age, and nobody is watched.
    public internal(set) var limits: EffectiveLimits?
    var gate = QualityGate()
    var tracker = ContextTracker()
    var heart: ReadingStreak?
    var temperature: ReadingStreak?
    /// nil: nothing yet. Version 2 of the stored form knows it not.
    var thermometer: Thermometer?
    /// Of the limits that were passed back and forth a moment ago; the others are armed.
    var hysteresis: [Trigger: Hysteresis] = [:]
    var silences: [Trigger: Silence] = [:]
    /// How long gradual runs have lasted that were interrupted: the next one goes on counting.
    var gradualSpent: Milliseconds = 0
    /// The source of the heart rate that is listened to, while it comes.
    var source: StreamID?
    var isSourceRefusalTold = false
    /// nil: nothing yet. Version 2 of the stored form knows it not.
    var contradiction: Contradiction?
    /// nil: nothing yet, as above.
    var pauses: HeartPauses?
    /// The last reading beyond a critical limit.
    var criticalAt: Milliseconds?
    /// Of the box that stays where it is.
    var fixedBox: StreamID?
    var warnings: [Trigger: Persistence] = [:]
    /// Told by the box, or by what the person chose.
    var absences: Set<Absence> = []
    var lastValidAt: Milliseconds?
    /// Of readings that count, and of those that only did not count.
    var lastSignalAt: Milliseconds?
    var lastRejection: Rejection?
    var isCounting = false
    var now: Milliseconds
    /// The last context, so that only changes are reported.
    private var toldContext: Context?

    public init(settings: DistressSettings, at time: Milliseconds) {
        self.settings = settings
        limits = EffectiveLimits(settings)
        now = time
    }

    /// The person's activity, as far as movement tells.
    public var context: Context { tracker.context == .unknown && isAtHome ? .home : tracker.context }
    /// A person who is heard by a box that stays in its place is near it; a fix says more.
    private var isAtHome: Bool { fixedBox != nil && fixedBox == source && !tracker.hasFix }
    /// The last known position, however old.
    public var position: LastPosition? { tracker.last }

    var history: [HistoryPoint] { tracker.history }

    /// When ``DistressEvent/tick`` is due at the latest: later than the last told time.
    public var nextDeadline: Milliseconds? {
        var turns: [Milliseconds] = []
        if let heart, heart.isOpen { turns.append(lastOf(heart) + DistressConstants.gapMax + 1) }
        if let temperature, temperature.isTold, !temperature.isQualified {
            turns.append(temperature.latest.time + TemperatureLimits.gapMax + 1)
        }
        if let lastValidAt { turns.append(lastValidAt + DistressConstants.gapMax + 1) }
        return turns.filter { $0 > now }.min()
    }

    /// Takes what has happened by `time` and says what is found. ``DistressEvent``s of the incident's life are not its business.
    public mutating func handle(_ event: DistressEvent, at time: Milliseconds) -> [Finding] {
        now = max(now, Self.plausible(time))
        var findings: [Finding] = []
        switch event {
        case .heartRate(let sample, let key): findings = take(sample, key)
        case .position(let sample): tracker.take(sample, at: min(Self.plausible(sample.time), now))
        case .place(let sample): tracker.take(place: sample, at: min(Self.plausible(sample.time), now))
        case .box(let stream, let isFixed): if isFixed { fixedBox = stream } else if fixedBox == stream { fixedBox = nil }
        case .cadence(let perMinute): tracker.take(cadence: min(max(perMinute, 0), DistressConstants.cadenceMax), at: now)
        case .temperature(let value, let key): findings = takeTemperature(value, key)
        case .flagged(let flag, let key): findings = take(flag, key)
        case .state(let event, _): findings = take(event)
        case .settings(let settings): findings = take(settings)
        case .inactive, .active, .otherSide, .reported, .taken, .released, .finished, .awoke, .tick: break
        }
        // A reading that counts has concluded already what the person is doing.
        return findings + conclude(isKnown: lastValidAt == now && isHeartRate(event))
    }

    /// No clock goes so far: sums and differences of times stay numbers.
    static func plausible(_ time: Milliseconds) -> Milliseconds {
        min(max(time, -DistressConstants.timeMax), DistressConstants.timeMax)
    }

    private func isHeartRate(_ event: DistressEvent) -> Bool {
        if case .heartRate = event { settings.isOn && limits != nil } else { false }
    }

    /// "I'm OK" to what was found: those limits are silent for a while.
    mutating func answered(_ found: [Abnormality]) -> [Finding] {
        var findings: [Finding] = []
        for trigger in Trigger.allCases where trigger.clearlyWorse > 0 {
            let runs = [heart, temperature].compactMap(\.self).filter { $0.isTold && $0.trigger == trigger }
            let values = found.filter { $0.trigger == trigger }.map(\.worst) + runs.map(\.worst)
            guard let first = values.first else { continue }
            let isWarning = !found.contains { $0.trigger == trigger && $0.tier == .critical }
            findings.append(
                silence(
                    trigger, worst: values.reduce(first) { trigger.isWorse($1, than: $0) ? $1 : $0 },
                    tier: trigger == .heartPause && isWarning ? .warning : nil))
            close(trigger)
        }
        return findings
    }

    /// A case is over and monitoring goes on: a warning that nobody heard because of it counts anew.
    mutating func forgetToldWarnings() { warnings = warnings.filter { !$0.value.isTold } }

    /// Reactivated: whatever is beyond a limit now asks anew.
    mutating func restart() {
        (heart, temperature) = (nil, nil)
        hysteresis = [:]
        silences = [:]
        warnings = [:]
        gradualSpent = 0
        pauses?.last = nil
        criticalAt = nil
    }

    /// The open suspicion turned out to be exercise, or was answered elsewhere.
    mutating func close(_ trigger: Trigger) {
        if heart?.trigger == trigger { heart = nil }
        if trigger == .heartRateHigh { gradualSpent = 0 }
        if temperature?.trigger == trigger { temperature = nil }
    }

    private mutating func silence(_ trigger: Trigger, worst: Int, tier: Tier?) -> Finding {
        let until = now + DistressConstants.silence
        warnings[trigger] = nil
        silences[trigger] = Silence(until: until, worst: worst, tier: tier)
        return decided(.silenced, [.silenced(trigger, until: until)])
    }

    // MARK: - What the box and the person tell

    private mutating func take(_ settings: DistressSettings) -> [Finding] {
        guard settings != self.settings else { return [] }
        self.settings = settings
        limits = EffectiveLimits(settings)
        var findings: [Finding] = limits.map { [decided(.limits, [.limits($0)])] } ?? []
        if !settings.isOn || limits == nil { findings += end(settings.isOn ? .ageNotCovered : .switchedOff) }
        return findings
    }

    private mutating func take(_ event: StateEvent) -> [Finding] {
        switch event.code {
        case .paused:
            absences.insert(.paused)
            return end(.paused)
        case .resumed: absences.remove(.paused)
        case .kindsChosen:
            guard event.value & 1 == 0 else {
                absences.remove(.switchedOff)
                return []
            }
            absences.insert(.switchedOff)
            return end(.switchedOff)
        case .sensorCharging: set(.charging, event.value == 1)
        case .sensorContact: set(.notWorn, event.value == 0)
        case .sensorFrozen: set(.frozen, event.value == 1)
        case .sensorAway: set(.away, event.value == 1)
        case .sensorLost: set(.noSignal, true)
        default: break
        }
        return []
    }

    private mutating func set(_ absence: Absence, _ holds: Bool) {
        if holds { absences.insert(absence) } else { absences.remove(absence) }
    }

    private mutating func end(_ absence: Absence) -> [Finding] {
        let wasOpen = heart?.isTold == true || temperature?.isTold == true || warnings.values.contains(where: \.isTold)
        (heart, temperature) = (nil, nil)
        warnings = [:]
        gradualSpent = 0
        // Whether a fall is open, only the incident knows.
        return [.ended(absence)] + (wasOpen ? [decided(.cleared, [.absent(absence)])] : [])
    }

    private func take(_ flag: Flag, _ key: SampleKey) -> [Finding] {
        guard settings.isOn, absences.isDisjoint(with: [.paused]) else {
            return [decided(.ignored, [.flagged(flag), .absent(settings.isOn ? .paused : .switchedOff)])]
        }
        let reading = Reading(time: now, value: 0, key: key)
        let found = Abnormality(
            trigger: flag.trigger, tier: .critical, limit: nil, context: context, first: reading, latest: reading, worst: 0, count: 1,
            isLost: false, answerTime: DistressConstants.answerTimeFlag)
        return [decided(.suspected, [.flagged(flag)]), .suspicion(found), .qualified(found)]
    }

    // MARK: - Concluding

    private mutating func conclude(isKnown: Bool) -> [Finding] {
        if !isKnown { tracker.conclude(at: now, restCeiling: limits?.restCeiling ?? DistressConstants.restUnknown) }
        var findings: [Finding] = []
        if context != toldContext {
            toldContext = context
            findings.append(decided(.context, [.context(context)] + tracker.reasons))
        }
        return findings + concludeLoss() + concludeTemperature()
    }

    private mutating func concludeLoss() -> [Finding] {
        guard var run = heart, run.isOpen, now - lastOf(run) > DistressConstants.gapMax else { return [] }
        let reasons: [Reason] = [.noReading(milliseconds: now - lastOf(run))]
        guard run.isContinuous else {
            // One reading in a long while, and none after it: there was no signal to lose, and three in a row cannot come.
            heart = nil
            return run.isTold ? [decided(.cleared, [.tooSparse] + reasons), .cleared(run.trigger)] : []
        }
        var findings: [Finding] = []
        if !run.isTold {
            // It was not asked about, since the limit was passed back and forth. Now there will be no third reading to ask at.
            run.isTold = true
            let beyond = Reason.beyond(run.trigger, value: run.latest.value, limit: run.limit, .critical)
            findings = [decided(.suspected, [beyond, .context(run.context)]), .suspicion(run.abnormality())]
        }
        run.isLost = true
        heart = run
        return findings + [decided(.lost, reasons), .lost(run.abnormality())]
    }

    /// A thermometer that was put away has no signal that could be lost: its question ends, so that the next one is asked.
    private mutating func concludeTemperature() -> [Finding] {
        guard let run = temperature, run.isTold, !run.isQualified, now - run.latest.time > TemperatureLimits.gapMax else { return [] }
        temperature = nil
        return [decided(.cleared, [.tooSparse, .noReading(milliseconds: now - run.latest.time)]), .cleared(run.trigger)]
    }

    private func lastOf(_ run: ReadingStreak) -> Milliseconds { max(run.latest.time, lastValidAt ?? run.latest.time) }

    func decided(_ kind: Decision.Kind, _ reasons: [Reason]) -> Finding {
        .decided(Decision(time: now, kind: kind, reasons: reasons))
    }

    // MARK: - Protection

    /// Why nobody is watched now, in the order of ``Absence``; empty when somebody is.
    public var unprotected: [Absence] {
        var reasons = absences
        if !settings.isOn { reasons.insert(.switchedOff) }
        if limits == nil { reasons.insert(.ageNotCovered) }
        if !hasSignal {
            if case .frozen = lastRejection { reasons.insert(.frozen) }
            if case .noContact = lastRejection { reasons.insert(.notWorn) }
            if reasons.isEmpty { reasons.insert(.noSignal) }
        } else if contradiction?.holds ?? false {
            reasons.insert(.contradictory)
        }
        return Absence.allCases.filter(reasons.contains)
    }

    private var hasSignal: Bool { lastValidAt.map { now - $0 <= DistressConstants.gapMax } ?? false }
}
