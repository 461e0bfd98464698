public import Vitals

/// A place in metres from the centre of the earth, or the way between two. Geometry is done here and not on a map's plane: there is no zone,
/// no scale that grows with the distance, no antimeridian and no pole. A chord of 1 km is 1e-9 shorter than the way on the ground.
struct Vector: Hashable, Sendable {
    var x: Double, y: Double, z: Double

    /// WGS 84: semi-major axis and first eccentricity squared.
    private static let equator = 6_378_137.0, eccentricity = 6.694_379_990_141e-3

    init(x: Double, y: Double, z: Double) { (self.x, self.y, self.z) = (x, y, z) }

    /// A place on the ellipsoid. Heights are left out: courses are measured level, as surveyors do.
    init(latitude: Int32, longitude: Int32) {
        let (sinLatitude, cosLatitude) = Trigonometry.sineAndCosine(Int64(latitude))
        let (sinLongitude, cosLongitude) = Trigonometry.sineAndCosine(Int64(longitude))
        let radius = Self.equator / (1 - Self.eccentricity * sinLatitude * sinLatitude).squareRoot()
        x = radius * cosLatitude * cosLongitude
        y = radius * cosLatitude * sinLongitude
        z = radius * (1 - Self.eccentricity) * sinLatitude
    }

    static func + (left: Vector, right: Vector) -> Vector { Vector(x: left.x + right.x, y: left.y + right.y, z: left.z + right.z) }
    static func - (left: Vector, right: Vector) -> Vector { Vector(x: left.x - right.x, y: left.y - right.y, z: left.z - right.z) }
    static func * (left: Vector, right: Double) -> Vector { Vector(x: left.x * right, y: left.y * right, z: left.z * right) }

    func dot(_ other: Vector) -> Double { x * other.x + y * other.y + z * other.z }

    func cross(_ other: Vector) -> Vector {
        Vector(x: y * other.z - z * other.y, y: z * other.x - x * other.z, z: x * other.y - y * other.x)
    }

    var length: Double { dot(self).squareRoot() }

    func distance(to other: Vector) -> Double { (self - other).length }

    /// The axes east and north at a place of the ellipsoid.
    static func axes(at point: CoursePoint) -> (east: Vector, north: Vector) {
        let (sinLatitude, cosLatitude) = Trigonometry.sineAndCosine(Int64(point.latitude))
        let (sinLongitude, cosLongitude) = Trigonometry.sineAndCosine(Int64(point.longitude))
        return (
            Vector(x: -sinLongitude, y: cosLongitude, z: 0),
            Vector(x: -sinLatitude * cosLongitude, y: -sinLatitude * sinLongitude, z: cosLatitude)
        )
    }
}

/// A place on the ground.
public struct CoursePoint: Hashable, Sendable, Codable {
    /// WGS 84 latitude in 1e-7 degrees, -900,000,000 to 900,000,000, north positive.
    public var latitude: Int32
    /// WGS 84 longitude in 1e-7 degrees, -1,800,000,000 to 1,800,000,000, east positive.
    public var longitude: Int32
    /// Height above mean sea level in 0.1 m, where it is known. Lengths do not use it.
    public var elevation: Int32?

    public init(latitude: Int32, longitude: Int32, elevation: Int32? = nil) {
        self.latitude = latitude
        self.longitude = longitude
        self.elevation = elevation
    }

    public init(_ sample: PositionSample) {
        self.init(latitude: sample.latitude, longitude: sample.longitude, elevation: sample.altitude)
    }

    /// Whether latitude and longitude lie in their ranges.
    public var isValid: Bool { latitude.magnitude <= 900_000_000 && longitude.magnitude <= 1_800_000_000 }

    /// Metres to another place, in a straight line: for up to 30 km good to 1e-6.
    public func distance(to other: CoursePoint) -> Double { vector.distance(to: other.vector) }

    var vector: Vector { Vector(latitude: latitude, longitude: longitude) }

    /// How far east another place is by the shorter way, in 1e-7 degrees of longitude; west is negative.
    public func turn(to other: CoursePoint) -> Int64 {
        let turn = Int64(other.longitude) - Int64(longitude)
        return turn > 1_800_000_000 ? turn - 3_600_000_000 : turn < -1_800_000_000 ? turn + 3_600_000_000 : turn
    }

    /// The place at `fraction` (0 to 1) of the way to `other`, across the antimeridian where that is shorter. For neighbouring points of a
    /// course: latitude and longitude change evenly, which leaves the straight line by centimetres in a kilometre.
    func between(_ other: CoursePoint, _ fraction: Double) -> CoursePoint {
        var east = Int64(longitude) + Int64((Double(turn(to: other)) * fraction).rounded())
        if east > 1_800_000_000 { east -= 3_600_000_000 } else if east < -1_800_000_000 { east += 3_600_000_000 }
        let north = Double(latitude) + (Double(other.latitude) - Double(latitude)) * fraction
        var height: Int32?
        if let elevation, let there = other.elevation {
            height = Int32((Double(elevation) + (Double(there) - Double(elevation)) * fraction).rounded())
        }
        return CoursePoint(latitude: Int32(north.rounded()), longitude: Int32(east), elevation: height)
    }
}
