import Accounts
import Database
import Foundation
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct PasswordTests {
    @Test("ACC-7: a mailed link sets a password once, in its time, and ends every session", arguments: Engine.allCases)
    func reset(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts, ada = try fixture.account("Ada"),
            bob = try fixture.account("Bob")
        try accounts.addLink([1], .reset, of: ada.row, expires: 100)
        try accounts.addLink([2], .reset, of: ada.row, expires: 200)
        try accounts.addLink([3], .confirmation, of: ada.row, expires: 200)
        _ = try (fixture.session([7], of: ada), fixture.session([8], of: bob))
        #expect(try accounts.account(ofLink: [1], .reset, now: 99)?.id == ada.id)
        #expect(try accounts.account(ofLink: [1], .reset, now: 100) == nil && accounts.account(ofLink: [3], .reset, now: 1) == nil)
        #expect(try accounts.resetPassword("new", linkHash: [3], now: 1) == nil, "a link is good for what it was mailed for")
        #expect(try accounts.resetPassword("new", linkHash: [1], now: 100) == nil)
        #expect(try accounts.resetPassword("new", linkHash: [2], now: 100)?.password == "new")
        #expect(try accounts.session([7], now: 101) == nil && accounts.session([8], now: 101) != nil)
        #expect(try accounts.resetPassword("other", linkHash: [1], now: 1) == nil, "the other link went with it")
        #expect(try accounts.account(ada.id)?.password == "new" && accounts.account(bob.id)?.password == "hash of Bob")
    }

    @Test("ACC-7: whoever resets a password has the mailbox, which confirms the account", arguments: Engine.allCases)
    func resetConfirms(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts
        guard case .added(let ada) = try accounts.addAccount(HubFixture.new("Ada"), linkHash: [1], linkExpires: 100, now: 0) else {
            throw HubFixture.Taken()
        }
        try accounts.addLink([2], .reset, of: ada.row, expires: 100)
        #expect(try accounts.resetPassword("new", linkHash: [2], now: 50)?.confirmed == 50)
        #expect(try accounts.person(ada.id.person)?.name == "Ada Invented")
        // The mail of the confirmation changes nothing any more.
        #expect(try accounts.confirm(linkHash: [1], now: 60) == ada.id)
        #expect(try accounts.account(ada.id)?.confirmed == 50)
    }

    @Test("ACC-8: another password ends every session but the one that set it, and voids the links", arguments: Engine.allCases)
    func change(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts, ada = try fixture.account("Ada")
        for hash in [7, 8, 9] as [UInt8] { _ = try fixture.session([hash], of: ada) }
        try accounts.addLink([1], .reset, of: ada.row, expires: 100)
        try accounts.addLink([2], .handOver, of: ada.row, expires: 100)
        try accounts.changePassword("new", of: ada.row, keeping: [8])
        #expect(try accounts.sessions(of: ada.row, now: 1).map(\.hash) == [[8]])
        #expect(try accounts.account(ofLink: [1], .reset, now: 1) == nil && accounts.account(ofLink: [2], .handOver, now: 1) != nil)
        try accounts.changePassword("newer", of: ada.row, keeping: nil)
        #expect(try accounts.sessions(of: ada.row, now: 1).isEmpty && accounts.account(ada.id)?.password == "newer")
        try accounts.upgradePassword("stronger", of: ada.row)
        #expect(try accounts.account(ada.id)?.password == "stronger")
    }

    @Test(
        "ACC-15: browsers whose session nobody can end any more go with the password; one with a session goes with that",
        arguments: Engine.allCases)
    func browsers(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts, ada = try fixture.account("Ada")
        func browser(_ name: String) -> PushAddress {
            PushAddress(endpoint: "https://push.example/\(name)", publicKey: [1], secret: [2], name: name)
        }
        _ = try (fixture.session([7], of: ada), fixture.session([8], of: ada))
        try accounts.pushes.addPushDevice(browser("one"), to: ada, session: [7], now: 0)
        try accounts.pushes.addPushDevice(browser("two"), to: ada, session: [8], now: 0)
        try accounts.pushes.addPushDevice(browser("none"), to: ada, now: 0)
        try accounts.changePassword("new", of: ada.row, keeping: [7])
        #expect(try accounts.pushes.pushDevices(of: ada).map(\.address.name) == ["one"])
    }

    @Test("ACC-6: a link is asked for again no sooner than allowed", arguments: Engine.allCases)
    func links(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts, ada = try fixture.account("Ada")
        let lifetime: Milliseconds = 1000
        try accounts.addLink([1], .reset, of: ada.row, expires: 500 + lifetime)
        #expect(try accounts.hasLink(.reset, of: ada.row, madeAfter: 499, lifetime: lifetime))
        #expect(try !accounts.hasLink(.reset, of: ada.row, madeAfter: 500, lifetime: lifetime))
        #expect(try !accounts.hasLink(.confirmation, of: ada.row, madeAfter: 0, lifetime: lifetime))
        try accounts.forgetUnconfirmedAccounts(before: 0, now: 500 + lifetime)
        #expect(try fixture.count("mail_link") == 0)
    }
}
