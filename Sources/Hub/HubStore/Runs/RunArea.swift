import Foundation
public import Runs

/// The area of a run's course, in 1e-7 degrees. Across 180° ``west`` is greater than ``east``, as in GeoJSON (RFC 7946, 5.2).
public struct RunArea: Sendable, Hashable {
    public var south: Int32, west: Int32, north: Int32, east: Int32

    public init(south: Int32, west: Int32, north: Int32, east: Int32) {
        (self.south, self.west, self.north, self.east) = (south, west, north, east)
    }

    /// Around a line, which leads from each point to the next by the shorter way; nil without any.
    public init?(_ points: [CoursePoint]) {
        guard let first = points.first else { return nil }
        self.init(south: first.latitude, west: first.longitude, north: first.latitude, east: first.longitude)
        var longitude = Int64(first.longitude), (least, most) = (longitude, longitude)
        for (point, next) in zip(points, points.dropFirst()) {
            longitude += point.turn(to: next)
            (least, most) = (min(least, longitude), max(most, longitude))
            (south, north) = (min(south, next.latitude), max(north, next.latitude))
        }
        setSides(west: least, east: most)
    }

    /// - Parameters: longitudes that count on across 180°.
    private mutating func setSides(west: Int64, east: Int64) {
        let isRound = east - west >= Self.circle
        self.west = isRound ? -Self.half : Self.longitude(west)
        self.east = isRound ? Self.half : Self.longitude(east)
    }

    private static let circle: Int64 = 3_600_000_000, half: Int32 = 1_800_000_000

    private static func longitude(_ value: Int64) -> Int32 {
        Int32(clamping: value > Int64(half) ? value - circle : value < -Int64(half) ? value + circle : value)
    }

    // MARK: Across 180°

    var isAcross: Bool { west > east }

    /// How far east of the west side a longitude of it is.
    public func offset(of longitude: Int32) -> Int64 {
        let offset = Int64(longitude) - Int64(west)
        return offset < 0 ? offset + Self.circle : offset
    }

    public var width: Int64 { offset(of: east) }

    public var middle: CoursePoint {
        CoursePoint(
            latitude: Int32((Int64(south) + Int64(north)) / 2), longitude: Self.longitude(Int64(west) + width / 2))
    }

    /// Whether it shares a place with another one.
    public func meets(_ other: RunArea) -> Bool {
        guard south <= other.north, other.south <= north else { return false }
        let (isWest, isEast) = (west <= other.east, other.west <= east)
        if isAcross, other.isAcross { return true }
        return isAcross || other.isAcross ? isWest || isEast : isWest && isEast
    }

    // MARK: Metres

    /// With a margin. It ends at the poles, and holds all longitudes where it comes to one.
    public func wider(metres: Double) -> RunArea {
        // A degree of latitude is 111 km, one of longitude less by the cosine.
        let margin = metres / 111_000 * 1e7, farthest = Double(max(south.magnitude, north.magnitude)) + margin
        let side = farthest < 9e8 ? min(margin / cos(farthest / 1e7 * .pi / 180), 1.8e9) : 1.8e9
        var wider = self
        wider.south = Int32(max(Double(south) - margin, -9e8))
        wider.north = Int32(min(Double(north) + margin, 9e8))
        wider.setSides(west: Int64(west) - Int64(side), east: Int64(west) + width + Int64(side))
        return wider
    }

    /// Metres from a place to the nearest side of it; 0 within.
    public func distance(to place: CoursePoint) -> Double {
        var nearest = CoursePoint(latitude: min(max(place.latitude, south), north), longitude: place.longitude)
        if offset(of: place.longitude) > width {
            let (toWest, toEast) = (CoursePoint(latitude: 0, longitude: west), CoursePoint(latitude: 0, longitude: east))
            nearest.longitude = place.turn(to: toWest).magnitude < place.turn(to: toEast).magnitude ? west : east
        }
        return place.distance(to: nearest)
    }
}
