public import Vitals

/// The activity. The raw values are the codes of ``DataKind/activity``.
public enum WorkoutKind: Int64, Sendable, Hashable, CaseIterable {
    case other = 0
    case walking = 1
    case running = 2
    case cycling = 3
}

/// A workout that was found in the samples.
public struct FoundWorkout: Hashable, Sendable {
    public let kind: WorkoutKind
    /// From the first movement to the last, UTC milliseconds.
    public let span: ClosedRange<Milliseconds>
    /// Metres; 0 where there are no positions.
    public let metres: Double
    /// Seconds in motion, or of effort where there are no positions.
    public let activeSeconds: Double
    /// Mean of the readings, beats a minute.
    public let heartRate: Double?

    /// As a sample of ``DataKind/activity``, a derived one.
    public var sample: ScalarSample? { ScalarSample(.activity, time: span.lowerBound, value: kind.rawValue, end: span.upperBound) }
}

/// When movement is a workout. Times are in milliseconds.
public struct FinderRules: Hashable, Sendable {
    /// Minimums of a workout.
    public struct Least: Hashable, Sendable {
        /// In motion, or of effort.
        public var seconds: Double
        public var metres: Double

        public init(seconds: Double, metres: Double) { (self.seconds, self.metres) = (seconds, metres) }
    }

    /// A workout goes on over a rest shorter than this.
    public var pauseMax: Milliseconds = 300_000
    public var walking = Least(seconds: 600, metres: 500)
    public var running = Least(seconds: 300, metres: 500)
    public var cycling = Least(seconds: 600, metres: 2000)
    /// A workout without positions has no metres.
    public var other = Least(seconds: 600, metres: 0)
    /// Beats a minute from which on somebody without positions exerts themselves; nil where nobody knows: then only cadence tells.
    public var effort: Int?
    /// Beats a minute that somebody on a bicycle has at least on average, and somebody in a car has not.
    public var cycler: Int?

    public init() {}

    /// - Parameter maximum: heart rate, beats a minute: 60 % of it is effort (zone 2), 50 % a cyclist (zone 1).
    public init(maximum: Int) {
        (effort, cycler) = (maximum * 6 / 10, maximum / 2)
    }
}
