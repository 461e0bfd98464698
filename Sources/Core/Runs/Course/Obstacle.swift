/// Something of the map that nobody runs across, along or through. Whoever loads map data gives those near the course.
public struct Obstacle: Hashable, Sendable, Codable {
    /// Its kind.
    public enum Kind: String, Sendable, Codable, CaseIterable {
        case motorway, water
        /// A railway, a military area, whatever else the map forbids.
        case forbidden
    }

    /// Where it is.
    public enum Shape: Hashable, Sendable, Codable {
        /// A road or a stream: the course may neither cross it nor run along it.
        case line([CoursePoint])
        /// A lake or a fenced ground, its border in either direction, closed by itself: the course may not enter.
        case area([CoursePoint])
    }

    public var kind: Kind
    public var shape: Shape
    /// Bridges and tunnels: near them the course may pass.
    public var openings: [CoursePoint]

    public init(kind: Kind, shape: Shape, openings: [CoursePoint] = []) {
        self.kind = kind
        self.shape = shape
        self.openings = openings
    }

    /// The course is looked at every so many metres: what is narrower can be jumped across.
    private static let step = 5.0
    /// This near to a line is on it: half of a carriageway.
    private static let near = 10.0
    /// This far beside a line is along it: less is the crossing itself at a flat angle.
    private static let alongMin = 50.0
    /// An opening lets pass within this: half of a long bridge, and a tunnel's mouth.
    private static let openingRadius = 100.0
    /// A way across has an opening for every so many metres: courses beside its line pass too.
    private static let openingEvery = 50.0

    private var points: [CoursePoint] {
        switch shape {
        case .line(let points), .area(let points): points.filter(\.isValid)
        }
    }

    private var code: CourseProblem.Code {
        switch kind {
        case .motorway: .motorway
        case .water: .water
        case .forbidden: .forbidden
        }
    }

    /// A place of the course, for every obstacle worked out once.
    struct Sample {
        var metres: Double, point: CoursePoint, vector: Vector, index: Int
    }

    /// The course every ``step`` metres.
    /// - Parameter kept: the plan's indices of the line's places.
    static func samples(of points: [CoursePoint], kept: [Int], line: Polyline) -> [Sample] {
        stride(from: 0, through: line.along.last ?? 0, by: step).map { metres in
            let (segment, fraction) = line.locate(metres)
            let place = points[kept[segment]].between(points[kept[segment + 1]], fraction)
            return Sample(metres: metres, point: place, vector: place.vector, index: kept[segment])
        }
    }

    func problems(along samples: [Sample]) -> [CourseProblem] {
        let vectors = points.map(\.vector), border = border, openings = openings.map(\.vector)
        guard let centre = vectors.first else { return [] }
        let reach = (vectors.map { centre.distance(to: $0) }.max() ?? 0) + Self.near
        var found: [CourseProblem] = []
        var touched: ClosedRange<Int>?
        func end() {
            defer { touched = nil }
            guard let range = touched else { return }
            let first = samples[range.lowerBound], last = samples[range.upperBound]
            if case .line = shape, last.metres - first.metres < Self.alongMin {
                let before = samples[max(range.lowerBound - 1, 0)], behind = samples[min(range.upperBound + 1, samples.count - 1)]
                guard border.isCrossed(from: before.point, to: behind.point) else { return }
            }
            found.append(CourseProblem(code, metres: first.metres, metresEnd: last.metres, index: first.index))
        }
        for (index, sample) in samples.enumerated() {
            guard centre.distance(to: sample.vector) <= reach, touches(border, at: sample.point),
                !openings.contains(where: { $0.distance(to: sample.vector) <= Self.openingRadius })
            else {
                end()
                continue
            }
            touched = (touched?.lowerBound ?? index)...index
        }
        end()
        return found
    }

    /// Lets courses pass where a bridge or a tunnel leads across, and nowhere else along it.
    /// - Parameter way: its line; or a single place, such as a ford, which counts where it lies on a line or in an area.
    public mutating func open(along way: [CoursePoint]) { open(along: [way]) }

    /// The same for many ways.
    public mutating func open(along ways: [[CoursePoint]]) {
        guard !ways.isEmpty else { return }
        let border = border
        for way in ways.map({ $0.filter(\.isValid) }) {
            for (start, end) in zip(way, way.count == 1 ? way[...] : way.dropFirst()) {
                let parts = max((start.distance(to: end) / Self.openingEvery).rounded(.up), 1)
                for part in stride(from: 0, to: parts, by: 1) {
                    let from = start.between(end, part / parts), to = start.between(end, (part + 1) / parts), middle = from.between(to, 0.5)
                    if isCrossed(border, from: from, at: middle, to: to) { openings.append(middle) }
                }
            }
        }
    }

    /// An area's is closed. For who asks of many places.
    var border: Border {
        switch shape {
        case .line: Border(points, near: Self.near)
        // Only what goes around a place counts.
        case .area: Border(points + points.prefix(1), near: 1)
        }
    }

    private func isCrossed(_ border: Border, from start: CoursePoint, at middle: CoursePoint, to end: CoursePoint) -> Bool {
        if start == end { return touches(border, at: middle) }
        if case .area = shape, touches(border, at: middle) { return true }
        // A bridge along a motorway leads across something else.
        return border.isCrossed(from: start, to: end)
    }

    private func touches(_ border: Border, at place: CoursePoint) -> Bool {
        switch shape {
        case .line: border.isNear(place, Self.near)
        case .area: border.encloses(place)
        }
    }
}
