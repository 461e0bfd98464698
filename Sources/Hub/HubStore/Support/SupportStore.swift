import Crypto
import Database
import Foundation
import Seams
public import Vitals

/// A question to whoever runs the hub, and the answer.
public struct SupportQuestion: Sendable, Hashable {
    /// Its number.
    public let row: Int64
    /// nil for somebody without an account.
    public let account: StoredAccount?
    /// Where the answer to somebody without an account goes; nobody has proved it.
    public let address: String?
    /// The topic of help from which it came; empty for none.
    public let topic: String
    public let text: String
    /// UTC milliseconds.
    public let asked: Milliseconds
    /// UTC milliseconds; nil for not yet.
    public let answered: Milliseconds?
    public let answer: String?
}

/// Questions to whoever runs the hub. What an account asks is sealed with its key and goes with it. What others ask is sealed with a key of the hub.
public struct SupportStore: SubjectStore {
    let accounts: AccountStore

    static let migration = Migration(
        name: "37 questions to the operator",
        sql: """
            CREATE TABLE support_question(id INTEGER PRIMARY KEY AUTOINCREMENT, mark BLOB NOT NULL,
                account INTEGER REFERENCES account ON DELETE CASCADE, asked INTEGER NOT NULL, answered INTEGER, envelope BLOB NOT NULL);
            CREATE INDEX support_question_account ON support_question(account, answered);
            CREATE INDEX support_question_answered ON support_question(answered, asked);
            """)

    /// Questions of one account that wait, at most, and of all who have none.
    public static let waitingMax = 5, waitingOfStrangersMax = 200
    /// Questions that a page shows, at most.
    public static let shownMax = 100
    /// What was answered is kept for 90 days from then, what was not for a year from when it came, in milliseconds.
    public static let lifetime: Milliseconds = 90 * 86_400_000, lifetimeUnanswered: Milliseconds = 365 * 86_400_000

    public init(_ accounts: AccountStore) { self.accounts = accounts }

    private struct Sealed: Codable {
        var text: String
        var topic: String
        var address: String?
        /// Of somebody without an account.
        var language: String?
        var answer: String?
    }

    // MARK: Asking

    /// Keeps a question of an account, and tells whoever runs the hub.
    /// - Returns: false where too many of its questions wait.
    public func ask(_ text: String, topic: String, by account: StoredAccount, now: Milliseconds) throws -> Bool {
        try pool.write { db in
            let waiting = try db.fetchOne(
                Int.self, sql: "SELECT count(*) FROM support_question WHERE account = ? AND answered IS NULL", arguments: [account.row])
            guard waiting ?? 0 < Self.waitingMax else { return false }
            try add(Sealed(text: text, topic: topic), of: account, now: now, db)
            return true
        }
    }

    /// The same of somebody without an account.
    /// - Parameters:
    ///   - address: where the answer goes.
    ///   - language: of the answer's frame.
    public func ask(_ text: String, topic: String, from address: String, language: String, now: Milliseconds) throws -> Bool {
        try pool.write { db in
            let waiting = try db.fetchOne(
                Int.self, sql: "SELECT count(*) FROM support_question WHERE account IS NULL AND answered IS NULL")
            guard waiting ?? 0 < Self.waitingOfStrangersMax else { return false }
            try add(Sealed(text: text, topic: topic, address: address, language: language), of: nil, now: now, db)
            return true
        }
    }

    private func add(_ sealed: Sealed, of account: StoredAccount?, now: Milliseconds, _ db: Connection) throws {
        let mark = randomness.id(PersonID.self)
        try db.execute(
            sql: "INSERT INTO support_question(mark, account, asked, envelope) VALUES(?, ?, ?, ?)",
            arguments: [Data(mark.bytes), account?.row, now, try close(sealed, mark, account)])
        for chief in try accounts.operators(db) { try notices.addNotice(.supportAsked, [:], to: chief, now: now, db) }
    }

    // MARK: Sealing

    /// The hub's own key for what somebody without an account wrote.
    private var strangersKey: PersonKey { PersonKey(number: 1, key: SymmetricKey(data: keys.derived("questions of strangers"))) }

    private func close(_ sealed: Sealed, _ mark: PersonID, _ account: StoredAccount?) throws -> Data {
        if let account { return try seal(sealed, of: account.id.person, .supportQuestion, (mark.high, mark.low)) }
        let plain = Array(try JSONEncoder().encode(sealed))
        return Data(try Envelope.seal(plain, with: strangersKey, at: .init(person: mark, table: .supportQuestion, row: (0, 0))))
    }

