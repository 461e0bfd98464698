import Accounts
import Database
import Foundation
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubStore

/// Somebody who lost a mailbox, and an operator.
private struct LostMailbox {
    let fixture: HubFixture
    let ada: StoredAccount, bea: StoredAccount, boss: StoredAccount

    var accounts: AccountStore { fixture.accounts }
    var store: AddressChangeStore { AddressChangeStore(fixture.accounts) }
    /// When it is due that was asked for at 10.
    static let due = 10 + AddressChangeStore.wait

    init(_ engine: Engine) throws {
        fixture = try HubFixture(engine)
        (ada, bea) = (try fixture.account("Ada"), try fixture.account("Bea"))
        boss = try fixture.account("Boss", [.operator])
    }

    /// The links' hashes are `number` and `number + 1`.
    func ask(_ address: String = "new@example.org", number: UInt8 = 1, now: Milliseconds = 10) throws {
        try store.ask(
            EmailAddress(address), for: ada, proof: "Identity card", by: boss.id, confirmation: ("c", [number]),
            stop: ("s", [number + 1]), now: now)
    }

    /// Mails about it, with where they go if that is not the account's address.
    func mails() throws -> Set<[String]> {
        let due = try accounts.notices.dueMails(99, lease: 0, now: .max / 2).filter { $0.account.id == ada.id }
        return Set(due.map { [$0.kind] + ($0.arguments[NoticeStore.deliverTo].map { [$0] } ?? []) })
    }

    func isTimed(at now: Milliseconds) throws -> Bool {
        try accounts.timers.dueTimers(9, lease: 0, now: now).contains { $0.kind == .addressChange && $0.subject == ada.id.bytes }
    }
}

@Suite struct AddressChangeTests {
    @Test(
        "ACC-8: a lost address is replaced after seven days, once the new mailbox was confirmed; every session ends, password and factor stay",
        arguments: Engine.allCases)
    func replaced(engine: Engine) throws {
        let lost = try LostMailbox(engine), accounts = lost.accounts, store = lost.store, due = LostMailbox.due
        let session = try #require(try lost.fixture.session([1], of: lost.ada))
        _ = try accounts.factors.waitingOneTime([10], for: session, now: 1)
        #expect(try accounts.factors.confirmOneTime(step: 7, for: session, now: 1))
        #expect(throws: AddressChangeProblem.taken) { try lost.ask("BEA@example.org") }
        try lost.ask()
        #expect(throws: AddressChangeProblem.waits) { try lost.ask("other@example.org", number: 5) }
        let waiting = try #require(try store.changes().first)
        #expect(waiting.account.id == lost.ada.id && waiting.address == "new@example.org" && waiting.proof == "Identity card")
        #expect(waiting.due == due && waiting.confirmed == nil)

        #expect(try lost.isTimed(at: due) && !store.pass(lost.ada.id, now: due), "the new mailbox is not confirmed")
        #expect(try !store.confirm([9], now: 20) && store.confirm([1], now: 20))
        #expect(try store.change(of: lost.ada)?.confirmed == 20 && !store.pass(lost.ada.id, now: due - 1))
        #expect(try !lost.isTimed(at: due - 1) && lost.isTimed(at: due))
        #expect(try accounts.session([1], now: due - 1) != nil && accounts.account(email: "new@example.org") == nil)
        #expect(try store.pass(lost.ada.id, now: due) && !store.pass(lost.ada.id, now: due))
        let changed = try #require(try accounts.account(email: "new@example.org"))
        #expect(changed.id == lost.ada.id && changed.email == "new@example.org" && changed.password == lost.ada.password)
        #expect(try accounts.account(email: "ada@example.org") == nil && accounts.session([1], now: due) == nil)
        #expect(try accounts.factors.factors(of: changed).oneTime?.secret == [10])
        #expect(try !lost.isTimed(at: .max / 2) && store.changes().isEmpty)
        let told: Set<[String]> = [
            ["address.asked"], ["address.confirm", "new@example.org"], ["address.changed"], ["address.changed", "ada@example.org"],
        ]
        #expect(try lost.mails() == told)
        #expect(try lost.fixture.reopened().accounts.account(email: "new@example.org")?.id == lost.ada.id)
    }

    @Test(
        "ACC-8: that an address is replaced stands on the owner's pages and boxes, and whoever looks after them is told; the owner stops it",
        arguments: Engine.allCases)
    func stopped(engine: Engine) throws {
        let lost = try LostMailbox(engine), notices = lost.accounts.notices, store = lost.store
        let scope = try ConsentScope(asker: .caregiver(lost.bea.id), kinds: [.heartRate], purpose: "Care", term: .untilRevoked)
        _ = try lost.accounts.consents.giveConsent(
            scope, of: lost.ada.id.person, by: lost.ada.id, parameters: .caregiver, now: 5)
        func boxSays() throws -> Int { try notices.questionsForBox(of: [lost.ada.id.person]) }
        #expect(try boxSays() == 0)
        try lost.ask()
        #expect(try boxSays() == 1 && notices.notices(of: lost.ada).contains { $0.kind == .addressAsked })
        #expect(try notices.notices(of: lost.bea).contains { $0.kind == .addressWard && $0.arguments["person"] == lost.ada.name })
        #expect(try store.account(ofStop: [2])?.id == lost.ada.id && store.account(ofStop: [1]) == nil)
        #expect(try store.stop(lost.ada.id, now: 30) && !store.stop(lost.ada.id, now: 31))
        #expect(try boxSays() == 0 && !store.confirm([1], now: 32) && !lost.isTimed(at: .max / 2))
        #expect(try lost.mails().isSuperset(of: [["address.stopped"], ["address.stopped", "new@example.org"]]))
        #expect(try !store.pass(lost.ada.id, now: .max / 2) && lost.accounts.account(email: "ada@example.org")?.id == lost.ada.id)
    }

    @Test("ACC-8: what nobody confirms is forgotten after thirty days, and an address that somebody has by then is left to them")
    func lapses() throws {
        let lost = try LostMailbox(.files), store = lost.store
        try lost.ask()
        let end = 10 + AddressChangeStore.lifetime
        #expect(try !store.pass(lost.ada.id, now: LostMailbox.due) && !lost.isTimed(at: end - 1) && lost.isTimed(at: end))
        #expect(try !store.pass(lost.ada.id, now: end) && store.changes().isEmpty)
        try lost.ask("cleo@example.org", number: 3)
        try lost.fixture.account("Cleo")
        #expect(try store.confirm([3], now: 20) && !store.pass(lost.ada.id, now: LostMailbox.due) && store.changes().isEmpty)
        #expect(try lost.accounts.account(email: "ada@example.org")?.id == lost.ada.id)
    }
}
