import Database
import Foundation
public import Privacy
public import Runs
import Seams
public import Vitals

/// A lone workout (RUN-19).
public struct WorkoutID: Identifier128 {
    public let high: UInt64, low: UInt64
    public init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
}

/// The sealed part of a workout.
public struct WorkoutContent: Sendable, Hashable, Codable {
    /// The account that started it: the person's, or a child's parent's.
    public var starter: AccountID
    /// Of this friends see nothing (RUN-15).
    public var home: HomeZone?
    /// nil until it was worked out.
    public var summary: WorkoutSummary?
    /// When whoever started it pressed the button for a lap, UTC milliseconds, in the order of time. nil for never.
    public var laps: [Milliseconds]?

    public init(starter: AccountID, home: HomeZone? = nil, summary: WorkoutSummary? = nil) {
        (self.starter, self.home, self.summary) = (starter, home, summary)
    }
}

public struct StoredWorkout: Sendable, Hashable {
    let row: Int64
    public let id: WorkoutID
    public let person: PersonID
    /// UTC milliseconds.
    public let began: Milliseconds
    /// nil while it goes on.
    public let ended: Milliseconds?
    /// Whether friends see it while it goes on.
    public let isShared: Bool
    public let content: WorkoutContent

    public var isOpen: Bool { ended == nil }
}

/// When somebody had a workout.
public struct WorkoutSpan: Sendable, Hashable {
    public let id: WorkoutID
    public let person: PersonID
    /// UTC milliseconds.
    public let span: ClosedRange<Milliseconds>

    /// Of the columns `workout`, `person`, `began`, `ended`.
    init?(_ row: Row) {
        guard let id = WorkoutID(bytes: row[0] as Data), let person = PersonID(bytes: row[1] as Data) else { return nil }
        let began: Milliseconds = row[2], ended: Milliseconds = row[3]
        (self.id, self.person, span) = (id, person, began...max(began, ended))
    }
}

/// The outcome of somebody's wish to begin a workout.
public enum WorkoutBegun: Sendable, Hashable {
    case begun(StoredWorkout)
    /// One goes on: this one.
    case goesOn(StoredWorkout)
    /// There are ``WorkoutStore/workoutsMax``.
    case tooMany
}

/// Workouts as somebody saw them: opened once for each change, since those that go on are looked at each second.
public struct WorkoutsSeen: Sendable {
    fileprivate var known: [Int64: (envelope: Data, isShared: Bool, workout: StoredWorkout)] = [:]

    public init() {}
}

/// Lone workouts, and what friends see of them.
public struct WorkoutStore: RunSubjectStore {
    let runs: RunsStore
}

extension WorkoutStore {
    /// Workouts of one person that are kept, at most.
    public static let workoutsMax = 5000
    /// One that nobody stopped ends after so long, milliseconds: a day.
    public static let workoutMax: Milliseconds = 86_400_000
    /// Data that comes late is worked in for so long after the end, milliseconds: a day, as with runs.
    public static let workoutLate: Milliseconds = 86_400_000

    private static let workoutColumns = "SELECT id, workout, person, began, ended, is_shared, envelope FROM workout"

    /// nil for a deleted person.
    private func workout(_ row: Row) throws -> StoredWorkout? {
        guard let id = WorkoutID(bytes: row[1] as Data), let person = PersonID(bytes: row[2] as Data),
            let content = try open(WorkoutContent.self, row[6], of: person, .workout, (id.high, id.low))
        else { return nil }
        return StoredWorkout(
            row: row[0], id: id, person: person, began: row[3], ended: row[4], isShared: row[5], content: content)
    }

    private func workouts(_ condition: String, _ arguments: Arguments) throws -> [StoredWorkout] {
        try pool.read { db in
            try db.cachedStatement(sql: "\(Self.workoutColumns) WHERE \(condition)").fetchAll(arguments: arguments)
                .compactMap { try listed(workout: $0) }
        }
    }

    /// For lists: nil also for one that does not open, which is told.
    private func listed(workout row: Row) throws -> StoredWorkout? { try unlessDamaged(.workout, row[0] as Int64) { try workout(row) } }

    /// The one that goes on. One that does not open ends here, so that the person can begin another one; friends see nothing of it.
    private func open(_ row: Row, now: Milliseconds, _ db: Connection) throws -> StoredWorkout? {
        try unlessDamaged(.workout, row[0] as Int64) {
            try workout(row)
        } damaged: {
            let id: Int64 = row[0], began: Milliseconds = row[3], ended = min(max(now, began), began + Self.workoutMax)
            try db.execute(sql: "UPDATE workout SET ended = ?, is_shared = 0 WHERE id = ?", arguments: [ended, id])
            return nil
        }
    }