    /// nil where the account was deleted.
    private func stored(_ row: Row, _ db: Connection) throws -> (question: SupportQuestion, sealed: Sealed, mark: PersonID)? {
        guard let mark = PersonID(bytes: row["mark"] as Data) else { return nil }
        let number: Int64? = row["account"], account = try number.flatMap { try accounts.stored(row: $0, db) },
            envelope: Data = row["envelope"]
        let sealed: Sealed?
        if let account {
            sealed = try open(Sealed.self, envelope, of: account.id.person, .supportQuestion, (mark.high, mark.low))
        } else if number == nil {
            let plain = try Envelope.open(envelope, with: strangersKey, at: .init(person: mark, table: .supportQuestion, row: (0, 0)))
            sealed = try JSONDecoder().decode(Sealed.self, from: Data(plain))
        } else {
            sealed = nil
        }
        guard let sealed else { return nil }
        let question = SupportQuestion(
            row: row["id"], account: account, address: sealed.address, topic: sealed.topic, text: sealed.text, asked: row["asked"],
            answered: row["answered"], answer: sealed.answer)
        return (question, sealed, mark)
    }

    // MARK: Looking

    /// One that does not open is left out.
    private func listed(_ rows: [Row], _ db: Connection) throws -> [SupportQuestion] {
        try rows.compactMap { row in
            try unlessDamaged(.supportQuestion, row["id"] as Int64) { try stored(row, db)?.question }
        }
    }

    /// Those that wait, the first to come first.
    public func waiting() throws -> [SupportQuestion] {
        try pool.read { db in
            let rows = try db.fetchAll(
                sql: "SELECT * FROM support_question WHERE answered IS NULL ORDER BY asked, id LIMIT ?", arguments: [Self.shownMax])
            return try listed(rows, db)
        }
    }

    /// Those that were answered, the last answered first.
    public func answered() throws -> [SupportQuestion] {
        try pool.read { db in
            let rows = try db.fetchAll(
                sql: "SELECT * FROM support_question WHERE answered IS NOT NULL ORDER BY answered DESC, id DESC LIMIT ?",
                arguments: [Self.shownMax])
            return try listed(rows, db)
        }
    }

    /// Those of an account, the newest first.
    public func questions(of account: StoredAccount) throws -> [SupportQuestion] {
        try pool.read { db in
            let rows = try db.fetchAll(
                sql: "SELECT * FROM support_question WHERE account = ? ORDER BY id DESC LIMIT ?", arguments: [account.row, Self.shownMax])
            return try listed(rows, db)
        }
    }

    /// How many wait.
    public func countWaiting() throws -> Int {
        try pool.read { try $0.fetchOne(Int.self, sql: "SELECT count(*) FROM support_question WHERE answered IS NULL") ?? 0 }
    }

    // MARK: Answering

    /// Answers a question: an account is told by the ways that it chose, anybody else by mail.
    /// - Parameter operator: who answers; a mail to somebody without an account waits in that account's outbox.
    /// - Returns: false where there is no such question, or it was answered.
    public func answer(_ row: Int64, _ text: String, by operator: StoredAccount, now: Milliseconds) throws -> Bool {
        try pool.write { db in
            let found = try db.fetchOne(
                sql: "SELECT * FROM support_question WHERE id = ? AND answered IS NULL", arguments: [row])
            guard let (question, kept, mark) = try found.flatMap({ try stored($0, db) }) else { return false }
            var sealed = kept
            sealed.answer = text
            try db.execute(
                sql: "UPDATE support_question SET answered = ?, envelope = ? WHERE id = ?",
                arguments: [now, try close(sealed, mark, question.account), row])
            if let account = question.account {
                try notices.addNotice(.supportAnswered, [:], to: account, now: now, db)
            } else if let address = sealed.address {
                let arguments = [
                    NoticeStore.deliverTo: address, NoticeStore.language: sealed.language ?? `operator`.language, "question": sealed.text,
                    "answer": text,
                ]
                try notices.addMail("support.answer", arguments, to: `operator`, now: now, db)
            }
            return true
        }
    }

    /// Forgets a question, answered or not: nobody is told.
    /// - Returns: false where there is none.
    public func drop(_ row: Int64) throws -> Bool {
        try pool.write { db in
            try db.execute(sql: "DELETE FROM support_question WHERE id = ?", arguments: [row])
            return db.changesCount == 1
        }
    }

    /// Forgets what is old.
    public func forget(now: Milliseconds) throws {
        try pool.write { db in
            try db.execute(sql: "DELETE FROM support_question WHERE answered <= ?", arguments: [now - Self.lifetime])
            try db.execute(
                sql: "DELETE FROM support_question WHERE answered IS NULL AND asked <= ?", arguments: [now - Self.lifetimeUnanswered])
        }
    }
}
