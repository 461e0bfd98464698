import Database
import Foundation
import Seams
public import Vitals

/// Somebody's list of workouts (DATA-17): what was found in their samples, and what they began by hand, with what they say of it.
public struct WorkoutRecordStore: RunSubjectStore {
    let runs: RunsStore

    /// Workouts in the list of one person, at most, deleted ones included.
    public static let recordsMax = 20_000

    private static let record = "id, record, person, began, ended, is_deleted, envelope FROM workout_record"

    /// nil for a deleted person.
    private func record(_ row: Row) throws -> StoredWorkoutRecord? {
        guard let id = WorkoutRecordID(bytes: row[1] as Data), let person = PersonID(bytes: row[2] as Data) else { return nil }
        let began: Milliseconds = row[3], ended: Milliseconds = row[4], isDeleted: Bool = row[5]
        var content: WorkoutRecordContent?
        if !isDeleted, let envelope = row[6] as Data? {
            content = try open(WorkoutRecordContent.self, envelope, of: person, .workoutRecord, (id.high, id.low))
            if content == nil { return nil }
        }
        return StoredWorkoutRecord(id: id, person: person, span: began...max(began, ended), content: content)
    }

    /// For lists: nil also for one that does not open, which is told.
    private func listed(_ row: Row) throws -> StoredWorkoutRecord? {
        try unlessDamaged(.workoutRecord, row[0] as Int64) { try record(row) }
    }

    // MARK: Reading

    /// The newest first, without deleted ones.
    /// - Parameters:
    ///   - from: only those that began then or later, UTC milliseconds.
    ///   - before: only those that began earlier.
    public func records(
        of person: PersonID, from: Milliseconds = .min, before: Milliseconds = .max, count: Int = 50
    ) throws -> [StoredWorkoutRecord] {
        try pool.read { db in
            try db.cachedStatement(
                sql: "SELECT \(Self.record) WHERE person = ? AND began >= ? AND began < ? AND is_deleted = 0 ORDER BY began DESC LIMIT ?"
            ).fetchAll(arguments: [Data(person.bytes), from, before, count]).compactMap { try listed($0) }
        }
    }

    /// Rows that are opened in one transaction.
    static let slice = 500

    /// Goes through all of somebody's, the newest first, without deleted ones; neither memory nor a transaction grows with their number.
    /// What is added meanwhile may be left out.
    public func forEach(of person: PersonID, _ take: (StoredWorkoutRecord) throws -> Void) throws {
        var began = Milliseconds.max, row = Int64.max, isOver = false
        while !isOver {
            let rows = try pool.read { [began, row] db in
                try db.cachedStatement(
                    sql: """
                        SELECT \(Self.record) WHERE person = ? AND began <= ? AND (began < ? OR id < ?) AND is_deleted = 0
                        ORDER BY began DESC, id DESC LIMIT ?
                        """
                ).fetchAll(arguments: [Data(person.bytes), began, began, row, Self.slice])
            }
            for record in try rows.compactMap({ try listed($0) }) { try take(record) }
            if let last = rows.last { (row, began) = (last[0], last[3]) }
            isOver = rows.count < Self.slice
        }
    }

    /// All that reach into a span, deleted ones included, in the order of time.
    public func records(of person: PersonID, within span: ClosedRange<Milliseconds>) throws -> [StoredWorkoutRecord] {
        try pool.read { try records(of: person, within: span, $0) }
    }

    func records(of person: PersonID, within span: ClosedRange<Milliseconds>, _ db: Connection) throws -> [StoredWorkoutRecord] {
        try db.cachedStatement(sql: "SELECT \(Self.record) WHERE person = ? AND began <= ? AND ended >= ? ORDER BY began").fetchAll(
            arguments: [Data(person.bytes), span.upperBound, span.lowerBound]
        ).compactMap { try listed($0) }
    }

    /// nil for none, and for one that was deleted.
    public func record(_ id: WorkoutRecordID, of person: PersonID) throws -> StoredWorkoutRecord? {
        try pool.read { db in
            try db.cachedStatement(sql: "SELECT \(Self.record) WHERE record = ? AND person = ? AND is_deleted = 0").fetchOne(
                arguments: [Data(id.bytes), Data(person.bytes)]
            ).flatMap { try record($0) }
        }
    }

    /// How many somebody has, deleted ones included: beyond ``recordsMax`` none is added.
    public func count(of person: PersonID) throws -> Int {
        try pool.read { db in
            try db.fetchOne(Int.self, sql: "SELECT count(*) FROM workout_record WHERE person = ?", arguments: [Data(person.bytes)]) ?? 0
        }
    }

    /// Those begun by hand that stand in the list, with their times there. None is opened.
    public func begun(of person: PersonID) throws -> [WorkoutSpan] {
        try pool.read { db in
            try db.fetchAll(
                sql: "SELECT begun, person, began, ended FROM workout_record WHERE person = ? AND begun IS NOT NULL AND is_deleted = 0",
                arguments: [Data(person.bytes)]
            ).compactMap { WorkoutSpan($0) }
        }
    }

    /// Up to where somebody's samples were looked through. One that does not open is as if there were none: all is looked through again.
    public func scan(of person: PersonID) throws -> WorkoutScan { try pool.read { try scan(of: person, $0) } }

