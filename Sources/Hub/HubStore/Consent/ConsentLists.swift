import Database
import Foundation
public import Privacy
public import Vitals

/// A request as its asker sees it (CONS-9): nothing of it depends on whether the person exists.
public struct AskedConsent: Sendable, Hashable {
    public let id: ConsentID
    /// The text that the asker typed; empty for what a person gave unasked.
    public let label: String
    public let scope: ConsentScope
    /// UTC milliseconds.
    public let created: Milliseconds
    public let shown: ShownToAsker.State
    /// Until when (UTC milliseconds) what was delivered is downloaded again, though it is over; nil when it is not.
    public let repeatedUntil: Milliseconds?
    /// When (UTC milliseconds) the asker said that it deleted what the person took back; nil where it did not.
    public internal(set) var deletionConfirmed: Milliseconds?

    /// - Parameter isRead: whether anything was read by it.
    public init(_ consent: Consent, label: String, isRead: Bool = false, now: Milliseconds) {
        (id, self.label, scope) = (consent.id, label, consent.request.scope)
        (created, shown) = (consent.request.created, consent.shown(at: now).state)
        repeatedUntil = isRead ? consent.repeated(at: now).map { $0.since + Consent.repeatsFor } : nil
    }

    /// Whether it gives access.
    public var isRunning: Bool {
        if case .accepted = shown { true } else { false }
    }
}

/// A question or a consent as the person sees it (CONS-7).
public struct PersonConsent: Sendable, Hashable {
    public let consent: Consent
    /// Of the asker.
    public let name: String
    /// When the asker last read, to the hour; nil for never.
    public let lastRead: Milliseconds?
    /// What a service says that it is for, by language, where the person consented to one of these; empty for everything else.
    public var purposes: [String: String] = [:]
    /// Of an organisation; nil for everybody else.
    public internal(set) var asker: AskerFacts?
    /// When (UTC milliseconds) the asker said that it deleted what the person took back; nil where it did not.
    public internal(set) var deletionConfirmed: Milliseconds?

    /// A single delivery that an organisation can download again; nil for everything else.
    public func repeated(at now: Milliseconds) -> Consent.Access? { lastRead == nil ? nil : consent.repeated(at: now) }
}

/// A request that an operator has to look at (CONS-11).
public struct WaitingConsent: Sendable, Hashable {
    public let id: ConsentID
    public let scope: ConsentScope
    public let created: Milliseconds
    /// The organisation with its proof and purpose; nil when it left.
    public let asker: StoredAccount?
}

/// A part of a list, the newest first, and where the next part begins (nil at the end).
public struct ConsentPage<Item: Sendable & Hashable>: Sendable, Hashable {
    public let items: [Item]
    public let next: Int64?
    /// Number of further entries that do not open: they give no access, and nobody knows what they say.
    public let unreadable: Int

    public init(items: [Item], next: Int64?, unreadable: Int) { (self.items, self.next, self.unreadable) = (items, next, unreadable) }
}

extension ConsentStore {
    /// Consents of one page, at most.
    public static let consentPageMax = 200

    /// An asker's own requests.
    public func consents(askedBy reader: Reader, before: Int64? = nil, now: Milliseconds) throws -> ConsentPage<AskedConsent> {
        try page("asker = ?", reader.key, before: before) { stored, db in try asked(stored, now: now, db) }
    }

    private func asked(_ stored: StoredConsent, now: Milliseconds, _ db: Connection) throws -> AskedConsent {
        let isRead = try stored.consent.repeated(at: now) != nil && isRead(stored.consent.id, db)
        var asked = AskedConsent(stored.consent, label: stored.label, isRead: isRead, now: now)
        asked.deletionConfirmed = try deletions.confirmed(stored.consent, db)
        return asked
    }

    /// One request of an asker's own; nil for another's.
    public func consent(_ id: ConsentID, askedBy reader: Reader, now: Milliseconds) throws -> AskedConsent? {
        try pool.read { db in
            guard let stored = try consent(id, db), stored.consent.request.scope.asker == reader else { return nil }
            return try asked(stored, now: now, db)
        }
    }

    /// The consents that give access to a person's data at present, the oldest first, with who has it by name.
    public func running(of person: PersonID) throws -> [(consent: Consent, name: String)] {
        try pool.read { db in
            try db.fetchAll(
                sql: "SELECT \(Self.consentColumns) FROM consent WHERE person = ? AND state = 2 ORDER BY id",
                arguments: [Data(person.bytes)]
            ).compactMap(listedConsent).map { ($0.consent, try askers.name(of: $0.consent.request.scope, db)) }
        }
    }

    /// One consent; nil where there is none (any more).
    public func consent(_ id: ConsentID) throws -> Consent? { try pool.read { try consent(id, $0)?.consent } }

    /// These as they are; what is gone, and what does not open, is left out.
    public func consents(_ ids: some Sequence<ConsentID>) throws -> [ConsentID: Consent] {
        try pool.read { db in try ids.reduce(into: [:]) { $0[$1] = try unlessDamaged($1, db) } }
    }

    /// Consents that reached a person or were given by them: open, running and over.
    public func consents(of person: PersonID, before: Int64? = nil) throws -> ConsentPage<PersonConsent> {
        try personPage("person = ?", person, before: before)
    }

    /// The first page of them, and with it older ones that are open or run: those can always be found and ended.
    public func firstConsents(of person: PersonID) throws -> ConsentPage<PersonConsent> {
        let first = try consents(of: person)
        guard let next = first.next else { return first }
        let older = try personPage("state < 3 AND person = ?", person, before: next)
        return ConsentPage(items: first.items + older.items, next: next, unreadable: first.unreadable)
    }

