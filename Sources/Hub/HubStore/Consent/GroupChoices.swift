import Accounts
import Database
import Foundation
import Privacy
public import Vitals

extension Migration {
    /// People who objected to being counted in statistics about groups, or was counted in by a parent: sealed with the person's key.
    static let groupChoices = Migration(
        name: "20 choices about groups",
        sql: "CREATE TABLE group_choice(person BLOB PRIMARY KEY, envelope BLOB NOT NULL) WITHOUT ROWID;")
}

/// The choice about counting somebody in statistics about groups.
public struct GroupChoice: Sendable, Hashable, Codable {
    /// A number: the length of its envelope does not tell which it is.
    private let counted: Int
    /// UTC milliseconds: it holds for windows that close then or later.
    public let at: Milliseconds
    /// The person, or a parent of a minor.
    public let by: AccountID

    public var isCounted: Bool { counted == 1 }

    init(isCounted: Bool, at: Milliseconds, by: AccountID) {
        (counted, self.at, self.by) = (isCounted ? 1 : 0, at, by)
    }
}

/// Whether somebody counts in statistics about groups, and by whose word.
public struct GroupStanding: Sendable, Hashable {
    /// nil where nobody said anything.
    public let choice: GroupChoice?
    /// Whether they are, or were, a minor here: such a person counts only with somebody's yes, a parent's or later their own.
    public let needsYes: Bool

    public var isCounted: Bool { choice?.isCounted ?? !needsYes }
}

/// Objections to statistics about groups, and parents' yes to them. What the privacy statement names counts without a yes, except for minors.
public struct GroupChoiceStore: SubjectStore {
    let accounts: AccountStore

    public func standing(of person: PersonID) throws -> GroupStanding { try pool.read { try standing(of: person, $0) } }

    func standing(of person: PersonID, _ db: Connection) throws -> GroupStanding {
        let id = Data(person.bytes)
        let choices = try db.cachedStatement(sql: "SELECT envelope FROM group_choice WHERE person = ?")
        let minors = try db.cachedStatement(sql: "SELECT 1 FROM minor WHERE person = ?")
        let envelope = try choices.fetchOne(Data.self, arguments: [id]), minor = try minors.fetchOne(Int.self, arguments: [id])
        // A row that does not open may have been an objection: it counts as one until the person says it again.
        let choice = try envelope.flatMap { envelope in
            try unlessDamaged(.standing, person) {
                try open(GroupChoice.self, envelope, of: person, .groupChoice)
            } damaged: {
                GroupChoice(isCounted: false, at: 0, by: AccountID(person))
            }
        }
        return GroupStanding(choice: choice, needsYes: minor != nil)
    }

    /// Keeps what somebody says, and writes it into the person's ledger in the same transaction. The same word again changes nothing.
    /// - Parameter account: the person's, or a parent's of a minor.
    /// - Throws: ``Privacy/ConsentProblem/notYours`` when the account does not decide for the person.
    public func choose(isCounted: Bool, of person: PersonID, by account: AccountID, now: Milliseconds) throws {
        let choice = GroupChoice(isCounted: isCounted, at: now, by: account), envelope = try seal(choice, of: person, .groupChoice)
        try pool.write { db in
            _ = try consents.authority(over: person, db).decider(account, at: now)
            let before = try standing(of: person, db)
            guard before.choice == nil || before.isCounted != isCounted else { return }
            try db.execute(
                sql: """
                    INSERT INTO group_choice(person, envelope) VALUES(?, ?) ON CONFLICT(person) DO UPDATE SET envelope = excluded.envelope
                    """, arguments: [Data(person.bytes), envelope])
            // The default said aloud is no change.
            guard before.isCounted != isCounted else { return }
            try ledger.record(.counted(isCounted, by: account), of: person, by: account, at: now, db)
        }
        accounts.tellProfileChanged(person)
    }
}

/// Somebody who may be counted in statistics about groups.
public struct GroupMember: Sendable, Hashable {
    public let account: StoredAccount
    public let standing: GroupStanding
}

extension GroupChoiceStore {
    /// People with a confirmed account, by the number of its row; one that does not open is left out.
    /// - Parameters:
    ///   - row: the members behind this one.
    ///   - count: rows that are read at most.
    /// - Returns: also the row up to which this read; nil at the end.
    public func members(after row: Int64, _ count: Int) throws -> (members: [GroupMember], upTo: Int64?) {
        try pool.read { db in
            let rows = try db.fetchAll(
                sql: """
                    SELECT * FROM account WHERE id > ? AND confirmed IS NOT NULL AND roles & \(Set([.person]).bits) <> 0 ORDER BY id LIMIT ?
                    """, arguments: [row, count])
            return (try rows.compactMap { try accounts.listed($0) }.map { try member($0, db) }, rows.last.map { $0["id"] as Int64 })
        }
    }

    /// nil for somebody who has no confirmed account of a person (any more).
    public func member(_ person: PersonID) throws -> GroupMember? {
        try pool.read { db in
            guard let account = try accounts.account(AccountID(person), db), account.confirmed != nil, account.roles.contains(.person)
            else {
                return nil
            }
            return try member(account, db)
        }
    }

    private func member(_ account: StoredAccount, _ db: Connection) throws -> GroupMember {
        GroupMember(account: account, standing: try standing(of: account.id.person, db))
    }
}

extension ConsentStore {
    public var groups: GroupChoiceStore { GroupChoiceStore(accounts: accounts) }
}
