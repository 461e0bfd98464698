internal import Vitals

/// The summary of a kind's samples within a span: their number, their sum, the least and the greatest, and how often each value came. Two of
/// them merge into the rollup of both spans. The values of ``Rollup/histogram`` count by ``RollupRule/binWidth``.
public struct Rollup: Sendable, Hashable {
    /// Bins in ascending order, each with a count above 0.
    public private(set) var histogram: [Bin] = []
    /// In the kind's resolution; 0 for states and presence.
    public private(set) var sum: Int64 = 0
    /// nil where nothing is in it, and for states and presence.
    public private(set) var minimum: Int64?
    public private(set) var maximum: Int64?
    /// Of RR intervals alone; empty for other kinds.
    public internal(set) var successive = SuccessiveDifferences()

    public struct Bin: Sendable, Hashable {
        public let number: Int64
        public var count: Int64

        public init(number: Int64, count: Int64) { (self.number, self.count) = (number, count) }
    }

    public init() {}

    init(histogram: [Bin], sum: Int64, minimum: Int64?, maximum: Int64?, successive: SuccessiveDifferences = SuccessiveDifferences()) {
        (self.histogram, self.sum, self.minimum, self.maximum, self.successive) = (histogram, sum, minimum, maximum, successive)
    }

    /// The distribution of the means of some rollups of readings, each rounded to the resolution of its kind, by ``RollupRule/means``.
    public init(meansOf rollups: some Sequence<Rollup>) {
        for rollup in rollups {
            if let mean = rollup.mean { take(Int64(mean.rounded()), by: .means) }
        }
    }

    /// The number of readings or amounts, or seconds of states.
    public var count: Int64 { histogram.reduce(0) { $0 + $1.count } }

    public var isEmpty: Bool { histogram.isEmpty }

    /// The mean of readings or amounts; nil where there are none.
    public var mean: Double? { minimum != nil ? Double(sum) / Double(count) : nil }

    /// Takes a value `times` times.
    public mutating func take(_ value: Int64, times: Int64 = 1, by rule: RollupRule) {
        guard times > 0 else { return }
        if rule.hasSum {
            note(value)
            sum = sum.addingClamped(value * times)
        }
        insert(rule.bin(of: rule.measure == .presence ? 0 : value), times)
    }

    /// Takes how much an interval differs from the one before it.
    mutating func take(difference: Int64) { successive.take(difference) }

    private mutating func note(_ value: Int64) {
        minimum = Swift.min(minimum ?? value, value)
        maximum = Swift.max(maximum ?? value, value)
    }

    private mutating func insert(_ number: Int64, _ count: Int64) {
        var place = histogram.count
        while place > 0, histogram[place - 1].number > number { place -= 1 }
        if place > 0, histogram[place - 1].number == number {
            histogram[place - 1].count = histogram[place - 1].count.addingClamped(count)
        } else {
            histogram.insert(Bin(number: number, count: count), at: place)
        }
    }

    /// Takes in another one of the same kind. The order in which rollups are merged makes no difference.
    public mutating func merge(_ other: Rollup) {
        takeAllButBins(of: other)
        take(bins: other.histogram)
    }

    /// Sum, least and greatest value, and successive differences.
    mutating func takeAllButBins(of other: Rollup) {
        sum = sum.addingClamped(other.sum)
        successive.merge(other.successive)
        if let least = other.minimum { note(least) }
        if let greatest = other.maximum { note(greatest) }
    }

    /// - Parameter bins: in ascending order.
    mutating func take(bins: [Bin]) {
        guard !bins.isEmpty else { return }
        guard !histogram.isEmpty else {
            histogram = bins
            return
        }
        var merged: [Bin] = [], left = 0, right = 0
        merged.reserveCapacity(histogram.count + bins.count)
        while left < histogram.count, right < bins.count {
            let a = histogram[left], b = bins[right]
            if a.number == b.number {
                merged.append(Bin(number: a.number, count: a.count.addingClamped(b.count)))
            } else {
                merged.append(a.number < b.number ? a : b)
            }
            if a.number <= b.number { left += 1 }
            if b.number <= a.number { right += 1 }
        }
        merged += histogram[left...]
        merged += bins[right...]
        histogram = merged
    }

    /// The value below which a share of the readings lies, by linear interpolation as ``Statistics`` does it; off by at most
    /// ``RollupRule/binWidth``.
    /// - Parameter share: 0 to 1.
    /// - Returns: nil where there are none.
    public func quantile(_ share: Double, by rule: RollupRule) -> Double? {
        guard let minimum, let maximum, count > 0 else { return nil }
        let place = Double(count - 1) * Swift.min(1, Swift.max(0, share))
        let low = value(at: Int64(place.rounded(.down)), by: rule), high = value(at: Int64(place.rounded(.up)), by: rule)
        let found = low + (high - low) * (place - place.rounded(.down))
        return Swift.min(Double(maximum), Swift.max(Double(minimum), found))
    }

    /// Of all readings in ascending order the one at a place, as far as its bin tells.
    private func value(at place: Int64, by rule: RollupRule) -> Double {
        var before: Int64 = 0
        for bin in histogram {
            before += bin.count
            if place < before { return rule.middle(of: bin.number) }
        }
        return histogram.last.map { rule.middle(of: $0.number) } ?? 0
    }
}

extension Int64 {
    /// Stays at the bound where the sum is none that 64 bits hold.
    func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? -.max : .max) : sum
    }
}
