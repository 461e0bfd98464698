import Glibc
import Vitals

/// A source of the box's position without satellites.
public enum FallbackPositionSource: UInt8, Sendable, Hashable, CaseIterable {
    /// Set by the person, for a box that stays where it is.
    case fixed
    /// A Wi-Fi network whose place was learned.
    case wifi
    /// The location service of the machine.
    case geoclue
}

/// The place of a box that stays where it is (the gateway role).
public struct FixedPosition: Sendable, Hashable {
    /// WGS 84 degrees, north and east positive.
    public var latitude: Double
    public var longitude: Double
    /// Metres above mean sea level.
    public var altitude: Double?
    /// How far away, in metres, the box may be.
    public var error: Double

    /// nil unless it is a place on Earth: latitude -90 to 90, longitude -180 to 180, altitude -20 to 100 km, error 0 to 100 km.
    public init?(latitude: Double, longitude: Double, altitude: Double? = nil, error: Double) {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude), (0...100_000).contains(error),
            altitude.map((-20_000...100_000).contains) != false
        else { return nil }
        self.latitude = latitude
        self.longitude = longitude
        self.altitude = altitude
        self.error = error
    }

    /// The place as a sample of that time.
    func sample(at time: Milliseconds) -> PositionSample {
        PositionSample(
            time: time, latitude: Int32((latitude * 1e7).rounded()), longitude: Int32((longitude * 1e7).rounded()),
            altitude: altitude.map { Int32(($0 * 10).rounded()) }, horizontalError: Int32((error * 10).rounded(.up)), mode: .unknown,
            source: .fixed)
    }
}

extension PositionSample {
    /// Metres to another position, on a sphere; off by at most 0.6 %.
    func distance(to other: PositionSample) -> Double {
        Self.distance(latitude, longitude, other.latitude, other.longitude)
    }

    /// Metres between two places in 1e-7 degrees.
    static func distance(_ latitude: Int32, _ longitude: Int32, _ otherLatitude: Int32, _ otherLongitude: Int32) -> Double {
        let radians = Double.pi / 180 / 1e7
        let (first, second) = (Double(latitude) * radians, Double(otherLatitude) * radians)
        let north = sin((second - first) / 2)
        let east = sin((Double(otherLongitude) - Double(longitude)) * radians / 2)
        let chord = north * north + cos(first) * cos(second) * east * east
        return 2 * 6_371_009 * asin(min(1, chord.squareRoot()))
    }
}
