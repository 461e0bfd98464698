import Accounts
import Database
import Foundation
public import Groups
public import Seams
public import Vitals

/// The answers of the second door: a question has one for good, whoever asks.
public struct GroupDoorStore: SubjectStore {
    let accounts: AccountStore

    /// The machine that the hub was built on.
    public var machine: Machine { keys.machine }

    /// An answer or a refusal that was given.
    public struct Given: Sendable, Hashable {
        public let kind: DataKind
        /// 16 noisy counts; nil for a refusal.
        public let counts: [Int64]?
        /// Of the noise of each of them. A refusal costs the same.
        public let variance: NoiseVariance

        public init(kind: DataKind, counts: [Int64]?, variance: NoiseVariance) {
            (self.kind, self.counts, self.variance) = (kind, counts, variance)
        }

        public var cost: Rho { Rho(variance) }
    }

    /// The answer to a question; nil for one that is new.
    public func given(to question: DoorQuestion) throws -> Given? {
        try pool.read { db in
            try db.fetchOne(
                sql: "SELECT kind, numerator, denominator, counts FROM group_door_answer WHERE year = ? AND question = ?",
                arguments: [question.window.year, question.text])
        }.map(given)
    }

    /// All that was given in a year.
    public func given(in year: Int) throws -> [Given] {
        try pool.read { db in
            try db.fetchAll(
                sql: "SELECT kind, numerator, denominator, counts FROM group_door_answer WHERE year = ? ORDER BY answered, question",
                arguments: [year])
        }.map(given)
    }

    private func given(_ row: Row) throws -> Given {
        let bytes: Data? = row[3], counts = bytes.flatMap { ReleaseCodec.decoded(counts: Array($0)) }
        // NULL is a refusal; bytes that are no counts are none.
        guard let kind = DataKind(rawValue: row[0]), let variance = NoiseVariance(row, 1), (bytes == nil) == (counts == nil) else {
            throw HubStoreError.database(path: pool.path, reason: "an answer of the second door of groups is none")
        }
        return Given(kind: kind, counts: counts, variance: variance)
    }

    /// The number of new questions of a year, by asker.
    public func asked(in year: Int) throws -> [AccountID: Int] {
        try pool.read { db in
            try db.fetchAll(sql: "SELECT person, questions FROM group_door_asked WHERE year = ?", arguments: [year])
        }.reduce(into: [:]) { found, row in
            if let person = PersonID(bytes: row[0] as Data) { found[AccountID(person)] = row[1] }
        }
    }

    /// Keeps what a question got, and that an account asked it, in one transaction. A question that was answered before stays as it was.
    /// - Returns: what holds for the question from now on.
    public func keep(_ given: Given, to question: DoorQuestion, by account: AccountID, now: Milliseconds) throws -> Given {
        let year = question.window.year
        let isNew = try pool.write { db in
            try db.execute(
                sql: """
                    INSERT INTO group_door_answer(year, question, kind, answered, numerator, denominator, counts)
                    VALUES(?, ?, ?, ?, ?, ?, ?)
                    ON CONFLICT DO NOTHING
                    """,
                arguments: [
                    year, question.text, given.kind.rawValue, now, Int64(clamping: given.variance.numerator),
                    Int64(clamping: given.variance.denominator), given.counts.map { Data(ReleaseCodec.encoded(counts: $0)) },
                ])
            guard db.changesCount == 1 else { return false }
            try db.execute(
                sql: """
                    INSERT INTO group_door_asked(year, person, questions) VALUES(?, ?, 1)
                    ON CONFLICT(year, person) DO UPDATE SET questions = group_door_asked.questions + 1
                    """, arguments: [year, Data(account.person.bytes)])
            return true
        }
        return isNew ? given : try self.given(to: question) ?? given
    }
}

extension ConsentStore {
    public var groupDoor: GroupDoorStore { GroupDoorStore(accounts: accounts) }
}
