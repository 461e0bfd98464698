import Vitals

/// Heart rate: from a measurement to a run of readings beyond a critical limit.
extension Detector {
    private typealias Limit = DistressConstants

    mutating func take(_ sample: HeartRateSample, _ key: SampleKey) -> [Finding] {
        let time = min(Self.plausible(sample.time), now)
        let contradicted = takeContradiction(sample, key, at: time)
        if let refused = refuseOtherSource(sample, key, at: time) { return contradicted + refused }
        return contradicted + takeOwn(sample, key, at: time)
    }

    private mutating func takeOwn(_ sample: HeartRateSample, _ key: SampleKey, at time: Milliseconds) -> [Finding] {
        let rejection = rejection(of: sample, at: time)
        let paused = takePause(sample, key, rejection, at: time)
        let isContinuous = lastSignalAt.map { time - $0 <= Limit.gapMax } ?? false
        if rejection?.isSignal ?? true { lastSignalAt = max(lastSignalAt ?? time, time) }
        if let rejection {
            lastRejection = rejection
            return tellCounting(rejection, value: Int(sample.beatsPerMinute)) + paused
        }
        lastRejection = nil
        isSourceRefusalTold = isSourceRefusalTold && source == key.stream
        source = key.stream
        lastValidAt = max(lastValidAt ?? time, time)
        // A reading that counts says more than what was concluded before it.
        absences.subtract([.notWorn, .away, .frozen, .noSignal])
        let reading = Reading(time: time, value: Int(sample.beatsPerMinute), key: key)
        var findings = tellCounting(nil, value: reading.value) + paused
        tracker.take(heartRate: reading.value, at: time)
        guard settings.isOn, let limits else { return findings }
        tracker.conclude(at: now, restCeiling: limits.restCeiling)
        // An arrhythmia leaps; where a rate has climbed during exercise, it is more likely the person's own maximum.
        let isClimb = heart?.trigger != .heartRateHigh && !tracker.isSudden(reading.value, at: time)
        let inForce = limits.limits(in: context, recovered: tracker.recovered(at: now), isClimb: isClimb)
        findings += takeCritical(reading, inForce, isContinuous: isContinuous, hasIntervals: !sample.rrIntervals.isEmpty)
        findings += takeWarning(reading, inForce)
        return findings
    }

    /// Two sensors at once would tear each other's runs: one is listened to, as long as its readings count. Another one is heard from the
    /// first moment that they do not.
    private mutating func refuseOtherSource(_ sample: HeartRateSample, _ key: SampleKey, at time: Milliseconds) -> [Finding]? {
        guard let source, source != key.stream else { return nil }
        if let lastValidAt, now - lastValidAt <= Limit.gapMax, settings.isOn {
            guard !isSourceRefusalTold else { return [] }
            isSourceRefusalTold = true
            return [decided(.notCounting, [.rejected(.otherSource)])]
        }
        self.source = nil
        gate = QualityGate()
        pauses = nil
        return nil
    }

    /// Sources contradict each other, whichever is listened to: told, since nobody can say then whose heart is watched.
    private mutating func takeContradiction(_ sample: HeartRateSample, _ key: SampleKey, at time: Milliseconds) -> [Finding] {
        let value = Int(sample.beatsPerMinute)
        guard sample.contact != .notDetected, Limit.countedRange.contains(value) else { return [] }
        var open = contradiction ?? Contradiction()
        if let source, source != key.stream, let lastValidAt, now - lastValidAt <= Limit.gapMax, let rate = tracker.latestRate {
            open.take(other: value, against: rate, at: now)
        } else {
            open.take(own: value, at: time)
        }
        let began = open.holds && contradiction?.holds != true
        contradiction = open
        return began ? [decided(.ignored, [.absent(.contradictory)])] : []
    }

    private mutating func rejection(of sample: HeartRateSample, at time: Milliseconds) -> Rejection? {
        if let lastValidAt, time < lastValidAt { return .repeated }
        if now - time > Limit.staleAfter { return .stale(seconds: Int((now - time) / 1000)) }
        let rejection = gate.judge(sample, at: time)
        if let absence = Absence.allCases.first(where: { absences.contains($0) && $0.stopsReadings }) { return .absent(absence) }
        return rejection
    }

    /// Said when it changes, and for each rejected value that would have been abnormal: somebody may ask why there was no alarm.
    private mutating func tellCounting(_ rejection: Rejection?, value: Int) -> [Finding] {
        let wasCounting = isCounting
        isCounting = rejection == nil
        guard let rejection else { return wasCounting ? [] : [decided(.counting, [.counted(value: value)])] }
        let isAbnormal = value > 0 && limits.map { value <= $0.rest.criticalLow || value >= $0.rest.criticalHigh } ?? false
        return wasCounting || (isAbnormal && !rejection.isConstant) ? [decided(.notCounting, [.rejected(rejection)])] : []
    }

