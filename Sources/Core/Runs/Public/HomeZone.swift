/// The surroundings of somebody's home, of which the public sees nothing (RUN-15).
public struct HomeZone: Hashable, Sendable, Codable {
    public var centre: CoursePoint
    /// Metres.
    public var radius: Double

    public init(centre: CoursePoint, radius: Double) {
        self.centre = centre
        self.radius = radius
    }

    /// A zone that holds the home somewhere, not in its middle: tracks that end on a circle give away the middle of it. Make it once and keep
    /// it: several of them would give the home away again.
    public static func around(_ home: CoursePoint, radius: Double, using generator: inout some RandomNumberGenerator) -> HomeZone {
        // Up to half of the radius, evenly over the area.
        let angle = Int64.random(in: 0..<3_600_000_000, using: &generator)
        let away = Double.random(in: 0...1, using: &generator).squareRoot() * radius / 2
        let (sine, cosine) = Trigonometry.sineAndCosine(angle)
        let wide = max(Trigonometry.sineAndCosine(Int64(home.latitude)).cosine, 1e-3)
        let unit = 1e7 / 111_320
        let north = Double(home.latitude) + away * cosine * unit
        var east = Double(home.longitude) + away * sine * unit / wide
        if east > 1.8e9 { east -= 3.6e9 } else if east < -1.8e9 { east += 3.6e9 }
        let centre = CoursePoint(latitude: Int32(min(max(north, -9e8), 9e8).rounded()), longitude: Int32(east.rounded()))
        return HomeZone(centre: centre, radius: radius)
    }

    /// Whether a place is within.
    public func holds(_ point: CoursePoint) -> Bool { centre.distance(to: point) <= radius }
}
