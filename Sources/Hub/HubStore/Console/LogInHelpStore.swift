import Database
import Foundation
public import Vitals

/// What operators do for somebody who cannot log in, and against somebody who must not (OPS-1): locks, factors taken away, links sent again.
/// Each act stands in the account's history, in the audit log and in the owner's notices, with one commit.
public struct LogInHelpStore: SubjectStore {
    let accounts: AccountStore

    public init(_ accounts: AccountStore) { self.accounts = accounts }

    /// The envelope of `log_in_help` holds who did it and what they saw, sealed with the account's key. That of `failed_mail` holds the mail's values
    /// and why it was given up.
    static let migration = Migration(
        name: "34 the operators' console",
        sql: """
            CREATE TABLE account_lock(account INTEGER PRIMARY KEY REFERENCES account ON DELETE CASCADE, since INTEGER NOT NULL);
            CREATE TABLE log_in_help(id INTEGER PRIMARY KEY AUTOINCREMENT, account INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
                act TEXT NOT NULL, time INTEGER NOT NULL, envelope BLOB NOT NULL);
            CREATE INDEX log_in_help_account ON log_in_help(account, id);
            CREATE TABLE failed_mail(id INTEGER PRIMARY KEY AUTOINCREMENT, account INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
                kind TEXT NOT NULL, created INTEGER NOT NULL, failed INTEGER NOT NULL, tries INTEGER NOT NULL, envelope BLOB NOT NULL);
            CREATE INDEX failed_mail_account ON failed_mail(account);
            CREATE INDEX failed_mail_failed ON failed_mail(failed);
            CREATE INDEX audit_action ON audit(action, id);
            CREATE INDEX audit_actor ON audit(actor, id);
            CREATE INDEX audit_subject ON audit(subject, id);
            CREATE INDEX audit_time ON audit(time, id);
            """)

    /// The kind of an act. The raw values are stored, and name texts.
    public enum Act: String, Sendable, CaseIterable {
        /// Nobody logs in to the account, and all of its sessions are over.
        case lock
        case unlock
        /// One-time codes, passkeys and recovery codes are gone, and all sessions are over.
        case factors
        /// The link that the owner needs next was mailed again.
        case resend
    }

    /// An act as it was done.
    public struct Done: Sendable, Hashable {
        public let act: Act
        /// UTC milliseconds.
        public let time: Milliseconds
        public let by: AccountID
        /// What the operator saw, or why it was done; empty where nothing was asked for.
        public let proof: String
    }

    private struct Sealed: Codable {
        var by: AccountID
        var proof: String
    }

    /// Acts of one account that are listed, at most.
    public static let doneMax = 50

    // MARK: What is so

    /// Since when nobody logs in to the account, UTC milliseconds; nil while it is not locked.
    public func lockedSince(_ account: StoredAccount) throws -> Milliseconds? {
        try pool.read { db in
            try db.fetchOne(Milliseconds.self, sql: "SELECT since FROM account_lock WHERE account = ?", arguments: [account.row])
        }
    }

    /// An account that somebody can be logged in to: confirmed, and not locked. nil for every other one.
    func usable(_ row: Int64, _ db: Connection) throws -> StoredAccount? {
        let statement = try db.cachedStatement(sql: "SELECT 1 FROM account_lock WHERE account = ?")
        guard try statement.fetchOne(Int.self, arguments: [row]) == nil else { return nil }
        return try accounts.stored(row: row, db).flatMap { $0.confirmed == nil ? nil : $0 }
    }

    /// What operators did, the newest first.
    public func done(for account: StoredAccount) throws -> [Done] {
        try pool.read { db in
            try db.fetchAll(
                sql: "SELECT id, act, time, envelope FROM log_in_help WHERE account = ? ORDER BY id DESC LIMIT ?",
                arguments: [account.row, Self.doneMax]
            ).compactMap { row in
                try unlessDamaged(.account, row[0] as Int64) {
                    guard let act = Act(rawValue: row[1]),
                        let sealed = try open(Sealed.self, row[3] as Data, of: account.id.person, .logInHelp, (0, 0))
                    else { return nil }
                    return Done(act: act, time: row[2], by: sealed.by, proof: sealed.proof)
                }
            }
        }
    }

    // MARK: Acts

    /// Locks an account: from this commit on no session of it holds, and nobody begins one. Boxes, alarms and consents go on.
    /// - Returns: false where it is locked already.
    public func lock(_ account: StoredAccount, why: String, by operator: AccountID, audit: AuditLog, now: Milliseconds) throws -> Bool {
        try pool.write { db in
            try db.execute(
                sql: "INSERT INTO account_lock(account, since) VALUES(?, ?) ON CONFLICT DO NOTHING", arguments: [account.row, now])
            guard db.changesCount == 1 else { return false }
            try endSessions(of: account, db)
            try keep(.lock, why, account, by: `operator`, .accountLocked, audit, now: now, db)
            try tell("account.locked", [:], account, now: now, db)
            return true
        }
    }

