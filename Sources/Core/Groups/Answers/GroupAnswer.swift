public import Accounts

/// The answer from the noisy counts of some cells. Nothing else enters it, so that asking costs nobody anything.
///
/// Intervals come by Fieller's method: a figure x is in the interval where the noisy counts deviate from what x expects by no more than 95
/// of 100 noises do. They tell of the noise alone: the group is not a sample of anything.
public struct GroupAnswer: Sendable, Hashable {
    public let bins: GroupBins
    /// Noisy counts of the classes, over all cells.
    public let counts: [Int64]
    /// The variance of the noise in each of them.
    public let variance: Double

    /// - Returns: nil for a kind that is not grouped, and where there is no cell: the refusal.
    public init?(_ cover: GroupCover, of question: GroupQuestion, from releases: [RegionLevel: GroupRelease]) {
        guard let bins = GroupBins(question.kind), !cover.parts.isEmpty else { return nil }
        var counts = [Int64](repeating: 0, count: GroupBins.count), variance = 0.0
        for part in cover.parts {
            guard let release = releases[part.level], let cell = release.cells[part.cell] else { return nil }
            for index in counts.indices { counts[index] += cell[index] }
            variance += release.variance.value
        }
        self.init(bins: bins, counts: counts, variance: variance)
    }

    /// The figures that a question gets of one window.
    public init?(_ cover: GroupCover, of question: GroupQuestion, from released: ReleasedCells) {
        self.init(cover, of: question, from: released.releases)
    }

    /// - Parameter counts: 16, that together are above 0: what ``ReleaseRule`` released.
    public init(bins: GroupBins, counts: [Int64], variance: Double) { (self.bins, self.counts, self.variance) = (bins, counts, variance) }

    /// Noise is whole: within 1.96 sigma and a half lie 95 in 100 at least.
    private static let half = 0.5

    private var total: Double { Double(counts.reduce(0, +)) }
    /// The square of the normal quantile times the variance of one class.
    private var reach: Double { Estimate.width * Estimate.width * variance }

    /// The number of people of the group who had a value.
    public var count: Estimate {
        let error = (reach * Double(GroupBins.count)).squareRoot() + Self.half
        return Estimate(total, low: max(0, total - error), high: total + error)
    }

    /// The number of people in each class.
    public var histogram: [Estimate] {
        let error = reach.squareRoot() + Self.half
        return counts.map { Estimate(max(0, Double($0)), low: max(0, Double($0) - error), high: max(0, Double($0) + error)) }
    }

    /// The mean in the kind's unit; nil for classes without an order. Values beyond the outer classes count as their middle.
    ///
    /// Each value stands as the middle of its class, at most half a class away: that adds a twelfth of a squared class for each person.
    public var mean: Estimate? {
        guard bins.isOrdered else { return nil }
        // In classes from the middle of the axis, so that nothing large is subtracted.
        let places = (0..<GroupBins.count).map { Double($0) - Double(GroupBins.count - 1) / 2 }
        let sum = zip(places, counts).reduce(0.0) { $0 + $1.0 * Double($1.1) }
        let squares = places.reduce(0) { $0 + $1 * $1 }
        let rounding = Estimate.width * Estimate.width * total / 12
        let ends = QuadraticSet.roots(
            total * total - reach * Double(GroupBins.count), -2 * total * sum, sum * sum - reach * squares - rounding)
        let centre = Double(GroupBins.count) / 2
        func value(_ place: Double) -> Double { bins.value(at: min(max(place + centre, 0), Double(GroupBins.count))) }
        return Estimate(value(sum / total), low: value(ends.first ?? -centre), high: value(ends.last ?? centre))
    }

    public var median: Estimate? { percentile(0.5) }

    /// The value that a share of the people is below, in the kind's unit, as if the people of a class were spread evenly over it: the true
    /// value lies in the same class, ``GroupBins/step`` away at most.
    /// - Parameter share: above 0, below 1.
    /// - Returns: nil for classes without an order.
    public func percentile(_ share: Double) -> Estimate? {
        guard bins.isOrdered, share > 0, share < 1 else { return nil }
        var below = -share * total, crossings: [Double] = [], ends: [Double] = []
        for (number, count) in counts.enumerated() {
            let here = Double(count), start = Double(number)
            if (below <= 0) != (below + here <= 0) || below == 0 { crossings.append(start + (here == 0 ? 0 : -below / here)) }
            // The deviation at a fraction f of this class is below + f * here; its coefficients are 1 - share before, f - share here, and
            // -share behind.
            let others = start * (1 - share) * (1 - share) + (Double(GroupBins.count - 1) - start) * share * share
            let set = QuadraticSet.within01(
                here * here - reach, 2 * below * here + 2 * reach * share, below * below - reach * (others + share * share))
            if let set { ends += [start + set.lowerBound, start + set.upperBound] }
            below += here
        }
        guard let first = crossings.first, let last = crossings.last, let low = ends.min(), let high = ends.max() else { return nil }
        return Estimate(bins.value(at: (first + last) / 2), low: bins.value(at: low), high: bins.value(at: high))
    }

    /// The share of the people with a value in a class or above it, 0 to 1.
    /// - Parameter edge: 1 to 15, from ``GroupBins/edge(nearest:)``.
    /// - Returns: nil for classes without an order.
    public func share(from edge: Int) -> Estimate? {
        guard bins.isOrdered, (1..<GroupBins.count).contains(edge) else { return nil }
        let above = Double(counts[edge...].reduce(0, +)), classes = Double(GroupBins.count - edge)
        let ends = QuadraticSet.roots(
            total * total - reach * Double(GroupBins.count), -2 * above * total + 2 * reach * classes, above * above - reach * classes)
        func bounded(_ share: Double) -> Double { min(1, max(0, share)) }
        return Estimate(bounded(above / total), low: bounded(ends.first ?? 0), high: bounded(ends.last ?? 1))
    }
}
