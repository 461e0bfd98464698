import Database
import Foundation
public import Vitals

extension FactorStore {
    /// Messages to one account within ``phoneWindow``, at most; and wrong tries of one code.
    public static let phoneMessagesMax = 3, phoneTriesMax = 5
    /// Milliseconds.
    public static let phoneWindow: Milliseconds = 3_600_000

    /// The outcome of a code that was typed.
    public enum PhoneAnswer: Sendable, Hashable {
        case verified
        case wrong
        /// It is too old, was tried too often, or there is none.
        case void
    }

    /// When this number of an account was verified; nil for never. A number that is changed is not verified any more.
    /// - Parameter number: E.164.
    public func phoneVerified(_ number: String, of account: StoredAccount) throws -> Milliseconds? {
        try pool.read { db in
            try db.fetchOne(
                Milliseconds.self, sql: "SELECT verified_at FROM phone WHERE account = ? AND verified = ?",
                arguments: [account.row, accounts.index("phone \(account.id)", number)])
        }
    }

    /// Keeps a code that is about to be sent to a number, in the place of one before. nil when it may be sent; else from when on, UTC.
    /// - Parameter hash: of the code.
    public func addPhoneCode(
        _ hash: [UInt8], to number: String, of account: StoredAccount, expires: Milliseconds, now: Milliseconds
    ) throws -> Milliseconds? {
        try pool.write { db in
            try db.execute(sql: "INSERT INTO phone(account) VALUES(?) ON CONFLICT DO NOTHING", arguments: [account.row])
            let row = try db.fetchOne(sql: "SELECT since, sent FROM phone WHERE account = ?", arguments: [account.row])
            var since: Milliseconds = row?[0] ?? 0, sent: Int = row?[1] ?? 0
            if now - since >= Self.phoneWindow { (since, sent) = (now, 0) }
            guard sent < Self.phoneMessagesMax else { return since + Self.phoneWindow }
            try db.execute(
                sql: "UPDATE phone SET code = ?, number = ?, expires = ?, tries = 0, sent = ?, since = ? WHERE account = ?",
                arguments: [Data(hash), accounts.index("phone \(account.id)", number), expires, sent + 1, since, account.row])
            return nil
        }
    }

    /// Compares a code, which works once and for the number that it was sent to.
    public func usePhoneCode(_ hash: [UInt8], of account: StoredAccount, now: Milliseconds) throws -> PhoneAnswer {
        try pool.write { db in
            try db.execute(
                sql: "UPDATE phone SET tries = tries + 1 WHERE account = ? AND code IS NOT NULL AND expires > ? AND tries < ?",
                arguments: [account.row, now, Self.phoneTriesMax])
            guard db.changesCount == 1 else { return .void }
            try db.execute(
                sql: """
                    UPDATE phone SET verified = number, verified_at = ?, code = NULL, number = NULL, expires = NULL
                    WHERE account = ? AND code = ?
                    """, arguments: [now, account.row, Data(hash)])
            return db.changesCount == 1 ? .verified : .wrong
        }
    }
}
