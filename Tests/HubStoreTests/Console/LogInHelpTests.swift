import Accounts
import Database
import Foundation
import TestSupport
import Testing
import Vitals

@testable import HubStore

/// Somebody who cannot log in, and an operator who helps.
private struct Helped {
    let fixture: HubFixture
    let ada: StoredAccount, boss: StoredAccount
    let audit: AuditLog

    var accounts: AccountStore { fixture.accounts }
    var store: LogInHelpStore { LogInHelpStore(fixture.accounts) }

    init(_ engine: Engine) throws {
        fixture = try HubFixture(engine)
        (ada, boss) = (try fixture.account("Ada"), try fixture.account("Boss", [.operator]))
        audit = try AuditLog(fixture.hub, accounts: fixture.accounts, environment: [:])
    }

    func mails() throws -> [String] {
        try accounts.notices.dueMails(99, lease: 0, now: .max / 2).filter { $0.account.id == ada.id }.map(\.kind)
    }

    func acts() throws -> [String] { try AuditSearch(audit).lines().reversed().map(\.action) }
}

@Suite struct LogInHelpTests {
    @Test(
        "OPS-1: a locked account has no session and begins none until it is unlocked, and its owner is told each time",
        arguments: Engine.allCases)
    func lock(engine: Engine) throws {
        let helped = try Helped(engine), ada = helped.ada, store = helped.store, boss = helped.boss.id
        #expect(try helped.fixture.session([1], of: ada) != nil && store.lockedSince(ada) == nil)
        #expect(try store.lock(ada, why: "A stolen telephone", by: boss, audit: helped.audit, now: 5))
        #expect(try helped.accounts.session([1], now: 6) == nil && store.lockedSince(ada) == 5)
        #expect(try helped.fixture.session([2], of: ada, now: 6) == nil, "whatever begins a session")
        #expect(try !store.lock(ada, why: "again", by: boss, audit: helped.audit, now: 7) && store.lockedSince(ada) == 5)
        #expect(try helped.fixture.session([3], of: helped.boss, now: 7) != nil, "nobody else is locked")
        #expect(try store.unlock(ada, why: "It was found", by: boss, audit: helped.audit, now: 8))
        #expect(try !store.unlock(ada, why: "again", by: boss, audit: helped.audit, now: 9))
        for hash in [1, 2] as [UInt8] { #expect(try helped.accounts.session([hash], now: 9) == nil, "what was ended stays so") }
        #expect(try helped.fixture.session([4], of: ada, now: 9) != nil)
        #expect(try helped.mails() == ["account.locked", "account.unlocked"])
        #expect(try helped.accounts.notices.notices(of: ada).map(\.name) == ["account.unlocked", "account.locked"])
        #expect(try helped.acts() == ["account.locked", "account.unlocked"])
        let done = try store.done(for: ada)
        #expect(done.map(\.act) == [.unlock, .lock] && done.map(\.time) == [8, 5] && done.allSatisfy { $0.by == boss })
        #expect(done.last?.proof == "A stolen telephone")
    }

    @Test(
        "OPS-1: a lost second factor is taken away with all recovery codes and sessions, and the owner is told", arguments: Engine.allCases)
    func factors(engine: Engine) throws {
        let helped = try Helped(engine), ada = helped.ada, factors = helped.accounts.factors
        func remove(now: Milliseconds) throws -> Bool {
            try helped.store.removeFactors(of: ada, proof: "Identity card", by: helped.boss.id, audit: helped.audit, now: now)
        }
        #expect(try !remove(now: 1), "there is none")
        let session = try #require(try helped.fixture.session([1], of: ada))
        _ = try factors.waitingOneTime([10], for: session, now: 1)
        #expect(try factors.confirmOneTime(step: 7, for: session, now: 1) && factors.setRecovery([[1], [2]], of: ada.row))
        let key = NewPasskey(
            credential: [9], publicKey: [4, 9], aaguid: [0], transports: ["usb"], isBackupEligible: false, isBackedUp: false, counter: 0,
            name: "Key")
        #expect(try factors.addPasskey(key, to: ada, now: 2))
        #expect(try remove(now: 3))
        let left = try factors.factors(of: ada)
        #expect(left.isEmpty && left.recovery.isEmpty)
        #expect(try helped.accounts.session([1], now: 4) == nil)
        #expect(try helped.mails() == ["account.factorsRemoved"] && helped.acts() == ["account.factors-removed"])
        #expect(try helped.accounts.notices.notices(of: ada).map(\.name) == ["account.factorsRemoved"])
        #expect(try helped.store.done(for: ada).map(\.proof) == ["Identity card"])
    }

    @Test("OPS-1: a link that is sent again works, and what operators did goes with the account", arguments: Engine.allCases)
    func resend(engine: Engine) throws {
        let helped = try Helped(engine), ada = helped.ada
        try helped.store.resend(
            "https://hub.example/reset/x", hash: [7], expires: 100, to: ada, by: helped.boss.id, audit: helped.audit, now: 10)
        #expect(try helped.accounts.account(ofLink: [7], .reset, now: 50)?.id == ada.id)
        #expect(try helped.accounts.account(ofLink: [7], .reset, now: 100) == nil)
        #expect(try helped.mails() == ["account.reset"] && helped.acts() == ["account.link-sent-again"])
        #expect(try helped.store.lock(ada, why: "x", by: helped.boss.id, audit: helped.audit, now: 11))
        #expect(try helped.fixture.count("log_in_help") == 2 && helped.fixture.count("account_lock") == 1)
        try helped.accounts.pool.write { try $0.execute(sql: "DELETE FROM account WHERE id = ?", arguments: [ada.row]) }
        #expect(try helped.fixture.count("log_in_help") == 0 && helped.fixture.count("account_lock") == 0)
    }
}
