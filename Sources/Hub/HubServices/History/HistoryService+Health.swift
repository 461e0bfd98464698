public import History
public import HubStore
public import Privacy
public import Vitals

/// What a person's page of health shows beside plots and statistics (DATA-4).
extension HistoryService {
    /// The newest values, however old.
    public struct Latest: Sendable, Hashable {
        public let heartRate: NewestHeartRate?
        /// One of each kind that pages show and that has one, in the order of their numbers.
        public let scalars: [NewestScalar]
    }

    /// What the minutes of a span say of the heart.
    public struct HeartSummary: Sendable, Hashable {
        /// How many minutes have a heart rate.
        public let minutes: Int
        /// Beats a minute: the 5th percentile of the means of the minutes, a simple estimate of the resting heart rate.
        public let resting: Double
        /// How many minutes lie in each zone by their means, from 0 (below the first) to 5; nil without zones.
        public let zoneMinutes: [Int]?
        /// Root mean square of successive differences of RR intervals, milliseconds; nil for fewer than 30.
        public let rmssd: Double?
    }

    /// The longest span of which a ``HeartSummary`` is made: 366 days, and an hour where the clocks changed.
    public static let summaryMax: Milliseconds = (366 * 24 + 1) * 3_600_000
    /// Minutes of longer spans are not read at once: 31 days.
    private static let minutesAtOnce: Milliseconds = 31 * 86_400_000

    /// The newest value of each kind; of none where not everything up to now may be read (``isOpen``).
    /// - Returns: nil when the grant does not hold (any more).
    public func latest(_ grant: Grant) throws -> Latest? {
        try ledger.recordRead(grant, now: now())
        guard isOpen else {
            // Nothing is read, but whether it might be.
            guard let kind = grant.kinds.first, try rollups(grant, of: kind, by: .hours, from: 0, to: 0) != nil else { return nil }
            return Latest(heartRate: nil, scalars: [])
        }
        guard let scalars = try shownScalars(grant) else { return nil }
        return Latest(heartRate: try reader.newestHeartRate(grant, now: now()), scalars: scalars)
    }

    /// As ``latest(_:)``, without the heart rate, which is the dearest to find.
    public func latestScalars(_ grant: Grant) throws -> [NewestScalar]? {
        try ledger.recordRead(grant, now: now())
        return isOpen ? try shownScalars(grant) : []
    }

    private func shownScalars(_ grant: Grant) throws -> [NewestScalar]? {
        try reader.newestScalars(grant, now: now())?.filter { $0.sample.kind.entry.uses.contains(.shown) }
    }

    /// Resting heart rate, time in zones and variability.
    /// - Returns: nil when the grant does not hold (any more), where there is no heart rate, and for a span above ``summaryMax``.
    public func heartSummary(
        _ grant: Grant, zones: HeartRateZones?, from: Milliseconds, to: Milliseconds
    ) throws -> HeartSummary? {
        guard to - from <= Self.summaryMax else { return nil }
        try ledger.recordRead(grant, now: now())
        var means: [Double] = []
        for begin in stride(from: from, to: to, by: Int(Self.minutesAtOnce)) {
            let end = min(to, begin + Self.minutesAtOnce)
            let minutes = try rollups(grant, of: .heartRate, by: .minutes, from: begin, to: end)
            guard let minutes else { return nil }
            means += minutes.values.compactMap(\.mean)
        }
        guard let resting = Statistics(means)?.percentiles.p5 else { return nil }
        let intervals = try rollups(grant, of: .rrIntervals, by: .hours, from: from, to: to) ?? [:]
        return HeartSummary(
            minutes: means.count, resting: resting, zoneMinutes: zones.map { $0.minutes(means) },
            rmssd: intervals.values.reduce(into: Rollup()) { $0.merge($1) }.successive.rmssd())
    }
}

extension HeartRateZones {
    /// How many of these means of minutes lie in each zone.
    fileprivate func minutes(_ means: [Double]) -> [Int] {
        means.reduce(into: Array(repeating: 0, count: 6)) { $0[zone(of: Int64($1.rounded()))] += 1 }
    }
}

extension [HistoryService.Point] {
    /// Longer points, made of these, in the same order.
    /// - Parameter begin: when the longer point begins to which a time belongs.
    public func merged(_ begin: (Milliseconds) -> Milliseconds) -> [HistoryService.Point] {
        reduce(into: []) { longer, point in
            let time = begin(point.time)
            guard let last = longer.last, last.time == time else { return longer.append(.init(time: time, rollup: point.rollup)) }
            var rollup = last.rollup
            rollup.merge(point.rollup)
            longer[longer.count - 1] = .init(time: time, rollup: rollup)
        }
    }
}
