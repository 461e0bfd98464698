import Database
import Foundation
import Runs
public import Vitals

/// A draft whose organiser wants to publish it, and that an operator looks at first (OPS-1).
public struct WaitingRun: Sendable, Hashable {
    public let run: StoredRun
    /// When the organiser wanted to publish it, UTC milliseconds.
    public let asked: Milliseconds
    /// There is a permission document.
    public let hasDocument: Bool
}

/// Looks of operators at new runs, with the permission of an authority. A draft that is changed, or whose document is changed, waits no more: its
/// organiser asks again.
public struct RunCheckStore: RunSubjectStore {
    let runs: RunsStore

    /// `revision` is that of the run as its organiser showed it. The envelope holds why it was refused.
    static let migration = Migration(
        name: "8 runs that operators look at",
        sql: """
            CREATE TABLE run_check(run INTEGER PRIMARY KEY REFERENCES run ON DELETE CASCADE, revision INTEGER NOT NULL,
                asked INTEGER NOT NULL, decided INTEGER, accepted INTEGER, envelope BLOB);
            CREATE INDEX run_check_open ON run_check(asked, run) WHERE decided IS NULL;
            """)

    /// Runs of one page, at most; the menu counts up to this, too.
    public static let pageMax = 100

    /// What became of the organiser's wish.
    public enum Standing: Sendable, Hashable {
        /// Nobody was asked about the run as it is now.
        case none
        /// Since a time, UTC milliseconds.
        case waits(Milliseconds)
        case accepted
        case refused(reason: String)
    }

    private struct Sealed: Codable {
        var reason: String
    }

    /// Whether an account has published a run that was not called off.
    public func hasPublished(_ organiser: AccountID) throws -> Bool {
        try pool.read { db in
            try db.fetchOne(
                Int.self, sql: "SELECT 1 FROM run WHERE organiser = ? AND state IN (?, ?, ?) LIMIT 1",
                arguments: [
                    Data(organiser.bytes), RunState.scheduled.rawValue, RunState.live.rawValue, RunState.finished.rawValue,
                ]) != nil
        }
    }

    /// A draft is to be looked at, as it is now.
    /// - Returns: false where that waits already.
    public func ask(about run: StoredRun, now: Milliseconds) throws -> Bool {
        try pool.write { db in
            if case .waits = try standing(of: run, db) { return false }
            try db.execute(
                sql: """
                    INSERT INTO run_check(run, revision, asked) VALUES(?, ?, ?) ON CONFLICT(run) DO UPDATE
                    SET revision = excluded.revision, asked = excluded.asked, decided = NULL, accepted = NULL, envelope = NULL
                    """, arguments: [run.row, run.revision, now])
            return true
        }
    }

    public func standing(of run: StoredRun) throws -> Standing { try pool.read { try standing(of: run, $0) } }

    private func standing(of run: StoredRun, _ db: Connection) throws -> Standing {
        let row = try db.fetchOne(
            sql: "SELECT asked, decided, accepted, envelope FROM run_check WHERE run = ? AND revision = ?",
            arguments: [run.row, run.revision])
        guard let row else { return .none }
        guard (row[1] as Milliseconds?) != nil else { return .waits(row[0]) }
        if row[2] as Bool? == true { return .accepted }
        let sealed = try (row[3] as Data?).flatMap { try open(Sealed.self, $0, of: run.id.sealed, .runCheck) }
        return .refused(reason: sealed?.reason ?? "")
    }

    /// Drafts that wait, the first to come first.
    public func waiting() throws -> [WaitingRun] {
        try pool.read { db in
            try db.fetchAll(
                sql: """
                    SELECT run.run, asked, (SELECT 1 FROM document WHERE document.run = run.id) FROM run_check
                    JOIN run ON run.id = run_check.run AND run.revision = run_check.revision
                    WHERE decided IS NULL AND state = 0 ORDER BY asked LIMIT ?
                    """, arguments: [Self.pageMax]
            ).compactMap { row in
                guard let id = RunID(bytes: row[0] as Data), let run = try runs.listed(id, db) else { return nil }
                return WaitingRun(run: run, asked: row[1], hasDocument: (row[2] as Int?) != nil)
            }
        }
    }

    /// The number that waits, up to ``pageMax``: asked for each page of operators.
    public func countWaiting() throws -> Int {
        try pool.read { db in
            try db.fetchAll(
                Int64.self,
                sql: """
                    SELECT run.id FROM run_check JOIN run ON run.id = run_check.run AND run.revision = run_check.revision
                    WHERE decided IS NULL AND state = 0 ORDER BY asked LIMIT ?
                    """, arguments: [Self.pageMax]
            ).count
        }
    }

    /// An operator has looked.
    /// - Parameters:
    ///   - revision: what they saw.
    ///   - reason: why it is refused; nil for one that is accepted.
    /// - Returns: false where it does not wait (any more), or was changed.
    public func decide(_ run: StoredRun, revision: Int, refusal reason: String?, now: Milliseconds) throws -> Bool {
        let sealed = try reason.map { try seal(Sealed(reason: $0), of: run.id.sealed, .runCheck) }
        return try pool.write { db in
            try db.execute(
                sql: """
                    UPDATE run_check SET decided = ?1, accepted = ?2, envelope = ?3 WHERE run = ?4 AND revision = ?5 AND decided IS NULL
                        AND EXISTS(SELECT 1 FROM run WHERE id = ?4 AND revision = ?5 AND state = 0)
                    """, arguments: [now, reason == nil, sealed, run.row, revision])
            return db.changesCount == 1
        }
    }

    /// The document is another one: what an operator would look at is not what the organiser asked about.
    static func withdraw(_ run: Int64, _ db: Connection) throws {
        try db.execute(sql: "DELETE FROM run_check WHERE run = ?", arguments: [run])
    }
}
