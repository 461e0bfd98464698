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

    public struct Ways: Sendable {
        /// The newest first.
        public let ways: [Way]
        /// Whether there are more within the span: those that began before the last one.
        public let isCut: Bool
    }

    /// Workouts of one map, and points of all ways together, at most: the page of a year stays below 140 KB.
    public static let waysMax = 1500
    static let wayPointsMax = 10_000

    /// The surroundings of somebody's homes, as they chose them for workouts and runs.
    public func homes(of person: PersonID) throws -> [HomeZone] {
        let homes = try begun.workouts(of: person).compactMap(\.content.home)
        return try Set(homes + enrolments.enrolments(of: person).compactMap(\.enrolment.choices.home)).map(\.self)
    }

    /// The ways of the workouts that began within a span. What was overwritten since is there: the small way is kept.
    /// - Parameters:
    ///   - span: UTC milliseconds.
    ///   - zones: of whose inside nothing is shown.
    /// - Returns: nil where the grant does not name positions, or does not hold (any more).
    public func ways(_ grant: Grant, in span: Range<Milliseconds>, hiding zones: [HomeZone] = []) throws -> Ways? {
        guard grant.kinds.contains(.position) else { return nil }
        try ledger.recordRead(grant, now: now())
        // Records are no samples: whether the grant holds is asked for where samples would be read.
        guard try history.rollups(grant, of: .position, by: .hours, from: 0, to: 1, now: now()) != nil else { return nil }
        let found = try store.records(of: grant.person, from: span.lowerBound, before: span.upperBound, count: Self.waysMax + 1)
        let shown = found.prefix(Self.waysMax).compactMap { record in record.content.map { (record, $0) } }
        let overview = WayOverview(shown.map(\.1.sketch), points: Self.wayPointsMax, hiding: zones)
        let ways = zip(shown, overview.ways).map { Way(record: $0.0, content: $0.1, pieces: $1.filter { $0.count > 1 }) }
        return Ways(ways: ways.filter { !$0.pieces.isEmpty }, isCut: found.count > Self.waysMax)
    }
}
