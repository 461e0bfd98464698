public import Vitals

/// How the samples of a kind are rolled up.
public struct RollupRule: Sendable, Hashable {
    /// The measure that a rollup counts.
    public typealias Measure = KindEntry.RollUp.Measure

    public let measure: Measure
    /// Width of a bin of the histogram, in the kind's resolution. 1 keeps each value by itself.
    public let binWidth: Int64
    /// Whether differences of successive readings count as well: for RR intervals.
    public var hasSuccessiveDifferences = false

    public init(measure: Measure, binWidth: Int64) {
        (self.measure, self.binWidth) = (measure, binWidth)
    }

    /// The rule of a kind; nil for kinds that have no rollup: events, gaps and clocks stay as they are, attachments are kept whole.
    public init?(_ kind: DataKind) {
        guard let rollUp = kind.entry.rollUp else { return nil }
        self.init(measure: rollUp.measure, binWidth: rollUp.binWidth)
        hasSuccessiveDifferences = rollUp.hasSuccessiveDifferences
    }

    /// How means of readings are counted: each by itself.
    public static let means = RollupRule(measure: .readings, binWidth: 1)

    /// The bin of a value: the one whose values begin at `bin * binWidth`.
    public func bin(of value: Int64) -> Int64 { value.flooredQuotient(by: binWidth) }

    /// The middle of a bin, in the kind's resolution: at most half of ``binWidth`` from any value of it.
    public func middle(of bin: Int64) -> Double { Double(bin * binWidth) + Double(binWidth - 1) / 2 }

    /// Whether values mean something that can be added up.
    var hasSum: Bool { measure == .readings || measure == .amounts }

    /// Whether each value has a bin of its own, so that sum, least and greatest value, percentiles and variance follow from the histogram.
    public var isExact: Bool { binWidth == 1 }
}
