public import Runs
public import Vitals

/// The way of one workout, fix by fix: what its figures, curves and maps are made from.
public struct WorkoutLine: Sendable {
    public struct Point: Hashable, Sendable {
        /// UTC milliseconds.
        public var time: Milliseconds
        public var place: CoursePoint
        /// From the beginning.
        public var metres: Double
        /// Seconds in motion from the beginning.
        public var movingSeconds: Double
        /// Metres a second over the 40 s around it; nil while standing.
        public var speed: Double?
        /// Metres above mean sea level, smoothed as ``AltitudeSource`` asks for.
        public var altitude: Double?
        /// Beats a minute.
        public var heartRate: Int?
        /// Whether nothing is known of what was between the point before and this one.
        public var isBehindGap: Bool
    }

    public let points: [Point]
    public let span: ClosedRange<Milliseconds>
    public let counts: FixCounts
    /// Readings that count, in the order of time, one for a time.
    public let heartRates: [HeartRateSample]

    /// A reading of the heart holds until the next one, for so long at most, in milliseconds.
    static let holds: Milliseconds = 10_000

    /// - Parameters:
    ///   - positions: in any order; those outside of the span do not count.
    ///   - heartRates: in any order; those without skin contact and impossible ones do not count.
    ///   - span: of the workout, UTC milliseconds.
    public init(
        _ positions: some Sequence<PositionSample>, _ heartRates: some Sequence<HeartRateSample>, in span: ClosedRange<Milliseconds>,
        rules: MotionRules = .live, altitude: AltitudeSource = .satellites
    ) {
        self.span = span
        let valid = heartRates.filter {
            span.contains($0.time) && MotionLimits.times.contains($0.time) && $0.contact != .notDetected
                && (1...SampleLimits.beatsPerMinuteMax).contains($0.beatsPerMinute)
        }.sorted { ($0.time, $0.beatsPerMinute) < ($1.time, $1.beatsPerMinute) }
        self.heartRates = valid.enumerated().filter { $0 == 0 || valid[$0 - 1].time < $1.time }.map(\.element)
        var filter = MotionFilter(rules), legs: [MotionLeg] = []
        let fixes = positions.filter { span.contains($0.time) }.sorted { $0.time != $1.time ? $0.time < $1.time : $0.precedes($1) }
        for fix in fixes { filter.take(fix) { legs.append($0) } }
        filter.finish { legs.append($0) }
        counts = filter.counts
        points = Self.points(legs, altitude, self.heartRates)
    }

    private static func points(_ legs: [MotionLeg], _ source: AltitudeSource, _ rates: [HeartRateSample]) -> [Point] {
        guard let first = legs.first else { return [] }
        let heights = source.smoothed(([first.start] + legs.map(\.end)).map { ($0.time, $0.altitude.map { Double($0) / 10 }) })
        var points: [Point] = [], metres = 0.0, moving = 0.0, next = rates.startIndex
        func add(_ sample: PositionSample, speed: Double?, isBehindGap: Bool) {
            while next < rates.endIndex, rates[next].time <= sample.time { next += 1 }
            var rate: Int?
            if next > 0, sample.time - rates[next - 1].time <= holds { rate = Int(rates[next - 1].beatsPerMinute) }
            points.append(
                Point(
                    time: sample.time, place: CoursePoint(sample), metres: metres, movingSeconds: moving, speed: speed,
                    altitude: heights[points.count], heartRate: rate, isBehindGap: isBehindGap))
        }
        add(first.start, speed: first.isMoving ? first.speed : nil, isBehindGap: false)
        for leg in legs {
            if leg.isMoving {
                metres += leg.metres
                moving += leg.seconds
            }
            add(leg.end, speed: leg.isMoving ? leg.speed : nil, isBehindGap: leg.isGap)
        }
        return points
    }

    /// Metres of the whole way.
    public var metres: Double { points.last?.metres ?? 0 }
    /// Seconds in motion.
    public var movingSeconds: Double { points.last?.movingSeconds ?? 0 }

    /// The first point at or behind a time.
    func index(at time: Milliseconds) -> Int {
        var low = 0, high = points.count
        while low < high {
            let middle = (low + high) / 2
            if points[middle].time < time { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Metres and seconds in motion by a time, evenly between two points.
    func progress(at time: Milliseconds) -> (metres: Double, movingSeconds: Double) {
        let at = index(at: time)
        guard at < points.count else { return (metres, movingSeconds) }
        let end = points[at]
        guard at > 0, end.time > time else { return (end.metres, end.movingSeconds) }
        let start = points[at - 1], share = Double(time - start.time) / Double(end.time - start.time)
        return (
            start.metres + (end.metres - start.metres) * share, start.movingSeconds + (end.movingSeconds - start.movingSeconds) * share
        )
    }

    /// The mean of the heart over time, and milliseconds for which it is known.
    func heart(_ part: ClosedRange<Milliseconds>) -> (mean: Double, known: Milliseconds)? {
        var sum = 0.0, known: Milliseconds = 0
        for (rate, held) in held(part) {
            sum += Double(rate) * Double(held)
            known += held
        }
        return known > 0 ? (sum / Double(known), known) : nil
    }

    /// Each reading that counts within a part of the span, with the milliseconds for which it holds there.
    func held(_ part: ClosedRange<Milliseconds>) -> [(rate: Int, held: Milliseconds)] {
        var low = 0, high = heartRates.count
        while low < high {
            let middle = (low + high) / 2
            if heartRates[middle].time + Self.holds < part.lowerBound { low = middle + 1 } else { high = middle }
        }
        var found: [(Int, Milliseconds)] = []
        while low < heartRates.count, heartRates[low].time < part.upperBound {
            let reading = heartRates[low], next = low + 1 < heartRates.count ? heartRates[low + 1].time : span.upperBound
            let end = min(next, reading.time + Self.holds, part.upperBound), start = max(reading.time, part.lowerBound)
            if end > start { found.append((Int(reading.beatsPerMinute), end - start)) }
            low += 1
        }
        return found
    }
}
