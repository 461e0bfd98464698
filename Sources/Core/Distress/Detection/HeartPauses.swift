import Vitals

/// Pauses of the heart, from RR intervals and from a sensor that shows 0 with skin contact. It knows of one sensor's readings, in order.
struct HeartPauses: Hashable, Sendable, Codable {
    private typealias Limit = DistressConstants

    /// The last interval between two beats, in milliseconds; nil where what came since leaves it open.
    private var interval: Int?
    /// The last one that was no missed beat: after one that was, another may be missed.
    private var regular: Int?
    /// The last one that was neither a missed beat nor a pause.
    private var beat: Int?
    /// When intervals were told last, and when anything was.
    private var intervalsAt: Milliseconds?
    private var heardAt: Milliseconds?
    /// The sensor has told once that it lost contact: what it says about contact can be believed.
    private var tellsContact = false
    private var zeroSince: Milliseconds?
    private var isZeroTold = false
    /// The last pause that was found.
    var last: Milliseconds?

    struct Pause {
        /// In milliseconds.
        var length: Int
        /// It may as well be a missed beat, right behind another interval that looked like a pause: it asks, and is nobody's second pause.
        var isDoubtful = false
    }

    /// - Parameter isNoise: the reading did not count, for a reason that makes its intervals worth nothing.
    /// - Returns: nil for no pause, and for one that was found before.
    mutating func take(_ sample: HeartRateSample, isNoise: Bool, at time: Milliseconds) -> Pause? {
        defer { heardAt = time }
        if let heardAt, time - heardAt > Limit.gapMax { forget() }
        if sample.contact == .notDetected {
            tellsContact = true
            forget()
            return nil
        }
        if sample.beatsPerMinute == 0 { return takeZero(isBelieved: tellsContact && sample.contact == .detected, at: time) }
        (zeroSince, isZeroTold) = (nil, false)
        guard !isNoise else {
            (interval, regular, beat) = (nil, nil, nil)
            return nil
        }
        return takeIntervals(sample.rrIntervals.map { Int($0) * 1000 / 1024 }, at: time)
    }

    private mutating func forget() {
        (interval, regular, beat, intervalsAt) = (nil, nil, nil, nil)
        (zeroSince, isZeroTold) = (nil, false)
    }

    private mutating func takeZero(isBelieved: Bool, at time: Milliseconds) -> Pause? {
        guard isBelieved else {
            forget()
            return nil
        }
        let since = zeroSince ?? time
        zeroSince = since
        guard !isZeroTold, time - since >= Limit.zeroAfter else { return nil }
        isZeroTold = true
        // The interval that ends this pause is no second one.
        (interval, regular, beat, intervalsAt) = (nil, nil, nil, nil)
        return Pause(length: Int(time - since))
    }

    private mutating func takeIntervals(_ fresh: [Int], at time: Milliseconds) -> Pause? {
        guard !fresh.isEmpty else { return nil }
        let isInTime = intervalsAt.map { Milliseconds(fresh.reduce(0, +)) <= time - $0 + Limit.pauseDelayMax } ?? false
        intervalsAt = time
        var longest: Pause?
        for next in fresh {
            let isAfterMissed = regular.map { Self.isMissedBeat(next, after: $0) } ?? false
            let isMissed = isAfterMissed || interval.map { Self.isMissedBeat(next, after: $0) } ?? true
            let isPause = next > Limit.pauseMin && !isMissed
            if isInTime, isPause, next > longest?.length ?? 0 {
                longest = Pause(length: next, isDoubtful: beat.map { Self.isMissedBeat(next, after: $0) } ?? false)
            }
            interval = next
            if !isAfterMissed { regular = next }
            if !isMissed, !isPause { beat = next }
        }
        return longest
    }

    static func isMissedBeat(_ interval: Int, after before: Int) -> Bool {
        Limit.missedBeatMultiples.contains { abs(interval - $0 * before) * 100 <= Limit.missedBeatPercent * $0 * before }
    }
}

extension Detector {
    private typealias Limit = DistressConstants

    /// A pause asks, and reaches contacts and caregivers without an answer. Two within a minute, or one after a critical reading, are critical.
    mutating func takePause(_ sample: HeartRateSample, _ key: SampleKey, _ rejection: Rejection?, at time: Milliseconds) -> [Finding] {
        guard settings.isOn, limits != nil, rejection?.isOfAnotherTime != true else { return [] }
        var open = pauses ?? HeartPauses()
        defer { pauses = open }
        guard let pause = open.take(sample, isNoise: rejection?.isNoise ?? false, at: time) else { return [] }
        func isRecent(_ other: Milliseconds?) -> Bool { other.map { time - $0 <= Limit.pauseWindow } ?? false }
        let isSecond = isRecent(open.last) && !pause.isDoubtful
        let tier: Tier = isSecond || isRecent(criticalAt) ? .critical : .warning
        open.last = time
        let reading = Reading(time: time, value: 60_000 / pause.length, key: key), limit = 60_000 / Limit.pauseMin
        if let silence = silences[.heartPause], now < silence.until, tier == .warning || silence.tier != .warning,
            !isClearlyWorse(.heartPause, reading.value, than: silence.worst)
        {
            return []
        }
        silences[.heartPause] = nil
        let found = Abnormality(
            trigger: .heartPause, tier: tier, limit: limit, context: context, first: reading, latest: reading, worst: reading.value,
            count: 1,
            answerTime: tier == .critical ? Limit.answerTime : Limit.answerTimeWarning)
        let reasons: [Reason] = [
            .beyond(.heartPause, value: reading.value, limit: limit, tier), .lasted(milliseconds: Milliseconds(pause.length)),
        ]
        guard tier == .critical else { return [decided(.suspected, reasons), .warning(found)] }
        return [decided(.suspected, reasons), .suspicion(found), decided(.qualified, reasons), .qualified(found)]
    }
}

extension Rejection {
    /// It says nothing about the moment, or nobody wants it.
    fileprivate var isOfAnotherTime: Bool {
        switch self {
        case .repeated, .stale, .absent, .otherSource: true
        case .noContact, .outOfRange, .rrOutOfRange, .rrDisagrees, .jump, .frozen, .notOnBody: false
        }
    }

    /// The intervals beside it are worth nothing.
    var isNoise: Bool {
        switch self {
        case .outOfRange(let value): value > DistressConstants.countedRange.upperBound
        case .rrOutOfRange, .rrDisagrees: true
        case .noContact, .jump, .frozen, .repeated, .stale, .absent, .otherSource, .notOnBody: false
        }
    }
}
