import Runs

/// As much of a feature of GeoJSON as a map of obstacles needs.
struct MapFeature: Decodable {
    /// The meaning of a feature for a course.
    enum Meaning: Hashable {
        case obstacle(Obstacle.Kind)
        /// A bridge, a tunnel or a ford.
        case wayAcross
        case nothing(ObstacleMap.Reason)
    }

    /// Those with text; OpenStreetMap has no others.
    private let tags: [String: String]
    private var places: [CoursePoint] = [], paths: [[CoursePoint]] = [], borders: [[CoursePoint]] = []

    /// All of it as lines, a single place as one of one point.
    var lines: [[CoursePoint]] { places.map { [$0] } + paths + borders }

    /// A road is a line and water an area: exports have a closed way as both.
    func shapes(of kind: Obstacle.Kind) -> [Obstacle.Shape] {
        (kind == .water ? [] : paths.map(Obstacle.Shape.line)) + (kind == .motorway ? [] : borders.map(Obstacle.Shape.area))
    }

    /// `kind` is an operator's own word; without it OpenStreetMap's tags say.
    var meaning: Meaning {
        if let own = tags["kind"] {
            if own == "opening" { return .wayAcross }
            if let kind = Obstacle.Kind(rawValue: own) { return .obstacle(kind) }
        }
        func has(_ key: String) -> Bool { tags[key].map { $0 != "no" } ?? false }
        let isAway = has("bridge") || has("tunnel")
        if isClosedRoad { return isAway ? .nothing(.passable) : .obstacle(.motorway) }
        if tags["natural"] == "water" {
            return has("tunnel") || tags["intermittent"] == "yes" ? .nothing(.passable) : .obstacle(.water)
        }
        let isWay = has("highway") && isAway && tags["foot"] != "no"
        return isWay || has("ford") ? .wayAcross : .nothing(.otherKind)
    }

    /// Nobody may go on foot there.
    private var isClosedRoad: Bool {
        switch tags["highway"] ?? "" {
        case "motorway", "motorway_link": true
        case "trunk", "trunk_link": tags["foot"] == "no" || tags["motorroad"] == "yes"
        default: false
        }
    }

    // MARK: Decoding

    private enum Key: String, CodingKey { case type, properties, geometry, coordinates }

    private struct Tag: Decodable {
        let text: String?
        init(from decoder: any Decoder) throws { text = try? decoder.singleValueContainer().decode(String.self) }
    }

    private struct NoPlace: Error {}

    /// A geometry that cannot be used leaves nothing of it.
    init(from decoder: any Decoder) throws {
        let feature = try decoder.container(keyedBy: Key.self)
        guard try feature.decode(String.self, forKey: .type) == "Feature" else {
            throw DecodingError.dataCorruptedError(forKey: .type, in: feature, debugDescription: "no feature")
        }
        tags = try feature.decodeIfPresent([String: Tag].self, forKey: .properties)?.compactMapValues(\.text) ?? [:]
        guard let geometry = try? feature.nestedContainer(keyedBy: Key.self, forKey: .geometry) else { return }
        do { try take(geometry) } catch { (places, paths, borders) = ([], [], []) }
    }

    private mutating func take(_ geometry: KeyedDecodingContainer<Key>) throws {
        func coordinates<Value: Decodable>(_ type: Value.Type) throws -> Value { try geometry.decode(type, forKey: .coordinates) }
        switch try geometry.decode(String.self, forKey: .type) {
        case "Point": places = [try Self.point(coordinates([Double].self))]
        case "LineString": paths = [try Self.line(coordinates([[Double]].self))]
        case "MultiLineString": paths = try coordinates([[[Double]]].self).map(Self.line)
        case "Polygon": borders = [try Self.border(coordinates([[[Double]]].self))]
        case "MultiPolygon": borders = try coordinates([[[[Double]]]].self).map(Self.border)
        default: return
        }
    }

    private static func point(_ numbers: [Double]) throws -> CoursePoint {
        guard numbers.count > 1, abs(numbers[0]) <= 180, abs(numbers[1]) <= 90 else { throw NoPlace() }
        return CoursePoint(latitude: Int32((numbers[1] * 1e7).rounded()), longitude: Int32((numbers[0] * 1e7).rounded()))
    }

    private static func line(_ numbers: [[Double]]) throws -> [CoursePoint] {
        guard numbers.count > 1 else { throw NoPlace() }
        return try numbers.map(point)
    }

    /// The border and its islands as one line: what leads from ring to ring is gone there and back, and so encloses nothing.
    private static func border(_ rings: [[[Double]]]) throws -> [CoursePoint] {
        let closed = try rings.map { ring -> [CoursePoint] in
            let points = try line(ring)
            return points.first == points.last ? points : points + [points[0]]
        }
        guard let outer = closed.first else { throw NoPlace() }
        return closed.dropFirst().reduce(outer) { $0 + $1 + [outer[0]] }
    }
}
