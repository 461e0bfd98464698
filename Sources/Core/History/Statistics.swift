/// The statistics of a span (DATA-6): exact over the readings themselves, or from rollups, with how far they may be off.
public struct Statistics: Sendable, Hashable {
    public let count: Int
    public let mean: Double
    /// By linear interpolation between the two nearest readings (type 7 of Hyndman and Fan, 1996).
    public let percentiles: Percentiles
    /// Of the sample: divided by one less than the count. nil for a single reading.
    public let variance: Double?
    public let minimum: Double
    public let maximum: Double
    /// How far a percentile may be off; 0 over the readings themselves. Count, mean, minimum and maximum are exact either way.
    public let error: Double

    /// How far the standard deviation may be off; 0 over the readings themselves. No reading is further from the middle of its bin than
    /// ``error``, and lengths of vectors differ by the length of their difference at most.
    public var deviationError: Double { count > 1 ? error * (Double(count) / Double(count - 1)).squareRoot() : 0 }

    public struct Percentiles: Sendable, Hashable {
        public let p5, p25, median, p75, p95: Double
    }

    /// Square root of the variance; nil for a single reading.
    public var standardDeviation: Double? { variance?.squareRoot() }

    /// Of the mean; nil for a single reading.
    public var standardError: Double? { standardDeviation.map { $0 / Double(count).squareRoot() } }

    /// - Returns: nil where there are no readings.
    public init?(_ readings: [Double]) {
        let sorted = readings.sorted()
        guard let least = sorted.first, let greatest = sorted.last else { return nil }
        func quantile(_ share: Double) -> Double {
            let place = Double(sorted.count - 1) * share, low = Int(place), high = min(low + 1, sorted.count - 1)
            return sorted[low] + (sorted[high] - sorted[low]) * (place - Double(low))
        }
        let mean = Self.sum(sorted) / Double(sorted.count)
        self.init(
            count: sorted.count, mean: mean, percentiles: Percentiles(quantile),
            squares: Self.sum(sorted.map { ($0 - mean) * ($0 - mean) }), minimum: least, maximum: greatest, error: 0)
    }

    /// - Parameter scale: what one step of the kind's resolution is in its unit.
    /// - Returns: nil where the rollup holds no readings.
    public init?(_ rollup: Rollup, by rule: RollupRule, scale: Double) {
        let count = rollup.count
        guard let least = rollup.minimum, let greatest = rollup.maximum, let mean = rollup.mean else { return nil }
        let squares = rollup.histogram.map { bin in
            let distance = rule.middle(of: bin.number) - mean
            return distance * distance * Double(bin.count)
        }
        self.init(
            count: Int(count), mean: mean * scale, percentiles: Percentiles { (rollup.quantile($0, by: rule) ?? mean) * scale },
            squares: Self.sum(squares) * scale * scale, minimum: Double(least) * scale, maximum: Double(greatest) * scale,
            error: Double(rule.binWidth - 1) / 2 * scale)
    }

    private init(
        count: Int, mean: Double, percentiles: Percentiles, squares: Double, minimum: Double, maximum: Double, error: Double
    ) {
        (self.count, self.mean, self.percentiles, self.minimum, self.maximum) = (count, mean, percentiles, minimum, maximum)
        variance = count > 1 ? squares / Double(count - 1) : nil
        self.error = error
    }

    /// Neumaier's summation: the rounding of a million readings does not show.
    private static func sum(_ values: [Double]) -> Double {
        var sum = 0.0, lost = 0.0
        for value in values {
            let next = sum + value
            lost += sum.magnitude >= value.magnitude ? (sum - next) + value : (value - next) + sum
            sum = next
        }
        return sum + lost
    }
}

extension Statistics.Percentiles {
    fileprivate init(_ quantile: (Double) -> Double) {
        self.init(p5: quantile(0.05), p25: quantile(0.25), median: quantile(0.5), p75: quantile(0.75), p95: quantile(0.95))
    }
}
