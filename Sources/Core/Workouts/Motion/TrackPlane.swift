internal import Runs
internal import Vitals

/// Metres by degrees around a place, on the ellipsoid of WGS 84: good to 1e-4 within some kilometres. It moves along with a track.
struct TrackPlane: Hashable, Sendable {
    /// The latitude for which the scales hold, 1e-7 degrees.
    private var latitude: Int32?
    /// Metres for each 1e-7 degrees.
    private var north = 0.0, east = 0.0

    /// 0.01 degrees: the scales change by 2e-4 at 45 degrees of latitude.
    private static let reach: Int64 = 100_000
    private static let step: Int32 = 10_000

    /// Metres east and north from one place to another. Both must be possible coordinates.
    mutating func offset(_ one: PositionSample, _ other: PositionSample) -> (east: Double, north: Double) {
        move(to: one.latitude)
        let turn = CoursePoint(one).turn(to: CoursePoint(other))
        return (Double(turn) * east, Double(Int64(other.latitude) - Int64(one.latitude)) * north)
    }

    mutating func distance(_ one: PositionSample, _ other: PositionSample) -> Double {
        let way = offset(one, other)
        return (way.east * way.east + way.north * way.north).squareRoot()
    }

    private mutating func move(to place: Int32) {
        if let latitude, (Int64(latitude) - Int64(place)).magnitude <= Self.reach { return }
        let bounded = min(max(place, -899_000_000), 899_000_000), here = CoursePoint(latitude: bounded, longitude: 0)
        let toNorth = CoursePoint(latitude: bounded + Self.step, longitude: 0),
            toEast = CoursePoint(latitude: bounded, longitude: Self.step)
        (latitude, north) = (place, here.distance(to: toNorth) / Double(Self.step))
        east = here.distance(to: toEast) / Double(Self.step)
    }
}
