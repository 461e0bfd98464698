import Foundation
import GRDB
public import Vitals

extension AccountStore {
    /// A session that nobody used for so long ends, milliseconds.
    public static let sessionIdleMax: Milliseconds = 12 * 3_600_000
    /// However busy, a session ends after this.
    public static let sessionLifetime: Milliseconds = 30 * 86_400_000
    /// What was seen is written so often at most: each page is no write.
    private static let seenEvery: Milliseconds = 60_000

    /// Begins a session of an account.
    /// - Parameter device: the browser, for the owner's list.
    public func addSession(
        _ hash: [UInt8], of account: Int64, strength: StoredSession.Strength, device: String, now: Milliseconds
    ) throws {
        try pool.write { db in
            try db.execute(
                sql: """
                    INSERT INTO session(hash, account, created, seen, expires, strength, proved, device) VALUES(?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [Data(hash), account, now, now, now + Self.sessionLifetime, strength.rawValue, now, String(device.prefix(200))])
        }
    }

    /// The session of a browser's cookie; nil when it ended.
    public func session(_ hash: [UInt8], now: Milliseconds) throws -> StoredSession? {
        let found = try pool.read { db -> StoredSession? in
            let row = try Row.fetchOne(db, sql: "SELECT * FROM session WHERE hash = ?", arguments: [Data(hash)])
            return try row.flatMap { try session($0, now: now, db) }
        }
        if let found, now - found.seen >= Self.seenEvery {
            try pool.write { try $0.execute(sql: "UPDATE session SET seen = ? WHERE hash = ?", arguments: [now, Data(hash)]) }
        }
        return found
    }

    /// The sessions of an account, the newest first.
    public func sessions(of account: Int64, now: Milliseconds) throws -> [StoredSession] {
        try pool.read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM session WHERE account = ? ORDER BY seen DESC", arguments: [account])
                .compactMap { try session($0, now: now, db) }
        }
    }

    private func session(_ row: Row, now: Milliseconds, _ db: Database) throws -> StoredSession? {
        let seen: Milliseconds = row["seen"], expires: Milliseconds = row["expires"]
        guard now < expires, now - seen < Self.sessionIdleMax, let account = try stored(row: row["account"], db), account.confirmed != nil
        else { return nil }
        return StoredSession(
            hash: Array(row["hash"] as Data), account: account, strength: .init(rawValue: row["strength"]) ?? .begun,
            created: row["created"],
            seen: seen, expires: expires, proved: row["proved"], device: row["device"])
    }

    /// The holder proved who they are: the session goes on under another name, with what it is worth now.
    public func strengthenSession(_ hash: [UInt8], newHash: [UInt8], strength: StoredSession.Strength, now: Milliseconds) throws {
        try pool.write { db in
            try db.execute(
                sql: "UPDATE session SET hash = ?, strength = ?, proved = ?, seen = ? WHERE hash = ?",
                arguments: [Data(newHash), strength.rawValue, now, now, Data(hash)])
        }
    }

    /// Ends a session of an account; false when it has no such.
    @discardableResult
    public func endSession(_ hash: [UInt8], of account: Int64) throws -> Bool {
        try pool.write { db in
            try db.execute(sql: "DELETE FROM session WHERE hash = ? AND account = ?", arguments: [Data(hash), account])
            return db.changesCount > 0
        }
    }
}
