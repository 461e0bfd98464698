import Vitals

/// Consecutive valid readings beyond a critical limit.
struct ReadingStreak: Hashable, Sendable, Codable {
    private typealias Limit = DistressConstants

    var trigger: Trigger
    var limit: Int
    var context: Context
    /// The first qualifying reading of the suspicion: it stays when the count begins anew.
    var first: Reading
    /// Where the consecutive ones began.
    var since: Milliseconds
    var readings: [Reading]
    var worst: Int
    var count = 1
    /// The question was asked for it.
    var isTold = false
    /// Three stood in a row: that stays.
    var isQualified = false
    /// Qualified, but something has changed since: the other side of the limits, less time to answer, or a signal that came back.
    var isChanged = false
    var isLost = false
    /// Since when readings are back inside, where a dip does not end it.
    var insideSince: Milliseconds?
    /// A reading came shortly before or after the first one: there is a signal that can be lost.
    var isContinuous: Bool
    /// Only ever less: a doubt that is gone does not come back.
    var answerTime: Milliseconds
    /// Nobody can tell it from an effort: the person has minutes, and the rate must stay up meanwhile.
    var isGradual: Bool

    init(
        _ reading: Reading, trigger: Trigger, limit: Int, context: Context, answerTime: Milliseconds, isContinuous: Bool,
        isGradual: Bool = false
    ) {
        self.isGradual = isGradual
        (self.trigger, self.limit, self.context, self.answerTime) = (trigger, limit, context, answerTime)
        self.isContinuous = isContinuous
        (first, since, readings, worst) = (reading, reading.time, [reading], reading.value)
    }

    var latest: Reading { readings.last ?? first }

    /// - Parameter gapMax: farther apart, they are not consecutive.
    mutating func append(_ reading: Reading, trigger: Trigger, limit: Int, gapMax: Milliseconds) {
        if reading.time - latest.time > gapMax { (count, since) = (0, reading.time) } else { isContinuous = true }
        count += 1
        // A heart that leaps from too slow to too fast is in the same trouble; what counts from here on is the new side.
        if trigger != self.trigger {
            (self.trigger, self.limit, worst) = (trigger, limit, reading.value)
            (count, since, isChanged) = (1, reading.time, true)
        }
        if isLost { isChanged = true }
        worst = trigger.isWorse(reading.value, than: worst) ? reading.value : worst
        readings = (readings + [reading]).suffix(Alarm.readingsMax)
        isLost = false
        insideSince = nil
    }

    /// Applies a reading to the time that the person has.
    mutating func judge(answerTime judged: Milliseconds, isGradual: Bool) {
        if !isGradual { self.isGradual = false }
        guard judged < answerTime else { return }
        answerTime = judged
        isChanged = true
    }

    /// When the signal goes away now, that is a loss: no alarm follows from it in a moment anyway.
    var isOpen: Bool { !isLost && (!isQualified || isGradual) }

    /// SOS-3, and the span that keeps a burst of notifications from being three readings.
    var meetsTrigger: Bool { count >= Limit.readingsNeeded && latest.time - since >= Limit.spanMin }

    func abnormality(_ tier: Tier = .critical) -> Abnormality {
        Abnormality(
            trigger: trigger, tier: tier, limit: limit, context: context, first: first, latest: latest, worst: worst, count: count,
            isLost: isLost, answerTime: answerTime)
    }
}

extension Trigger {
    func isWorse(_ value: Int, than other: Int) -> Bool {
        switch self {
        case .heartRateLow, .heartPause, .temperatureLow: value < other
        case .heartRateHigh, .temperatureHigh: value > other
        case .fall, .seizure, .inactivity, .help, .unknown: false
        }
    }

    /// By how much a value must be worse than at the answer to be asked about again before the silence is over.
    var clearlyWorse: Int {
        switch self {
        case .heartRateLow, .heartPause: DistressConstants.clearlyWorseLow
        case .heartRateHigh: DistressConstants.clearlyWorseHigh
        case .temperatureLow, .temperatureHigh: DistressConstants.clearlyWorseTemperature
        case .fall, .seizure, .inactivity, .help, .unknown: 0
        }
    }
}

/// "I'm OK" to one limit.
struct Silence: Hashable, Sendable, Codable {
    var until: Milliseconds
    /// The worst value that was answered.
    var worst: Int
    /// Whether it was a warning: then what is critical is asked about all the same. nil: of a limit whose tiers are told apart otherwise.
    var tier: Tier?
}

/// Readings beyond a warning limit, for minutes.
struct Persistence: Hashable, Sendable, Codable {
    var first: Reading
    var latest: Reading
    var worst: Int
    var count = 1
    var isTold = false
}

/// A limit that was passed back and forth: it asks at the third reading, not at the first, until readings were well inside for a while.
struct Hysteresis: Hashable, Sendable, Codable {
    private var insideSince: Milliseconds?

    /// True when it is armed again by this reading.
    mutating func take(isWellInside: Bool, at time: Milliseconds) -> Bool {
        guard isWellInside else {
            insideSince = nil
            return false
        }
        let since = insideSince ?? time
        insideSince = since
        return time - since >= DistressConstants.rearmAfter
    }
}
