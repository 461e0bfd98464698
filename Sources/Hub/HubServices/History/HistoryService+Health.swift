public import History
public import HubStore
public import Privacy
public import Vitals

/// Contents of a person's page of health beside plots and statistics (DATA-4).
extension HistoryService {
    /// The newest values, however old.
    public struct Latest: Sendable, Hashable {
        public let heartRate: NewestHeartRate?
        /// One of each kind that pages show and that has one, in the order of their numbers.
        public let scalars: [NewestScalar]
    }

    /// The heart rate of a span, from its minutes. Their means are kept to the whole beat, for as long as hours are.
    public struct HeartSummary: Sendable, Hashable {
        /// The number of minutes that have a heart rate.
        public let minutes: Int
        /// Beats a minute: the 5th percentile of the means of the minutes, a simple estimate of the resting heart rate. Half a beat off at
        /// most.
        public let resting: Double
        /// The number of minutes that lie in each zone by their means, from 0 (below the first) to 5; nil without zones.
        public let zoneMinutes: [Int]?
        /// Root mean square of successive differences of RR intervals, milliseconds; nil for fewer than 30, and for a span above
        /// ``variabilityMax``.
        public let rmssd: Double?
    }

    /// The longest span whose RR intervals are read: 366 days, and an hour where the clocks changed.
    public static let variabilityMax: Milliseconds = (366 * 24 + 1) * 3_600_000

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
    /// - Returns: nil when the grant does not hold (any more), and where there is no heart rate.
    public func heartSummary(
        _ grant: Grant, zones: HeartRateZones?, from: Milliseconds, to: Milliseconds
    ) throws -> HeartSummary? {
        try ledger.recordRead(grant, now: now())
        guard let means = try total(grant, of: .heartRate, by: .means, from: from, to: to),
            let resting = means.quantile(0.05, by: .means)
        else { return nil }
        let hasVariability = to - from <= Self.variabilityMax
        let intervals = try hasVariability ? rollups(grant, of: .rrIntervals, by: .hours, from: from, to: to) : nil
        return HeartSummary(
            minutes: Int(means.count), resting: resting, zoneMinutes: zones.map { $0.counts(means).map(Int.init) },
            rmssd: intervals.flatMap { RollupSum($0.values).rollup.successive.rmssd() })
    }
}

extension [HistoryService.Point] {
    /// Longer points, made of these, in the same order.
    /// - Parameter begin: when the longer point begins to which a time belongs.
    public func merged(_ begin: (Milliseconds) -> Milliseconds) -> [HistoryService.Point] {
        var longer: [HistoryService.Point] = [], sum = RollupSum(), time: Milliseconds?, isDerived = false
        func close() { if let time { longer.append(.init(time: time, rollup: sum.rollup, isDerived: isDerived)) } }
        for point in self {
            let next = begin(point.time)
            if next != time {
                close()
                (time, sum, isDerived) = (next, RollupSum(), false)
            }
            sum.add(point.rollup)
            isDerived = isDerived || point.isDerived
        }
        close()
        return longer
    }

    /// Days that begin at local midnight, made of hours.
    /// - Parameter offset: from UTC in milliseconds at a time.
    public func days(offset: (Milliseconds) -> Milliseconds) -> [HistoryService.Point] {
        let day: Milliseconds = 86_400_000, lastHour: Milliseconds = 82_800_000
        var known = (day: Int64.min, offset: nil as Milliseconds?), today = (number: Int64.min, begin: 0 as Milliseconds)
        return merged { time in
            // Asking a calendar takes longer than adding up: an offset that a day of UTC begins and ends with is that of the whole day.
            let utc = time.flooredQuotient(by: day)
            if known.day != utc {
                let first = offset(utc * day)
                known = (utc, offset(utc * day + lastHour) == first ? first : nil)
            }
            let number = (time + (known.offset ?? offset(time))).flooredQuotient(by: day)
            if today.number != number { today = (number, number * day - offset(number * day - offset(time))) }
            return today.begin
        }
    }
}
