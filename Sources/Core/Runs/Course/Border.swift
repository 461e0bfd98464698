/// An obstacle's line or border, worked out once: its edges by strips of latitude, so that a place is held against those near it alone.
struct Border {
    /// Between two places, in 1e-7 degrees: longitudes count on from the first place's, also across the antimeridian.
    private struct Edge {
        var start: (east: Double, north: Double), end: (east: Double, north: Double)
    }

    private let vectors: [Vector]
    private let edges: [Edge]
    /// Indices of edges, by strip.
    private var strips: [[Int]] = []
    private var south = 0.0, height = 1.0
    private let origin: Double

    /// Strips for so many edges one, at least: most have few edges then.
    private static let edgesPerStrip = 4
    /// All strips together have so many times the edges, at most: long edges lie in many.
    private static let timesMax = 16
    /// 1e-7 degrees of latitude in a metre, at most.
    private static let unitsPerMetre = 90.5

    /// - Parameters:
    ///   - points: valid ones. An area's end where they begin.
    ///   - near: metres within which a place is near an edge.
    init(_ points: [CoursePoint], near: Double) {
        vectors = points.map(\.vector)
        origin = Double(points.first?.longitude ?? 0)
        var east = origin
        let flat = points.map { point -> (east: Double, north: Double) in
            east += Self.turn(from: east, to: Double(point.longitude))
            return (east: east, north: Double(point.latitude))
        }
        edges = zip(flat, flat.dropFirst()).map { Edge(start: $0, end: $1) }
        let vectors = vectors
        let spans = edges.enumerated().map { index, edge -> (from: Double, to: Double) in
            // A straight way leaves the line of even degrees: by 2 m in 10 km, more in the north.
            let length = vectors[index].distance(to: vectors[index + 1])
            let margin = (near * 2 + length * length / 1e7) * Self.unitsPerMetre
            return (from: min(edge.start.north, edge.end.north) - margin, to: max(edge.start.north, edge.end.north) + margin)
        }
        guard let lowest = spans.map(\.from).min(), let highest = spans.map(\.to).max() else { return }
        south = lowest
        var count = max(edges.count / Self.edgesPerStrip, 1)
        repeat {
            height = max((highest - lowest) / Double(count), 1)
            var all = 0
            for span in spans { all += Int((span.to - lowest) / height) - Int((span.from - lowest) / height) + 1 }
            if all <= Self.timesMax * edges.count || count == 1 { break }
            count /= 2
        } while true
        strips = Array(repeating: [], count: Int((highest - lowest) / height) + 1)
        for (index, span) in spans.enumerated() {
            for strip in Int((span.from - lowest) / height)...Int((span.to - lowest) / height) { strips[strip].append(index) }
        }
    }

    private static func turn(from: Double, to: Double) -> Double {
        let turn = (to - from).truncatingRemainder(dividingBy: 3_600_000_000)
        return turn > 1_800_000_000 ? turn - 3_600_000_000 : turn < -1_800_000_000 ? turn + 3_600_000_000 : turn
    }

    /// The edges that a place is held against.
    func edges(at place: CoursePoint) -> [Int] {
        let strip = (Double(place.latitude) - south) / height
        return strip >= 0 && strip < Double(strips.count) ? strips[Int(strip)] : []
    }

    /// Whether a place lies within `distance` metres of an edge: no more than the border was made for.
    func isNear(_ place: CoursePoint, _ distance: Double) -> Bool {
        let near = edges(at: place)
        guard !near.isEmpty else { return false }
        let frame = LocalFrame(place)
        return near.contains { LocalFrame.distanceFromOrigin(frame.flat(vectors[$0]), frame.flat(vectors[$0 + 1])) <= distance }
    }

    /// Whether a closed border goes around a place (even-odd rule).
    func encloses(_ place: CoursePoint) -> Bool {
        let north = Double(place.latitude), east = origin + Self.turn(from: origin, to: Double(place.longitude))
        var inside = false
        for index in edges(at: place) {
            let (start, end) = (edges[index].start, edges[index].end)
            guard (start.north > north) != (end.north > north) else { continue }
            let there = start.east + (north - start.north) / (end.north - start.north) * (end.east - start.east)
            if there > east { inside.toggle() }
        }
        return inside
    }

    /// Whether a short way meets an edge.
    func isCrossed(from start: CoursePoint, to end: CoursePoint) -> Bool {
        guard !strips.isEmpty else { return false }
        let ends = [start, end].map { (Double($0.latitude) - south) / height }
        let first = max(min(ends[0], ends[1]), 0), last = min(max(ends[0], ends[1]), Double(strips.count - 1))
        guard Int(first) <= Int(last), first < Double(strips.count), last >= 0 else { return false }
        let frame = LocalFrame(start), way = frame.flat(end)
        return strips[Int(first)...Int(last)].contains { strip in
            strip.contains { LocalFrame.meets((0, 0), way, frame.flat(vectors[$0]), frame.flat(vectors[$0 + 1])) }
        }
    }
}