    public func beginWorkout(_ content: WorkoutContent, of person: PersonID, isShared: Bool, now: Milliseconds) throws -> WorkoutBegun {
        let id = randomness.id(WorkoutID.self), key = Data(person.bytes)
        return try pool.write { db in
            let open = try db.fetchOne(sql: "\(Self.workoutColumns) WHERE person = ? AND ended IS NULL", arguments: [key])
            if let open, let old = try self.open(open, now: now, db) { return .goesOn(old) }
            let count = try db.fetchOne(Int.self, sql: "SELECT count(*) FROM workout WHERE person = ?", arguments: [key])
            guard count ?? 0 < Self.workoutsMax else { return .tooMany }
            let row = try db.insert(
                sql: "INSERT INTO workout(workout, person, began, is_shared, envelope) VALUES(?, ?, ?, ?, ?) RETURNING id",
                arguments: [Data(id.bytes), key, now, isShared, try seal(content, of: person, .workout, (id.high, id.low))])
            return .begun(
                StoredWorkout(
                    row: row, id: id, person: person, began: now, ended: nil, isShared: isShared, content: content))
        }
    }

    /// Ends it; its summary is due at once, and friends see nothing from here on. nil when none goes on.
    public func endWorkout(of person: PersonID, now: Milliseconds) throws -> StoredWorkout? {
        try pool.write { db in
            let row = try db.fetchOne(
                sql: "\(Self.workoutColumns) WHERE person = ? AND ended IS NULL", arguments: [Data(person.bytes)])
            guard let row, let old = try open(row, now: now, db) else { return nil }
            let ended = min(max(now, old.began), old.began + Self.workoutMax)
            try db.execute(
                sql: "UPDATE workout SET ended = ?, due = ?, is_shared = 0 WHERE id = ?", arguments: [ended, now, old.row])
            return StoredWorkout(
                row: old.row, id: old.id, person: person, began: old.began, ended: ended, isShared: false, content: old.content)
        }
    }

    /// Whether friends see the one that goes on. False when none does.
    public func shareWorkout(of person: PersonID, _ isShared: Bool) throws -> Bool {
        try pool.write { db in
            try db.execute(
                sql: "UPDATE workout SET is_shared = ? WHERE person = ? AND ended IS NULL", arguments: [isShared, Data(person.bytes)])
            return db.changesCount > 0
        }
    }

    /// Laps of a workout that are kept, at most.
    public static let lapsMax = 500

    /// Notes that a lap of the one that goes on ends. Presses within a second are one. False when none goes on, or it has ``lapsMax``.
    public func addLap(of person: PersonID, now: Milliseconds) throws -> Bool {
        try pool.write { db in
            let row = try db.fetchOne(
                sql: "\(Self.workoutColumns) WHERE person = ? AND ended IS NULL", arguments: [Data(person.bytes)])
            guard let row, let old = try open(row, now: now, db) else { return false }
            var content = old.content
            guard content.laps?.count ?? 0 < Self.lapsMax else { return false }
            guard now - (content.laps?.last ?? old.began) >= 1000 else { return true }
            content.laps = (content.laps ?? []) + [now]
            let envelope = try seal(content, of: person, .workout, (old.id.high, old.id.low))
            try db.execute(sql: "UPDATE workout SET envelope = ? WHERE id = ?", arguments: [envelope, old.row])
            return true
        }
    }

    /// False when there is none, or it goes on.
    public func deleteWorkout(_ id: WorkoutID, of person: PersonID) throws -> Bool {
        try pool.write { db in
            try db.execute(
                sql: "DELETE FROM workout WHERE workout = ? AND person = ? AND ended IS NOT NULL",
                arguments: [Data(id.bytes), Data(person.bytes)])
            return db.changesCount > 0
        }
    }

    // MARK: Reading

    /// The one that goes on.
    public func openWorkout(of person: PersonID) throws -> StoredWorkout? {
        try workouts("person = ? AND ended IS NULL", [Data(person.bytes)]).first
    }

    public func workout(_ id: WorkoutID, of person: PersonID) throws -> StoredWorkout? {
        try workouts("workout = ? AND person = ?", [Data(id.bytes), Data(person.bytes)]).first
    }

    /// Those that are over, the newest first.
    public func workouts(of person: PersonID, before: Milliseconds = .max, count: Int = 50) throws -> [StoredWorkout] {
        try workouts("person = ? AND ended IS NOT NULL AND began < ? ORDER BY began DESC LIMIT ?", [Data(person.bytes), before, count])
    }

    /// When those were that are over. None is opened.
    public func spans(of person: PersonID) throws -> [WorkoutSpan] {
        try pool.read { db in
            try db.cachedStatement(sql: "SELECT workout, person, began, ended FROM workout WHERE person = ? AND ended IS NOT NULL")
                .fetchAll(arguments: [Data(person.bytes)]).compactMap { WorkoutSpan($0) }
        }
    }

