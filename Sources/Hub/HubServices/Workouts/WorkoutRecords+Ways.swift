public import HubStore
public import Privacy
public import Runs
public import Vitals
import Workouts

/// Where somebody has been: the ways of their workouts on one map (DATA-7).
extension WorkoutRecords {
    public struct Way: Sendable {
        public let record: StoredWorkoutRecord
        public let content: WorkoutRecordContent
        /// In pieces without a gap.
        public let pieces: [[CoursePoint]]
    }

    /// Where somebody went on a day outside of workouts.
    public struct DayWay: Sendable {
        /// When the day begins, UTC milliseconds.
        public let begin: Milliseconds
        public let metres: Double
        /// In pieces without a gap.
        public let pieces: [[CoursePoint]]
    }

    public struct Ways: Sendable {
        /// The newest first.
        public let ways: [Way]
        /// The newest first.
        public let days: [DayWay]
        /// Whether there are more within the span: those that began before the last one.
        public let isCut: Bool

        /// Those that were over by an instant (UTC milliseconds).
        public func ended(by instant: Milliseconds) -> Ways {
            Ways(
                ways: ways.filter { $0.record.span.upperBound <= instant }, days: days.filter { $0.begin + 86_400_000 <= instant },
                isCut: isCut)
        }
    }

    /// Workouts of one map, days of one map, and points of all ways together, at most: the page of a year stays below 140 KB.
    public static let waysMax = 1500
    static let wayPointsMax = 10_000

    /// The surroundings of somebody's homes, as they chose them for workouts and runs.
    public func homes(of person: PersonID) throws -> [HomeZone] {
        let homes = try begun.workouts(of: person).compactMap(\.content.home)
        return try Set(homes + enrolments.enrolments(of: person).compactMap(\.enrolment.choices.home)).map(\.self)
    }

    /// The ways of the workouts that began within a span, and beside them those of its days. What was overwritten since is there: the small
    /// ways are kept.
    /// - Parameters:
    ///   - span: UTC milliseconds.
    ///   - withDays: whether ways outside of workouts are wanted; those of the days (UTC) whose noon lies within the span.
    ///   - zones: of whose inside nothing is shown.
    /// - Returns: nil where the grant does not name positions, or does not hold (any more).
    public func ways(
        _ grant: Grant, in span: Range<Milliseconds>, withDays: Bool = true, hiding zones: [HomeZone] = []
    ) throws -> Ways? {
        guard grant.kinds.contains(.position) else { return nil }
        try ledger.recordRead(grant, now: now())
        // Records are no samples: whether the grant holds is asked for where samples would be read.
        guard try history.rollups(grant, of: .position, by: .hours, from: 0, to: 1, now: now()) != nil else { return nil }
        let found = try store.records(of: grant.person, from: span.lowerBound, before: span.upperBound, count: Self.waysMax + 1)
        let shown = found.prefix(Self.waysMax).compactMap { record in record.content.map { (record, $0) } }
        let days = try withDays ? self.days(of: grant.person, span) : [], some = days.prefix(Self.waysMax)
        let overview = WayOverview(shown.map(\.1.sketch) + some.map(\.content.sketch), points: Self.wayPointsMax, hiding: zones)
        let pieces = overview.ways.map { $0.filter { $0.count > 1 } }
        let ways = zip(shown, pieces).map { Way(record: $0.0, content: $0.1, pieces: $1) }
        let beside = zip(some, pieces.dropFirst(shown.count)).map {
            DayWay(begin: $0.day * 86_400_000, metres: $0.content.metres, pieces: $1)
        }
        return Ways(
            ways: ways.filter { !$0.pieces.isEmpty }, days: beside.filter { !$0.pieces.isEmpty },
            isCut: found.count > Self.waysMax || days.count > Self.waysMax)
    }

    /// The newest first.
    private func days(of person: PersonID, _ span: Range<Milliseconds>) throws -> [(day: Int64, content: DayRecordContent)] {
        let half: Milliseconds = 43_200_000, first = -(half - span.lowerBound).flooredQuotient(by: 2 * half)
        let last = (span.upperBound - half - 1).flooredQuotient(by: 2 * half)
        guard first <= last else { return [] }
        return try store.days(of: person, in: first...last).filter { !$0.content.sketch.isEmpty }.reversed()
    }
}
