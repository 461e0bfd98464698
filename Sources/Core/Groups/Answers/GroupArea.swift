public import Accounts
public import Runs

/// An area that somebody drew. It becomes a set of regions, and is forgotten: no question is answered about a line that was drawn.
public enum GroupArea: Sendable, Hashable {
    /// The radius in metres.
    case circle(CoursePoint, radius: Double)
    /// Its corners in order, not over the 180th meridian. Where its sides cross, what they enclose an odd number of times is inside.
    case polygon([CoursePoint])

    public static let cornersMax = 200
    /// Half of the way around the Earth, in metres.
    public static let radiusMax = 20_000_000.0

    /// Whether a question can be made of it.
    public var isValid: Bool {
        switch self {
        case .circle(let centre, let radius): centre.isValid && radius > 0 && radius <= Self.radiusMax
        case .polygon(let corners): (3...Self.cornersMax).contains(corners.count) && corners.allSatisfy(\.isValid)
        }
    }

    /// Whether a point is inside.
    public func contains(_ point: CoursePoint) -> Bool {
        switch self {
        case .circle(let centre, let radius): return centre.distance(to: point) <= radius
        case .polygon(let corners):
            var isInside = false
            for (one, other) in zip(corners, corners.dropFirst() + corners.prefix(1)) where Self.crosses(one, other, eastOf: point) {
                isInside.toggle()
            }
            return isInside
        }
    }

    /// Whether a side crosses the parallel of a point to the east of it; in whole numbers.
    private static func crosses(_ one: CoursePoint, _ other: CoursePoint, eastOf point: CoursePoint) -> Bool {
        guard (one.latitude > point.latitude) != (other.latitude > point.latitude) else { return false }
        let (low, high) = one.latitude < other.latitude ? (one, other) : (other, one)
        // Products of differences: at most 1.8e9 * 3.6e9.
        let ahead = (Int64(low.longitude) - Int64(point.longitude)) * (Int64(high.latitude) - Int64(low.latitude))
        let turn = (Int64(high.longitude) - Int64(low.longitude)) * (Int64(point.latitude) - Int64(low.latitude))
        let (sum, overflow) = ahead.addingReportingOverflow(turn)
        return overflow ? ahead > 0 : sum > 0
    }

    /// The regions that it becomes: those of which the middle is inside.
    /// - Parameter middles: of the regions of one level.
    public func regions(of middles: [(code: RegionCode, middle: CoursePoint)]) -> Set<RegionCode> {
        Set(middles.filter { contains($0.middle) }.map(\.code))
    }
}