    /// Those that are over and reach into a span.
    func ended(of person: PersonID, within span: ClosedRange<Milliseconds>, _ db: Connection) throws -> [StoredWorkout] {
        try db.cachedStatement(sql: "\(Self.workoutColumns) WHERE person = ? AND ended >= ? AND began <= ?").fetchAll(
            arguments: [Data(person.bytes), span.lowerBound, span.upperBound]
        ).compactMap { try listed(workout: $0) }
    }

    /// All that go on; only those that changed are opened.
    public func openWorkouts(_ seen: inout WorkoutsSeen) throws -> [StoredWorkout] {
        let before = seen.known
        var now: [Int64: (envelope: Data, isShared: Bool, workout: StoredWorkout)] = [:]
        try pool.read { db in
            let rows = try db.cachedStatement(sql: "\(Self.workoutColumns) WHERE ended IS NULL").fetchCursor()
            while let row = try rows.next() {
                let id: Int64 = row[0], envelope: Data = row[6], isShared: Bool = row[5]
                if let known = before[id], known.envelope == envelope, known.isShared == isShared, try !keys.isDeleted(known.workout.person)
                {
                    now[id] = known
                } else if let workout = try listed(workout: row) {
                    now[id] = (envelope, isShared, workout)
                }
            }
        }
        seen.known = now
        return now.values.map(\.workout).sorted { $0.row < $1.row }
    }

    // MARK: Friends

    /// The reading of a friend now, all looked up in one transaction (design rule 10); nil for nothing.
    public func workoutGrant(of person: PersonID, to friend: AccountID) throws -> (grant: Grant, workout: StoredWorkout)? {
        try pool.read { db in
            guard try !keys.isDeleted(friend.person),
                let row = try db.cachedStatement(sql: "\(Self.workoutColumns) WHERE person = ? AND ended IS NULL").fetchOne(
                    arguments: [Data(person.bytes)]),
                let workout = try workout(row)
            else { return nil }
            let areFriends = try db.cachedStatement(sql: "SELECT 1 FROM friend WHERE person = ? AND other = ?").fetchOne(
                Bool.self, arguments: [Data(person.bytes), Data(friend.person.bytes)])
            let friendship = Friendship(
                person: person, friend: friend, areFriends: areFriends != nil, isShared: workout.isShared)
            return friendship.grant.map { ($0, workout) }
        }
    }

    /// Friends of somebody who share a workout that goes on.
    public func sharingFriends(of person: PersonID) throws -> [StoredWorkout] {
        try workouts(
            "ended IS NULL AND is_shared = 1 AND person IN (SELECT other FROM friend WHERE person = ?) ORDER BY began DESC",
            [Data(person.bytes)])
    }

    // MARK: Summaries

    /// The next workout whose summary is due. Of somebody who was deleted nothing is.
    public func dueWorkout(now: Milliseconds) throws -> StoredWorkout? {
        try pool.read { db in
            let rows = try db.cachedStatement(sql: "\(Self.workoutColumns) WHERE due <= ? ORDER BY due").fetchCursor(arguments: [now])
            while let row = try rows.next() { if let workout = try listed(workout: row) { return workout } }
            return nil
        }
    }

    /// Keeps what was worked out. What became due again meanwhile stays so.
    /// - Parameter readAt: when the reading began, UTC milliseconds.
    public func keep(_ summary: WorkoutSummary?, of workout: StoredWorkout, readAt: Milliseconds) throws {
        var content = workout.content
        content.summary = summary
        try pool.write { db in
            guard try !keys.isDeleted(workout.person) else { return }
            let sealed = try seal(content, of: workout.person, .workout, (workout.id.high, workout.id.low))
            try db.execute(
                sql: "UPDATE workout SET envelope = ?, due = CASE WHEN due > ? THEN due END WHERE id = ?",
                arguments: [sealed, readAt, workout.row])
        }
    }

    /// Works the summary of one that is over out again, not before `due`.
    public func setWorkoutDue(_ id: WorkoutID, at due: Milliseconds) throws {
        try pool.write {
            try $0.execute(
                sql: "UPDATE workout SET due = ? WHERE workout = ? AND ended IS NOT NULL", arguments: [due, Data(id.bytes)])
        }
    }

    /// The same with all that ended lately: what came just before the hub stopped was noticed by nobody.
    public func setWorkoutsDue(endedAfter: Milliseconds, at due: Milliseconds) throws {
        try pool.write { try $0.execute(sql: "UPDATE workout SET due = ? WHERE ended > ?", arguments: [due, endedAfter]) }
    }

    /// Workouts that ended lately: data of them comes late.
    public func lateWorkouts(endedAfter: Milliseconds) throws -> [WorkoutSpan] {
        try pool.read { db in
            try db.cachedStatement(sql: "SELECT workout, person, began, ended FROM workout WHERE ended > ?").fetchAll(
                arguments: [endedAfter]
            ).compactMap { WorkoutSpan($0) }
        }
    }
}
