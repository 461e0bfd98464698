public import Vitals

/// Finds workouts by themselves, from positions, heart rate and cadence.
///
/// Half a minute counts when half of it was in motion at 0.7 m/s or more; without motion when a cadence says 60 a minute, or the heart is
/// in zone 2. Such half minutes are one workout until nothing counts for ``FinderRules/pauseMax``, or something else is done for five
/// minutes (two on wheels). It is running where a third of the motion is 2.1 m/s or faster, else walking. From 7 m/s on it is on wheels,
/// slower up hills: cycling where the heart or a crank says that somebody works, else a vehicle, which is no workout. What has no positions
/// is other.
///
/// Samples may come in any order as long as none is older than ``horizon`` behind the newest: what is found is the same. Older ones are
/// counted. It holds the samples of the horizon and a few numbers for each workout.
public struct WorkoutFinder: Sendable {
    /// Milliseconds that a sample may be older than the newest one.
    public let horizon: Milliseconds
    private var buffer: LateBuffer<MotionEvent>
    private var machine: FinderMachine

    /// - Parameter horizon: milliseconds, a minute to two days; 200,000 samples are held at most.
    public init(_ rules: FinderRules, motion: MotionRules = .live, horizon: Milliseconds = 6 * 3_600_000) {
        self.horizon = min(max(horizon, 60_000), 2 * 86_400_000)
        buffer = LateBuffer(horizon: self.horizon, most: 200_000) { $0.time }
        machine = FinderMachine(rules, motion: motion)
    }

    /// Takes samples of any order. Heart rates without skin contact and impossible ones tell nothing; of scalars only cadence counts.
    public mutating func take(
        _ positions: some Sequence<PositionSample>, _ heartRates: [HeartRateSample] = [], _ scalars: [ScalarSample] = []
    ) {
        var events = positions.map(MotionEvent.fix)
        for sample in heartRates
        where sample.contact != .notDetected && (1...SampleLimits.beatsPerMinuteMax).contains(sample.beatsPerMinute) {
            events.append(.heartRate(sample.time, beatsPerMinute: Int(sample.beatsPerMinute)))
        }
        for sample in scalars where sample.kind == .cadence && sample.problem == nil {
            events.append(.cadence(sample.time, perMinute: Double(sample.value) / 10))
        }
        for event in buffer.take(events) { machine.take(event) }
    }

    /// Workouts that nothing within the horizon changes any more, in the order of time.
    public var settled: [FoundWorkout] { machine.found }

    /// All workouts, the last of which may still go on.
    public var workouts: [FoundWorkout] { finished.found }

    /// Rides that nothing shows anybody to have pedalled.
    public var rides: Int { finished.rides }

    /// The outcome of the samples so far.
    public var counts: FixCounts { buffer.counts(finished.filter) }

    private var finished: FinderMachine {
        var rest = machine
        for event in buffer.pending { rest.take(event) }
        rest.finish()
        return rest
    }
}