    /// - Returns: false where it is not locked.
    public func unlock(_ account: StoredAccount, why: String, by operator: AccountID, audit: AuditLog, now: Milliseconds) throws -> Bool {
        try pool.write { db in
            try db.execute(sql: "DELETE FROM account_lock WHERE account = ?", arguments: [account.row])
            guard db.changesCount == 1 else { return false }
            // Nobody is logged in who began it meanwhile.
            try db.execute(sql: "DELETE FROM session WHERE account = ?", arguments: [account.row])
            try keep(.unlock, why, account, by: `operator`, .accountUnlocked, audit, now: now, db)
            try tell("account.unlocked", [:], account, now: now, db)
            return true
        }
    }

    /// Takes one-time codes, passkeys and recovery codes away: the password alone logs in, and an account that needs a second factor sets up a new one
    /// with it.
    /// - Parameter proof: by what the operator knows who asks for it.
    /// - Returns: false where there is none.
    public func removeFactors(
        of account: StoredAccount, proof: String, by operator: AccountID, audit: AuditLog, now: Milliseconds
    ) throws -> Bool {
        try pool.write { db in
            guard try FactorStore.hasFactor(account.row, db) else { return false }
            try db.execute(sql: "DELETE FROM one_time WHERE account = ?", arguments: [account.row])
            try db.execute(sql: "DELETE FROM passkey WHERE account = ?", arguments: [account.row])
            try db.execute(sql: "DELETE FROM recovery WHERE account = ?", arguments: [account.row])
            try endSessions(of: account, db)
            try keep(.factors, proof, account, by: `operator`, .factorsRemoved, audit, now: now, db)
            try tell("account.factorsRemoved", [:], account, now: now, db)
            return true
        }
    }

    /// Mails a link again: that of the confirmation to who has not confirmed yet, that for a new password to everybody else.
    /// - Parameters:
    ///   - link: what the mail shows, with its secret.
    ///   - hash: of the secret.
    public func resend(
        _ link: String, hash: [UInt8], expires: Milliseconds, to account: StoredAccount, by operator: AccountID, audit: AuditLog,
        now: Milliseconds
    ) throws {
        let isConfirmed = account.confirmed != nil
        try pool.write { db in
            try AccountStore.addLink(hash, isConfirmed ? .reset : .confirmation, account.row, expires: expires, db)
            try keep(.resend, "", account, by: `operator`, .linkSentAgain, audit, now: now, db)
            try notices.addMail(isConfirmed ? "account.reset" : "account.confirm", ["link": link], to: account, now: now, db)
        }
    }

    private func endSessions(of account: StoredAccount, _ db: Connection) throws {
        try db.execute(sql: "DELETE FROM session WHERE account = ?", arguments: [account.row])
        try AccountStore.forgetPushDevicesWithoutSession(of: account.row, db)
        try db.execute(
            sql: "DELETE FROM mail_link WHERE account = ? AND purpose = ?", arguments: [account.row, MailLinkPurpose.reset.rawValue])
    }

    private func keep(
        _ act: Act, _ proof: String, _ account: StoredAccount, by operator: AccountID, _ action: AuditLog.Action, _ audit: AuditLog,
        now: Milliseconds, _ db: Connection
    ) throws {
        let envelope = try seal(Sealed(by: `operator`, proof: proof), of: account.id.person, .logInHelp, (0, 0))
        try db.execute(
            sql: "INSERT INTO log_in_help(account, act, time, envelope) VALUES(?, ?, ?, ?)",
            arguments: [account.row, act.rawValue, now, envelope])
        _ = try audit.insert(action, by: `operator`, on: account.id, now: now, db)
    }

    /// Whatever its owner chose: by mail where there is a mailbox, and on the page of notices.
    private func tell(_ mail: String, _ arguments: [String: String], _ account: StoredAccount, now: Milliseconds, _ db: Connection) throws {
        if account.hasMail { try notices.addMail(mail, arguments, to: account, now: now, db) }
        try notices.addTold(mail, arguments, to: account, now: now, db)
    }
}

extension AuditLog.Action {
    /// An operator locked an account, unlocked it, took its second factor away, or mailed its link again.
    public static let accountLocked = Self(rawValue: "account.locked")
    public static let accountUnlocked = Self(rawValue: "account.unlocked")
    public static let factorsRemoved = Self(rawValue: "account.factors-removed")
    public static let linkSentAgain = Self(rawValue: "account.link-sent-again")
    /// An operator sent a mail again that had been given up, or put it aside.
    public static let mailSentAgain = Self(rawValue: "mail.sent-again")
    public static let mailPutAside = Self(rawValue: "mail.put-aside")
    /// An operator looked at somebody's emergency, with a reason that the person sees.
    public static let emergencyRead = Self(rawValue: "emergency.read-by-operator")
    /// An operator looked at a new run.
    public static let runAccepted = Self(rawValue: "run.accepted")
    public static let runRefused = Self(rawValue: "run.refused")
}
