public import Vitals

/// Steps from the cadence of a foot pod: steps a minute over time. Cadence of a crank is no step: whoever calls leaves out spans of
/// cycling.
public struct StepsFromCadence: Sendable, Hashable {
    /// The unit that a reading counts.
    public enum Unit: Sendable, Hashable {
        /// Each foot (Running Speed and Cadence Service).
        case steps
        /// One foot of the two, as recordings of some watches do.
        case strides
    }

    /// A reading holds until the next one, for so long at most: pods send each second, watches record each few.
    public static let holds: Milliseconds = 10_000
    /// Steps a minute. Fewer is shifting weight, more is no foot: sprinters take 290.
    public static let plausible: ClosedRange<Double> = 20...300

    /// Steps by the minutes since 1970, UTC; none with 0.
    public let minutes: [Int64: Double]
    /// Readings that were left out: another kind, outside of ``plausible`` (0 is a reading that says "stands"), or of a time that has one.
    public let skipped: Skipped

    public struct Skipped: Sendable, Hashable {
        public var implausible = 0
        public var repeated = 0
        public var otherKind = 0
        public var excluded = 0

        public init() {}
    }

    /// - Parameters:
    ///   - samples: of ``DataKind/cadence``, in any order.
    ///   - excluded: spans in which nobody walked or ran, such as of cycling.
    public init(_ samples: some Sequence<ScalarSample>, unit: Unit = .steps, excluding excluded: [ClosedRange<Milliseconds>] = []) {
        var skipped = Skipped(), readings: [(time: Milliseconds, perMinute: Double)] = []
        for sample in samples {
            guard sample.kind == .cadence else {
                skipped.otherKind += 1
                continue
            }
            let perMinute = Double(sample.value) / 10 * (unit == .strides ? 2 : 1)
            if excluded.contains(where: { $0.contains(sample.time) }) {
                skipped.excluded += 1
            } else if perMinute > Self.plausible.upperBound || perMinute < 0 {
                skipped.implausible += 1
            } else {
                readings.append((sample.time, perMinute))
            }
        }
        readings.sort { ($0.time, $0.perMinute) < ($1.time, $1.perMinute) }
        var minutes: [Int64: Double] = [:]
        for (index, reading) in readings.enumerated() {
            let next = index + 1 < readings.count ? readings[index + 1].time : .max
            guard next != reading.time else {
                skipped.repeated += 1
                continue
            }
            guard reading.perMinute >= Self.plausible.lowerBound else { continue }
            let end = min(next, reading.time.addingClamped(Self.holds))
            Self.add(reading.perMinute, reading.time..<end, to: &minutes)
        }
        (self.minutes, self.skipped) = (minutes, skipped)
    }

    private static func add(_ perMinute: Double, _ span: Range<Milliseconds>, to minutes: inout [Int64: Double]) {
        var start = span.lowerBound
        while start < span.upperBound {
            let minute = RollupBuilder.minute(of: start), end = min(span.upperBound, (minute &+ 1) &* RollupBuilder.minute)
            guard end > start else { return }
            minutes[minute, default: 0] += perMinute * Double(end - start) / 60_000
            start = end
        }
    }

    /// Steps of a whole span, rounded.
    public var total: Int64 { Int64(minutes.values.sorted().reduce(0, +).rounded()) }

    /// Minute by minute as samples, whole steps: what is rounded off is carried on, so that their sum is right by one step.
    public var values: [DerivedValue] {
        var carried = 0.0
        return minutes.sorted { $0.key < $1.key }.compactMap { minute, steps in
            let whole = (steps + carried).rounded()
            carried += steps - whole
            let start = minute &* RollupBuilder.minute
            guard whole > 0,
                let sample = ScalarSample(.steps, time: start, value: Int64(whole), end: start.addingClamped(RollupBuilder.minute))
            else { return nil }
            return DerivedValue(sample, by: .stepsFromCadence)
        }
    }
}
