import Database
import Foundation
public import Vitals

/// A mail that waits to be sent. What it says is made when it goes, in the language of its account.
public struct StoredMail: Sendable {
    public let row: Int64
    public let account: StoredAccount
    /// Of its browser; nil where that is not known.
    public let zone: String?
    /// Names the text.
    public let kind: String
    /// Values that the text names.
    public let arguments: [String: String]
    public let created: Milliseconds
    public let tries: Int
    /// Somebody is or may be in distress now, or was until now.
    public var isAlarm: Bool { NoticeUrgency(kind) == .alarm }
}

extension NoticeStore {
    /// The argument that sends an account's mail to somebody else's address: an invitation.
    public static let deliverTo = "deliverTo"
    /// The argument that has such a mail written in another language than the account's.
    public static let language = "language"

    /// Puts a mail to the account's address into the outbox. Who has no mailbox gets it as a notice.
    public func addMail(_ kind: String, _ arguments: [String: String] = [:], to account: StoredAccount, now: Milliseconds) throws {
        try pool.write { try addMail(kind, arguments, to: account, now: now, $0) }
    }

    /// The same as a part of a transaction: what happened and its notice are stored together or not at all.
    func addMail(_ kind: String, _ arguments: [String: String], to account: StoredAccount, now: Milliseconds, _ db: Connection) throws {
        guard account.hasMail || arguments[Self.deliverTo] != nil else { return try addTold(kind, arguments, to: account, now: now, db) }
        guard let key = try keys.key(of: account.id.person) else { return }
        let sealed = try Envelope.seal(Array(JSONEncoder().encode(arguments)), with: key, at: Self.mailPlace(account.id))
        try db.execute(
            sql: "INSERT INTO mail(account, kind, arguments, created, due, urgent) VALUES(?, ?, ?, ?, ?, ?)",
            arguments: [account.row, kind, Data(sealed), now, now, NoticeUrgency(kind).rawValue])
    }

    /// Mails that are due: alarms first, then what is about AutomatedSOS, then all others, of each the oldest first. They come again after
    /// `lease` when nobody says what became of them.
    /// - Parameter isUrgent: those of AutomatedSOS, or all others; nil for both.
    public func dueMails(_ count: Int, isUrgent: Bool? = nil, lease: Milliseconds, now: Milliseconds) throws -> [StoredMail] {
        let wanted = NoticeUrgency.allCases.reversed().filter { isUrgent == nil || isUrgent == ($0 != .ordinary) }
        let due = "SELECT * FROM mail WHERE urgent = ? AND due <= ? ORDER BY due, id LIMIT ?"
        // Asked each second: mostly there is nothing to write.
        let isAny = try pool.read { db in
            try wanted.contains { try db.fetchOne(sql: due, arguments: [$0.rawValue, now, 1]) != nil }
        }
        guard isAny else { return [] }
        return try pool.write { db in
            var rows: [Row] = []
            for urgency in wanted { rows += try db.fetchAll(sql: due, arguments: [urgency.rawValue, now, count - rows.count]) }
            return try rows.compactMap { row in
                let id: Int64 = row["id"]
                try db.execute(sql: "UPDATE mail SET due = ?, tries = tries + 1 WHERE id = ?", arguments: [now + lease, id])
                return try unlessDamaged(.mail, id) {
                    try storedMail(row, db)
                } damaged: {
                    try db.execute(sql: "UPDATE mail SET due = ? WHERE id = ?", arguments: [now + Self.damagedPause, id])
                    return nil
                }
            }
        }
    }

    /// A message that does not open is looked at again after this, milliseconds: it takes no place from those that can leave.
    static let damagedPause: Milliseconds = 3_600_000

    /// nil for somebody who was deleted.
    private func storedMail(_ row: Row, _ db: Connection) throws -> StoredMail? {
        guard let account = try accounts.stored(row: row["account"], db), let key = try keys.key(of: account.id.person) else { return nil }
        let bytes = try Envelope.open(row["arguments"] as Data, with: key, at: Self.mailPlace(account.id))
        return StoredMail(
            row: row["id"], account: account, zone: try zone(of: account.row, db), kind: row["kind"],
            arguments: try JSONDecoder().decode([String: String].self, from: Data(bytes)), created: row["created"],
            tries: (row["tries"] as Int) + 1)
    }

    /// When the oldest mail of AutomatedSOS was written that nobody has tried to send; nil for none.
    public func oldestUntriedMail() throws -> Milliseconds? {
        try pool.read { try $0.fetchOne(Milliseconds.self, sql: "SELECT min(created) FROM mail WHERE urgent IN (1, 2) AND tries = 0") }
    }

    /// Sent, or given up.
    public func removeMail(_ row: Int64) throws {
        try pool.write { try $0.execute(sql: "DELETE FROM mail WHERE id = ?", arguments: [row]) }
    }

    public func putOffMail(_ row: Int64, until due: Milliseconds) throws {
        try pool.write { try $0.execute(sql: "UPDATE mail SET due = ? WHERE id = ?", arguments: [due, row]) }
    }

    private static func mailPlace(_ id: AccountID) -> Envelope.Place { .init(person: id.person, table: .mail, row: (0, 0)) }
}
