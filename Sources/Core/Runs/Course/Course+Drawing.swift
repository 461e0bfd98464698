extension Course {
    /// The course for a map: points that are left out lie within `tolerance` metres of what is drawn (Douglas and Peucker's rule).
    /// - Parameter pointsMax: at least 2. The tolerance is doubled until no more than these are left.
    public func simplified(tolerance: Double = 5, pointsMax: Int = 2000) -> [CoursePoint] {
        let vectors = Array(line.vectors.dropFirst().dropLast())
        guard vectors.count > 2 else { return points }
        var tolerance = max(tolerance, 0.1)
        while true {
            let kept = Self.kept(of: vectors, tolerance: tolerance)
            if kept.count <= max(pointsMax, 2) { return kept.map { points[$0] } }
            tolerance *= 2
        }
    }

    private static func kept(of vectors: [Vector], tolerance: Double) -> [Int] {
        var keep = [Bool](repeating: false, count: vectors.count)
        keep[0] = true
        keep[vectors.count - 1] = true
        var open = [(0, vectors.count - 1)]
        while let (first, last) = open.popLast() {
            var worst = tolerance, index: Int?
            for middle in (first + 1)..<max(last, first + 1) {
                let distance = distance(of: vectors[middle], from: vectors[first], to: vectors[last])
                if distance > worst { (worst, index) = (distance, middle) }
            }
            guard let index else { continue }
            keep[index] = true
            open.append((first, index))
            open.append((index, last))
        }
        return keep.indices.filter { keep[$0] }
    }

    private static func distance(of place: Vector, from start: Vector, to end: Vector) -> Double {
        let way = end - start, square = way.dot(way)
        let fraction = square > 0 ? min(max((place - start).dot(way) / square, 0), 1) : 0
        return place.distance(to: start + way * fraction)
    }
}
