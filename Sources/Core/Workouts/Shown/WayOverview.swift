public import Runs

/// Many ways on one map, each in as few points as a map of all of them needs.
public struct WayOverview: Hashable, Sendable {
    /// In the order of the ways that were given; each in pieces without a gap.
    public let ways: [[[CoursePoint]]]
    /// No point that was left out lies further from its line, in metres.
    public let tolerance: Double

    /// Metres: the finest, and from which on no way is made coarser.
    static let finest = 4.0, coarsest = 20_000.0

    /// - Parameters:
    ///   - count: points of all ways together, at most; more only where each piece has nothing but its ends.
    ///   - zones: of whose inside nothing is shown.
    public init(_ ways: [[[CoursePoint]]], points count: Int, hiding zones: [HomeZone] = []) {
        let shown = zones.isEmpty ? ways : ways.map { $0.flatMap { Self.outside($0, zones) } }
        var tolerance = Self.finest, found = shown.map { $0.map { Self.simplified($0, tolerance) } }
        while tolerance < Self.coarsest, found.reduce(0, { $0 + $1.reduce(0) { $0 + $1.count } }) > count {
            tolerance *= 2
            found = shown.map { $0.map { Self.simplified($0, tolerance) } }
        }
        (self.ways, self.tolerance) = (found, tolerance)
    }

    /// The pieces of a piece that are in none of some zones.
    private static func outside(_ points: [CoursePoint], _ zones: [HomeZone]) -> [[CoursePoint]] {
        points.split { point in zones.contains { $0.holds(point) } }.map(Array.init).filter { $0.count > 1 }
    }

    /// Leaves points out by Douglas and Peucker (Cartographica 10:112, 1973).
    static func simplified(_ points: [CoursePoint], _ tolerance: Double) -> [CoursePoint] {
        guard points.count > 2, let first = points.first else { return points }
        // Metres for each 1e-7 degrees, where the way begins.
        let step: Int32 = 10_000, here = CoursePoint(latitude: min(max(first.latitude, -899_000_000), 899_000_000), longitude: 0)
        let east = here.distance(to: CoursePoint(latitude: here.latitude, longitude: step)) / Double(step)
        let north = here.distance(to: CoursePoint(latitude: here.latitude + step, longitude: 0)) / Double(step)
        let flat = points.map { (x: Double(first.turn(to: $0)) * east, y: Double($0.latitude) * north) }
        var keeps = Array(repeating: false, count: points.count), open = [(0, points.count - 1)]
        (keeps[0], keeps[points.count - 1]) = (true, true)
        while let (from, to) = open.popLast() {
            guard to - from > 1 else { continue }
            var farthest = from, most = 0.0
            for index in from + 1..<to {
                let distance = Self.distance(flat[index], flat[from], flat[to])
                if distance > most { (farthest, most) = (index, distance) }
            }
            guard most > tolerance else { continue }
            keeps[farthest] = true
            open += [(from, farthest), (farthest, to)]
        }
        return zip(points, keeps).compactMap { $1 ? $0 : nil }
    }

    /// From a place to the line between two others.
    private static func distance(
        _ place: (x: Double, y: Double), _ start: (x: Double, y: Double), _ end: (x: Double, y: Double)
    ) -> Double {
        let (x, y) = (end.x - start.x, end.y - start.y), length = x * x + y * y
        let along = length > 0 ? min(1, max(0, ((place.x - start.x) * x + (place.y - start.y) * y) / length)) : 0
        let (east, north) = (place.x - start.x - along * x, place.y - start.y - along * y)
        return (east * east + north * north).squareRoot()
    }

    // MARK: As text

    /// The pieces of a way as encoded polylines of 1e-5 degrees (Google's Encoded Polyline Algorithm Format), with a space between two.
    public static func text(_ pieces: [[CoursePoint]]) -> String {
        pieces.map { String(decoding: encoded($0), as: UTF8.self) }.joined(separator: " ")
    }

    private static func encoded(_ points: [CoursePoint]) -> [UInt8] {
        var bytes: [UInt8] = [], last = (latitude: 0, longitude: 0)
        for point in points {
            let now = (latitude: rounded(point.latitude), longitude: rounded(point.longitude))
            for step in [now.latitude - last.latitude, now.longitude - last.longitude] {
                var left = UInt(bitPattern: step << 1 ^ step >> (Int.bitWidth - 1))
                while left >= 32 {
                    bytes.append(UInt8(left & 31 | 32) + 63)
                    left >>= 5
                }
                bytes.append(UInt8(left) + 63)
            }
            last = now
        }
        return bytes
    }

    private static func rounded(_ degrees: Int32) -> Int { Int((Double(degrees) / 100).rounded()) }
}
