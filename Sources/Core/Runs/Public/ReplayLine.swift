public import Vitals

extension Progress {
    /// How a runner got along, for a replay: the gun (UTC milliseconds), then whole seconds since it and whole metres from the start, by turns. With
    /// as few points as keep it within `tolerance` metres. Empty before the start.
    public func replayLine(tolerance: Double = 5) -> [Milliseconds] {
        guard start != nil else { return [] }
        let points = wholeTrail
        guard points.count > 1 else { return [] }
        let kept = keptPoints(points.count) { low, high in
            let (first, last) = (points[low], points[high])
            let slope = (last.metres - first.metres) / max(last.seconds - first.seconds, 1e-3)
            let split = farthest(low, high, beyond: tolerance) {
                abs(first.metres + slope * (points[$0].seconds - first.seconds) - points[$0].metres)
            }
            // A runner who was seen has a point in each minute: a longer time without one is a time without fixes.
            return split ?? (last.seconds - first.seconds > 50 ? (low + high) / 2 : nil)
        }
        return [gun] + kept.flatMap { [Milliseconds(points[$0].seconds.rounded()), Milliseconds(points[$0].metres.rounded())] }
    }
}

extension Course {
    /// The line with as few points as keep it within `tolerance` metres, each with its metres from the start: whoever divides the way between two of
    /// them evenly is nowhere further off.
    public func thinned(within tolerance: Double = 2) -> [(point: CoursePoint, metres: Double)] {
        // Behind the piece before the start.
        let vectors = line.vectors, along = line.along
        guard points.count > 1, vectors.count == points.count + 2 else { return [] }
        let kept = keptPoints(points.count) { low, high in
            let (first, last) = (vectors[low + 1], vectors[high + 1])
            let way = last - first, length = max(along[high + 1] - along[low + 1], 1e-6)
            return farthest(low, high, beyond: tolerance) { index in
                vectors[index + 1].distance(to: first + way * ((along[index + 1] - along[low + 1]) / length))
            }
        }
        return kept.map { (points[$0], min(max(along[$0 + 1], 0), length)) }
    }
}

/// Indexes of a line's points that are kept (Ramer, Douglas, Peucker): both ends, and between two kept ones whatever `split` names.
/// - Parameter split: the point between two that is furthest off, if that is too far.
private func keptPoints(_ count: Int, split: (Int, Int) -> Int?) -> [Int] {
    guard count > 2 else { return Array(0..<count) }
    var kept = [Bool](repeating: false, count: count), open = [(0, count - 1)]
    (kept[0], kept[count - 1]) = (true, true)
    while let (low, high) = open.popLast() {
        guard high - low > 1, let middle = split(low, high), middle > low, middle < high else { continue }
        kept[middle] = true
        open.append((low, middle))
        open.append((middle, high))
    }
    return kept.indices.filter { kept[$0] }
}

/// The index strictly between two that is furthest away, where that is beyond a limit.
private func farthest(_ low: Int, _ high: Int, beyond limit: Double, _ distance: (Int) -> Double) -> Int? {
    var found: Int?, furthest = limit
    for index in low + 1..<high {
        let away = distance(index)
        if away > furthest { (found, furthest) = (index, away) }
    }
    return found
}

extension MatchRules {
    /// For a rehearsal, whose runners are so many times as fast as people.
    public init(speed: Double) {
        self.init()
        sprint *= Swift.max(speed, 1)
        sustained *= Swift.max(speed, 1)
    }
}
