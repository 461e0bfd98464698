internal import Vitals

/// Differences of successive RR intervals, for the variability of the heart rate. Counts normal beats alone: 300 to 2,000 ms,
/// each at most a fifth longer or shorter than the one before (Malik).
public struct SuccessiveDifferences: Sendable, Hashable {
    public private(set) var count: Int64 = 0
    /// Of the differences, in (1/1024 s)².
    public private(set) var squares: Int64 = 0

    /// Intervals of normal beats, 1/1024 s.
    static let normal: ClosedRange<Int64> = 307...2048
    /// Intervals further apart do not follow each other.
    static let pauseMax: Milliseconds = 3000

    public init() {}

    init(count: Int64, squares: Int64) { (self.count, self.squares) = (count, squares) }

    /// Root mean square of the successive differences (RMSSD), milliseconds; nil for less than `least` of them.
    public func rmssd(least: Int64 = 30) -> Double? {
        count >= Swift.max(1, least) ? (Double(squares) / Double(count)).squareRoot() * 1000 / 1024 : nil
    }

    mutating func take(_ difference: Int64) {
        count += 1
        squares = squares.addingClamped(difference * difference)
    }

    mutating func merge(_ other: SuccessiveDifferences) {
        (count, squares) = (count.addingClamped(other.count), squares.addingClamped(other.squares))
    }
}
