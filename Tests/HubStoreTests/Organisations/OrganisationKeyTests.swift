import Accounts
import Database
import Foundation
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct OrganisationKeyTests {
    private func key(
        _ name: String, _ fixture: HubFixture, of organisation: OrganisationID, now: Milliseconds = 1
    ) throws -> OrganisationKey {
        let added = try fixture.accounts.organisations.addOrganisationKey(
            [4], thumbprint: "t-\(name)", name: name, to: organisation.account, now: now)
        guard case .added(let key) = added else { throw HubFixture.Taken() }
        return key
    }

    private func token(
        _ hash: UInt8, _ jti: String, _ fixture: HubFixture, key: OrganisationKey, of organisation: OrganisationID,
        expires: Milliseconds = 1000, now: Milliseconds = 2
    ) throws -> OrganisationStore.OrganisationTokenAdded {
        try fixture.accounts.organisations.addOrganisationToken(
            [hash], key: key.row, of: organisation.account, jti: jti, jtiExpires: 100, expires: expires, now: now)
    }

    @Test("CONS-12: five keys of an organisation are in use; its owner is told of each by mail", arguments: Engine.allCases)
    func keys(engine: Engine) throws {
        let fixture = try HubFixture(engine), organisations = fixture.accounts.organisations, clinic = try fixture.organisation()
        let first = try key("0", fixture, of: clinic)
        let known = try organisations.addOrganisationKey([4], thumbprint: "t-0", name: "again", to: clinic.account, now: 2)
        #expect(known == .known && first.thumbprint == "t-0" && first.publicKey == [4] && first.used == nil)
        for number in 1..<OrganisationStore.organisationKeysMax { _ = try key("\(number)", fixture, of: clinic) }
        #expect(try organisations.addOrganisationKey([4], thumbprint: "t-9", name: "9", to: clinic.account, now: 3) == .tooMany)
        #expect(try organisations.revokeOrganisationKey(first.row, of: clinic.account, now: 4))
        #expect(try !organisations.revokeOrganisationKey(first.row, of: clinic.account, now: 5))
        _ = try key("9", fixture, of: clinic)
        #expect(try organisations.organisationKeys(of: clinic.account).map(\.name) == ["0", "1", "2", "3", "4", "9"])
        #expect(try organisations.organisationKeys(of: clinic.account).map(\.revoked) == [4, nil, nil, nil, nil, nil])
        let mails = try fixture.accounts.notices.dueMails(99, lease: 0, now: 9)
        #expect(
            mails.filter { $0.kind == "organisation.keyAdded" }.count == 6
                && mails.filter { $0.kind == "organisation.keyRevoked" }.count == 1)
    }

    @Test("CONS-12: only a confirmed organisation has keys", arguments: Engine.allCases)
    func notAnOrganisation(engine: Engine) throws {
        let fixture = try HubFixture(engine), organisations = fixture.accounts.organisations, ada = try fixture.account("Ada")
        guard
            case .added(let waiting) = try fixture.accounts.addAccount(
                HubFixture.new("New", [.organisation]), linkHash: [1], linkExpires: 100, now: 0)
        else { throw HubFixture.Taken() }
        for account in [ada.id, waiting.id, .random()] {
            #expect(try organisations.addOrganisationKey([4], thumbprint: "t", name: "n", to: account, now: 1) == .notAnOrganisation)
            #expect(try organisations.organisationKeys(of: account).isEmpty && !organisations.revokeOrganisationKey(1, of: account, now: 1))
        }
    }

    @Test("CONS-12: an assertion gives one token, which works until it expires or its key is revoked", arguments: Engine.allCases)
    func tokens(engine: Engine) throws {
        let fixture = try HubFixture(engine), organisations = fixture.accounts.organisations, clinic = try fixture.organisation()
        let one = try key("one", fixture, of: clinic), two = try key("two", fixture, of: clinic)
        #expect(try token(1, "a", fixture, key: one, of: clinic) == .added && token(2, "a", fixture, key: two, of: clinic) == .replayed)
        #expect(try token(2, "b", fixture, key: two, of: clinic, now: 3) == .added)
        let found = try #require(try organisations.organisation(tokenHash: [1]))
        #expect(try found.organisation == clinic && found.expires == 1000 && organisations.organisation(tokenHash: [9]) == nil)
        #expect(try organisations.organisationKeys(of: clinic.account).map(\.used) == [2, 3])
        #expect(try token(3, "a", fixture, key: one, of: clinic, now: 100) == .added, "the assertion could not be used any more")
        #expect(try organisations.revokeOrganisationKey(one.row, of: clinic.account, now: 101))
        #expect(try organisations.organisation(tokenHash: [1]) == nil && organisations.organisation(tokenHash: [2])?.organisation == clinic)
        #expect(try token(4, "c", fixture, key: one, of: clinic, now: 102) == .refused)
    }

    @Test("CONS-12: a token is given for a key of one's own alone, and each organisation sees its own keys", arguments: Engine.allCases)
    func foreignKey(engine: Engine) throws {
        let fixture = try HubFixture(engine), organisations = fixture.accounts.organisations
        let clinic = try fixture.organisation(), other = try fixture.organisation("Other")
        let own = try key("own", fixture, of: clinic), foreign = try key("foreign", fixture, of: other)
        #expect(try token(1, "a", fixture, key: foreign, of: clinic) == .refused)
        #expect(try organisations.organisation(tokenHash: [1]) == nil && fixture.count("organisation_assertion") == 0)
        #expect(try organisations.organisationKeys(of: other.account).map(\.used) == [nil])
        #expect(try !organisations.revokeOrganisationKey(foreign.row, of: clinic.account, now: 3))
        #expect(try token(2, "b", fixture, key: own, of: clinic) == .added && token(3, "b", fixture, key: foreign, of: other) == .added)
        #expect(try organisations.organisation(tokenHash: [3])?.organisation == other)
    }

    @Test("CONS-12: a hundred tokens of a key are valid at once: the oldest go", arguments: Engine.allCases)
    func most(engine: Engine) throws {
        let fixture = try HubFixture(engine), organisations = fixture.accounts.organisations, clinic = try fixture.organisation()
        let one = try key("one", fixture, of: clinic)
        for number in 0..<UInt8(OrganisationStore.organisationTokensMax + 2) {
            #expect(try token(number, "\(number)", fixture, key: one, of: clinic, expires: 1000 + Milliseconds(number)) == .added)
        }
        #expect(try organisations.organisation(tokenHash: [0]) == nil && organisations.organisation(tokenHash: [1]) == nil)
        #expect(try organisations.organisation(tokenHash: [2]) != nil && fixture.count("organisation_token") == 100)
        #expect(try token(200, "late", fixture, key: one, of: clinic, expires: 9000, now: 2000) == .added)
        #expect(try fixture.count("organisation_token") == 1, "what expired is forgotten")
    }

    @Test("DATA-10: with a deleted organisation its keys and tokens go", arguments: Engine.allCases)
    func deleted(engine: Engine) throws {
        let fixture = try HubFixture(engine), clinic = try fixture.organisation(), one = try key("one", fixture, of: clinic)
        _ = try token(1, "a", fixture, key: one, of: clinic)
        try fixture.accounts.deletePerson(clinic.account.person, now: 3)
        try fixture.accounts.eraseRows(of: clinic.account.person)
        #expect(try fixture.accounts.organisations.organisation(tokenHash: [1]) == nil)
        #expect(try fixture.count("organisation_key") + fixture.count("organisation_token") + fixture.count("organisation_assertion") == 0)
    }
}
