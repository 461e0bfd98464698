import Crypto
import Database
import Foundation
public import Vitals

/// Work that still has to be done behind an answer. It is stored before the answer, whoever was named in the question.
public struct StoredDeferredWork: Sendable, Hashable {
    public let row: Int64
    /// As it was handed in; nil when the row is damaged.
    public let bytes: [UInt8]?
}

extension DeferredWorkStore {
    /// Keeps what follows an answer, until ``removeAnswer(_:)``: a hub that is killed finds it again.
    public func addAnswer(_ bytes: [UInt8]) throws {
        let sealed = Data(try Envelope.seal(bytes, with: answerKey, at: Self.answerPlace))
        try pool.write { try $0.execute(sql: "INSERT INTO answer(envelope) VALUES(?)", arguments: [sealed]) }
    }

    /// Rows that wait behind one, the oldest first.
    /// - Parameter upTo: the last row that is looked at.
    public func answers(after row: Int64, upTo last: Int64, _ count: Int) throws -> [StoredDeferredWork] {
        try pool.read { db in
            let statement = try db.cachedStatement(sql: "SELECT id, envelope FROM answer WHERE id > ? AND id <= ? ORDER BY id LIMIT ?")
            return try statement.fetchAll(arguments: [row, last, count]).map { row in
                StoredDeferredWork(row: row[0], bytes: try? Envelope.open(row[1] as Data, with: answerKey, at: Self.answerPlace))
            }
        }
    }

    /// The newest row that waits; nil when nothing does.
    public func lastAnswer() throws -> Int64? {
        try pool.read { try $0.cachedStatement(sql: "SELECT max(id) FROM answer").fetchOne(Int64.self) }
    }

    /// It is done.
    public func removeAnswer(_ row: Int64) throws {
        try pool.write { try $0.execute(sql: "DELETE FROM answer WHERE id = ?", arguments: [row]) }
    }

    /// Nobody's: there may be no account yet.
    private var answerKey: PersonKey { PersonKey(number: 0, key: SymmetricKey(data: keys.derived("answers"))) }
    private static let answerPlace = Envelope.Place(person: PersonID(high: 0, low: 0), table: .answer, row: (0, 0))

    // MARK: Openings

    /// Counts an account that one opens for somebody else, within 24 hours; false when `most` were counted already.
    public func countOpening(by account: StoredAccount, most: Int, now: Milliseconds) throws -> Bool {
        try pool.write { db in
            try db.execute(sql: "DELETE FROM opening WHERE time <= ?", arguments: [now - 86_400_000])
            let count = try db.fetchOne(Int.self, sql: "SELECT count(*) FROM opening WHERE account = ?", arguments: [account.row])
            guard count ?? 0 < most else { return false }
            try db.execute(sql: "INSERT INTO opening(account, time) VALUES(?, ?)", arguments: [account.row, now])
            return true
        }
    }

    // MARK: Unwanted letters

    /// What a letter's link says of its address: a keyed hash, which nobody can turn around.
    /// - Parameter email: ``Accounts/EmailAddress/canonical``.
    public func addressMark(_ email: String) -> [UInt8] { Array(accounts.index("email", email)) }

    /// Whoever has this address wants no invitation any more, from anybody. What waits for it is not sent.
    /// - Parameter mark: ``addressMark(_:)``.
    public func refuseLetters(_ mark: [UInt8]) throws {
        try pool.write { try $0.execute(sql: "INSERT INTO unwanted(whom) VALUES(?) ON CONFLICT DO NOTHING", arguments: [Data(mark)]) }
    }

    public func refusesLetters(_ mark: [UInt8]) throws -> Bool { try pool.read { try refusesLetters(Data(mark), $0) } }

    func refusesLetters(_ whom: Data, _ db: Connection) throws -> Bool {
        try db.fetchOne(Bool.self, sql: "SELECT EXISTS(SELECT 1 FROM unwanted WHERE whom = ?)", arguments: [whom]) ?? false
    }
}
