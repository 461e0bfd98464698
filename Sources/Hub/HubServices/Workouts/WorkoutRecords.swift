public import History
public import HubStore
public import Privacy
public import Runs
public import Vitals
public import Workouts

/// Somebody's workouts (DATA-17): those found in their samples and those begun by hand, with what they say of them. Reading goes by a
/// grant, and each read of somebody else's stands in their ledger before it is done (DATA-12).
public struct WorkoutRecords: Sendable {
    let store: WorkoutRecordStore
    let begun: WorkoutStore
    let enrolments: EnrolmentStore
    let ledger: LedgerStore
    let history: HistoryReader
    let reader: SeriesReader
    let now: @Sendable () -> Milliseconds

    /// The sources whose samples count: those of sensors and imported ones, no replay and no drill.
    static let counting: Set<Provenance> = [.live, .import]

    public init(runs: RunsStore, accounts: AccountStore, series: SeriesStore, now: @escaping @Sendable () -> Milliseconds) {
        (store, begun, enrolments, ledger) = (runs.workoutRecords, runs.workouts, runs.enrolments, accounts.ledger)
        (history, reader, self.now) = (series.history, series.reader, now)
    }

    /// Data that figures depend on, beside the samples.
    public struct Wearer: Sendable, Hashable {
        /// nil where no maximal heart rate is known.
        public var zones: HeartRateZones?
        /// For the energy; nil for none.
        public var body: Body?
        /// For what days came to; nil for no energy.
        public var energy: EnergyBody?

        public init(zones: HeartRateZones?, body: Body?, energy: EnergyBody? = nil) {
            (self.zones, self.body, self.energy) = (zones, body, energy)
        }
    }

    /// The newest first.
    public func list(_ grant: Grant, before: Milliseconds = .max, count: Int) throws -> [StoredWorkoutRecord] {
        try ledger.recordRead(grant, now: now())
        return try store.records(of: grant.person, before: before, count: count)
    }

    /// Whether the list holds as many as it can: others are not added.
    public func isFull(_ person: PersonID) throws -> Bool { try store.count(of: person) >= WorkoutRecordStore.recordsMax }

    /// One workout with its way.
    public struct Detail: Sendable {
        public let record: StoredWorkoutRecord
        public let content: WorkoutRecordContent
        /// nil where its samples were overwritten: then the figures are those that were kept.
        public let line: WorkoutLine?
        public let statistics: WorkoutStatistics
    }

    /// - Returns: nil where there is none, and when the grant does not hold (any more).
    public func detail(_ grant: Grant, _ id: WorkoutRecordID, _ wearer: Wearer) throws -> Detail? {
        try ledger.recordRead(grant, now: now())
        guard let record = try store.record(id, of: grant.person), let content = record.content else { return nil }
        guard let (line, laps) = try way(grant, record.span, content.origin) else { return nil }
        guard !line.points.isEmpty || !line.heartRates.isEmpty else {
            return Detail(record: record, content: content, line: nil, statistics: content.statistics)
        }
        let statistics = WorkoutStatistics(line, zones: wearer.zones, laps: laps, body: wearer.body)
        // Where a part was overwritten, the whole is what was kept.
        let isWhole = statistics.metres >= content.statistics.metres * 0.9
        return Detail(record: record, content: content, line: line, statistics: isWhole ? statistics : content.statistics)
    }

    /// The way of a span by the samples that count, and when laps ended.
    /// - Returns: nil when the grant does not hold (any more).
    func way(
        _ grant: Grant, _ span: ClosedRange<Milliseconds>, _ origin: WorkoutRecordContent.Origin
    ) throws -> (line: WorkoutLine, laps: [Milliseconds])? {
        guard let found = try samples(grant, span) else { return nil }
        var laps = found.laps
        if case .begun(let id) = origin { laps += try begun.workout(id, of: grant.person)?.content.laps ?? [] }
        return (WorkoutLine(found.positions, found.heartRates, in: span, rules: found.motion), laps)
    }

    func samples(_ grant: Grant, _ span: ClosedRange<Milliseconds>) throws -> Reading? {
        try reader.read(grant, from: span.lowerBound, to: span.upperBound, of: Self.counting, now: now())
    }

    // MARK: What its owner does

    /// - Returns: false where there is none.
    public func edit(_ id: WorkoutRecordID, of person: PersonID, _ edit: WorkoutRecordContent.Edit) throws -> Bool {
        try store.edit(id, of: person, edit)
    }

    /// Deletes one from the list for good. The samples stay.
    /// - Returns: false where there is none.
    public func delete(_ id: WorkoutRecordID, of person: PersonID) throws -> Bool {
        guard let record = try store.record(id, of: person) else { return false }
        let isDeleted = try store.delete(id, of: person)
        if case .begun(let workout) = record.content?.origin { _ = try begun.deleteWorkout(workout, of: person) }
        return isDeleted
    }

    // MARK: Trends

    /// Sums by week or month, and records, of all workouts.
    /// - Parameter offset: from UTC in milliseconds at a time.
    public func trends(_ grant: Grant, by period: TrendPeriod, offset: (Milliseconds) -> Milliseconds) throws -> TrendsByPeriod {
        try ledger.recordRead(grant, now: now())
        var trends = TrendsByPeriod(period)
        try store.forEach(of: grant.person) { record in
            guard let content = record.content else { return }
            let local = record.span.lowerBound + offset(record.span.lowerBound)
            let day = local.flooredQuotient(by: 86_400_000)
            if let entry = TrendEntry(kind: content.kind, day: day, content.statistics) { trends.take(entry) }
        }
        return trends
    }
}
