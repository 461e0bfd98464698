/// When somebody got how far: ascending in time and metres. Hypotheses and checkpoints share their common past, so a copy costs nothing.
struct Trail: Sendable {
    struct Point: Hashable, Sendable {
        /// Seconds since the gun.
        var seconds: Float64
        /// Metres from the start.
        var metres: Float64
    }

    private final class Chunk: Sendable {
        let points: [Point]
        let previous: Chunk?

        init(points: [Point], previous: Chunk?) {
            self.points = points
            self.previous = previous
        }
    }

    private static let chunkLength = 64
    private var past: Chunk?
    private var recent: [Point] = []

    var last: Point? { recent.last ?? past?.points.last }

    mutating func append(_ point: Point) {
        if recent.count == Self.chunkLength {
            past = Chunk(points: recent, previous: past)
            recent = []
        }
        recent.append(point)
    }

    /// Keeps a point where the last one is some metres or seconds ago; only what lies ahead of everything before it.
    mutating func follow(_ point: Point) {
        guard let last else { return append(point) }
        guard point.metres > last.metres, point.seconds > last.seconds else { return }
        if point.metres - last.metres >= MatchCosts.trailMetres || point.seconds - last.seconds >= MatchCosts.trailSeconds {
            append(point)
        }
    }

    var points: [Point] {
        var chunks = [recent]
        var chunk = past
        while let next = chunk {
            chunks.append(next.points)
            chunk = next.previous
        }
        return chunks.reversed().flatMap { $0 }
    }

    /// The points around the place that `isBefore` ends at: the last one for which it holds, and the one behind it.
    private func around(_ isBefore: (Point) -> Bool) -> (before: Point?, behind: Point?) {
        var behind: Point?
        var points = recent[...], chunk = past
        while true {
            if let first = points.first, isBefore(first) {
                var low = points.startIndex, high = points.endIndex
                while high - low > 1 {
                    let middle = (low + high) / 2
                    if isBefore(points[middle]) { low = middle } else { high = middle }
                }
                return (points[low], high < points.endIndex ? points[high] : behind)
            }
            behind = points.first ?? behind
            guard let next = chunk else { return (nil, behind) }
            points = next.points[...]
            chunk = next.previous
        }
    }

    /// Seconds since the gun at which `metres` were reached first; nil before the first and behind the last point.
    func seconds(at metres: Double) -> Double? {
        let (before, behind) = around { $0.metres < metres }
        guard let behind else { return nil }
        guard let before else { return behind.metres == metres ? behind.seconds : nil }
        return before.seconds + (behind.seconds - before.seconds) * (metres - before.metres) / (behind.metres - before.metres)
    }

    /// Metres reached by `seconds` since the gun; nil before the first point, the last point's behind it.
    func metres(at seconds: Double) -> Double? {
        let (before, behind) = around { $0.seconds <= seconds }
        guard let before else { return nil }
        guard let behind else { return before.metres }
        return before.metres + (behind.metres - before.metres) * (seconds - before.seconds) / (behind.seconds - before.seconds)
    }
}
