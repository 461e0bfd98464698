import Database
import Foundation
public import Vitals

/// A mail that the hub has given up (OPS-1).
public struct FailedMail: Sendable {
    public let row: Int64
    public let account: StoredAccount
    /// Names the text.
    public let kind: String
    /// When it was written, and when it was given up; UTC milliseconds.
    public let created: Milliseconds
    public let failed: Milliseconds
    public let tries: Int
    /// What the mail system said last.
    public let reason: String
    /// It has a link that works for a while and once: sent again, it would not help.
    public let hasLink: Bool
}

extension NoticeStore {
    /// Mails that were given up.
    public var failed: FailedMailStore { FailedMailStore(accounts) }
}

/// Mails that were given up, for operators. What they say stays sealed.
public struct FailedMailStore: SubjectStore {
    let accounts: AccountStore

    public init(_ accounts: AccountStore) { self.accounts = accounts }

    /// Kept for so long, milliseconds: 30 days.
    public static let lifetime: Milliseconds = 30 * 86_400_000
    /// Counted up to this.
    public static let countMax = 1000
    /// Characters of a reason that are kept.
    private static let reasonMax = 500
    private static let forgottenAtOnce = 1000

    private struct Sealed: Codable {
        var arguments: [String: String]
        var reason: String
    }

    /// Takes a mail out of the outbox, and keeps it here.
    public func giveUp(_ mail: StoredMail, reason: String, now: Milliseconds) throws {
        try pool.write { db in
            try db.execute(sql: "DELETE FROM mail WHERE id = ?", arguments: [mail.row])
            // Somebody who was deleted has no mails any more.
            guard db.changesCount == 1, try keys.key(of: mail.account.id.person) != nil else { return }
            let sealed = Sealed(arguments: mail.arguments, reason: String(reason.prefix(Self.reasonMax)))
            try db.execute(
                sql: "INSERT INTO failed_mail(account, kind, created, failed, tries, envelope) VALUES(?, ?, ?, ?, ?, ?)",
                arguments: [
                    mail.account.row, mail.kind, mail.created, now, mail.tries,
                    try seal(sealed, of: mail.account.id.person, .failedMail, (0, 0)),
                ])
        }
    }

    /// The newest first.
    /// - Parameter row: behind this one; `.max` for the first page.
    public func mails(before row: Int64 = .max, count: Int) throws -> [FailedMail] {
        try pool.read { db in
            try db.fetchAll(sql: "SELECT * FROM failed_mail WHERE id < ? ORDER BY id DESC LIMIT ?", arguments: [row, count])
                .compactMap { row in try unlessDamaged(.mail, row["id"] as Int64) { try mail(row, db)?.mail } }
        }
    }

    /// The number that was given up since a time, up to ``countMax``.
    public func count(since: Milliseconds) throws -> Int {
        try pool.read { db in
            try db.fetchAll(
                Int64.self, sql: "SELECT id FROM failed_mail WHERE failed >= ? ORDER BY failed LIMIT ?", arguments: [since, Self.countMax]
            ).count
        }
    }

    /// Puts it into the outbox again, as a new one.
    /// - Returns: whose it is; nil where there is none such, or where it has a link.
    public func sendAgain(_ row: Int64, by operator: AccountID, audit: AuditLog, now: Milliseconds) throws -> AccountID? {
        try pool.write { db in
            guard let stored = try db.fetchOne(sql: "SELECT * FROM failed_mail WHERE id = ?", arguments: [row]),
                let (found, arguments) = try mail(stored, db), !found.hasLink
            else { return nil }
            try db.execute(sql: "DELETE FROM failed_mail WHERE id = ?", arguments: [row])
            try notices.addMail(found.kind, arguments, to: found.account, now: now, db)
            _ = try audit.insert(.mailSentAgain, by: `operator`, on: found.account.id, now: now, db)
            return found.account.id
        }
    }

    /// Nothing more is to be done about it.
    /// - Returns: false where there is none such.
    public func putAside(_ row: Int64, by operator: AccountID, audit: AuditLog, now: Milliseconds) throws -> Bool {
        try pool.write { db in
            let account = try db.fetchOne(
                Int64.self, sql: "DELETE FROM failed_mail WHERE id = ? RETURNING account", arguments: [row])
            guard let account else { return false }
            let owner = try accounts.stored(row: account, db)?.id
            _ = try audit.insert(.mailPutAside, by: `operator`, on: owner, now: now, db)
            return true
        }
    }

    /// Forgets what is older than ``lifetime``, some at a time.
    public func forget(now: Milliseconds) throws {
        try pool.write { db in
            try db.execute(
                sql: "DELETE FROM failed_mail WHERE id IN (SELECT id FROM failed_mail WHERE failed < ? ORDER BY failed LIMIT ?)",
                arguments: [now - Self.lifetime, Self.forgottenAtOnce])
        }
    }

    /// nil for somebody who was deleted.
    private func mail(_ row: Row, _ db: Connection) throws -> (mail: FailedMail, arguments: [String: String])? {
        guard let account = try accounts.stored(row: row["account"], db),
            let sealed = try open(Sealed.self, row["envelope"] as Data, of: account.id.person, .failedMail, (0, 0))
        else { return nil }
        let mail = FailedMail(
            row: row["id"], account: account, kind: row["kind"], created: row["created"], failed: row["failed"], tries: row["tries"],
            reason: sealed.reason, hasLink: sealed.arguments["link"] != nil || sealed.arguments["stop"] != nil)
        return (mail, sealed.arguments)
    }
}
