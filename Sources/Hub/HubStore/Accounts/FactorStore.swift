import Database
import Foundation
public import Vitals

/// One-time codes, recovery codes, passkeys, and what a session is worth by them.
extension FactorStore {
    /// Passkeys of one account.
    public static let passkeysMax = 20

    public func factors(of account: StoredAccount) throws -> StoredFactors {
        guard let key = try keys.key(of: account.id.person) else { return StoredFactors(oneTime: nil, passkeys: [], recovery: []) }
        return try pool.read { db in
            let oneTime = try db.fetchOne(
                sql: "SELECT * FROM one_time WHERE account = ? AND confirmed IS NOT NULL", arguments: [account.row])
            let passkeys = try db.fetchAll(sql: "SELECT * FROM passkey WHERE account = ? ORDER BY id", arguments: [account.row])
            let recovery = try db.fetchAll(Data.self, sql: "SELECT hash FROM recovery WHERE account = ?", arguments: [account.row])
            return StoredFactors(
                oneTime: try oneTime.map { try Self.oneTime($0, of: account, key) },
                passkeys: try passkeys.map { try passkey($0, of: account, key) }, recovery: recovery.map { Array($0) })
        }
    }

    // MARK: One-time codes

    /// The secret that waits for its first code: the one that this session was shown before, else `made`. What another session was shown is
    /// worth nothing any more: whoever saw it there would know the owner's codes. nil when codes are set up already.
    public func waitingOneTime(_ made: [UInt8], for session: StoredSession, now: Milliseconds) throws -> StoredOneTime? {
        let account = session.account
        guard let key = try keys.key(of: account.id.person) else { throw HubStoreError.unknownPerson(account.id.description) }
        let sealed = Data(try Envelope.seal(made, with: key, at: Self.place(account, .oneTimeSecret)))
        return try pool.write { db in
            try db.execute(
                sql: """
                    INSERT INTO one_time(account, secret, session, created) VALUES(?, ?, ?, ?) ON CONFLICT(account) DO UPDATE
                    SET secret = excluded.secret, session = excluded.session, created = excluded.created
                    WHERE one_time.confirmed IS NULL AND one_time.session <> excluded.session
                    """,
                arguments: [account.row, sealed, Data(session.hash), now])
            let row = try db.fetchOne(
                sql: "SELECT * FROM one_time WHERE account = ? AND confirmed IS NULL", arguments: [account.row])
            return try row.map { try Self.oneTime($0, of: account, key) }
        }
    }

    /// The first code was right: from now on they count. False when nothing waits that this session was shown.
    public func confirmOneTime(step: Int64, for session: StoredSession, now: Milliseconds) throws -> Bool {
        try pool.write { db in
            try db.execute(
                sql: "UPDATE one_time SET confirmed = ?, step = ? WHERE account = ? AND confirmed IS NULL AND session = ?",
                arguments: [now, step, session.account.row, Data(session.hash)])
            return db.changesCount == 1
        }
    }

    // MARK: Passkeys

    /// False when the passkey is some account's already, or the account has too many.
    public func addPasskey(_ new: NewPasskey, to account: StoredAccount, now: Milliseconds) throws -> Bool {
        guard let key = try keys.key(of: account.id.person) else { return false }
        let name = Data(try Envelope.seal(Array(new.name.utf8), with: key, at: Self.place(account, .passkeyName)))
        return try pool.write { db in
            let count = try db.fetchOne(Int.self, sql: "SELECT count(*) FROM passkey WHERE account = ?", arguments: [account.row]) ?? 0
            guard count < Self.passkeysMax else { return false }
            try db.execute(
                sql: """
                    INSERT INTO passkey(account, credential, public_key, aaguid, transports, backup_eligible, backed_up, counter,
                        name, created) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
                    """,
                arguments: [
                    account.row, Data(new.credential), Data(new.publicKey), Data(new.aaguid), new.transports.joined(separator: " "),
                    new.isBackupEligible, new.isBackedUp, new.counter, name, now,
                ])
            return db.changesCount == 1
        }
    }

    public func renamePasskey(_ row: Int64, name: String, of account: StoredAccount) throws {
        guard let key = try keys.key(of: account.id.person) else { return }
        let sealed = Data(try Envelope.seal(Array(name.prefix(60).utf8), with: key, at: Self.place(account, .passkeyName)))
        try pool.write {
            try $0.execute(sql: "UPDATE passkey SET name = ? WHERE id = ? AND account = ?", arguments: [sealed, row, account.row])
        }
    }

