import Accounts
import Database
import Foundation
import TestSupport
import Testing
import Vitals

@testable import HubStore

/// One that is damaged, gone or long holds up no other.
struct WebhookDamageTests {
    private func hook(_ name: String, _ accounts: AccountStore) throws -> StoredWebhook {
        let new = NewAccount(
            roles: [.organisation], details: [:], canonicalEmail: "\(name)@example.org", canonicalIdentifier: nil, password: "",
            language: "en", accepted: [:])
        guard case .added(let account) = try accounts.addConfirmedAccount(new, now: 0) else { throw HubStoreError.unknownPerson("x") }
        return try #require(
            try accounts.webhooks.addWebhook("https://\(name).example", secret: "s", to: OrganisationID(account.id), now: 0))
    }

    private func run(_ sql: String, _ arguments: Arguments, _ accounts: AccountStore) throws {
        try accounts.pool.write { try $0.execute(sql: sql, arguments: arguments) }
    }

    private func numbers(_ claimed: [ClaimedDeliveries]) -> [WebhookID: [Int64]] {
        Dictionary(uniqueKeysWithValues: claimed.map { ($0.webhook.id, $0.deliveries.map(\.number)) })
    }

    @Test("CONS-5: a damaged delivery is given up, told and shown; those beside it and other webhooks' go on", arguments: Engine.allCases)
    func payload(_ engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts
        let one = try hook("one", accounts), other = try hook("other", accounts)
        for hook in [one, other] {
            for number in 1...3 { _ = try accounts.webhooks.enqueue([UInt8(number)], to: hook.id, about: nil, consent: nil, now: 0) }
        }
        try run("UPDATE delivery SET payload = x'00' WHERE webhook = ? AND number = 2", [one.row], accounts)
        var told: [DamagedWebhookData] = []
        let due = try accounts.webhooks.dueWebhooks(9, now: 1).map { ($0, 9) }
        let claimed = try accounts.webhooks.claimDeliveries(due, lease: 100, now: 1) { told.append($0) }
        #expect(numbers(claimed) == [one.id: [1, 3], other.id: [1, 2, 3]])
        guard case .delivery(one.id, number: 2, _)? = told.first, told.count == 1 else {
            Issue.record("\(told)")
            return
        }
        #expect(try accounts.webhooks.deadDeliveries(one.id, of: one.organisation).map(\.number) == [2])
        #expect(try accounts.webhooks.dueWebhooks(9, now: 99).isEmpty, "the others are on their way")
    }

    @Test("CONS-5: a webhook whose address is damaged is told and put aside for an hour; the others go on", arguments: Engine.allCases)
    func details(_ engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts
        let one = try hook("one", accounts), other = try hook("other", accounts)
        for hook in [one, other] { _ = try accounts.webhooks.enqueue([1], to: hook.id, about: nil, consent: nil, now: 0) }
        try run("UPDATE webhook SET details = x'00' WHERE id = ?", [one.row], accounts)
        var told: [DamagedWebhookData] = []
        for _ in 0..<3 { #expect(try accounts.webhooks.dueWebhooks(9, now: 1) { told.append($0) }.map(\.id) == [other.id]) }
        guard case .details(one.row, _)? = told.first, told.count == 1 else {
            Issue.record("\(told)")
            return
        }
        #expect(try accounts.webhooks.dueWebhooks(9, now: 3_600_001) { told.append($0) }.map(\.id) == [other.id])
        #expect(told.count == 2)
    }

    @Test(
        "CONS-5, DATA-10: while what could be read is on its way, nobody gets the webhook because the rest went with a person",
        arguments: Engine.allCases)
    func partly(_ engine: Engine) throws {
        let fixture = try HubFixture(engine), hook = try hook("one", fixture.accounts)
        var accounts = fixture.accounts
        let gone = try accounts.addPerson(name: "A", now: 0).id, stays = try accounts.addPerson(name: "B", now: 0).id
        for person in [gone, stays, stays] { _ = try accounts.webhooks.enqueue([1], to: hook.id, about: person, consent: nil, now: 0) }
        try fixture.keys.pool.write { db in
            try db.execute(sql: "DELETE FROM person_key WHERE person = ?", arguments: [Data(gone.bytes)])
            try db.execute(sql: "INSERT INTO deleted(person, deleted) VALUES(?, 0)", arguments: [Data(gone.bytes)])
        }
        accounts = try fixture.reopened().accounts
        let claimed = try accounts.webhooks.claimDeliveries(accounts.webhooks.dueWebhooks(9, now: 1).map { ($0, 9) }, lease: 100, now: 1)
        #expect(numbers(claimed) == [hook.id: [2, 3]])
        let state = try accounts.pool.read { try $0.fetchOne(sql: "SELECT leased, due FROM webhook")! }
        #expect(state["leased"] == true && state["due"] == 101)
        _ = try accounts.webhooks.retryDeliveries(hook.id, of: hook.organisation, now: 2)
        #expect(try accounts.webhooks.dueWebhooks(9, now: 100).isEmpty)
        #expect(try accounts.webhooks.webhook(hook.id, of: hook.organisation)?.waiting == 2)
    }

    @Test(
        "CONS-5: much that waits about one consent holds up nobody else's: a claim takes the first of each, in order",
        arguments: Engine.allCases)
    func backlog(_ engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts, hook = try hook("one", accounts)
        let long = ConsentID.random(), fresh = ConsentID.random()
        for _ in 1...50 { _ = try accounts.webhooks.enqueue([1], to: hook.id, about: nil, consent: long, now: 0) }
        for _ in 1...2 { _ = try accounts.webhooks.enqueue([1], to: hook.id, about: nil, consent: fresh, now: 0) }
        func claim(_ count: Int, now: Milliseconds) throws -> [Int64]? {
            numbers(
                try accounts.webhooks.claimDeliveries(accounts.webhooks.dueWebhooks(9, now: now).map { ($0, count) }, lease: 1, now: now))[
                    hook.id]
        }
        #expect(try claim(4, now: 1) == [1, 2, 51, 52])
        #expect(try claim(256, now: 2) == [1, 2, 3, 4, 5, 6, 7, 8, 51, 52])
        #expect(try claim(1, now: 3) == [1])
    }
}
