/// Adds up many rollups of one kind, faster than merging one after the other. What comes out is the same.
public struct RollupSum: Sendable {
    /// Bins that lie within so many are counted by their place.
    private static let widthMax: Int64 = 4096

    /// All but the bins that are counted by their place.
    private var rest = Rollup()
    /// The number of readings in the bins from ``first`` on.
    private var counts: [Int64] = []
    private var first: Int64 = 0

    public init() {}

    public init(_ rollups: some Sequence<Rollup>) { for rollup in rollups { add(rollup) } }

    public mutating func add(_ rollup: Rollup) {
        guard let least = rollup.histogram.first?.number, let greatest = rollup.histogram.last?.number, hasRoom(least, greatest) else {
            return rest.merge(rollup)
        }
        rest.takeAllButBins(of: rollup)
        for bin in rollup.histogram {
            let place = Int(bin.number - first)
            counts[place] = counts[place].addingClamped(bin.count)
        }
    }

    /// Makes room for bins; false where they lie too far away.
    private mutating func hasRoom(_ least: Int64, _ greatest: Int64) -> Bool {
        let begin = counts.isEmpty ? least : min(first, least)
        let end = counts.isEmpty ? greatest : max(first + (Int64(counts.count) - 1), greatest)
        let (width, overflow) = end.subtractingReportingOverflow(begin)
        guard !overflow, width < Self.widthMax else { return false }
        guard begin != first || width >= counts.count else { return true }
        counts.insert(contentsOf: repeatElement(0, count: counts.isEmpty ? 0 : Int(first - begin)), at: 0)
        counts += repeatElement(0, count: Int(width) + 1 - counts.count)
        first = begin
        return true
    }

    /// The added readings.
    public var rollup: Rollup {
        var sum = rest
        sum.take(
            bins: counts.indices.filter { counts[$0] > 0 }.map { Rollup.Bin(number: first + Int64($0), count: counts[$0]) })
        return sum
    }
}
