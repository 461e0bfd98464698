/// How a position was found.
public enum PositionSource: UInt8, Sendable, Hashable, Codable, CaseIterable {
    /// A satellite receiver, through gpsd or an NMEA log.
    case gnss = 0
    /// The place that was set for a gateway.
    case fixed = 1
    /// A location service or a known Wi-Fi network.
    case network = 2
}

extension PositionSource: WireWord {
    /// The one that promises least.
    public static let unknown = PositionSource.network
    public var nearestIn030: PositionSource {
        switch self {
        case .gnss, .fixed, .network: self
        }
    }
}

/// The kind of fix that a receiver reports (gpsd's TPV `mode`). "No fix" is not a position and has no sample.
public enum FixMode: UInt8, Sendable, Hashable, Codable, CaseIterable {
    case unknown = 0
    case twoDimensional = 2
    case threeDimensional = 3
}

/// One position with its time. Integers in the resolution that is stored, so that what is sent is what was measured.
public struct PositionSample: Hashable, Sendable {
    /// When it was valid, in the segment's clock domain.
    public var time: Milliseconds
    /// WGS 84 latitude in 1e-7 degrees, -900,000,000 to 900,000,000, north positive.
    public var latitude: Int32
    /// WGS 84 longitude in 1e-7 degrees, -1,800,000,000 to 1,800,000,000, east positive.
    public var longitude: Int32
    /// Height above mean sea level in 0.1 m.
    public var altitude: Int32?
    /// Speed over ground in 0.01 m/s, never negative.
    public var speed: Int32?
    /// Course over ground in 0.01 degrees clockwise from true north, 0 to 35,999.
    public var course: Int32?
    /// Estimated horizontal error in 0.1 m. Worse than ``accuracyForRankingMax`` is kept, and not used for ranking (EDGE-3).
    public var horizontalError: Int32?
    public var mode: FixMode
    public var source: PositionSource

    /// 10 m in 0.1 m (EDGE-3).
    public static let accuracyForRankingMax: Int32 = 100

    public init(
        time: Milliseconds, latitude: Int32, longitude: Int32, altitude: Int32? = nil, speed: Int32? = nil,
        course: Int32? = nil, horizontalError: Int32? = nil, mode: FixMode = .threeDimensional,
        source: PositionSource = .gnss
    ) {
        self.time = time
        self.latitude = latitude
        self.longitude = longitude
        self.altitude = altitude
        self.speed = speed
        self.course = course
        self.horizontalError = horizontalError
        self.mode = mode
        self.source = source
    }

    /// Latitude in degrees.
    public var latitudeDegrees: Double { Double(latitude) / 1e7 }
    /// Longitude in degrees.
    public var longitudeDegrees: Double { Double(longitude) / 1e7 }
}
