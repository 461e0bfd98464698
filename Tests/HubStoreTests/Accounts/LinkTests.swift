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
        #expect(try accounts.ledger.ledger(of: person).entries.map(\.what) == [.readByLink, .readByLink, .link(.made)])
        #expect(try accounts.ledger.ledger(of: person).entries.map(\.at) == [hour, 1, 0])
    }

    @Test(
        "DATA-12, CONS-7: a link to who has an account opens nothing before their yes; they are told, and end it",
        arguments: Engine.allCases)
    func asked(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts, links = accounts.links
        let ada = try fixture.account("Ada"), eve = try fixture.account("Eve"), person = ada.id.person
        let secret = try links.makeLink(to: person, asking: ada, now: 0)
        #expect(try accounts.notices.notices(of: ada).map(\.kind) == [.linkAsked])
        let waiting = try #require(try links.links(of: person, now: 1).first)
        #expect(waiting.state == .asked && waiting.until == LinkSession.linkLifetime)
        #expect(try links.personOfLink(secret, now: 1) == nil && links.redeemLink(secret, now: 1) == nil)
        // Nobody else's.
        #expect(try !links.allowLink(waiting.id, of: eve.id.person, by: eve.id, now: 1))
        #expect(try !links.endLink(waiting.id, of: eve.id.person, by: eve.id, now: 1))
        #expect(try links.allowLink(waiting.id, of: person, by: ada.id, now: 2))
        #expect(try !links.allowLink(waiting.id, of: person, by: ada.id, now: 2))
        #expect(try links.links(of: person, now: 3).map(\.state) == [.unopened] && links.personOfLink(secret, now: 3) == person)
        let session = try #require(try links.redeemLink(secret, now: 3)).session
        let grant = try #require(try links.linkSession(session)?.grant(at: 4))
        let open = try #require(try links.links(of: person, now: 4).first)
        #expect(open.state == .open && open.until == 3 + LinkSession.sessionLifetime)
        #expect(try accounts.reading(grant, now: 4) { true } == true)
        #expect(try links.endLink(open.id, of: person, by: ada.id, now: 5) && !links.endLink(open.id, of: person, by: ada.id, now: 5))
        #expect(try accounts.reading(grant, now: 6) { true } == nil && links.links(of: person, now: 6).isEmpty)
        #expect(try accounts.ledger.ledger(of: person).entries.map(\.what) == [.link(.ended), .link(.allowed), .link(.made)])
        // One that is ended before anybody opened it.
        let other = try links.makeLink(to: person, asking: ada, now: 7), last = try #require(try links.links(of: person, now: 8).first)
        #expect(try links.endLink(last.id, of: person, by: ada.id, now: 8) && links.personOfLink(other, now: 9) == nil)
    }
}
