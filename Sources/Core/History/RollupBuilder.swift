public import Vitals

/// Rolls samples up, minute by minute. What comes out depends on the samples alone, not on their order.
public struct RollupBuilder: Sendable {
    public static let minute: Milliseconds = 60_000

    public let rule: RollupRule
    /// By the minutes since 1970, UTC.
    public private(set) var minutes: [Int64: Rollup] = [:]

    public init(_ rule: RollupRule) { self.rule = rule }

    /// The minute of a time.
    public static func minute(of time: Milliseconds) -> Int64 { time.flooredQuotient(by: minute) }

    /// Takes a reading that holds at its time alone.
    public mutating func take(_ value: Int64, at time: Milliseconds) {
        minutes[Self.minute(of: time), default: Rollup()].take(value, by: rule)
    }

    /// Takes two RR intervals that follow each other, of which the second was counted already.
    mutating func take(_ interval: Int64, after last: Int64, at time: Milliseconds) {
        // A fifth more or less is an extra beat or a missed one.
        guard abs(interval - last) * 5 <= last else { return }
        minutes[Self.minute(of: time), default: Rollup()].take(difference: interval - last)
    }

    /// Takes a scalar sample. One with a span counts whole in the minute in which it begins.
    public mutating func take(_ sample: ScalarSample) {
        let minute = Self.minute(of: sample.time)
        switch rule.measure {
        case .readings, .amounts, .presence: minutes[minute, default: Rollup()].take(sample.value, by: rule)
        case .seconds:
            let seconds = ((sample.end ?? sample.time) - sample.time) / 1000
            if seconds > 0 { minutes[minute, default: Rollup()].take(sample.value, times: seconds, by: rule) }
        }
    }
}

extension SampleSet {
    /// The minutes of one kind's samples, which are in UTC.
    /// - Returns: nothing for a kind without ``RollupRule``.
    public func rollups(of kind: DataKind) -> [Int64: Rollup] {
        guard let rule = RollupRule(kind) else { return [:] }
        var builder = RollupBuilder(rule)
        switch kind {
        case .heartRate: heartRates.roll(up: &builder)
        case .rrIntervals: heartRates.rollIntervals(up: &builder)
        case .position: for sample in positions { builder.take(0, at: sample.time) }
        default: for sample in scalars where sample.kind == kind { builder.take(sample) }
        }
        return builder.minutes
    }
}

extension SampleSet {
    /// The values of a kind that count as readings or amounts, in its resolution and in the order of its samples.
    public func values(of kind: DataKind) -> [Int64] {
        switch kind {
        case .heartRate: heartRates.filter(\.isReading).map { Int64($0.beatsPerMinute) }
        case .rrIntervals: heartRates.filter(\.isReading).flatMap { $0.rrIntervals.map(Int64.init) }
        default: scalars.filter { $0.kind == kind }.map(\.value)
        }
    }
}

extension HeartRateSample {
    /// A strap sends 0 without skin contact: that is no heart rate.
    fileprivate var isReading: Bool { beatsPerMinute > 0 && contact != .notDetected }
}

extension [HeartRateSample] {
    fileprivate func roll(up builder: inout RollupBuilder) {
        for sample in self where sample.isReading { builder.take(Int64(sample.beatsPerMinute), at: sample.time) }
    }

    /// A difference counts within a minute and within ``SuccessiveDifferences/pauseMax``, so that a minute depends on nothing but itself.
    fileprivate func rollIntervals(up builder: inout RollupBuilder) {
        var last: (interval: Int64, time: Milliseconds)?
        for sample in self where sample.isReading {
            for interval in sample.rrIntervals.map(Int64.init) {
                builder.take(interval, at: sample.time)
                let isNormal = SuccessiveDifferences.normal.contains(interval)
                if isNormal, let last, sample.time - last.time <= SuccessiveDifferences.pauseMax,
                    RollupBuilder.minute(of: last.time) == RollupBuilder.minute(of: sample.time)
                {
                    builder.take(interval, after: last.interval, at: sample.time)
                }
                last = isNormal ? (interval, sample.time) : nil
            }
        }
    }
}