    /// The passkey with this credential, and whose it is; nil for an unknown one.
    public func passkey(credential: [UInt8]) throws -> (passkey: StoredPasskey, account: StoredAccount)? {
        try pool.read { db in
            guard let row = try db.fetchOne(sql: "SELECT * FROM passkey WHERE credential = ?", arguments: [Data(credential)]),
                let account = try accounts.stored(row: row["account"], db), let key = try keys.key(of: account.id.person)
            else { return nil }
            return (try passkey(row, of: account, key), account)
        }
    }

    // MARK: Taking away

    /// What is taken from an account.
    public enum RemovedFactor: Sendable, Hashable {
        case oneTime
        case passkey(Int64)
    }

    /// The outcome.
    public enum Removal: Sendable, Hashable {
        case removed
        case unknown
        /// It is the last one, and the account needs one.
        case needed
    }

    /// Takes a factor away; with the last one the recovery codes go too.
    /// - Parameter needsOne: whether the account must keep one.
    public func removeFactor(_ factor: RemovedFactor, of account: Int64, needsOne: Bool) throws -> Removal {
        var outcome = Removal.unknown
        try pool.writeInTransaction { db in
            switch factor {
            case .oneTime:
                try db.execute(sql: "DELETE FROM one_time WHERE account = ? AND confirmed IS NOT NULL", arguments: [account])
            case .passkey(let row):
                try db.execute(sql: "DELETE FROM passkey WHERE id = ? AND account = ?", arguments: [row, account])
            }
            guard db.changesCount == 1 else { return .rollback }
            if try !Self.hasFactor(account, db) {
                guard !needsOne else {
                    outcome = .needed
                    return .rollback
                }
                try db.execute(sql: "DELETE FROM recovery WHERE account = ?", arguments: [account])
            }
            outcome = .removed
            return .commit
        }
        return outcome
    }

    /// Puts new recovery codes in the place of all that there are; false without a factor that they could stand in for.
    public func setRecovery(_ hashes: [[UInt8]], of account: Int64) throws -> Bool {
        try pool.write { db in
            guard try Self.hasFactor(account, db) else { return false }
            try db.execute(sql: "DELETE FROM recovery WHERE account = ?", arguments: [account])
            for hash in hashes {
                try db.execute(sql: "INSERT INTO recovery(account, hash) VALUES(?, ?)", arguments: [account, Data(hash)])
            }
            return true
        }
    }

    // MARK: Rows

    static func hasFactor(_ account: Int64, _ db: Connection) throws -> Bool {
        try db.fetchOne(
            Bool.self,
            sql: """
                SELECT EXISTS(SELECT 1 FROM one_time WHERE account = ?1 AND confirmed IS NOT NULL)
                    OR EXISTS(SELECT 1 FROM passkey WHERE account = ?1)
                """,
            arguments: [account]) ?? false
    }

    private static func oneTime(_ row: Row, of account: StoredAccount, _ key: PersonKey) throws -> StoredOneTime {
        let secret = try Envelope.open(row["secret"] as Data, with: key, at: place(account, .oneTimeSecret))
        return StoredOneTime(secret: secret, created: row["created"], lastStep: row["step"])
    }

    /// Its owner gets in with it also where nobody can say what they call it.
    private func passkey(_ row: Row, of account: StoredAccount, _ key: PersonKey) throws -> StoredPasskey {
        let name = try unlessDamaged(.passkeyName, row["id"] as Int64) {
            try Envelope.open(row["name"] as Data, with: key, at: Self.place(account, .passkeyName))
        }
        return StoredPasskey(
            row: row["id"], account: row["account"], credential: Array(row["credential"] as Data),
            publicKey: Array(row["public_key"] as Data), aaguid: Array(row["aaguid"] as Data),
            transports: (row["transports"] as String).split(separator: " ").map(String.init), isBackupEligible: row["backup_eligible"],
            isBackedUp: row["backed_up"], counter: UInt32(truncatingIfNeeded: row["counter"] as Int64),
            name: String(decoding: name ?? [], as: UTF8.self), created: row["created"], used: row["used"])
    }

    private static func place(_ account: StoredAccount, _ table: Envelope.Place.Table) -> Envelope.Place {
        .init(person: account.id.person, table: table, row: (0, 0))
    }
}