    func scan(of person: PersonID, _ db: Connection) throws -> WorkoutScan {
        let row = try db.cachedStatement(sql: "SELECT revision, envelope FROM workout_scan WHERE person = ?").fetchOne(
            arguments: [Data(person.bytes)])
        guard let row else { return WorkoutScan() }
        let revision: Int64 = row[0]
        var scan =
            try unlessDamaged(.workoutScan, revision) {
                try open(WorkoutScan.self, row[1] as Data, of: person, .workoutScan)
            } ?? WorkoutScan()
        scan.revision = revision
        return scan
    }

    // MARK: Writing

    /// Keeps what a look came to, in one transaction.
    /// - Parameter scan: as it was read before the look, with what is known now.
    /// - Returns: false where another look was kept meanwhile: nothing was changed.
    public func keep(_ change: WorkoutRecordChange, _ scan: WorkoutScan, of person: PersonID) throws -> Bool {
        let key = Data(person.bytes)
        return try pool.write { db in
            guard try !keys.isDeleted(person) else { return false }
            let known = try db.fetchOne(Int64.self, sql: "SELECT revision FROM workout_scan WHERE person = ?", arguments: [key])
            guard known ?? 0 == scan.revision else { return false }
            try put(scan, of: person, db)
            for id in change.gone {
                try db.execute(
                    sql: "DELETE FROM workout_record WHERE record = ? AND person = ? AND is_deleted = 0",
                    arguments: [Data(id.bytes), key])
            }
            for id in change.deleted { try delete(id, of: person, db) }
            for item in change.kept { try put(item, of: person, db) }
            for (day, content) in change.days { try put(content, day, of: person, db) }
            return true
        }
    }

    /// Replaces what is known of somebody's samples, with the next revision.
    func put(_ scan: WorkoutScan, of person: PersonID, _ db: Connection) throws {
        var next = scan
        next.revision += 1
        try db.execute(
            sql: """
                INSERT INTO workout_scan(person, revision, envelope) VALUES(?, ?, ?)
                ON CONFLICT(person) DO UPDATE SET revision = excluded.revision, envelope = excluded.envelope
                """, arguments: [Data(person.bytes), next.revision, try seal(next, of: person, .workoutScan)])
    }

    private func put(_ item: WorkoutRecordChange.Item, of person: PersonID, _ db: Connection) throws {
        let key = Data(person.bytes)
        guard let id = item.id else {
            let count = try db.fetchOne(Int.self, sql: "SELECT count(*) FROM workout_record WHERE person = ?", arguments: [key])
            // The page of the list says so.
            guard count ?? 0 < Self.recordsMax else { return }
            let id = randomness.id(WorkoutRecordID.self)
            let envelope = try seal(item.content, of: person, .workoutRecord, (id.high, id.low))
            try db.execute(
                sql: "INSERT INTO workout_record(record, person, began, ended, is_deleted, begun, envelope) VALUES(?, ?, ?, ?, 0, ?, ?)",
                arguments: [
                    Data(id.bytes), key, item.span.lowerBound, item.span.upperBound, item.content.begun.map { Data($0.bytes) }, envelope,
                ])
            return
        }
        let row = try db.fetchOne(
            sql: "SELECT \(Self.record) WHERE record = ? AND person = ? AND is_deleted = 0", arguments: [Data(id.bytes), key])
        // Its owner may have said something meanwhile, or deleted it.
        guard let row else { return }
        var content = item.content
        if let old = try listed(row)?.content { content.edit = old.edit }
        try db.execute(
            sql: "UPDATE workout_record SET began = ?, ended = ?, begun = ?, envelope = ? WHERE id = ?",
            arguments: [
                item.span.lowerBound, item.span.upperBound, content.begun.map { Data($0.bytes) },
                try seal(content, of: person, .workoutRecord, (id.high, id.low)), row[0] as Int64,
            ])
    }

    /// Changes the owner's words about one. False where there is none.
    public func edit(_ id: WorkoutRecordID, of person: PersonID, _ edit: WorkoutRecordContent.Edit) throws -> Bool {
        try pool.write { db in
            let row = try db.fetchOne(
                sql: "SELECT \(Self.record) WHERE record = ? AND person = ? AND is_deleted = 0",
                arguments: [Data(id.bytes), Data(person.bytes)])
            guard let row, var content = try record(row)?.content else { return false }
            content.edit = edit.isEmpty ? nil : edit
            let envelope = try seal(content, of: person, .workoutRecord, (id.high, id.low))
            try db.execute(sql: "UPDATE workout_record SET envelope = ? WHERE id = ?", arguments: [envelope, row[0] as Int64])
            return true
        }
    }

    /// Deletes one: everything but its time goes, so that it is not found again. False where there is none.
    public func delete(_ id: WorkoutRecordID, of person: PersonID) throws -> Bool {
        try pool.write { db in
            try delete(id, of: person, db)
            return db.changesCount > 0
        }
    }

    private func delete(_ id: WorkoutRecordID, of person: PersonID, _ db: Connection) throws {
        try db.execute(
            sql: "UPDATE workout_record SET is_deleted = 1, envelope = NULL WHERE record = ? AND person = ? AND is_deleted = 0",
            arguments: [Data(id.bytes), Data(person.bytes)])
    }
}

extension RunsStore {
    public var workoutRecords: WorkoutRecordStore { WorkoutRecordStore(runs: self) }
}
