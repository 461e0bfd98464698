/// Sine, cosine and arctangent without a mathematical library: pure targets import none, and these give the same bits on every machine, so
/// that a result computed again elsewhere is the same result.
enum Trigonometry {
    /// 1e-7 degrees in a quarter turn.
    private static let quarter: Int64 = 900_000_000

    /// Sine and cosine of an angle in 1e-7 degrees, good to 1e-15. The quarter turns are taken off in whole numbers, without rounding.
    static func sineAndCosine(_ angle: Int64) -> (sine: Double, cosine: Double) {
        let quarters = Int64((Double(angle) / Double(quarter)).rounded())
        let rest = Double(angle - quarters * quarter) * (Double.pi / 180e7)
        let square = rest * rest
        // Taylor's series; for up to 45 degrees the first term left out is below 1e-16.
        var sine = 1.0, cosine = 1.0
        for term in stride(from: 14.0, through: 2, by: -2) { sine = 1 - square / (term * (term + 1)) * sine }
        for term in stride(from: 15.0, through: 1, by: -2) { cosine = 1 - square / (term * (term + 1)) * cosine }
        sine *= rest
        switch ((quarters % 4) + 4) % 4 {
        case 0: return (sine, cosine)
        case 1: return (cosine, -sine)
        case 2: return (-sine, -cosine)
        default: return (-cosine, sine)
        }
    }

    /// The direction of (east, north) in degrees clockwise from north, 0 to 360 (excluded); 0 for no direction at all.
    static func bearing(east: Double, north: Double) -> Double {
        let wide = max(east.magnitude, north.magnitude), narrow = min(east.magnitude, north.magnitude)
        guard wide > 0 else { return 0 }
        var degrees = arctangent(narrow / wide) * 180 / Double.pi
        if east.magnitude > north.magnitude { degrees = 90 - degrees }
        if north < 0 { degrees = 180 - degrees }
        if east < 0 { degrees = 360 - degrees }
        return degrees >= 360 ? 0 : degrees
    }

    /// Of 0 to 1. Halving the angle twice leaves at most 11.25 degrees, where the series is good to 1e-11.
    private static func arctangent(_ value: Double) -> Double {
        var tangent = value
        for _ in 0..<2 { tangent /= 1 + (1 + tangent * tangent).squareRoot() }
        let square = tangent * tangent
        var sum = 0.0
        for term in stride(from: 13.0, through: 1, by: -2) { sum = 1 / term - square * sum }
        return 4 * tangent * sum
    }
}
