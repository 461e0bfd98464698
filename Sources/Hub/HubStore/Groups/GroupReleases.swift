public import Accounts
import Database
import Foundation
public import Groups
public import Vitals

extension Migration {
    /// The released counts about groups, for everybody on this hub to read, and which windows are closed. Nothing else stands there: no true count, and
    /// nobody. Beside them what each person's year has cost, sealed with their key, and the answers of the second door.
    static let groupReleases = Migration(
        name: "22 releases of groups",
        sql: """
            CREATE TABLE group_closed(length INTEGER NOT NULL, start INTEGER NOT NULL, closed INTEGER NOT NULL, PRIMARY KEY(length, start))
                WITHOUT ROWID;
            CREATE TABLE group_release(length INTEGER NOT NULL, kind INTEGER NOT NULL, start INTEGER NOT NULL, level INTEGER NOT NULL,
                numerator INTEGER NOT NULL, denominator INTEGER NOT NULL, cells BLOB NOT NULL, PRIMARY KEY(length, kind, start, level));
            CREATE INDEX group_release_start ON group_release(start);
            CREATE TABLE group_door_answer(year INTEGER NOT NULL, question TEXT NOT NULL, kind INTEGER NOT NULL, answered INTEGER NOT NULL,
                numerator INTEGER NOT NULL, denominator INTEGER NOT NULL, counts BLOB, PRIMARY KEY(year, question));
            CREATE TABLE group_door_asked(year INTEGER NOT NULL, person BLOB NOT NULL, questions INTEGER NOT NULL, PRIMARY KEY(year, person))
                WITHOUT ROWID;
            CREATE INDEX group_door_asked_person ON group_door_asked(person);
            CREATE TABLE group_year(person BLOB NOT NULL, year INTEGER NOT NULL, envelope BLOB NOT NULL, PRIMARY KEY(person, year))
                WITHOUT ROWID;
            """)
}

/// All that was ever made public about groups: noisy counts of released cells, by window, kind and level. What is here is read by everybody, and never
/// made again.
public struct GroupReleases: SubjectStore {
    let accounts: AccountStore

    /// Keeps the releases of a window, and that it is closed, in one transaction with its sealed contributions: a window that was closed stays as it is.
    /// - Parameters:
    ///   - releases: of this window, one for each kind and level.
    ///   - contributions: sealed for the second door; see ``GroupWindowStore``.
    ///   - now: UTC.
    /// - Returns: false for a window that was closed before, of which nothing changes.
    public func close(
        _ window: GroupWindow, releases: [GroupRelease], contributions: [[UInt8]] = [], now: Milliseconds
    ) throws -> Bool {
        let sealed = try accounts.consents.groupWindows.sealed(contributions, of: window)
        return try pool.write { db in
            guard try !isClosed(window, db) else { return false }
            try db.execute(
                sql: "INSERT INTO group_closed(length, start, closed) VALUES(?, ?, ?)",
                arguments: [window.length.milliseconds, window.start, now])
            for release in releases where release.window == window {
                try db.execute(
                    sql: """
                        INSERT INTO group_release(length, kind, start, level, numerator, denominator, cells) VALUES(?, ?, ?, ?, ?, ?, ?)
                        """,
                    arguments: [
                        window.length.milliseconds, release.kind.rawValue, window.start, release.level.rawValue,
                        Int64(clamping: release.variance.numerator), Int64(clamping: release.variance.denominator),
                        Data(ReleaseCodec.encoded(release.cells)),
                    ])
            }
            try accounts.consents.groupWindows.keep(sealed, of: window, db)
            return true
        }
    }

    public func isClosed(_ window: GroupWindow) throws -> Bool { try pool.read { try isClosed(window, $0) } }

    private func isClosed(_ window: GroupWindow, _ db: Connection) throws -> Bool {
        try db.fetchOne(
            Bool.self, sql: "SELECT EXISTS(SELECT 1 FROM group_closed WHERE length = ? AND start = ?)",
            arguments: [window.length.milliseconds, window.start]) ?? false
    }

    /// Closed windows of a length that begin within a span, the oldest first.
    /// - Parameters:
    ///   - from: UTC, included.
    ///   - to: UTC, not included.
    ///   - limit: so many of the newest at most.
    public func closed(_ length: GroupWindow.Length, from: Milliseconds, to: Milliseconds, limit: Int) throws -> [GroupWindow] {
        let starts = try pool.read { db in
            try db.fetchAll(
                Int64.self, sql: "SELECT start FROM group_closed WHERE length = ? AND start >= ? AND start < ? ORDER BY start DESC LIMIT ?",
                arguments: [length.milliseconds, from, to, limit])
        }
        return starts.reversed().map { GroupWindow(length, at: $0) }
    }

    /// When a window was closed, UTC; nil for an open one.
    public func closing(of window: GroupWindow) throws -> Milliseconds? {
        try pool.read { db in
            try db.fetchOne(
                Milliseconds.self, sql: "SELECT closed FROM group_closed WHERE length = ? AND start = ?",
                arguments: [window.length.milliseconds, window.start])
        }
    }

    /// The released counts of a kind in a window, by level; empty for an open window, and for a kind that had no share.
    /// - Throws: also ``HubStoreError`` for a row that is none.
    public func releases(of kind: DataKind, in window: GroupWindow) throws -> [RegionLevel: GroupRelease] {
        let rows = try pool.read { db in
            try db.cachedStatement(
                sql: "SELECT level, numerator, denominator, cells FROM group_release WHERE length = ? AND kind = ? AND start = ?"
            ).fetchAll(arguments: [window.length.milliseconds, kind.rawValue, window.start])
        }
        return try rows.reduce(into: [:]) { found, row in
            guard let level = RegionLevel(rawValue: row[0]), let variance = NoiseVariance(row, 1),
                let cells = ReleaseCodec.decoded(Array(row[3] as Data))
            else { throw HubStoreError.database(path: pool.path, reason: "a release of groups of kind \(kind.name) is none") }
            found[level] = GroupRelease(window: window, kind: kind, level: level, variance: variance, cells: cells)
        }
    }

    /// The largest cost to a person of the releases of the windows that begin within a span.
    public func cost(from: Milliseconds, to: Milliseconds) throws -> Rho {
        let rows = try pool.read { db in
            try db.fetchAll(
                sql: "SELECT numerator, denominator FROM group_release WHERE start >= ? AND start < ?", arguments: [from, to])
        }
        return rows.compactMap { NoiseVariance($0, 0) }.reduce(.zero) { $0 + Rho($1) }
    }
}

extension NoiseVariance {
    /// From two columns of a row.
    init?(_ row: Row, _ column: Int) {
        self.init(UInt64(clamping: row[column] as Int64), over: UInt64(clamping: row[column + 1] as Int64))
    }
}

extension ConsentStore {
    public var groupReleases: GroupReleases { GroupReleases(accounts: accounts) }
}
