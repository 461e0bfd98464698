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

    /// nil for who is no organisation, for one that left, and for the hub's own services.
    func facts(of asker: Reader, _ db: Connection) throws -> AskerFacts? {
        guard case .organisation = asker,
            let account = try unlessDamaged(.account, asker.account, { try accounts.account(asker.account, db) })
        else { return nil }
        let statement = try db.cachedStatement(sql: "SELECT max(made) FROM approval WHERE asker = ?")
        let checked = try statement.fetchOne(Milliseconds.self, arguments: [asker.key])
        return AskerFacts(
            kind: account[.organisationKind],
            vat: account[.vatNumber].isEmpty ? "" : "\(account[.vatCountry]) \(account[.vatNumber])", checked: checked,
            isSuspended: try accounts.organisations.isSuspended(asker, db))
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
