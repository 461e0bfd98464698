import Database
import Foundation
public import Vitals

/// Lists of accounts and boxes for operators (OPS-1). They tell who somebody is and how to reach them, and nothing of their health.
public struct ConsoleStore: SubjectStore {
    let accounts: AccountStore

    public init(_ accounts: AccountStore) { self.accounts = accounts }

    /// Rows of one page, at most.
    public static let pageMax = 25
    /// Names are sealed: a search opens them one by one. So many are looked at before an answer; the next page goes on behind them.
    public static let lookedAtMax = 4000
    /// Rows that are read at a time.
    private static let slice = 500

    /// A part of a list.
    public struct Page<Item: Sendable>: Sendable {
        public let items: [Item]
        /// Where the next page begins; nil at the end.
        public let next: Int64?

        public init(items: [Item], next: Int64?) { (self.items, self.next) = (items, next) }
    }

    /// Accounts in the order in which they were made, also those that wait for their confirmation.
    /// - Parameters:
    ///   - words: all of them stand in the name or the address, without a difference of letters and accents; none for everybody.
    ///   - row: the accounts behind this one.
    public func people(with words: [String] = [], after row: Int64 = 0) throws -> Page<StoredAccount> {
        try page(after: row) { row, count, db in
            try db.fetchAll(sql: "SELECT * FROM account WHERE id > ? ORDER BY id LIMIT ?", arguments: [row, count])
                .map { ($0["id"] as Int64, try accounts.listed($0)) }
        } isWanted: { account in
            Self.stand(words, in: account.name + " " + account.email)
        }
    }

    /// Boxes in the order of their enrolment, those that were revoked included.
    /// - Parameters:
    ///   - words: all of them stand in the box's name; none for every box.
    ///   - row: the boxes behind this one.
    public func boxes(with words: [String] = [], after row: Int64 = 0) throws -> Page<AgentStore.ListedAgent> {
        let agents = accounts.agents
        return try page(after: row) { row, count, db in
            try agents.agents(after: row, count: count, db).map { ($0.agent.row, $0) }
        } isWanted: { box in
            Self.stand(words, in: box.name)
        }
    }

    /// Mails every operator, whatever they chose, and puts it on their pages of notices.
    /// - Parameter mail: names the text.
    public func tellOperators(_ mail: String, _ arguments: [String: String], now: Milliseconds) throws {
        try pool.write { db in
            for account in try accounts.operators(db) { try tell(mail, arguments, account, now: now, db) }
        }
    }

    /// The same for one account.
    public func tell(_ mail: String, _ arguments: [String: String], to account: StoredAccount, now: Milliseconds) throws {
        try pool.write { try tell(mail, arguments, account, now: now, $0) }
    }

    private func tell(_ mail: String, _ arguments: [String: String], _ account: StoredAccount, now: Milliseconds, _ db: Connection) throws {
        if account.hasMail { try notices.addMail(mail, arguments, to: account, now: now, db) }
        try notices.addTold(mail, arguments, to: account, now: now, db)
    }

    private func page<Item>(
        after row: Int64, _ read: (Int64, Int, Connection) throws -> [(row: Int64, item: Item?)], isWanted: (Item) -> Bool
    ) throws -> Page<Item> {
        var last = row, found: [Item] = [], lookedAt = 0
        while lookedAt < Self.lookedAtMax {
            // Each slice by itself: no transaction holds the others up.
            let rows = try pool.read { try read(last, Self.slice, $0) }
            for (row, item) in rows {
                if let item, isWanted(item) {
                    // There is one more than a page shows.
                    if found.count == Self.pageMax { return Page(items: found, next: last) }
                    found.append(item)
                }
                last = row
            }
            lookedAt += rows.count
            if rows.count < Self.slice { return Page(items: found, next: nil) }
        }
        return Page(items: found, next: last)
    }

    /// Whether all words stand in a text.
    static func stand(_ words: [String], in text: String) -> Bool {
        words.allSatisfy { text.range(of: $0, options: [.caseInsensitive, .diacriticInsensitive]) != nil }
    }
}
