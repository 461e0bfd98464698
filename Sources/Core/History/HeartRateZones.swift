/// The five zones of effort, by shares of the maximal heart rate (50, 60, 70, 80, 90 %).
public struct HeartRateZones: Sendable, Hashable {
    /// Beats a minute.
    public let maximum: Int

    /// - Parameter maximum: beats a minute, 100 to 240.
    /// - Returns: nil outside of that.
    public init?(maximum: Int) {
        guard (100...240).contains(maximum) else { return nil }
        self.maximum = maximum
    }

    /// By age: 208 less seven tenths of it (Tanaka, Monahan and Seals, 2001).
    /// - Parameter age: years, 5 to 120.
    public init?(age: Int) {
        guard (5...120).contains(age) else { return nil }
        self.init(maximum: (2080 - 7 * age + 5) / 10)
    }

    /// Where the zones 1 to 5 begin, beats a minute.
    public var starts: [Int] { [50, 60, 70, 80, 90].map { (maximum * $0 + 99) / 100 } }

    /// The zone of a heart rate, 1 to 5; 0 below the first.
    public func zone(of beatsPerMinute: Int64) -> Int { starts.lastIndex { Int64($0) <= beatsPerMinute }.map { $0 + 1 } ?? 0 }

    /// The number of readings in each zone, from 0 (below the first) to 5.
    public func counts(_ rollup: Rollup) -> [Int64] {
        rollup.histogram.reduce(into: [0, 0, 0, 0, 0, 0]) { $0[zone(of: $1.number)] += $1.count }
    }
}
