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
}

extension ConsentStore {
    /// nil for who is no organisation, for one that left, and for the hub's own services.
    func facts(of asker: Reader, _ db: Connection) throws -> AskerFacts? {
        guard case .organisation = asker,
            let account = try unlessDamaged(.account, asker.account, { try accounts.account(asker.account, db) })
        else { return nil }
        let statement = try db.cachedStatement(sql: "SELECT max(made) FROM approval WHERE asker = ?")
        let checked = try statement.fetchOne(Milliseconds.self, arguments: [asker.key])
        return AskerFacts(
            kind: account[.organisationKind],
            vat: [account[.vatCountry], account[.vatNumber]].filter { !$0.isEmpty }.joined(separator: " "), checked: checked)
    }
}