    // MARK: - Critical

    private mutating func takeCritical(
        _ reading: Reading, _ limits: HeartRateLimits, isContinuous: Bool, hasIntervals: Bool
    ) -> [Finding] {
        guard let (trigger, limit) = Self.side(reading.value, low: limits.criticalLow, high: limits.criticalHigh) else {
            return takeInside(reading, limits)
        }
        criticalAt = reading.time
        if let held = silenced(trigger, reading.value) {
            // The person answered for this side. Of the other side's trouble it says that it is over.
            return heart.map { $0.trigger != trigger } ?? false ? held + takeInside(reading, limits) : held
        }
        var findings: [Finding] = []
        if let silence = silences.removeValue(forKey: trigger) {
            // A question that was not answered stays open: it is the same trouble on the other side.
            if heart?.isTold != true { heart = nil }
            if now < silence.until { findings.append(decided(.silenced, [.clearlyWorse(value: reading.value, than: silence.worst)])) }
        }
        let (answerTime, isGradual) = judge(trigger, reading, limit: limit, hasIntervals: hasIntervals)
        var run =
            heart
            ?? ReadingStreak(
                reading, trigger: trigger, limit: limit, context: context, answerTime: answerTime, isContinuous: isContinuous,
                isGradual: isGradual)
        if heart != nil {
            run.append(reading, trigger: trigger, limit: limit, gapMax: Limit.gapMax)
            run.judge(answerTime: answerTime, isGradual: isGradual)
        }
        let meets = run.meetsTrigger && (!run.isQualified || run.isChanged)
        if !run.isTold, hysteresis[trigger] == nil || meets {
            run.isTold = true
            findings.append(
                decided(.suspected, [.beyond(trigger, value: reading.value, limit: limit, .critical), .context(context)]))
            findings.append(.suspicion(run.abnormality()))
        }
        if meets {
            run.isQualified = true
            run.isChanged = false
            hysteresis[trigger] = Hysteresis()
            findings.append(
                decided(
                    .qualified,
                    [
                        .beyond(trigger, value: reading.value, limit: limit, .critical),
                        .consecutive(count: run.count, milliseconds: reading.time - run.since),
                    ]))
            findings.append(.qualified(run.abnormality()))
        }
        heart = run
        return findings
    }

    private mutating func takeInside(_ reading: Reading, _ limits: HeartRateLimits) -> [Finding] {
        var findings = rearm(.heartRateLow, isWellInside: reading.value > limits.criticalLow + Limit.rearmMargin, at: reading.time)
        findings += rearm(.heartRateHigh, isWellInside: reading.value < limits.criticalHigh - Limit.rearmMargin, at: reading.time)
        if hysteresis[.heartRateHigh] == nil, heart == nil { gradualSpent = 0 }
        guard var run = heart else { return findings }
        if run.isQualified, run.isGradual {
            // Three readings stand, whatever follows, except where the doubt is to last: then they must, but for dips.
            let since = run.insideSince ?? reading.time
            run.insideSince = since
            heart = run
            guard reading.time - since >= Limit.dipMax else { return findings }
        }
        heart = nil
        guard run.isTold, !run.isQualified || run.insideSince != nil else { return findings }
        if run.isGradual { gradualSpent += max(0, run.latest.time - run.first.time) }
        hysteresis[run.trigger] = Hysteresis()
        return findings + [decided(.cleared, [.inside(value: reading.value)]), .cleared(run.trigger)]
    }

    mutating func rearm(_ trigger: Trigger, isWellInside: Bool, at time: Milliseconds) -> [Finding] {
        guard var open = hysteresis[trigger] else { return [] }
        let isArmed = open.take(isWellInside: isWellInside, at: time)
        hysteresis[trigger] = isArmed ? nil : open
        return isArmed ? [decided(.rearmed, [.rearmed(trigger)])] : []
    }

    /// The decision about a reading on a silent side; nil when it is to be looked at.
    private func silenced(_ trigger: Trigger, _ value: Int) -> [Finding]? {
        guard let silence = silences[trigger], now < silence.until else { return nil }
        return isClearlyWorse(trigger, value, than: silence.worst) ? nil : []
    }

    func isClearlyWorse(_ trigger: Trigger, _ value: Int, than worst: Int) -> Bool {
        trigger.isWorse(value, than: worst) && abs(value - worst) >= trigger.clearlyWorse
    }

