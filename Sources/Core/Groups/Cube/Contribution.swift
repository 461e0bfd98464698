public import History
public import Vitals

/// One person's contribution to one window of a kind: a single value, whatever they measured, and so one class.
public enum Contribution {
    /// The number of days before a window's end for which the latest value of a kind counts; nil for kinds that must be of the window itself.
    public static func reach(of kind: DataKind) -> Int? { kind == .weight || kind == .height ? 365 : nil }

    /// The value of one day, or hour, in the resolution of ``GroupBins``: the median of readings, the sum of amounts, minutes asleep or of
    /// activity.
    /// - Returns: nil for nothing, and for kinds without such a value.
    public static func value(of kind: DataKind, in rollup: Rollup) -> Int64? {
        guard let rule = RollupRule(kind), !rollup.isEmpty else { return nil }
        switch rule.measure {
        case .readings: return rollup.quantile(0.5, by: rule).map { Int64($0.rounded()) }
        case .amounts: return rollup.sum
        case .seconds: return seconds(of: kind, in: rollup).map { $0 / 60 }
        case .presence: return nil
        }
    }

    /// Codes of ``DataKind/sleep`` that are sleep: not in bed, not awake.
    private static let sleeping = Set(
        DataKind.sleep.entry.codes.enumerated().filter { ["asleep", "light", "deep", "rem"].contains($0.element) }.map { Int64($0.offset) })

    private static func seconds(of kind: DataKind, in rollup: Rollup) -> Int64? {
        let counted = rollup.histogram.filter { kind != .sleep || sleeping.contains($0.number) }
        return counted.isEmpty ? nil : counted.reduce(0) { $0 + $1.count }
    }

    /// The median of a window's values; between two, the half rounded down.
    public static func median(_ values: [Int64]) -> Int64? {
        guard !values.isEmpty else { return nil }
        let sorted = values.sorted(), middle = sorted.count / 2
        guard sorted.count % 2 == 0 else { return sorted[middle] }
        return sorted[middle - 1] + (sorted[middle] - sorted[middle - 1]) / 2
    }

    /// The class of a person in a window.
    /// - Parameters:
    ///   - days: the window's rollups of all provenances but replay and drill, in any order.
    ///   - latest: the last rollup before the window, and how many days before the window's end it was: for kinds with a ``reach(of:)``.
    /// - Returns: nil where the person has nothing that counts.
    public static func bin(of kind: DataKind, days: [Rollup], latest: (rollup: Rollup, daysBeforeEnd: Int)? = nil) -> Int? {
        guard let bins = GroupBins(kind), bins.isOrdered else { return nil }
        if let value = median(days.compactMap { value(of: kind, in: $0) }) { return bins.bin(of: value) }
        guard let latest, let reach = reach(of: kind), latest.daysBeforeEnd <= reach else { return nil }
        return value(of: kind, in: latest.rollup).map(bins.bin)
    }
}
