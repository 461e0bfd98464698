import Database
import Foundation
public import Vitals

extension AccountStore {
    /// However busy and whosever, a session ends after this; mostly before (``SessionLimits``).
    public static let sessionLifetime = SessionLimits.own.lifetime
    /// What was seen is written so often at most: each page is no write.
    private static let seenEvery: Milliseconds = 60_000

    /// Begins a session of an account.
    /// - Parameter device: the browser, for the owner's list.
    public func addSession(
        _ hash: [UInt8], of account: Int64, strength: StoredSession.Strength, device: String, now: Milliseconds
    ) throws {
        let name = try sealed(browser: device, of: account)
        try pool.write { try $0.addSession(hash, of: account, strength: strength, device: name, now: now) }
    }

    /// Begins a full session by a link for demonstrations, once.
    /// - Returns: false when the link does not work (any more).
    public func addSession(
        _ hash: [UInt8], byDemonstration link: [UInt8], device: String, now: Milliseconds
    ) throws -> Bool {
        try pool.write { db in
            guard let account = try Self.useLink(link, .demonstration, now: now, db) else { return false }
            try db.addSession(hash, of: account, strength: .full, device: try sealed(browser: device, of: account), now: now)
            return true
        }
    }

    /// The session of a browser's cookie; nil when it ended.
    public func session(_ hash: [UInt8], now: Milliseconds) throws -> StoredSession? {
        let found = try pool.read { db -> StoredSession? in
            let row = try db.fetchOne(sql: "SELECT * FROM session WHERE hash = ?", arguments: [Data(hash)])
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
            try db.fetchAll(sql: "SELECT * FROM session WHERE account = ? ORDER BY seen DESC", arguments: [account])
                .compactMap { try session($0, isNamed: true, now: now, db) }
        }
    }

    private func session(_ row: Row, isNamed: Bool = false, now: Milliseconds, _ db: Connection) throws -> StoredSession? {
        let seen: Milliseconds = row["seen"], expires: Milliseconds = row["expires"]
        guard now < expires, let account = try LogInHelpStore(self).usable(row["account"], db) else { return nil }
        let created: Milliseconds = row["created"]
        let limits = try SessionLimits.of(account.roles) {
            let since = try db.fetchOne(Milliseconds.self, sql: "SELECT since FROM duty WHERE account = ?", arguments: [account.row])
            // A session that was over when the duty began stays over.
            return since.map { seen + SessionLimits.staff.idle > $0 } ?? false
        }
        guard limits.holds(created: created, seen: seen, now: now) else { return nil }
        return StoredSession(
            hash: Array(row["hash"] as Data), account: account, strength: .init(rawValue: row["strength"]) ?? .begun,
            created: created, seen: seen, expires: min(expires, created + limits.lifetime), proved: row["proved"],
            device: isNamed ? opened(browser: row["device"], of: account.row) : nil,
            membership: try OrganisationUserStore(self).membership(account, db))
    }

    /// A browser goes on with another session, in the place of the one that its cookie named. Notices that are pushed to it stay, unless the account
    /// is another one.
    /// - Parameters:
    ///   - old: also of a session that was left alone for too long.
    ///   - new: there already.
    public func replaceSession(_ old: [UInt8], by new: [UInt8]) throws {
        guard old != new else { return }
        try pool.write { db in
            try db.execute(
                sql: """
                    UPDATE push_device SET session = ?1, last_session = NULL WHERE (session = ?2 OR last_session = ?2)
                        AND account = (SELECT account FROM session WHERE hash = ?1)
                    """,
                arguments: [Data(new), Data(old)])
            try db.execute(sql: "DELETE FROM push_device WHERE last_session = ?", arguments: [Data(old)])
            try db.execute(sql: "DELETE FROM session WHERE hash = ?", arguments: [Data(old)])
        }
    }

    /// Ends the session of a cookie, also one that was left alone for too long or is forgotten: its browser gets no more notices.
    public func endSession(_ hash: [UInt8]) throws {
        try pool.write { db in
            try db.execute(sql: "DELETE FROM session WHERE hash = ?", arguments: [Data(hash)])
            try db.execute(sql: "DELETE FROM push_device WHERE last_session = ?", arguments: [Data(hash)])
        }
    }

    /// Browsers whose session is not known any more go when all sessions of their account end: nobody could log them out.
    static func forgetPushDevicesWithoutSession(of account: Int64, _ db: Connection) throws {
        try db.execute(sql: "DELETE FROM push_device WHERE account = ? AND session IS NULL", arguments: [account])
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

extension Connection {
    fileprivate func addSession(
        _ hash: [UInt8], of account: Int64, strength: StoredSession.Strength, device: String, now: Milliseconds
    ) throws {
        try execute(
            sql: """
                INSERT INTO session(hash, account, created, seen, expires, strength, proved, device) VALUES(?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                Data(hash), account, now, now, now + AccountStore.sessionLifetime, strength.rawValue, now, device,
            ])
    }
}
