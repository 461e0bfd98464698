/// A line through places, with the way along it, and the search for the parts of it that are near a place.
struct Polyline: Sendable {
    /// The nearest place of one pass of the line.
    struct Candidate: Sendable {
        /// Metres along the line.
        var along: Double
        /// Metres from the place that was asked for.
        var distance: Double
        var segment: Int
    }

    /// Segments that a sphere encloses: far ones are passed over sixteen at a time.
    private struct Block: Sendable {
        var centre: Vector, radius: Double
    }

    private static let blockLength = 16
    /// Two nearest places closer than this along the line are one: recorded courses are not smooth.
    private static let apart = 8.0

    let vectors: [Vector]
    /// Metres along the line at each of `vectors`, never falling.
    let along: [Double]
    private let blocks: [Block]

    /// - Parameter origin: what the way along the line is at its first place.
    init(_ vectors: [Vector], origin: Double = 0) {
        self.vectors = vectors
        var along: [Double] = [], sum = origin
        along.reserveCapacity(vectors.count)
        for (index, vector) in vectors.enumerated() {
            if index > 0 { sum += vector.distance(to: vectors[index - 1]) }
            along.append(sum)
        }
        self.along = along
        blocks = stride(from: 0, to: max(vectors.count - 1, 0), by: Self.blockLength).map { first in
            let part = vectors[first...min(first + Self.blockLength, vectors.count - 1)]
            let centre = part.reduce(Vector(x: 0, y: 0, z: 0), +) * (1 / Double(part.count))
            return Block(centre: centre, radius: part.map(centre.distance(to:)).max() ?? 0)
        }
    }

    private func segments(of block: Int) -> Range<Int> {
        block * Self.blockLength..<min((block + 1) * Self.blockLength, vectors.count - 1)
    }

    /// The place of a segment that is nearest to `place`.
    private func nearest(on segment: Int, to place: Vector) -> Candidate {
        let start = vectors[segment], way = vectors[segment + 1] - start, square = way.dot(way)
        let fraction = square > 0 ? min(max((place - start).dot(way) / square, 0), 1) : 0
        let length = along[segment + 1] - along[segment]
        return Candidate(
            along: along[segment] + fraction * length, distance: place.distance(to: start + way * fraction), segment: segment)
    }

    /// One candidate for each pass of the line within `radius` metres of `place`, in the order along the line: each place of the line that is
    /// nearer than what is before and behind it.
    func candidates(near place: Vector, within radius: Double) -> [Candidate] {
        var found: [Candidate] = []
        for (index, block) in blocks.enumerated() where place.distance(to: block.centre) <= block.radius + radius {
            for segment in segments(of: index) {
                let here = nearest(on: segment, to: place)
                guard here.distance <= radius, isNearest(here, to: place) else { continue }
                if let last = found.last, here.along - last.along < Self.apart {
                    if here.distance < last.distance { found[found.count - 1] = here }
                } else {
                    found.append(here)
                }
            }
        }
        return found
    }

    /// Whether the line goes away from `place` on both sides: always within a segment; at its end where the next segment begins with it; at
    /// its beginning only where the line begins.
    private func isNearest(_ candidate: Candidate, to place: Vector) -> Bool {
        let segment = candidate.segment
        if candidate.along >= along[segment + 1] {
            return segment + 2 >= vectors.count || nearest(on: segment + 1, to: place).along <= along[segment + 1]
        }
        return candidate.along > along[segment] || segment == 0
    }

    /// The nearest place of the whole line; nil for a line of less than two places.
    func nearest(to place: Vector) -> Candidate? {
        var best: Candidate?
        for (index, block) in blocks.enumerated() {
            if let best, place.distance(to: block.centre) - block.radius >= best.distance { continue }
            for segment in segments(of: index) {
                let here = nearest(on: segment, to: place)
                if best.map({ here.distance < $0.distance }) ?? true { best = here }
            }
        }
        return best
    }

    /// The segment that holds `metres` along the line, and how far into it that is (0 to 1). The ends hold what lies beyond them.
    func locate(_ metres: Double) -> (segment: Int, fraction: Double) {
        var low = 0, high = max(vectors.count - 2, 0)
        while low < high {
            let middle = (low + high + 1) / 2
            if along[middle] <= metres { low = middle } else { high = middle - 1 }
        }
        guard low + 1 < along.count else { return (0, 0) }
        let length = along[low + 1] - along[low]
        return (low, length > 0 ? min(max((metres - along[low]) / length, 0), 1) : 0)
    }

    /// Metres from the line, positive to the right of its direction: `place` as seen from the candidate.
    func side(of place: Vector, from candidate: Candidate) -> Double {
        let start = vectors[candidate.segment], way = vectors[candidate.segment + 1] - start
        // The way turned right is way x up; the place itself points up well enough.
        return (place - start).dot(way.cross(place)) < 0 ? -candidate.distance : candidate.distance
    }
}
