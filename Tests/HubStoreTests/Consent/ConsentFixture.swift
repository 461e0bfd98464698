import Accounts
import Database
import Foundation
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubStore

/// A person, an organisation that may ask them, and an operator.
struct AskingFixture {
    let fixture: HubFixture
    let ada: StoredAccount
    let clinic: StoredAccount
    let boss: StoredAccount

    var accounts: AccountStore { fixture.accounts }
    var consents: ConsentStore { fixture.accounts.consents }
    var person: PersonID { ada.id.person }
    var reader: Reader { .organisation(OrganisationID(clinic.id)) }

    init(_ engine: Engine) throws {
        fixture = try HubFixture(engine)
        (ada, clinic) = (try fixture.account("Ada"), try fixture.account("Clinic", [.organisation]))
        boss = try fixture.account("Boss", [.operator])
    }

    func scope(
        _ kinds: Set<DataKind> = [.heartRate], _ purpose: String = "Study", term: ConsentTerm = .untilRevoked, reader: Reader? = nil,
        service: ServiceID? = nil
    ) throws -> ConsentScope {
        try ConsentScope(asker: reader ?? self.reader, service: service, kinds: kinds, purpose: purpose, term: term)
    }

    /// Asks, and finds out whom it reaches.
    func ask(
        _ scope: ConsentScope, email: String = "ada@example.org", parameters: ConsentParameters = .caregiver, now: Milliseconds = 0
    ) throws -> ConsentID {
        let request = ConsentRequest(whom: consents.whom(email: email), scope: scope, created: now)
        let id = try consents.ask(request, label: email, parameters: parameters).consent.id
        try consents.reachConsent(id, now: now)
        return id
    }

    func give(_ scope: ConsentScope, now: Milliseconds = 0) throws -> ConsentID {
        try consents.giveConsent(scope, of: person, by: ada.id, parameters: .caregiver, now: now).consent.id
    }

    func state(_ id: ConsentID) throws -> Consent.State? { try consents.consent(id)?.state }

    func notices(of account: StoredAccount) throws -> [NoticeKind?] { try accounts.notices.notices(of: account).map(\.kind) }

    /// Overwrites a consent's envelope.
    func damage(_ id: ConsentID) throws {
        try accounts.pool.write { db in
            try db.execute(
                sql: "UPDATE consent SET envelope = zeroblob(60), version = version + 1 WHERE consent = ?", arguments: [Data(id.bytes)])
        }
    }
}
