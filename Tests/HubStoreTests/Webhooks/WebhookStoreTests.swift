import Accounts
import Database
import Foundation
import TestSupport
import Testing
import Vitals

@testable import HubStore

struct WebhookStoreTests {
    private func hook(_ accounts: AccountStore) throws -> StoredWebhook {
        let new = NewAccount(
            roles: [.organisation], details: [:], canonicalEmail: "office@example.org", canonicalIdentifier: nil, password: "",
            language: "en", accepted: [:])
        guard case .added(let account) = try accounts.addConfirmedAccount(new, now: 0) else { throw HubStoreError.unknownPerson("x") }
        let made = try accounts.webhooks.addWebhook("https://hook.example", secret: "s", to: OrganisationID(account.id), now: 0)
        return try #require(made)
    }

    /// As another process does it.
    private func destroyKey(of person: PersonID, _ fixture: HubFixture) throws {
        try fixture.keys.pool.write { db in
            try db.execute(sql: "DELETE FROM person_key WHERE person = ?", arguments: [Data(person.bytes)])
            try db.execute(sql: "INSERT INTO deleted(person, deleted) VALUES(?, 0)", arguments: [Data(person.bytes)])
        }
    }

    @Test(
        "DATA-10: what waits for a webhook goes with its person's key, and holds nothing else up; so does the organisation's with its own",
        arguments: Engine.allCases)
    func erasure(_ engine: Engine) throws {
        let fixture = try HubFixture(engine)
        var accounts = fixture.accounts
        let hook = try hook(accounts)
        let gone = try accounts.addPerson(name: "A", now: 0).id, stays = try accounts.addPerson(name: "B", now: 0).id
        for person in [gone, stays] {
            _ = try accounts.webhooks.enqueue(Array("about".utf8), to: hook.id, about: person, consent: nil, now: 0)
        }
        try destroyKey(of: gone, fixture)
        accounts = try fixture.reopened().accounts
        #expect(try accounts.webhooks.claimDeliveries(9, lease: 9, now: 1).isEmpty)
        let claimed = try accounts.webhooks.claimDeliveries(9, lease: 9, now: 1)
        #expect(claimed.map(\.number) == [2] && claimed.first?.payload == Array("about".utf8))
        #expect(try accounts.webhooks.enqueue([1], to: hook.id, about: gone, consent: nil, now: 0) == .gone)
        try destroyKey(of: hook.organisation.account.person, fixture)
        accounts = try fixture.reopened().accounts
        #expect(try accounts.webhooks.claimDeliveries(9, lease: 9, now: 100).isEmpty)
        #expect(try accounts.webhooks.webhooks(of: hook.organisation).isEmpty)
        #expect(try accounts.webhooks.dueWebhooks(9, now: 100).isEmpty)
    }

    @Test(
        "CONS-6: in the transaction that ends a consent, all that rests on it leaves the queue, and nothing else",
        arguments: Engine.allCases)
    func consentEnds(_ engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts, hook = try hook(accounts)
        let ended = ConsentID.random(), other = ConsentID.random()
        for consent in [ended, other, ended] {
            _ = try accounts.webhooks.enqueue([1], to: hook.id, about: nil, consent: consent, now: 0)
        }
        try accounts.pool.write { try accounts.webhooks.endDeliveries(of: ended, $0) }
        let claimed = try accounts.webhooks.claimDeliveries(9, lease: 9, now: 1)
        #expect(claimed.map(\.consent) == [other])
        try accounts.webhooks.settle(.delivered, claimed[0], hook, now: 2)
        #expect(try accounts.webhooks.dueWebhooks(9, now: 100).isEmpty)
    }

