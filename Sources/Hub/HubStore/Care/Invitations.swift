import Accounts
import Database
import Foundation
import Privacy
import Seams
public import Vitals

/// A mail to somebody without an account.
public struct StoredLetter: Sendable, Hashable {
    public let row: Int64
    public let address: String
    /// ``DeferredWorkStore/addressMark(_:)`` of the address.
    public let mark: [UInt8]
    /// Names the text.
    public let kind: String
    /// Of whoever made us write: nobody knows the reader's.
    public let language: String
    public let arguments: [String: String]
    /// UTC milliseconds.
    public let created: Milliseconds
    public let tries: Int
}

private struct SealedLetter: Codable {
    var address: String
    var arguments: [String: String]
}

extension InvitationStore {
    /// An address is invited once in so long, whoever asks for it, milliseconds: 7 days.
    public static let invitationPause: Milliseconds = 7 * 86_400_000
    /// Strangers whom one account makes us write to within 24 hours, at most.
    public static let invitationsDailyMax = 100

    /// Puts an invitation into the outbox, unless the address had one lately or the sender had many. Nobody learns which.
    /// - Parameter address: e-mail address as it was typed.
    func invite(
        _ address: String, whom: Data, by sender: StoredAccount, _ kind: String, _ arguments: [String: String], now: Milliseconds,
        _ db: Connection
    ) throws {
        guard try !deferredWork.refusesLetters(whom, db) else { return }
        try db.execute(sql: "DELETE FROM invited WHERE time <= ?", arguments: [now - Self.invitationPause])
        let sent = try db.fetchOne(
            Int.self, sql: "SELECT count(*) FROM invited WHERE sender = ? AND time > ?",
            arguments: [Data(sender.id.bytes), now - 86_400_000])
        guard sent ?? 0 < Self.invitationsDailyMax else { return }
        try db.execute(
            sql: "INSERT INTO invited(whom, sender, time) VALUES(?, ?, ?) ON CONFLICT DO NOTHING",
            arguments: [whom, Data(sender.id.bytes), now])
        guard db.changesCount == 1 else { return }
        let letter = randomness.id(PersonID.self)
        let sealed = try seal(
            SealedLetter(address: address, arguments: arguments), of: sender.id.person, .mail, (letter.high, letter.low))
        try db.execute(
            sql: "INSERT INTO letter(letter, sender, kind, language, created, due, envelope) VALUES(?, ?, ?, ?, ?, ?, ?)",
            arguments: [Data(letter.bytes), Data(sender.id.bytes), kind, sender.language, now, now, sealed])
    }

    /// The invitation that goes with a request to somebody without an account: who is asked by a tax identifier cannot be invited.
    func invite(to stored: StoredConsent, asker: StoredAccount?, now: Milliseconds, _ db: Connection) throws {
        guard let asker, case .address(let whom) = stored.consent.request.whom, let email = try? EmailAddress(stored.label),
            accounts.index("email", email.canonical) == Data(whom), try accounts.account(withAddress: Data(whom), db) == nil
        else { return }
        try invite(email.address, whom: Data(whom), by: asker, "request", ["asker": Self.inviterName(asker.name)], now: now, db)
    }

    /// A name that strangers get to read is a name, and no link and no message.
    public static func inviterName(_ name: String) -> String {
        let kept = name.map { $0.isLetter || $0 == " " || $0 == "'" || $0 == "-" ? $0 : " " }
        return String(String(kept).split(separator: " ").joined(separator: " ").prefix(60))
    }

    /// Requests that wait for whoever has an address or identifier find the person who just confirmed an account: one by one, each in a
    /// transaction of its own.
    func meetRequests(of row: Int64, now: Milliseconds, _ db: Connection) throws {
        guard let account = try db.fetchOne(sql: "SELECT email_index, identifier_index FROM account WHERE id = ?", arguments: [row])
        else { return }
        for whom in [account[0] as Data?, account[1] as Data?].compactMap({ $0 }) {
            let waiting = try db.fetchAll(
                Data.self, sql: "SELECT consent FROM consent WHERE whom = ? AND state = 1 AND person IS NULL",
                arguments: [ConsentRequest.Addressee.address(Array(whom)).key])
            for id in waiting { try timers.setTimer(.consentReach, Array(id), due: now, db) }
        }
    }

    // MARK: The outbox

    /// Letters that are due, the oldest first. They come again after `lease` when nobody says what became of them.
    public func dueLetters(_ count: Int, lease: Milliseconds, now: Milliseconds) throws -> [StoredLetter] {
        let isAny = try pool.read {
            try $0.fetchOne(Bool.self, sql: "SELECT 1 FROM letter WHERE due <= ? LIMIT 1", arguments: [now]) != nil
        }
        guard isAny else { return [] }
        return try pool.write { db in
            let rows = try db.fetchAll(sql: "SELECT * FROM letter WHERE due <= ? ORDER BY due, id LIMIT ?", arguments: [now, count])
            return try rows.compactMap { row in
                let number: Int64 = row["id"]
                try db.execute(sql: "UPDATE letter SET due = ?, tries = tries + 1 WHERE id = ?", arguments: [now + lease, number])
                return try unlessDamaged(.letter, number) {
                    let letter = try storedLetter(row, db)
                    if letter == nil { try db.execute(sql: "DELETE FROM letter WHERE id = ?", arguments: [number]) }
                    return letter
                } damaged: {
                    try db.execute(
                        sql: "UPDATE letter SET due = ? WHERE id = ?", arguments: [now + NoticeStore.damagedPause, number])
                    return nil
                }
            }
        }
    }

    /// nil where whoever made us write is gone, or the address takes no letters of us.
    private func storedLetter(_ row: Row, _ db: Connection) throws -> StoredLetter? {
        guard let id = PersonID(bytes: row["letter"] as Data), let sender = AccountID(bytes: row["sender"] as Data),
            let sealed = try open(SealedLetter.self, row["envelope"] as Data, of: sender.person, .mail, (id.high, id.low))
        else { return nil }
        let whom = deferredWork.addressMark((try? EmailAddress(sealed.address).canonical) ?? sealed.address)
        guard try !deferredWork.refusesLetters(Data(whom), db) else { return nil }
        return StoredLetter(
            row: row["id"], address: sealed.address, mark: whom, kind: row["kind"], language: row["language"],
            arguments: sealed.arguments, created: row["created"], tries: (row["tries"] as Int) + 1)
    }

    /// Sent, or given up.
    public func removeLetter(_ row: Int64) throws {
        try pool.write { try $0.execute(sql: "DELETE FROM letter WHERE id = ?", arguments: [row]) }
    }

    public func putOffLetter(_ row: Int64, until due: Milliseconds) throws {
        try pool.write { try $0.execute(sql: "UPDATE letter SET due = ? WHERE id = ?", arguments: [due, row]) }
    }
}
