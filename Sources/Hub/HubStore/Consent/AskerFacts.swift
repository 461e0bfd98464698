import Accounts
import Database
import Foundation
import Privacy
public import Vitals

/// What the hub knows of an organisation that asks or reads, as a person is told it (CONS-2).
public struct AskerFacts: Sendable, Hashable {
    /// What kind of organisation it says it is, by the name of the form's choice; empty for an account without one.
    public let kind: String
    /// With its country before it; empty where it has none.
    public let vat: String
    /// When an operator last looked at one of its requests and let it go, UTC milliseconds; nil where nobody has.
    public let checked: Milliseconds?
    /// It reads nothing while an operator holds it up.
    public let isSuspended: Bool
}

/// Who asks and reads, as people are told it.
struct AskerStore: SubjectStore {
    let accounts: AccountStore

    /// Of those who ask in a list, with one statement. Who is no organisation, one that left, and the hub's own services have none.
    func facts(of askers: some Sequence<Reader>, _ db: Connection) throws -> [Reader: AskerFacts] {
        let asking = Set(askers).filter { if case .organisation = $0 { true } else { false } }.sorted { $0.account < $1.account }
        guard !asking.isEmpty else { return [:] }
        let marks = asking.map { _ in "?" }.joined(separator: ", ")
        let rows = try db.fetchAll(
            sql: """
                SELECT account.*, suspension.since AS suspended_since,
                    (SELECT max(made) FROM approval WHERE asker IN (\(marks)) AND substr(asker, 2) = account.account) AS checked
                FROM account LEFT JOIN suspension ON suspension.account = account.id WHERE account.account IN (\(marks))
                """,
            arguments: Arguments(asking.map(\.key)) + Arguments(asking.map { Data($0.account.bytes) }))
        return try rows.reduce(into: [:]) { facts, row in
            guard let account = try accounts.listed(row) else { return }
            facts[.organisation(OrganisationID(account.id))] = AskerFacts(
                kind: account[.organisationKind],
                vat: account[.vatNumber].isEmpty ? "" : "\(account[.vatCountry]) \(account[.vatNumber])", checked: row["checked"],
                isSuspended: (row["suspended_since"] as Milliseconds?) != nil)
        }
    }

    /// The purpose of a published service in both languages (ACC-12): it is a translation of what was consented to, which never changes.
    func purposes(of scope: ConsentScope, _ db: Connection) throws -> [String: String] {
        guard let service = scope.service, BuiltInService(service) == nil,
            let shown = try unlessDamaged(.service, service, { try accounts.services.service(service, db) })?.shown,
            [shown.english.purpose, shown.italian.purpose].contains(scope.purpose)
        else { return [:] }
        return ["en": shown.english.purpose, "it": shown.italian.purpose]
    }

    /// Who reads, as the person's pages and ledger name them: a service by its name and its organisation's.
    func name(of scope: ConsentScope, _ db: Connection) throws -> String {
        guard let service = scope.service else { return try accounts.listedName(of: scope.asker.account, db) }
        if let own = BuiltInService(service) { return own.name }
        let listed = try unlessDamaged(.service, service) { try accounts.services.service(service, db) }
        guard let known = listed else { return try accounts.listedName(of: scope.asker.account, db) }
        return "\(known.shown?.name ?? "") (\(known.publisher))"
    }

    func standing(of asker: Reader, with person: PersonID, _ db: Connection) throws -> AskerStanding {
        let envelope = try db.fetchOne(
            Data.self, sql: "SELECT envelope FROM standing WHERE person = ? AND asker = ?", arguments: [Data(person.bytes), asker.key])
        return try envelope.flatMap { try standing($0, of: asker, with: person) } ?? AskerStanding()
    }

    func setStanding(_ standing: AskerStanding, of asker: Reader, with person: PersonID, _ db: Connection) throws {
        guard standing != AskerStanding() else {
            try db.execute(
                sql: "DELETE FROM standing WHERE person = ? AND asker = ?", arguments: [Data(person.bytes), asker.key])
            return
        }
        let envelope = try seal(standing, of: person, .standing, asker.place)
        try db.execute(
            sql: """
                INSERT INTO standing(asker, person, envelope) VALUES(?, ?, ?)
                ON CONFLICT(person, asker) DO UPDATE SET envelope = excluded.envelope
                """,
            arguments: [asker.key, Data(person.bytes), envelope])
    }

    /// A row that does not open may have been a block: it counts as one until the person lifts it. nil for a deleted person.
    func standing(_ envelope: Data, of asker: Reader, with person: PersonID) throws -> AskerStanding? {
        try unlessDamaged(.standing, Hexadecimal.string(asker.key)) {
            try open(AskerStanding.self, envelope, of: person, .standing, asker.place)
        } damaged: {
            .blocked
        }
    }
}

extension ConsentStore {
    var askers: AskerStore { AskerStore(accounts: accounts) }
}