    @Test("CONS-5: a full queue takes no more, counts what it left out, and goes on where it was", arguments: Engine.allCases)
    func full(_ engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts, hook = try hook(accounts)
        try accounts.pool.write { db in
            for number in 1...WebhookStore.deliveriesMax {
                let outcome = try accounts.webhooks.enqueue([1], to: hook.id, about: nil, consent: nil, now: 0, db)
                #expect(outcome == .queued(number))
            }
        }
        #expect(try accounts.webhooks.enqueue([1], to: hook.id, about: nil, consent: nil, now: 0) == .missed)
        #expect(try accounts.webhooks.webhook(hook.id, of: hook.organisation)?.missed == 1)
        let first = try #require(try accounts.webhooks.claimDeliveries(1, lease: 9, now: 1).first)
        try accounts.webhooks.settle(.delivered, first, hook, now: 1)
        #expect(
            try accounts.webhooks.enqueue([1], to: hook.id, about: nil, consent: nil, now: 0) == .queued(WebhookStore.deliveriesMax + 1))
        // After a day everything that waits is given up, in slices, and the newest of it stays to be seen.
        var givenUp = 0, slices = 0
        while let next = try accounts.webhooks.claimDeliveries(1, lease: 9, now: 10).first {
            givenUp += try accounts.webhooks.settle(.failed("no"), next, hook, now: 10)
            slices += 1
        }
        #expect(givenUp == WebhookStore.deliveriesMax && slices == 20)
        #expect(try accounts.webhooks.webhook(hook.id, of: hook.organisation)?.dead == WebhookStore.deadDeliveriesMax)
        #expect(
            try accounts.webhooks.deadDeliveries(hook.id, of: hook.organisation, count: 1).map(\.number) == [WebhookStore.deliveriesMax + 1]
        )
    }

    @Test(
        "CONS-5: outcomes of many deliveries share a commit: what was taken is gone, what failed comes first again, the rest waits behind it",
        arguments: Engine.allCases)
    func settled(_ engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts, hook = try hook(accounts)
        for number in 1...6 { _ = try accounts.webhooks.enqueue([UInt8(number)], to: hook.id, about: nil, consent: nil, now: 0) }
        let due = try #require(try accounts.webhooks.dueWebhooks(9, now: 0).first)
        let claimed = try #require(try accounts.webhooks.claimDeliveries([(due, 5)], lease: 100, now: 0).first)
        #expect(claimed.deliveries.map(\.number) == [1, 2, 3, 4, 5])
        #expect(try accounts.webhooks.claimDeliveries([(due, 5)], lease: 100, now: 1).isEmpty, "nobody else gets it meanwhile")
        let outcomes: [(Int64, DeliveryOutcome)] = [(1, .delivered), (2, .failed("no")), (3, .withdrawn), (4, .open), (5, .delivered)]
        try accounts.webhooks.settle([DeliveryOutcomes(due, outcomes: outcomes, due: 7)], oldest: -1, now: 5)
        #expect(try accounts.webhooks.dueWebhooks(9, now: 6).isEmpty)
        let again = try #require(try accounts.webhooks.dueWebhooks(9, now: 7).first)
        #expect(again.failures == 1)
        let rest = try #require(try accounts.webhooks.claimDeliveries([(again, 5)], lease: 100, now: 7).first)
        #expect(rest.deliveries.map(\.number) == [2, 4, 6] && rest.deliveries.map(\.tries) == [2, 1, 1])
        let state = try #require(try accounts.webhooks.webhook(hook.id, of: hook.organisation))
        #expect(state.error == "no" && state.delivered == 5 && state.waiting == 3)
    }

    @Test("CONS-5: one claim takes no more of large payloads than may be in memory, and one at least", arguments: Engine.allCases)
    func large(_ engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts, hook = try hook(accounts)
        let payload = [UInt8](repeating: 7, count: WebhookStore.deliveryBytesMax)
        for _ in 1...20 { _ = try accounts.webhooks.enqueue(payload, to: hook.id, about: nil, consent: nil, now: 0) }
        let due = try #require(try accounts.webhooks.dueWebhooks(9, now: 0).first)
        let claimed = try #require(try accounts.webhooks.claimDeliveries([(due, 16)], lease: 100, now: 0).first)
        #expect((1...4).contains(claimed.deliveries.count))
        #expect(try accounts.webhooks.claimDeliveries(1, lease: 1, now: 100).count == 1)
    }

    @Test("DATA-11: no address, secret, payload or name of a device lies in the database in the clear")
    func sealed() throws {
        let fixture = try HubFixture(.files), accounts = fixture.accounts, hook = try hook(accounts)
        let person = try accounts.addPerson(name: "A", now: 0).id
        _ = try accounts.devices.addDevice("Ada's telephone", .osmAnd, of: person, hash: [7], now: 0)
        _ = try accounts.webhooks.enqueue(Array("heart rate of Ada".utf8), to: hook.id, about: person, consent: nil, now: 0)
        #expect(try accounts.devices.devices(of: person).map(\.name) == ["Ada's telephone"])
        for name in ["accounts.sqlite", "accounts.sqlite-wal"] {
            let bytes = try Data(contentsOf: fixture.directory.url.appendingPathComponent(name))
            for text in ["Ada's telephone", "heart rate of Ada", "hook.example"] {
                #expect(bytes.range(of: Data(text.utf8)) == nil)
            }
        }
    }
}

extension WebhookStore {
    /// The first delivery of each of so many webhooks.
    fileprivate func claimDeliveries(_ count: Int, lease: Milliseconds, now: Milliseconds) throws -> [WebhookDelivery] {
        try claimDeliveries(dueWebhooks(count, now: now).map { ($0, 1) }, lease: lease, now: now).flatMap(\.deliveries)
    }

    /// - Returns: how many were given up.
    @discardableResult
    fileprivate func settle(
        _ outcome: DeliveryOutcome, _ delivery: WebhookDelivery, _ hook: StoredWebhook, now: Milliseconds
    ) throws -> Int {
        let webhook = DueWebhook(id: hook.id, organisation: hook.organisation, url: hook.url, secret: "", failures: 0, row: hook.row)
        return try settle([DeliveryOutcomes(webhook, outcomes: [(delivery.number, outcome)], due: now)], oldest: 0, now: now)[0]
    }
}
