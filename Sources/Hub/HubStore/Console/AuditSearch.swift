import Database
import Foundation
public import Vitals

/// A row of the audit log, as operators read it.
public struct AuditLine: Sendable, Hashable {
    public let number: Int64
    /// UTC milliseconds.
    public let time: Milliseconds
    /// nil for the hub itself, or its operator at a shell.
    public let actor: AccountID?
    /// See ``AuditLog/Action``.
    public let action: String
    /// Whom or what it was done to; an account, a person, a run or a box.
    public let subject: AccountID?
}

/// A search in the audit log (OPS-1). What is nil is not asked for.
public struct AuditSearch: Sendable {
    let log: AuditLog

    /// Of an act of this name.
    public var action: String?
    /// By this account, or on it.
    public var account: AccountID?
    /// Before this time, UTC milliseconds.
    public var until: Milliseconds?

    public init(_ log: AuditLog) { self.log = log }

    /// Rows of one page, at most.
    public static let pageMax = 50

    /// The newest first.
    /// - Parameters:
    ///   - row: behind this one; `.max` for the first page.
    ///   - count: at most.
    public func lines(before row: Int64 = .max, count: Int = pageMax) throws -> [AuditLine] {
        try log.pool.read { db in
            let upper = try first(row, db), count = min(max(count, 1), Self.pageMax + 1)
            guard let account else { return try lines(before: upper, count, db) }
            let own = try lines(by: account, before: upper, count, db), others = try lines(on: account, before: upper, count, db)
            // What somebody did to themselves is one row.
            return Array(Set(own + others).sorted { $0.number > $1.number }.prefix(count))
        }
    }

    /// The row before which to look.
    private func first(_ row: Int64, _ db: Connection) throws -> Int64 {
        guard let until else { return row }
        let last = try db.fetchOne(
            Int64.self, sql: "SELECT id FROM audit WHERE time < ? ORDER BY time DESC, id DESC LIMIT 1", arguments: [until])
        return min(row, last.map { $0 + 1 } ?? 0)
    }

    private func lines(before row: Int64, _ count: Int, _ db: Connection) throws -> [AuditLine] {
        guard let action else {
            return try db.fetchAll(
                sql: "SELECT id, time, actor, action, subject FROM audit WHERE id < ? ORDER BY id DESC LIMIT ?", arguments: [row, count]
            ).map(Self.line)
        }
        return try db.fetchAll(
            sql: "SELECT id, time, actor, action, subject FROM audit WHERE action = ? AND id < ? ORDER BY id DESC LIMIT ?",
            arguments: [action, row, count]
        ).map(Self.line)
    }

    private func lines(by account: AccountID, before row: Int64, _ count: Int, _ db: Connection) throws -> [AuditLine] {
        try db.fetchAll(
            sql: """
                SELECT id, time, actor, action, subject FROM audit WHERE actor = ?1 AND id < ?2
                    AND (CAST(?3 AS TEXT) IS NULL OR action = ?3) ORDER BY id DESC LIMIT ?4
                """, arguments: [Data(account.bytes), row, action, count]
        ).map(Self.line)
    }

    private func lines(on account: AccountID, before row: Int64, _ count: Int, _ db: Connection) throws -> [AuditLine] {
        try db.fetchAll(
            sql: """
                SELECT id, time, actor, action, subject FROM audit WHERE subject = ?1 AND id < ?2
                    AND (CAST(?3 AS TEXT) IS NULL OR action = ?3) ORDER BY id DESC LIMIT ?4
                """, arguments: [Data(account.bytes), row, action, count]
        ).map(Self.line)
    }

    private static func line(_ row: Row) -> AuditLine {
        AuditLine(
            number: row[0], time: row[1], actor: (row[2] as Data?).flatMap { AccountID(bytes: $0) }, action: row[3],
            subject: (row[4] as Data?).flatMap { AccountID(bytes: $0) })
    }
}
