import Database
import Foundation
public import Seams
public import Vitals

/// Work that is due about a run (design rule 9): a row with due time and lease.
public struct RunTimer: Sendable, Hashable {
    public enum Kind: Int64, Sendable, Hashable, CaseIterable {
        /// Asks those who were not asked yet to check in.
        case checkIn = 1
        case start = 2
        case finish = 3
        /// Ends the consents of a run that ended before its time, of one that was cancelled, and of an old schedule.
        case endConsents = 4
        /// Looks whether positions came of those who were taken off the list for want of them.
        case bringBack = 5
    }

    public let run: RunID
    public let kind: Kind
    /// UTC milliseconds.
    public let due: Milliseconds
    /// The work that set it; nil where that had no name.
    public let trace: LogTrace?
}

/// Work that is due about runs at a time, and that survives a restart.
public struct RunTimerStore: RunSubjectStore {
    let runs: RunsStore
}

extension RunTimerStore {
    /// The request that set a timer, for the log.
    static let traces = Migration(name: "7 traces of timers", sql: "ALTER TABLE timer ADD COLUMN trace INTEGER;")

    func setTimers(of run: StoredRun, _ db: Connection) throws {
        try setTimer(.checkIn, of: run, due: run.checkInOpens, db)
        try setTimer(.start, of: run, due: run.plan.starts, db)
        try setTimer(.finish, of: run, due: run.plan.ends, db)
        if run.schedule > 1 { try setTimer(.endConsents, of: run, due: 0, db) }
    }

    func setTimer(_ kind: RunTimer.Kind, of run: StoredRun, due: Milliseconds?, _ db: Connection) throws {
        guard let due else {
            try db.execute(sql: "DELETE FROM timer WHERE run = ? AND kind = ?", arguments: [run.row, kind.rawValue])
            return
        }
        try db.execute(
            sql: """
                INSERT INTO timer(run, kind, due, trace) VALUES(?, ?, ?, ?)
                ON CONFLICT(run, kind) DO UPDATE SET due = excluded.due, lease = 0, trace = excluded.trace
                """,
            arguments: [run.row, kind.rawValue, due, StoredTrace.current.column])
    }

    /// One timer of a kind and run: a new instant replaces the old one, nil removes it.
    public func setTimer(_ kind: RunTimer.Kind, of run: StoredRun, due: Milliseconds?) throws {
        try pool.write { try setTimer(kind, of: run, due: due, $0) }
    }

    /// Timers that are due, the oldest first. They come again after `lease` milliseconds as long as nobody removes or moves them.
    public func dueTimers(_ count: Int, lease: Milliseconds, now: Milliseconds) throws -> [RunTimer] {
        let isAny = try pool.read { db in
            let statement = try db.cachedStatement(sql: "SELECT 1 FROM timer WHERE due <= ? AND lease <= ? LIMIT 1")
            return try statement.fetchOne(Bool.self, arguments: [now, now]) != nil
        }
        guard isAny else { return [] }
        return try pool.write { db in
            let rows = try db.fetchAll(
                sql: """
                    SELECT timer.run, kind, due, run.run, trace FROM timer JOIN run ON run.id = timer.run WHERE due <= ? AND lease <= ?
                    ORDER BY due, kind LIMIT ?
                    """, arguments: [now, now, count])
            return try rows.compactMap { row in
                try db.execute(
                    sql: "UPDATE timer SET lease = ? WHERE run = ? AND kind = ?",
                    arguments: [now + lease, row[0] as Int64, row[1] as Int64])
                guard let kind = RunTimer.Kind(rawValue: row[1]), let run = RunID(bytes: row[3] as Data) else { return nil }
                return RunTimer(run: run, kind: kind, due: row[2], trace: StoredTrace(column: row[4]).trace)
            }
        }
    }

    /// Nobody works at a timer any more: for the start of a hub, which is alone in its directory.
    public func releaseTimers() throws { try pool.write { try $0.execute(sql: "UPDATE timer SET lease = 0 WHERE lease <> 0") } }

    /// The number of timers, tellings and announcements that are late by more than `late` milliseconds: for the operator.
    public func lateTimers(by late: Milliseconds, now: Milliseconds) throws -> Int {
        try pool.read { db in
            try db.fetchOne(
                Int.self,
                sql: """
                    SELECT (SELECT count(*) FROM timer WHERE due <= ?1) + (SELECT count(*) FROM telling WHERE due <= ?1)
                        + (SELECT count(*) FROM announcing WHERE due <= ?1)
                    """,
                arguments: [now - late]) ?? 0
        }
    }
}
