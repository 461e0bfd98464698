import Database
import Foundation
public import Vitals

extension FactorStore {
    /// Whoever holds the session proved who they are: the proof is used up, and the session goes on under another name with what it is worth
    /// now, both or neither. False when the proof was used up before, or the session ended.
    public func proveSession(
        _ session: StoredSession, newHash: [UInt8], by proof: FactorProof, strength: StoredSession.Strength, now: Milliseconds
    ) throws -> Bool {
        var isProved = false
        try pool.writeInTransaction { db in
            guard try Self.use(proof, of: session.account.row, now: now, db) else { return .rollback }
            try db.execute(
                sql: "UPDATE session SET hash = ?, strength = ?, proved = ?, seen = ? WHERE hash = ? AND account = ?",
                arguments: [Data(newHash), strength.rawValue, now, now, Data(session.hash), session.account.row])
            isProved = db.changesCount == 1
            return isProved ? .commit : .rollback
        }
        return isProved
    }

    /// Begins a full session by a passkey alone; false when the passkey was used otherwise meanwhile.
    public func addSession(
        _ hash: [UInt8], of account: StoredAccount, by proof: FactorProof, device: String, now: Milliseconds
    ) throws -> Bool {
        let name = try sealed(browser: device, of: account.row)
        var isAdded = false
        try pool.writeInTransaction { db in
            guard try Self.use(proof, of: account.row, now: now, db) else { return .rollback }
            try db.execute(
                sql: """
                    INSERT INTO session(hash, account, created, seen, expires, strength, proved, device) VALUES(?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    Data(hash), account.row, now, now, now + AccountStore.sessionLifetime, StoredSession.Strength.full.rawValue, now,
                    name,
                ])
            isAdded = true
            return .commit
        }
        return isAdded
    }

    /// Ends all sessions of an account but one; returns how many.
    @discardableResult
    public func endSessions(of account: Int64, keeping hash: [UInt8]) throws -> Int {
        try pool.write { db in
            try db.execute(sql: "DELETE FROM session WHERE account = ? AND hash <> ?", arguments: [account, Data(hash)])
            let count = db.changesCount
            try AccountStore.forgetPushDevicesWithoutSession(of: account, db)
            return count
        }
    }

    private static func use(_ proof: FactorProof, of account: Int64, now: Milliseconds, _ db: Connection) throws -> Bool {
        switch proof {
        case .password: return true
        case .oneTime(let step):
            try db.execute(
                sql: """
                    UPDATE one_time SET step = ?1 WHERE account = ?2 AND confirmed IS NOT NULL AND (step IS NULL OR step < ?1)
                    """,
                arguments: [step, account])
        case .recovery(let hash):
            try db.execute(sql: "DELETE FROM recovery WHERE account = ? AND hash = ?", arguments: [account, Data(hash)])
        case .passkey(let row, let from, let to, let isBackedUp):
            try db.execute(
                sql: "UPDATE passkey SET counter = ?, backed_up = ?, used = ? WHERE id = ? AND account = ? AND counter = ?",
                arguments: [to, isBackedUp, now, row, account, from])
        }
        return db.changesCount == 1
    }

    // MARK: The first operator

    /// Keeps the hash of a claim code in the place of the one before.
    public func setClaim(_ hash: [UInt8], expires: Milliseconds) throws {
        try pool.write {
            try $0.execute(
                sql: """
                    INSERT INTO claim(id, hash, expires) VALUES(1, ?, ?)
                    ON CONFLICT(id) DO UPDATE SET hash = excluded.hash, expires = excluded.expires
                    """, arguments: [Data(hash), expires])
        }
    }

    public func isClaim(_ hash: [UInt8], now: Milliseconds) throws -> Bool {
        try pool.read {
            try $0.fetchOne(
                Bool.self, sql: "SELECT EXISTS(SELECT 1 FROM claim WHERE hash = ? AND expires > ?)", arguments: [Data(hash), now]) ?? false
        }
    }

    /// Uses the claim code up; false when it does not work (any more).
    public func useClaim(_ hash: [UInt8], now: Milliseconds) throws -> Bool {
        try pool.write { db in
            try db.execute(sql: "DELETE FROM claim WHERE hash = ? AND expires > ?", arguments: [Data(hash), now])
            return db.changesCount == 1
        }
    }
}