    /// How long the person has from the first reading, as far as this one tells, and whether it may be an effort's, or steps: then nobody
    /// knows whether the person moves, and the rate is no higher than an effort's.
    private func judge(_ trigger: Trigger, _ reading: Reading, limit: Int, hasIntervals: Bool) -> (Milliseconds, mayBeEffort: Bool) {
        let isKnown = (Limit.answerTime, mayBeEffort: false)
        guard settings.strict != true, trigger == .heartRateHigh, context == .unknown || context == .home,
            reading.value < limits?.exerciseHigh ?? 0
        else { return isKnown }
        let isStill = tracker.isStill(at: now)
        guard tracker.isSudden(reading.value, at: reading.time) else {
            // It rises while the person stands: no effort. Where it comes down, it may be from one that nobody saw.
            if heart == nil, isStill, tracker.isRising(through: limit, at: reading.time) { return isKnown }
            return (gradualLeft, true)
        }
        // RR intervals are beats; a rate without them may be the steps of somebody who begins to walk.
        if hasIntervals || isStill { return isKnown }
        let begun = heart?.first.time ?? reading.time
        let unconfirmed = context == .home ? Limit.answerTimeUnconfirmedHome : Limit.answerTimeUnconfirmed
        return (reading.time - begun + min(gradualLeft, unconfirmed), true)
    }

    /// Of the minutes, what earlier runs have left.
    private var gradualLeft: Milliseconds {
        max(Limit.answerTime, (context == .home ? Limit.answerTimeGradualHome : Limit.answerTimeGradual) - gradualSpent)
    }

    private static func side(_ value: Int, low: Int, high: Int) -> (Trigger, Int)? {
        if value <= low { return (.heartRateLow, low) }
        return value >= high ? (.heartRateHigh, high) : nil
    }

    /// Whether the latest reading lies inside the limits of what the person is found to be doing now.
    var isExplainedByExercise: (value: Int, limit: Int)? {
        // No movement explains a sudden rise, or one at known rest; a signal that went away is explained only by what came after it.
        guard let run = heart, run.trigger == .heartRateHigh, run.isGradual, context == .exercise, let limits,
            run.latest.value < limits.exerciseHigh
        else {
            return nil
        }
        if run.isLost, !tracker.hasMoved(since: run.latest.time, until: now, restCeiling: limits.restCeiling) { return nil }
        return (run.latest.value, limits.exerciseHigh)
    }

    // MARK: - Warning

    private mutating func takeWarning(_ reading: Reading, _ limits: HeartRateLimits) -> [Finding] {
        takeWarning(
            reading, .heartRateLow, limits.warningLow, isBeyond: reading.value <= limits.warningLow,
            isInside: reading.value > limits.warningLow + Limit.rearmMargin)
            + takeWarning(
                reading, .heartRateHigh, limits.warningHigh, isBeyond: reading.value >= limits.warningHigh,
                isInside: reading.value < limits.warningHigh - Limit.rearmMargin)
    }

    private mutating func takeWarning(
        _ reading: Reading, _ trigger: Trigger, _ limit: Int, isBeyond: Bool, isInside: Bool
    ) -> [Finding] {
        guard var warning = warnings[trigger] else {
            if isBeyond, silences[trigger].map({ now >= $0.until }) ?? true {
                warnings[trigger] = Persistence(first: reading, latest: reading, worst: reading.value)
            }
            return []
        }
        if isInside || reading.time - warning.latest.time > Limit.warningGapMax {
            warnings[trigger] = nil
            return warning.isTold ? [decided(.warningOver, [.inside(value: reading.value)]), .warningOver(trigger)] : []
        }
        warning.latest = reading
        warning.count += 1
        if trigger.isWorse(reading.value, than: warning.worst) { warning.worst = reading.value }
        let isDue = !warning.isTold && isBeyond && reading.time - warning.first.time >= Limit.warningAfter
        if isDue { warning.isTold = true }
        warnings[trigger] = warning
        guard isDue else { return [] }
        let found = Abnormality(
            trigger: trigger, tier: .warning, limit: limit, context: context, first: warning.first, latest: reading, worst: warning.worst,
            count: warning.count, isLost: false, answerTime: Limit.answerTimeWarning)
        let reasons: [Reason] = [
            .beyond(trigger, value: reading.value, limit: limit, .warning), .lasted(milliseconds: reading.time - warning.first.time),
        ]
        return [decided(.suspected, reasons), .warning(found)]
    }
}

extension Absence {
    /// Readings do not count while it holds: nobody wears the sensor, or the person does not want it.
    var stopsReadings: Bool { self == .switchedOff || self == .paused || self == .charging }
}

extension Rejection {
    /// Somebody's heart was heard, if not well enough to count.
    var isSignal: Bool {
        switch self {
        case .rrOutOfRange, .rrDisagrees, .jump, .frozen: true
        case .noContact, .outOfRange, .repeated, .stale, .absent, .otherSource, .notOnBody: false
        }
    }

    /// Said once: every reading says the same.
    var isConstant: Bool {
        switch self {
        case .absent, .frozen, .noContact, .otherSource: true
        case .outOfRange, .rrOutOfRange, .rrDisagrees, .jump, .repeated, .stale, .notOnBody: false
        }
    }
}
