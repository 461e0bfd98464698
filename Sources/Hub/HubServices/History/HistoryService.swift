public import History
public import HubStore
public import Privacy
public import Vitals

/// A person's data over time, for plots and statistics (DATA-5, DATA-6), by a grant. Each read of somebody else's stands in their ledger
/// before it is done (DATA-12).
public struct HistoryService: Sendable {
    let ledger: LedgerStore
    let history: HistoryReader
    let reader: SeriesReader
    /// What days came to; nil where nobody asks for that.
    private let days: WorkoutRecordStore?
    let now: @Sendable () -> Milliseconds
    /// The last instant that may be read, UTC milliseconds.
    private(set) var until = Milliseconds.max

    /// - Parameter days: where derived amounts are kept; nil for a history of measured ones alone.
    public init(
        accounts: AccountStore, series: SeriesStore, days: WorkoutRecordStore? = nil, now: @escaping @Sendable () -> Milliseconds
    ) {
        (ledger, history, reader, self.days, self.now) = (accounts.ledger, series.history, series.reader, days, now)
    }

    /// The same, for who may read nothing that was measured later: what was granted once. Summaries end with the last whole minute, so that
    /// none of them tells of what follows; where the minutes went nothing of that hour is left.
    /// - Parameter until: UTC milliseconds, included.
    public func ending(at until: Milliseconds) -> HistoryService {
        var history = self
        history.until = min(self.until, until)
        return history
    }

    /// Whether everything up to now may be read.
    public var isOpen: Bool { until == .max }

    /// How long one point of a plot lasts.
    public enum Bucket: Sendable, Hashable {
        case minute
        case hour
        /// Days that begin at local midnight, by the offset from UTC in milliseconds at a time. Offsets that are no whole hours begin with
        /// the hour before.
        case day(offset: @Sendable (Milliseconds) -> Milliseconds)

        public static func == (left: Bucket, right: Bucket) -> Bool { left.name == right.name }
        public func hash(into hasher: inout Hasher) { hasher.combine(name) }

        private var name: Int {
            switch self {
            case .minute: 0
            case .hour: 1
            case .day: 2
            }
        }
    }

    /// One point of a plot.
    public struct Point: Sendable, Hashable {
        /// When it begins, UTC milliseconds.
        public let time: Milliseconds
        public let rollup: Rollup
        /// Whether a part of it was worked out, and measured by nobody.
        public var isDerived = false

        init(time: Milliseconds, rollup: Rollup, isDerived: Bool = false) {
            (self.time, self.rollup, self.isDerived) = (time, rollup, isDerived)
        }
    }

    /// Raw data of longer spans is not read for statistics: 31 days.
    public static let exactMax: Milliseconds = 31 * 86_400_000

    /// The points of a plot in the order of time; a span without samples has none.
    /// - Parameter withDerived: whether hours of which nothing was measured hold what was worked out of them; never of minutes.
    /// - Returns: nil when the grant does not hold (any more), or names the kind not.
    public func points(
        _ grant: Grant, of kind: DataKind, by bucket: Bucket, from: Milliseconds, to: Milliseconds, withDerived: Bool = false
    ) throws -> [Point]? {
        try ledger.recordRead(grant, now: now())
        let isMinute = bucket == .minute, length: Milliseconds = isMinute ? 60_000 : 3_600_000
        guard var rollups = try rollups(grant, of: kind, by: isMinute ? .minutes : .hours, from: from, to: to) else { return nil }
        var derived: Set<Int64> = []
        if withDerived, !isMinute {
            for (hour, rollup) in try self.derived(grant, of: kind, from: from, to: to) where rollups[hour] == nil {
                rollups[hour] = rollup
                derived.insert(hour)
            }
        }
        // The numbers alone are sorted: rollups are large, and ten years have 87,600 hours.
        let points = rollups.keys.sorted().compactMap { number in
            rollups[number].map { Point(time: number * length, rollup: $0, isDerived: derived.contains(number)) }
        }
        guard case .day(let offset) = bucket else { return points }
        return points.days(offset: offset)
    }

    /// What was worked out of whole hours, by the hours since 1970 (UTC): nothing where the grant does not name what it is made from.
    private func derived(_ grant: Grant, of kind: DataKind, from: Milliseconds, to: Milliseconds) throws -> [Int64: Rollup] {
        let end = until < to ? max(0, until + 1) : to, first = -((-from).flooredQuotient(by: Self.hour))
        let last = end.flooredQuotient(by: Self.hour)
        guard let days, let rule = RollupRule(kind), let sources = DayRecordContent.sources[kind], sources.isSubset(of: grant.kinds),
            first < last
        else { return [:] }
        var found: [Int64: Rollup] = [:]
        for (day, content) in try days.days(of: grant.person, in: first.flooredQuotient(by: 24)...(last - 1).flooredQuotient(by: 24)) {
            for (slot, amount) in content.amounts(of: kind) where (first..<last).contains(day * 24 + Int64(slot)) {
                var rollup = Rollup()
                rollup.take(amount, by: rule)
                found[day * 24 + Int64(slot)] = rollup
            }
        }
        return found
    }

