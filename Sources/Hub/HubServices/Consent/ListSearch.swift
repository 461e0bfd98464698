import Foundation
public import HubStore
public import Privacy
public import Vitals

/// Words that are looked for in a list. Its rows are sealed, so that they are opened page by page until enough are found.
struct ListSearch: Sendable, Hashable {
    private let words: [String]

    /// Pages that are looked through at once; whoever wants to see further asks for the next ones.
    static let pagesMax = 10
    /// The largest number of entries found.
    static let foundMax = 50
    /// Characters that count.
    static let charactersMax = 100

    /// nil where nothing was typed: then the list is shown as it is.
    init?(_ typed: String?) {
        words = Self.plain(String((typed ?? "").prefix(Self.charactersMax))).split(whereSeparator: \.isWhitespace).map(String.init)
        if words.isEmpty { return nil }
    }

    /// Whether each word stands in one of the texts, however it is written.
    func matches(_ texts: [String]) -> Bool {
        let text = texts.map(Self.plain).joined(separator: "\n")
        return words.allSatisfy(text.contains)
    }

    private static func plain(_ text: String) -> String { text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil) }

    /// The matches from a place in the list on, and where to look further.
    func find<Item>(
        _ texts: (Item) -> [String], from before: Int64?, _ page: (Int64?) throws -> (items: [Item], next: Int64?, unreadable: Int)
    ) rethrows -> (items: [Item], next: Int64?, unreadable: Int) {
        var found: [Item] = [], next = before, unreadable = 0
        for _ in 0..<Self.pagesMax where found.count < Self.foundMax {
            let part = try page(next)
            found += part.items.filter { matches(texts($0)) }
            (next, unreadable) = (part.next, unreadable + part.unreadable)
            if next == nil { break }
        }
        return (found, next, unreadable)
    }
}

/// Searching the lists of consents, each as its reader sees it.
public struct ConsentSearch: Sendable {
    private let search: ListSearch
    private let consents: ConsentService

    /// nil where nothing was typed.
    public init?(_ typed: String?, in consents: ConsentService) {
        guard let search = ListSearch(typed) else { return nil }
        (self.search, self.consents) = (search, consents)
    }

    private static func words(_ item: PersonConsent) -> [String] { [item.name, item.consent.request.scope.purpose] }
    private static func words(_ line: LedgerEntry) -> [String] { [line.readerName, line.purpose] }
    private static func words(_ item: AskedConsent) -> [String] { [item.label, item.scope.purpose] }

    /// The readers in My Followers that it finds, by name and purpose (CONS-7).
    /// - Throws: `ConsentProblem.notYours` for who may not read the person's list.
    public func followers(of person: PersonID, for account: AccountID, before: Int64?) throws -> ConsentPage<PersonConsent> {
        try consents.checkMayRead(person, account)
        let found = try search.find(Self.words, from: before) { before in
            let page = try consents.accounts.consents.consents(of: person, before: before)
            return (page.items, page.next, page.unreadable)
        }
        return ConsentPage(items: found.items, next: found.next, unreadable: found.unreadable)
    }

    /// The entries of the ledger that it finds, by name and purpose (DATA-12).
    /// - Throws: `ConsentProblem.notYours` for who may not read the person's ledger.
    public func ledger(of person: PersonID, for account: AccountID, before: Int64?) throws -> LedgerPage {
        try consents.checkMayRead(person, account)
        let found = try search.find(Self.words, from: before) { before in
            let page = try consents.accounts.ledger.ledger(of: person, before: before)
            return (page.entries, page.next, page.unreadable)
        }
        return LedgerPage(entries: found.items, next: found.next, unreadable: found.unreadable)
    }

    /// An asker's own requests that it finds, by the text that named the person, and by purpose (CONS-9).
    public func history(of reader: Reader, before: Int64?) throws -> ConsentPage<AskedConsent> {
        let found = try search.find(Self.words, from: before) { before in
            let page = try consents.history(of: reader, before: before)
            return (page.items, page.next, page.unreadable)
        }
        return ConsentPage(items: found.items, next: found.next, unreadable: found.unreadable)
    }
}
