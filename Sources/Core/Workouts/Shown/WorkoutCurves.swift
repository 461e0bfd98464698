public import Runs
public import Vitals

/// Heart rate, pace and elevation of a workout on one axis, so that one cursor reads all three.
public struct WorkoutCurves: Hashable, Sendable {
    public enum Axis: String, Sendable, Hashable, CaseIterable {
        case time, distance
    }

    /// Everything of one place of the axis. A gap is nil, never 0 and never what lies between its ends.
    public struct Step: Hashable, Sendable {
        /// UTC milliseconds and metres at its middle.
        public var time: Milliseconds, metres: Double
        /// nil where no fix is near.
        public var place: CoursePoint?
        /// Mean, beats a minute.
        public var heartRate: Double?
        /// Seconds a kilometre in motion; nil for standing and for slower than ``paceMax``.
        public var pace: Double?
        /// Mean, metres above mean sea level.
        public var elevation: Double?
    }

    public let axis: Axis
    public let steps: [Step]

    /// Steps of a curve at most.
    public static let countMax = 2000
    /// Seconds a kilometre, an hour: slower is standing.
    public static let paceMax = 3600.0

    /// - Parameters:
    ///   - count: of steps, 2 to ``countMax``, evenly over the axis.
    ///   - zone: of whose inside no place is told.
    /// - Returns: without steps where there is nothing on the axis: no span, or no metres.
    public init(_ line: WorkoutLine, by axis: Axis, count: Int = 400, hiding zone: HomeZone? = nil) {
        self.axis = axis
        let count = min(max(count, 2), Self.countMax)
        let edges = axis == .time ? Self.times(line, count) : Self.distances(line, count)
        steps = zip(edges, edges.dropFirst()).compactMap { start, end in
            end > start ? Self.step(line, start, end, hiding: zone) : nil
        }
    }

    private static func times(_ line: WorkoutLine, _ count: Int) -> [Milliseconds] {
        let span = line.span, length = Double(span.upperBound - span.lowerBound)
        return (0...count).map { span.lowerBound + Milliseconds((length * Double($0) / Double(count)).rounded()) }
    }

    /// When each of the metres was reached. Standing is no step of this axis: its time falls to the step before.
    private static func distances(_ line: WorkoutLine, _ count: Int) -> [Milliseconds] {
        guard line.metres > 0, let first = line.points.first else { return [] }
        var at = 0
        return [first.time]
            + (1...count).map { step in
                let goal = line.metres * Double(step) / Double(count)
                while at + 1 < line.points.count, line.points[at].metres < goal { at += 1 }
                let end = line.points[at]
                guard at > 0, end.metres > goal else { return end.time }
                let start = line.points[at - 1], share = (goal - start.metres) / (end.metres - start.metres)
                return start.time + Milliseconds((Double(end.time - start.time) * share).rounded())
            }
    }

    private static func step(_ line: WorkoutLine, _ start: Milliseconds, _ end: Milliseconds, hiding zone: HomeZone?) -> Step {
        let middle = start + (end - start) / 2, before = line.progress(at: start), behind = line.progress(at: end)
        let from = line.index(at: start), to = max(from, line.index(at: end))
        let part = line.points[from..<to], heights = part.compactMap(\.altitude)
        // A step may be shorter than the time between two fixes: then the piece that it lies in tells.
        let isHidden = part.contains { $0.isBehindGap } || (to < line.points.count && line.points[to].isBehindGap)
        let isOutside = to >= line.points.count && part.isEmpty
        let metres = behind.metres - before.metres, seconds = behind.movingSeconds - before.movingSeconds
        let pace = metres > 0 && !isHidden && !isOutside ? seconds * 1000 / metres : nil
        var elevation = heights.isEmpty ? nil : heights.reduce(0, +) / Double(heights.count)
        if elevation == nil, part.isEmpty, !isHidden, to > 0, to < line.points.count { elevation = between(line, to, middle) }
        let near = line.nearest(middle)
        return Step(
            time: middle, metres: line.progress(at: middle).metres, place: near.flatMap { zone?.holds($0) == true ? nil : $0 },
            heartRate: line.heart(start...end)?.mean, pace: pace.flatMap { $0 <= paceMax && $0 > 0 ? $0 : nil }, elevation: elevation)
    }

    private static func between(_ line: WorkoutLine, _ at: Int, _ time: Milliseconds) -> Double? {
        let start = line.points[at - 1], end = line.points[at]
        guard let low = start.altitude, let high = end.altitude, end.time > start.time else { return nil }
        return low + (high - low) * Double(time - start.time) / Double(end.time - start.time)
    }
}

extension WorkoutLine {
    /// The place of the fix that is nearest in time, within the longest time that is no gap.
    fileprivate func nearest(_ time: Milliseconds) -> CoursePoint? {
        let at = index(at: time)
        return [at - 1, at].filter(points.indices.contains).map { points[$0] }
            .min { abs($0.time - time) < abs($1.time - time) }
            .flatMap { abs($0.time - time) <= MotionLimits.gap ? $0.place : nil }
    }
}
