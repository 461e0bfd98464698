public import History
public import Runs
public import Vitals

/// The statistics of a workout for a page (DATA-17).
public struct WorkoutStatistics: Hashable, Sendable, Codable {
    /// Metres in motion.
    public var metres: Double
    /// Milliseconds from the beginning to the end, and in motion.
    public var duration: Milliseconds, moving: Milliseconds
    /// Metres up and down; nil without heights.
    public var up: Double?, down: Double?
    /// Metres above mean sea level; nil without heights.
    public var lowest: Double?, highest: Double?
    /// nil without any reading.
    public var heart: HeartSummary?
    /// Milliseconds in the zones 0 (below the first) to 5; nil without zones or readings.
    public var zones: [Milliseconds]?
    /// For each full kilometre, each full mile and each lap, and what was left behind the last.
    public var kilometres: [WorkoutSplit], miles: [WorkoutSplit], laps: [WorkoutSplit]
    public var efforts: [BestEffort]

    /// Metres in an international mile.
    public static let mile = 1609.344
    /// Splits of a workout at most: 1,000 km.
    static let splitsMax = 1000

    /// - Parameters:
    ///   - laps: when somebody pressed the button, UTC milliseconds, in any order. What lies outside of the workout does not count.
    ///   - body: for the energy in ``heart``; nil for none.
    public init(
        _ line: WorkoutLine, zones: HeartRateZones? = nil, laps: [Milliseconds] = [], body: Body? = nil,
        altitude: AltitudeSource = .satellites
    ) {
        let span = line.span
        metres = line.metres
        duration = span.upperBound - span.lowerBound
        moving = Milliseconds((line.movingSeconds * 1000).rounded())
        var gain = ElevationGain(threshold: altitude.threshold)
        for height in line.points.compactMap(\.altitude) { gain.take(height) }
        if gain.least != nil { (up, down) = (gain.up, gain.down) }
        (lowest, highest) = (gain.least, gain.greatest)
        heart = HeartSummary(line.heartRates, in: span, body: body)
        if let zones, heart != nil {
            self.zones = line.held(span).reduce(into: Array(repeating: 0, count: 6)) { $0[zones.zone(of: Int64($1.rate))] += $1.held }
        }
        kilometres = line.splits(each: 1000, altitude)
        miles = line.splits(each: Self.mile, altitude)
        let marks = Set(laps).filter { $0 > span.lowerBound && $0 < span.upperBound }.sorted()
        self.laps = marks.isEmpty ? [] : line.splits(at: marks.prefix(Self.splitsMax).map { $0 } + [span.upperBound], altitude)
        efforts = line.bestEfforts()
    }

    /// Seconds a kilometre in motion; nil before 100 m.
    public var pace: Double? { metres >= 100 ? Double(moving) / metres : nil }

    /// Seconds a kilometre, pauses included; nil before 100 m.
    public var elapsedPace: Double? { metres >= 100 ? Double(duration) / metres : nil }
}

/// A part of a workout.
public struct WorkoutSplit: Hashable, Sendable, Codable {
    /// UTC milliseconds.
    public var began: Milliseconds, ended: Milliseconds
    /// Metres of this part.
    public var metres: Double
    /// Milliseconds in motion.
    public var moving: Milliseconds
    /// Mean over time, beats a minute; nil without readings.
    public var heartRate: Double?
    /// Metres up within it, by the same threshold: together they are less than those of the whole. nil without heights.
    public var up: Double?
    /// Whether it is a whole one: the last has what was left.
    public var isWhole: Bool
    /// Whether no gap lies in it.
    public var isSeen: Bool

    /// Milliseconds, pauses included.
    public var duration: Milliseconds { ended - began }
    /// Seconds a kilometre in motion; nil for less than 10 m.
    public var pace: Double? { metres >= 10 ? Double(moving) / metres : nil }
}

extension WorkoutLine {
    /// Splits at each multiple of a length in metres, and the rest if it is 10 m or more.
    func splits(each length: Double, _ altitude: AltitudeSource) -> [WorkoutSplit] {
        guard let first = points.first, let last = points.last, length > 0 else { return [] }
        var ends: [Milliseconds] = [], at = 0
        for goal in stride(from: length, through: metres, by: length).prefix(WorkoutStatistics.splitsMax) {
            while points[at].metres < goal { at += 1 }
            let end = points[at]
            guard at > 0, end.metres > goal else {
                ends.append(end.time)
                continue
            }
            let start = points[at - 1], share = (goal - start.metres) / (end.metres - start.metres)
            ends.append(start.time + Milliseconds((Double(end.time - start.time) * share).rounded()))
        }
        let rest = metres - Double(ends.count) * length, isRest = rest >= 10 && ends.count < WorkoutStatistics.splitsMax
        var splits = self.splits(at: ends + (isRest ? [last.time] : []), from: first.time, altitude)
        if isRest, let end = splits.indices.last { splits[end].isWhole = false }
        return splits
    }

    /// Splits that end at given times, ascending.
    func splits(at ends: [Milliseconds], from start: Milliseconds? = nil, _ altitude: AltitudeSource) -> [WorkoutSplit] {
        var began = start ?? span.lowerBound
        return ends.map { end in
            defer { began = end }
            let before = progress(at: began), behind = progress(at: end)
            let from = index(at: began), to = max(from, min(index(at: end) + 1, points.count))
            let part = points[from..<to]
            var gain = ElevationGain(threshold: altitude.threshold), heights = 0
            for height in part.compactMap(\.altitude) {
                gain.take(height)
                heights += 1
            }
            return WorkoutSplit(
                began: began, ended: end, metres: behind.metres - before.metres,
                moving: Milliseconds(((behind.movingSeconds - before.movingSeconds) * 1000).rounded()),
                heartRate: end > began ? heart(began...end)?.mean : nil, up: heights > 1 ? gain.up : nil, isWhole: true,
                isSeen: !part.contains { $0.isBehindGap })
        }
    }
}
