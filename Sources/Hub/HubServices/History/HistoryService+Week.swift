import Groups
import History
import HubStore
public import Privacy
public import Vitals

/// Values that are compared with references, beside the newest ones (DATA-4).
extension HistoryService {
    /// Means of some days.
    public struct DailyMeans: Sendable, Hashable {
        /// Beats a minute, as in ``HeartSummary``; nil for less than ``restingMinutesMin`` with a heart rate.
        public let resting: Double?
        /// Of the days with steps, and how many these are; nil without any.
        public let steps: Mean?
        /// Hours asleep, of the nights with sleep; nil without any. A night is from noon to noon.
        public let sleep: Mean?
        /// The median of the days' medians of the heart rate, as groups count it; nil without any.
        public let heart: Mean?

        /// Where nothing may be read.
        public static let nothing = DailyMeans(resting: nil, steps: nil, sleep: nil, heart: nil)
    }

    public struct Mean: Sendable, Hashable {
        public let value: Double
        /// Days or nights.
        public let count: Int
    }

    /// Minutes with a heart rate: fewer say little of rest.
    public static let restingMinutesMin = 600

    /// - Parameters:
    ///   - span: whole days, UTC milliseconds.
    ///   - offset: from UTC in milliseconds at a time.
    /// - Returns: means of the kinds that the grant names; nil when the grant does not hold (any more).
    public func dailyMeans(
        _ grant: Grant, in span: Range<Milliseconds>, offset: @escaping @Sendable (Milliseconds) -> Milliseconds
    ) throws -> DailyMeans? {
        let (from, to) = (span.lowerBound, span.upperBound)
        let heart = try heartSummary(grant, zones: nil, from: from, to: to)
        func named(_ kind: DataKind, _ bucket: Bucket) throws -> [Point]? {
            grant.kinds.contains(kind) ? try points(grant, of: kind, by: bucket, from: from, to: to) : []
        }
        guard let days = try named(.steps, .day(offset: offset)), let asleep = try named(.sleep, .hour),
            let beats = try named(.heartRate, .day(offset: offset))
        else { return nil }
        let steps = days.map { Double($0.rollup.sum) }
        var nights: [Milliseconds: Double] = [:]
        for hour in asleep {
            let seconds = hour.rollup.histogram.filter { Self.asleep.contains($0.number) }.reduce(0) { $0 + $1.count }
            guard seconds > 0 else { continue }
            let local = hour.time + offset(hour.time) - 12 * 3_600_000
            nights[local.flooredQuotient(by: 86_400_000), default: 0] += Double(seconds) / 3600
        }
        return DailyMeans(
            resting: heart.flatMap { $0.minutes >= Self.restingMinutesMin ? $0.resting : nil }, steps: Mean(steps),
            sleep: Mean(Array(nights.values)), heart: Self.median(beats))
    }

    private static func median(_ days: [Point]) -> Mean? {
        let medians = days.compactMap { Contribution.value(of: .heartRate, in: $0.rollup) }
        return Contribution.median(medians).map { Mean(value: Double($0), count: medians.count) }
    }

    /// The codes of sleep in which somebody sleeps: neither in bed nor awake.
    private static let asleep: Set<Int64> = [1, 3, 4, 5]
}

extension HistoryService.Mean {
    fileprivate init?(_ values: [Double]) {
        guard !values.isEmpty else { return nil }
        self.init(value: values.sorted().reduce(0, +) / Double(values.count), count: values.count)
    }
}
