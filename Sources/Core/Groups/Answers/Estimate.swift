/// A figure with the interval that holds the truth in 95 of 100 cases.
public struct Estimate: Sendable, Hashable {
    public let value: Double
    public let low: Double
    public let high: Double

    public init(_ value: Double, low: Double, high: Double) { (self.value, self.low, self.high) = (value, low, high) }

    /// The normal quantile of 97.5 %.
    static let width = 1.959_963_984_540_054

    /// Half of the interval's width.
    public var error: Double { (high - low) / 2 }
}

/// Where a quadratic a x² + b x + c is at most 0.
enum QuadraticSet {
    /// - Returns: the ends of that set within 0 to 1, nil where it has no such part. Of two parts it is what spans both.
    static func within01(_ a: Double, _ b: Double, _ c: Double) -> ClosedRange<Double>? {
        var ends = roots(a, b, c).filter { $0 > 0 && $0 < 1 }
        if c <= 0 { ends.append(0) }
        if a + b + c <= 0 { ends.append(1) }
        guard let low = ends.min(), let high = ends.max() else { return nil }
        return low...high
    }

    /// In ascending order; none where it has no real ones.
    static func roots(_ a: Double, _ b: Double, _ c: Double) -> [Double] {
        guard a != 0 else { return b == 0 ? [] : [-c / b] }
        let inside = b * b - 4 * a * c
        guard inside >= 0 else { return [] }
        // Of the two, the one without a difference of equals first.
        let half = -(b + (b < 0 ? -inside.squareRoot() : inside.squareRoot())) / 2
        guard half != 0 else { return [0, 0] }
        return [half / a, c / half].sorted()
    }
}
