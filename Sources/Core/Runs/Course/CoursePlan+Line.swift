extension CoursePlan {
    /// Points closer than this to the one before say nothing: files repeat points.
    static let sameplace = 0.1

    /// The points without those that repeat the one before.
    var distinctPoints: [CoursePoint] {
        var kept: [CoursePoint] = []
        var last: Vector?
        for point in points {
            let vector = point.vector
            if let last, vector.distance(to: last) < Self.sameplace { continue }
            kept.append(point)
            last = vector
        }
        return kept
    }

    /// From start to finish, all laps.
    var line: [CoursePoint] {
        let lap = cut(distinctPoints)
        guard laps > 1, let first = lap.first, let last = lap.last else { return lap }
        let next = last.distance(to: first) < Self.sameplace ? Array(lap.dropFirst()) : lap
        var all = lap
        all.reserveCapacity(lap.count * laps)
        for _ in 1..<laps { all += next }
        return all
    }

    private func cut(_ points: [CoursePoint]) -> [CoursePoint] {
        guard start > 0 || finish != nil, points.count > 1 else { return points }
        let line = Polyline(points.map(\.vector))
        let end = min(finish ?? .infinity, line.along.last ?? 0)
        func place(_ metres: Double) -> CoursePoint {
            let (segment, fraction) = line.locate(metres)
            return points[segment].between(points[segment + 1], fraction)
        }
        let inner = points.indices.filter { line.along[$0] > start + Self.sameplace && line.along[$0] < end - Self.sameplace }
        return [place(start)] + inner.map { points[$0] } + [place(end)]
    }
}
