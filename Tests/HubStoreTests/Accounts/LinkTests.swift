import Database
import Foundation
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct LinkTests {
    @Test("DATA-11: a link to a live page opens it once, and its session reads until it is ended", arguments: Engine.allCases)
    func redeem(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts, links = accounts.links
        let person = try accounts.addPerson(name: "Ada", now: 0).id, secret = try links.makeLink(to: person, now: 0)
        #expect(try links.personOfLink(secret, now: 1) == person && links.personOfLink("other", now: 1) == nil)
        let redeemed = try #require(try links.redeemLink(secret, now: 1))
        #expect(redeemed.person == person)
        #expect(try links.redeemLink(secret, now: 1) == nil && links.personOfLink(secret, now: 1) == nil)
        let session = try #require(try links.linkSession(redeemed.session)), grant = try #require(session.grant(at: 2))
        #expect(try links.linkSession(secret) == nil && accounts.reading(grant, now: 2) { true } == true)
        try links.revokeLinkSession(session.hash, now: 3)
        #expect(try accounts.reading(grant, now: 4) { true } == nil && links.linkSession(redeemed.session)?.revoked == true)
    }

    @Test("DATA-11: a link that nobody opened in its time opens nothing, and a session ends by itself", arguments: Engine.allCases)
    func expiry(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts, links = accounts.links
        let person = try accounts.addPerson(name: "Ada", now: 0).id, secret = try links.makeLink(to: person, now: 0)
        let end = LinkSession.linkLifetime
        #expect(try links.personOfLink(secret, now: end - 1) == person && links.personOfLink(secret, now: end) == nil)
        #expect(try links.redeemLink(secret, now: end) == nil)
        let redeemed = try #require(try links.redeemLink(secret, now: end - 1))
        let session = try #require(try links.linkSession(redeemed.session)), over = end - 1 + LinkSession.sessionLifetime
        let grant = try #require(session.grant(at: over - 1))
        #expect(try accounts.reading(grant, now: over - 1) { true } == true && accounts.reading(grant, now: over) { true } == nil)
        // Also after a restart.
        #expect(try fixture.reopened().accounts.links.linkSession(redeemed.session)?.person == person)
    }

    @Test("DATA-12: a read by a link stands in the ledger, once an hour", arguments: Engine.allCases)
    func recorded(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts, person = try fixture.account("Ada").id.person
        let redeemed = try #require(try accounts.links.redeemLink(accounts.links.makeLink(to: person, now: 0), now: 0))
        let grant = try #require(try accounts.links.linkSession(redeemed.session)?.grant(at: 1))
        for time in [1, 2, hour - 1, hour, hour + 1] { try accounts.ledger.recordRead(grant, now: time) }
        #expect(try accounts.ledger.ledger(of: person).entries.map(\.what) == [.readByLink, .readByLink])
        #expect(try accounts.ledger.ledger(of: person).entries.map(\.at) == [hour, 1])
    }
}