    /// Mean, percentiles, variance and more of a kind's readings, in its unit: exact where the span is ``exactMax`` at most and all of the
    /// samples are there, else from the rollups. Rollups with a bin for each value (``RollupRule/isExact``) come to the same as the samples.
    /// - Parameter points: of all of the span, where they were read: then they are not read again.
    /// - Returns: nil when the grant does not hold (any more) or names the kind not, and where there are no readings.
    public func statistics(
        _ grant: Grant, of kind: DataKind, from: Milliseconds, to: Milliseconds, points: [Point]? = nil
    ) throws -> Statistics? {
        guard let rule = RollupRule(kind), grant.kinds.contains(kind), rule.measure == .readings || rule.measure == .amounts else {
            return nil
        }
        try ledger.recordRead(grant, now: now())
        let scale = kind.scale
        guard from <= until else { return nil }
        let isMinutes = from % Self.minute == 0 && to % Self.minute == 0, isCut = until < to
        let isRaw = to - from <= Self.exactMax && (isCut || !isMinutes || !rule.isExact)
        if isRaw, try history.isWhole(grant, of: kind, from: from, now: now()) {
            switch try values(grant, of: kind, from: from, to: min(to - 1, until)) {
            case .values(let values): return Statistics(values.map { Double($0) * scale })
            case .notGranted: return nil
            // So many that the rollups must do.
            case .tooMany: break
            }
        }
        if let points, !isCut, !points.contains(where: \.isDerived), from % Self.hour == 0, to % Self.hour == 0 {
            return Statistics(RollupSum(points.lazy.map(\.rollup)).rollup, by: rule, scale: scale)
        }
        return try total(grant, of: kind, by: .hours, from: from, to: to).flatMap { Statistics($0, by: rule, scale: scale) }
    }

    private enum Values {
        case values([Int64])
        case notGranted, tooMany
    }

    /// Readings of a kind, at most: a month of a sensor that tells twice a second.
    private static let valuesMax = 5_000_000

    /// The readings of a kind between two instants, both included, read day by day: a month of samples does not fit into one reading.
    private func values(_ grant: Grant, of kind: DataKind, from: Milliseconds, to: Milliseconds) throws -> Values {
        var values: [Int64] = [], start = from
        while start <= to {
            // A minute is never cut: which source counts is decided for each.
            let end = min(to, (start.flooredQuotient(by: Self.day) + 1) * Self.day - 1)
            guard
                let reading = try reader.read(
                    grant, kinds: [kind.column, kind], from: start, to: end, of: Set(Provenance.allCases), now: now())
            else { return .notGranted }
            values += reading.samples.values(of: kind)
            guard values.count <= Self.valuesMax else { return .tooMany }
            start = end + 1
        }
        return .values(values)
    }

    private static let day: Milliseconds = 86_400_000
    private static let minute: Milliseconds = 60_000, hour: Milliseconds = 3_600_000

    /// The rollup of a span: whole hours by `resolution`, and the minutes before and behind them; of a span above ``exactMax`` the hours that
    /// begin within it.
    /// - Returns: nil when the grant does not hold (any more).
    func total(
        _ grant: Grant, of kind: DataKind, by resolution: HistoryReader.Resolution, from: Milliseconds, to: Milliseconds
    ) throws -> Rollup? {
        guard to - from <= Self.exactMax else {
            return try rollups(grant, of: kind, by: resolution, from: from, to: to).map { RollupSum($0.values).rollup }
        }
        let hour = Self.hour, first = -((-from).flooredQuotient(by: hour)) * hour, last = to.flooredQuotient(by: hour) * hour
        func edge(_ from: Milliseconds, _ to: Milliseconds) throws -> Rollup? {
            guard from < to else { return Rollup() }
            guard let minutes = try rollups(grant, of: kind, by: .minutes, from: from, to: to) else { return nil }
            return resolution.total(minutes)
        }
        guard first <= last else { return try edge(from, to) }
        guard let before = try edge(from, first), let hours = try rollups(grant, of: kind, by: resolution, from: first, to: last),
            let behind = try edge(last, to)
        else { return nil }
        var sum = RollupSum(hours.values)
        sum.add(before)
        sum.add(behind)
        return sum.rollup
    }

    /// The stored rollups, up to ``until``: the hour in which that lies is made of its whole minutes.
    func rollups(
        _ grant: Grant, of kind: DataKind, by resolution: HistoryReader.Resolution, from: Milliseconds, to: Milliseconds
    ) throws -> [Int64: Rollup]? {
        let (minute, hour) = (Self.minute, Self.hour)
        guard !isOpen, until < to else { return try history.rollups(grant, of: kind, by: resolution, from: from, to: to, now: now()) }
        // The instant itself is included, so the minute that ends with it is whole.
        let end = max(0, until + 1) / minute * minute
        guard resolution != .minutes else {
            return try history.rollups(grant, of: kind, by: .minutes, from: from, to: end, now: now())
        }
        let cut = end / hour * hour
        guard var found = try history.rollups(grant, of: kind, by: resolution, from: from, to: cut, now: now()),
            let minutes = try history.rollups(grant, of: kind, by: .minutes, from: max(from, cut), to: end, now: now())
        else { return nil }
        if !minutes.isEmpty { found[cut / hour] = resolution.total(minutes) }
        return found
    }
}

extension DataKind {
    /// One step of the resolution, in the kind's unit.
    public var scale: Double {
        // RR intervals are stored in 1/1024 s.
        if self == .rrIntervals { return 1000.0 / 1024 }
        return (0..<entry.decimals).reduce(1) { scale, _ in scale / 10 }
    }
}

extension HistoryReader.Resolution {
    /// The rollup of minutes: all of them together, or how many have which mean.
    fileprivate func total(_ minutes: [Int64: Rollup]) -> Rollup {
        self == .means ? Rollup(meansOf: minutes.values) : RollupSum(minutes.values).rollup
    }
}
