public import Vitals

/// Metres walked and run on each day, from positions. Standing under drifting satellites adds nothing, leaps of a receiver and vehicles do
/// not count.
///
/// A person moves who is four errors (10 m at least) from where they were 20 s before, or will be 20 s later. Speeds over those 40 s sort the way:
/// below 2.1 m/s walked, up to 7 m/s run, above on wheels. What is slower for up to three minutes between two pieces on wheels is a traffic
/// light. A bicycle that never reaches 7 m/s looks like a runner: whoever knows of it says so (`excluding`).
///
/// Samples may come in any order as long as none is older than ``horizon`` behind the newest: the result is the same. Older ones are
/// counted as late; then a new one has to be made from everything that is stored.
public struct DistanceByDay: Sendable {
    public struct Day: Hashable, Sendable {
        /// Metres.
        public var walked = 0.0, run = 0.0
        /// Metres on wheels, for whoever wonders where they went. They are no distance walked or run.
        public var wheels = 0.0
        /// Metres of leaps, of gaps that were too long, and of excluded spans.
        public var leftOut = 0.0

        public init() {}
    }

    /// Milliseconds that a sample may be older than the newest one.
    public let horizon: Milliseconds
    private var buffer: LateBuffer<MotionEvent>
    private var sorter: GaitSorter

    /// - Parameters:
    ///   - horizon: milliseconds, a minute to a day.
    ///   - excluded: spans in which nobody walked or ran, such as of cycling, UTC milliseconds.
    ///   - day: the day of a time, counted from whatever the caller likes: with it come time zone and summer time.
    public init(
        rules: MotionRules = .live, horizon: Milliseconds = 3_600_000, excluding excluded: [ClosedRange<Milliseconds>] = [],
        day: @escaping @Sendable (Milliseconds) -> Int64
    ) {
        self.horizon = min(max(horizon, 60_000), 86_400_000)
        buffer = LateBuffer(horizon: self.horizon, most: 100_000) { $0.time }
        sorter = GaitSorter(rules: rules, excluded: excluded, day: day)
    }

    /// Takes positions of any order.
    public mutating func take(_ samples: some Sequence<PositionSample>) {
        for event in buffer.take(samples.map(MotionEvent.fix)) { sorter.take(event) }
    }

    /// The days so far, with all that was taken.
    public var days: [Int64: Day] { finished.days }

    /// The outcome of the fixes so far.
    public var counts: FixCounts { buffer.counts(finished.filter) }

    private var finished: GaitSorter {
        var rest = sorter
        for event in buffer.pending { rest.take(event) }
        rest.finish()
        return rest
    }
}

/// Sorts legs in the order of time into days and gaits.
struct GaitSorter: Sendable {
    private(set) var filter: MotionFilter
    private(set) var days: [Int64: DistanceByDay.Day] = [:]
    private let excluded: [ClosedRange<Milliseconds>]
    private let day: @Sendable (Milliseconds) -> Int64
    /// When the last piece on wheels ended, and what was slower since.
    private var wheelsUntil: Milliseconds?
    private var held: [Int64: DistanceByDay.Day] = [:]

    /// Milliseconds of a traffic light or a jam.
    static let light: Milliseconds = 180_000

    init(rules: MotionRules, excluded: [ClosedRange<Milliseconds>], day: @escaping @Sendable (Milliseconds) -> Int64) {
        (filter, self.excluded, self.day) = (MotionFilter(rules), excluded, day)
    }

    mutating func take(_ event: MotionEvent) {
        guard case .fix(let fix) = event else { return }
        var legs: [MotionLeg] = []
        filter.take(fix) { legs.append($0) }
        for leg in legs { sort(leg) }
    }

    mutating func finish() {
        var legs: [MotionLeg] = []
        filter.finish { legs.append($0) }
        for leg in legs { sort(leg) }
        release()
    }

    private mutating func sort(_ leg: MotionLeg) {
        if let until = wheelsUntil, leg.end.time - until > Self.light { release() }
        guard leg.isMoving, leg.metres > 0 else { return }
        let day = day(leg.start.time), speed = leg.metres / max(leg.seconds, 0.1)
        guard !excluded.contains(where: { $0.overlaps(leg.start.time...leg.end.time) }) else {
            days[day, default: .init()].leftOut += leg.metres
            return
        }
        if leg.speed > MotionLimits.wheels {
            for (day, slow) in held { days[day, default: .init()].wheels += slow.walked + slow.run }
            held = [:]
            wheelsUntil = leg.end.time
            days[day, default: .init()].wheels += leg.metres
        } else if speed > MotionLimits.sprint {
            days[day, default: .init()].leftOut += leg.metres
        } else {
            var slow = DistanceByDay.Day()
            if leg.speed < MotionLimits.running { slow.walked = leg.metres } else { slow.run = leg.metres }
            if wheelsUntil == nil { add(slow, day) } else { hold(slow, day) }
        }
    }

    private mutating func hold(_ slow: DistanceByDay.Day, _ day: Int64) {
        held[day, default: .init()].walked += slow.walked
        held[day, default: .init()].run += slow.run
    }

    private mutating func add(_ slow: DistanceByDay.Day, _ day: Int64) {
        days[day, default: .init()].walked += slow.walked
        days[day, default: .init()].run += slow.run
    }

    /// Nothing on wheels followed: what was slower was on foot.
    private mutating func release() {
        wheelsUntil = nil
        for (day, slow) in held.sorted(by: { $0.key < $1.key }) { add(slow, day) }
        held = [:]
    }
}

extension DistanceByDay.Day {
    /// The day as samples of distance, one for walked and run together, in the kind's resolution.
    /// - Parameter span: of the day, UTC milliseconds.
    /// - Returns: nil where nobody went.
    public func sample(in span: Range<Milliseconds>) -> ScalarSample? {
        let decimetres = ((walked + run) * 10).rounded()
        guard decimetres > 0, let value = Int64(exactly: decimetres) else { return nil }
        return ScalarSample(.distance, time: span.lowerBound, value: value, end: span.upperBound)
    }
}
