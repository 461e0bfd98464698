public import Vitals

/// The one value with which somebody counts in a window of statistics about groups, so that nobody counts more for having measured more.
public enum WindowValue {
    /// Of readings their median, of amounts the median of the days' sums (UTC), of sleep that of the seconds asleep from noon to noon (UTC).
    /// - Parameter hours: rollups by the hours since 1970, of the window alone.
    /// - Returns: in the kind's resolution, of sleep in seconds; nil where there is nothing, and for kinds that have no such value.
    public static func value(of kind: DataKind, hours: [Int64: Rollup]) -> Double? {
        guard let rule = RollupRule(kind) else { return nil }
        switch rule.measure {
        case .readings: return RollupSum(hours.values).rollup.quantile(0.5, by: rule)
        case .amounts: return median(days(hours, shift: 0) { $0.sum })
        case .seconds:
            guard kind == .sleep else { return nil }
            return median(days(hours, shift: 12, asleep).filter { $0 > 0 })
        case .presence: return nil
        }
    }

    /// Codes of ``DataKind/sleep`` that are sleep: not in bed, not awake.
    private static let sleeping = Set(
        DataKind.sleep.entry.codes.enumerated().filter { ["asleep", "light", "deep", "rem"].contains($0.element) }.map { Int64($0.offset) })

    /// Whether a code of ``DataKind/sleep`` is sleep.
    public static func isAsleep(_ code: Int64) -> Bool { sleeping.contains(code) }

    private static func asleep(_ rollup: Rollup) -> Int64 {
        rollup.histogram.reduce(0) { $0 + (isAsleep($1.number) ? $1.count : 0) }
    }

    private static func days(_ hours: [Int64: Rollup], shift: Int64, _ amount: (Rollup) -> Int64) -> [Int64] {
        var days: [Int64: Int64] = [:]
        for (hour, rollup) in hours where !rollup.isEmpty {
            days[(hour + shift).flooredQuotient(by: 24), default: 0] += amount(rollup)
        }
        return Array(days.values)
    }

    private static func median(_ values: [Int64]) -> Double? { Statistics(values.map(Double.init))?.percentiles.median }
}