    /// One of them; nil for what is another's, or nobody's.
    public func consent(_ id: ConsentID, of person: PersonID) throws -> PersonConsent? {
        try pool.read { db in
            guard let stored = try consent(id, db), stored.consent.person == person else { return nil }
            return try personConsents([stored], db).first
        }
    }

    /// Who asks is read once for all of them.
    private func personConsents(_ stored: [StoredConsent], _ db: Connection) throws -> [PersonConsent] {
        let facts = try askers.facts(of: stored.map(\.consent.request.scope.asker), db)
        var purposes: [ConsentScope: [String: String]] = [:], names: [ConsentScope: String] = [:]
        let lastRead = try db.cachedStatement(sql: "SELECT max(time) FROM ledger WHERE consent = ? AND hour IS NOT NULL")
        return try stored.map { stored in
            let consent = stored.consent, scope = consent.request.scope
            let name = try names[scope] ?? askers.name(of: scope, db), purpose = try purposes[scope] ?? askers.purposes(of: scope, db)
            (names[scope], purposes[scope]) = (name, purpose)
            return PersonConsent(
                consent: consent, name: name,
                lastRead: try lastRead.fetchOne(Milliseconds.self, arguments: [Data(consent.id.bytes)]), purposes: purpose,
                asker: facts[scope.asker], deletionConfirmed: try deletions.confirmed(consent, db))
        }
    }

    private func personPage(_ condition: String, _ person: PersonID, before: Int64?) throws -> ConsentPage<PersonConsent> {
        try pool.read { db in
            let (stored, next, unreadable) = try rows(condition, Data(person.bytes), before: before, db)
            return ConsentPage(items: try personConsents(stored, db), next: next, unreadable: unreadable)
        }
    }

    /// The number of questions that wait for a person's answer.
    public func openQuestions(of person: PersonID) throws -> Int {
        try pool.read { db in
            let statement = try db.cachedStatement(sql: "SELECT count(*) FROM consent WHERE person = ? AND state = 1")
            return try statement.fetchOne(Int.self, arguments: [Data(person.bytes)]) ?? 0
        }
    }

    /// The number of requests that wait for an operator, those that do not open among them.
    public func countAwaitingOperator() throws -> Int {
        try pool.read { try $0.fetchOne(Int.self, sql: "SELECT count(*) FROM consent WHERE state = 0") ?? 0 }
    }

    /// Entries that wait for an operator, the oldest first.
    public func consentsAwaitingOperator(_ count: Int = consentPageMax, now: Milliseconds) throws -> [WaitingConsent] {
        try pool.read { db in
            try db.fetchAll(
                sql: "SELECT \(Self.consentColumns) FROM consent WHERE state = 0 ORDER BY id LIMIT ?",
                arguments: [min(max(count, 1), Self.consentPageMax)]
            ).compactMap(listedConsent).filter { !$0.consent.isDue(at: now) }.map { stored in
                let request = stored.consent.request
                return WaitingConsent(
                    id: stored.consent.id, scope: request.scope, created: request.created,
                    asker: try unlessDamaged(.account, request.scope.asker.account) {
                        try accounts.account(request.scope.asker.account, db)
                    })
            }
        }
    }

    /// An asker's consents that give access, the newest first (CONS-15).
    public func runningConsents(askedBy reader: Reader, before: Int64? = nil, now: Milliseconds) throws -> ConsentPage<AskedConsent> {
        let found = try page("state = 2 AND asker = ?", reader.key, before: before) { stored, _ in
            AskedConsent(stored.consent, label: stored.label, now: now)
        }
        // Whose time is up is left out, however late the timer comes.
        return ConsentPage(items: found.items.filter(\.isRunning), next: found.next, unreadable: found.unreadable)
    }

    /// The grants of an asker at `now`: each running consent with its grant (CONS-15).
    public func grants(to reader: Reader, now: Milliseconds) throws -> [(consent: AskedConsent, grant: Grant)] {
        try pool.read { db in
            guard try !accounts.organisations.isSuspended(reader, db) else { return [] }
            return try db.fetchAll(
                sql: "SELECT \(Self.consentColumns) FROM consent WHERE asker = ? AND state = 2 ORDER BY id", arguments: [reader.key]
            ).compactMap { row in
                guard let stored = try listedConsent(row),
                    let grant = stored.consent.grant(to: reader, for: stored.consent.request.scope.service, at: now)
                else { return nil }
                return (AskedConsent(stored.consent, label: stored.label, now: now), grant)
            }
        }
    }

    private func page<Item>(
        _ condition: String, _ key: Data, before: Int64?, _ item: (StoredConsent, Connection) throws -> Item
    ) throws -> ConsentPage<Item> {
        try pool.read { db in
            let (stored, next, unreadable) = try rows(condition, key, before: before, db)
            return ConsentPage(items: try stored.map { try item($0, db) }, next: next, unreadable: unreadable)
        }
    }

    private func rows(
        _ condition: String, _ key: Data, before: Int64?, _ db: Connection
    ) throws -> (stored: [StoredConsent], next: Int64?, unreadable: Int) {
        let rows = try db.fetchAll(
            sql: "SELECT \(Self.consentColumns), id FROM consent WHERE \(condition) AND id < ? ORDER BY id DESC LIMIT ?",
            arguments: [key, before ?? .max, Self.consentPageMax + 1])
        var unreadable = 0
        let stored = try rows.prefix(Self.consentPageMax).compactMap { row in
            try listedConsent(row) {
                unreadable += 1
                return nil
            }
        }
        return (stored, rows.count > Self.consentPageMax ? rows[Self.consentPageMax - 1][5] : nil, unreadable)
    }
}
