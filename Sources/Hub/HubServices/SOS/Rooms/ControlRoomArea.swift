/// Where a control room is the one to call. On a sphere, and plane within a polygon: for areas of a country at most, away from the poles and from 180°.
public enum ControlRoomArea: Sendable, Hashable {
    /// Degrees, and metres.
    case circle(latitude: Double, longitude: Double, metres: Double)
    case polygon([Point])

    /// A place, in degrees north and east.
    public struct Point: Sendable, Hashable {
        /// Degrees.
        public var latitude: Double, longitude: Double
        /// A place, in degrees north and east.
        public init(latitude: Double, longitude: Double) { (self.latitude, self.longitude) = (latitude, longitude) }
    }

    /// Corners of a polygon.
    public static let pointsMax = 1000

    /// Whether a place, in degrees, lies in it.
    public func contains(latitude: Double, longitude: Double) -> Bool {
        switch self {
        case .circle(let centreLatitude, let centreLongitude, let metres):
            return CrewIndex.metres(centreLatitude, centreLongitude, latitude, longitude) <= metres
        case .polygon(let points):
            // How often a ray to the north meets the edge.
            var isInside = false
            for (index, point) in points.enumerated() {
                let other = points[index == 0 ? points.count - 1 : index - 1]
                guard (point.longitude > longitude) != (other.longitude > longitude) else { continue }
                let share = (longitude - point.longitude) / (other.longitude - point.longitude)
                if latitude < point.latitude + share * (other.latitude - point.latitude) { isInside.toggle() }
            }
            return isInside
        }
    }
}
