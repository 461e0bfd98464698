import Vitals

/// Body temperature beside the heart rate (SOS-2): three consecutive readings as well, at a thermometer's pace.
extension Detector {
    private typealias Limit = DistressConstants

    mutating func takeTemperature(_ value: Int, _ key: SampleKey) -> [Finding] {
        var worn = thermometer ?? Thermometer()
        let rejection = worn.judge(value, at: now) ?? absenceOfThermometer.map(Rejection.absent)
        // Thermometers that lie about tell their room's temperature for hours: said once.
        let isNews = rejection != nil && !worn.isRejectionTold
        worn.isRejectionTold = rejection != nil
        thermometer = worn
        if let rejection { return isNews ? [decided(.notCounting, [.rejected(rejection)])] : [] }
        guard settings.isOn else { return [] }
        let reading = Reading(time: now, value: value, key: key)
        let addition = context == .exercise || context == .recovery ? TemperatureLimits.exerciseAddition : 0
        let high = TemperatureLimits.criticalHigh + addition
        if value <= TemperatureLimits.criticalLow { return take(reading, .temperatureLow, TemperatureLimits.criticalLow) }
        if value >= high { return take(reading, .temperatureHigh, high) }
        return takeInside(reading) + takeWarning(reading, addition)
    }

    private var absenceOfThermometer: Absence? {
        Absence.allCases.first { absences.contains($0) && ($0 == .paused || $0 == .notWorn) }
    }

    private mutating func take(_ reading: Reading, _ trigger: Trigger, _ limit: Int) -> [Finding] {
        if let silence = silences[trigger], now < silence.until, !isClearlyWorse(trigger, reading.value, than: silence.worst) {
            return []
        }
        silences[trigger] = nil
        var run =
            temperature
            ?? ReadingStreak(reading, trigger: trigger, limit: limit, context: context, answerTime: Limit.answerTime, isContinuous: false)
        if temperature != nil { run.append(reading, trigger: trigger, limit: limit, gapMax: TemperatureLimits.gapMax) }
        let meets = run.meetsTrigger && !run.isQualified
        var findings: [Finding] = []
        if !run.isTold, hysteresis[trigger] == nil || meets {
            run.isTold = true
            findings += [
                decided(.suspected, [.beyond(trigger, value: reading.value, limit: limit, .critical)]), .suspicion(run.abnormality()),
            ]
        }
        if meets {
            run.isQualified = true
            hysteresis[trigger] = Hysteresis()
            let consecutive = Reason.consecutive(count: run.count, milliseconds: reading.time - run.since)
            findings += [
                decided(.qualified, [.beyond(trigger, value: reading.value, limit: limit, .critical), consecutive]),
                .qualified(run.abnormality()),
            ]
        }
        temperature = run
        return findings
    }

    private mutating func takeInside(_ reading: Reading) -> [Finding] {
        let findings = [Trigger.temperatureLow, .temperatureHigh].flatMap { rearm($0, isWellInside: true, at: reading.time) }
        guard let run = temperature else { return findings }
        temperature = nil
        guard run.isTold, !run.isQualified else { return findings }
        hysteresis[run.trigger] = Hysteresis()
        return findings + [decided(.cleared, [.inside(value: reading.value)]), .cleared(run.trigger)]
    }

    private mutating func takeWarning(_ reading: Reading, _ addition: Int) -> [Finding] {
        let sides: [(Trigger, Int, Bool)] = [
            (.temperatureLow, TemperatureLimits.warningLow, reading.value <= TemperatureLimits.warningLow),
            (.temperatureHigh, TemperatureLimits.warningHigh + addition, reading.value >= TemperatureLimits.warningHigh + addition),
        ]
        return sides.flatMap { takeWarning(reading, $0.0, $0.1, isBeyond: $0.2) }
    }

    private mutating func takeWarning(_ reading: Reading, _ trigger: Trigger, _ limit: Int, isBeyond: Bool) -> [Finding] {
        guard isBeyond else {
            return warnings.removeValue(forKey: trigger)?.isTold == true ? [.warningOver(trigger)] : []
        }
        if let silence = silences[trigger], now < silence.until { return [] }
        var warning = warnings[trigger] ?? Persistence(first: reading, latest: reading, worst: reading.value, count: 0)
        if reading.time - warning.latest.time > TemperatureLimits.gapMax {
            warning = Persistence(first: reading, latest: reading, worst: reading.value, count: 0)
        }
        warning.latest = reading
        warning.count += 1
        if trigger.isWorse(reading.value, than: warning.worst) { warning.worst = reading.value }
        let isDue = !warning.isTold && reading.time - warning.first.time >= Limit.warningAfter
        if isDue { warning.isTold = true }
        warnings[trigger] = warning
        guard isDue else { return [] }
        let found = Abnormality(
            trigger: trigger, tier: .warning, limit: limit, context: context, first: warning.first, latest: reading, worst: warning.worst,
            count: warning.count, isLost: false, answerTime: Limit.answerTimeWarning)
        return [decided(.suspected, [.beyond(trigger, value: reading.value, limit: limit, .warning)]), .warning(found)]
    }
}
