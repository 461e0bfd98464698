import Accounts
import Database
import Foundation
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct WebhookFeedTests {
    private func hook(_ asking: AskingFixture, _ name: String = "one", of organisation: OrganisationID? = nil) throws -> StoredWebhook {
        let organisation = organisation ?? OrganisationID(asking.clinic.id)
        return try #require(
            try asking.accounts.webhooks.addWebhook("https://\(name).example", secret: "s", to: organisation, now: 0))
    }

    private func waiting(_ asking: AskingFixture, now: Milliseconds) throws -> [String] {
        let webhooks = asking.accounts.webhooks
        let claimed = try webhooks.claimDeliveries(webhooks.dueWebhooks(9, now: now).map { ($0, 99) }, lease: 1, now: now)
        return claimed.flatMap(\.deliveries).map { String(decoding: $0.payload, as: UTF8.self) }
    }

    @Test(
        "CONS-5: every webhook of an organisation gets every consent of a person that runs, from its own place", arguments: Engine.allCases)
    func feeds(engine: Engine) throws {
        let asking = try AskingFixture(engine), webhooks = asking.accounts.webhooks
        let one = try asking.give(asking.scope()), two = try asking.give(asking.scope([.position]))
        _ = try (asking.ask(asking.scope([.event])), asking.give(asking.scope([.steps], reader: .caregiver(asking.boss.id))))
        #expect(try webhooks.fedToWebhooks([asking.person]).isEmpty && webhooks.peopleFedToWebhooks().isEmpty)
        let first = try hook(asking), second = try hook(asking, "two"), other = try asking.fixture.organisation("Other")
        _ = try hook(asking, "three", of: other)
        let feeds = try webhooks.webhookFeeds(of: [asking.person, asking.boss.id.person])
        #expect(feeds.map(\.consent) == [one, one, two, two] && feeds.map(\.webhook) == [first.id, second.id, first.id, second.id])
        #expect(feeds.allSatisfy { $0.cursor == nil && $0.told == nil && !$0.isBehind && !$0.isFull })
        #expect(
            try webhooks.fedToWebhooks([asking.person, asking.boss.id.person]) == [asking.person] && webhooks.fedToWebhooks([]).isEmpty)
        #expect(try webhooks.peopleFedToWebhooks() == [asking.person])
    }

    @Test("CONS-14: payloads and places move together; whoever comes with an old place moves nothing", arguments: Engine.allCases)
    func moves(engine: Engine) throws {
        let asking = try AskingFixture(engine), webhooks = asking.accounts.webhooks, id = try asking.give(asking.scope())
        _ = try hook(asking)
        let feed = try #require(try webhooks.webhookFeeds(of: [asking.person]).first)
        let batch = WebhookBatch(feed, person: asking.person, payloads: [Array("a".utf8), Array("b".utf8)], cursor: "1", told: "1")
        #expect(try webhooks.feedWebhooks([batch], now: 5) == 1 && webhooks.feedWebhooks([batch], now: 5) == 0)
        let moved = try #require(try webhooks.webhookFeeds(of: [asking.person]).first)
        #expect(moved.cursor == "1" && moved.told == "1")
        #expect(try waiting(asking, now: 5) == ["a", "b"])
        let next = WebhookBatch(moved, person: asking.person, payloads: [], cursor: "2", told: "1")
        #expect(try webhooks.feedWebhooks([next], now: 6) == 1)
        #expect(try asking.fixture.reopened().accounts.webhooks.webhookFeeds(of: [asking.person]).first?.cursor == "2")
        _ = try asking.consents.answerConsent(id, .revoke, by: asking.ada.id, now: 7)
        #expect(try webhooks.webhookFeeds(of: [asking.person]).isEmpty && webhooks.feedWebhooks([next], now: 8) == 0)
        #expect(try waiting(asking, now: 9) == [#"{"type":"ended","consent":"\#(id)"}"#], "what waited went, and the end is told")
    }

    @Test(
        "CONS-2, CONS-6: programs are told of a yes, of a no and of the end, of an organisation's own requests alone",
        arguments: Engine.allCases)
    func told(engine: Engine) throws {
        let asking = try AskingFixture(engine)
        _ = try hook(asking)
        let given = try asking.give(asking.scope())
        _ = try asking.consents.answerConsent(given, .revoke, by: asking.ada.id, now: 3)
        let asked = try asking.ask(asking.scope([.position]))
        _ = try asking.consents.answerConsent(asked, .deny, by: asking.ada.id, now: 5)
        _ = try asking.give(asking.scope([.steps], reader: .caregiver(asking.boss.id)))
        #expect(
            try waiting(asking, now: 9) == [
                #"{"type":"answered","consent":"\#(given)","state":"accepted"}"#, #"{"type":"ended","consent":"\#(given)"}"#,
                #"{"type":"answered","consent":"\#(asked)","state":"denied"}"#,
            ])
    }

    @Test("CONS-5: one feed whose consent is damaged moves nothing and is told; those beside it go on", arguments: Engine.allCases)
    func damaged(engine: Engine) throws {
        let asking = try AskingFixture(engine), webhooks = asking.accounts.webhooks
        let bad = try asking.give(asking.scope()), good = try asking.give(asking.scope([.position]))
        _ = try hook(asking)
        let batches = try webhooks.webhookFeeds(of: [asking.person]).map {
            WebhookBatch($0, person: asking.person, payloads: [Array("\($0.consent)".utf8)], cursor: "1", told: "1")
        }
        try asking.damage(bad)
        #expect(try batches.count == 2 && webhooks.feedWebhooks(batches, now: 5) == 1)
        #expect(try waiting(asking, now: 5) == ["\(good)"] && asking.fixture.keys.unreadable.rows == [UnreadableRow(.consent, bad)])
    }

    @Test("CONS-5: an organisation has eight webhooks, sees its own, and removes them with all that waits", arguments: Engine.allCases)
    func hooks(engine: Engine) throws {
        let asking = try AskingFixture(engine), webhooks = asking.accounts.webhooks, clinic = OrganisationID(asking.clinic.id)
        let other = try asking.fixture.organisation("Other"), first = try hook(asking, "0")
        for number in 1..<WebhookStore.webhooksMax { _ = try hook(asking, "\(number)") }
        #expect(try webhooks.addWebhook("https://more.example", secret: "s", to: clinic, now: 1) == nil)
        #expect(try webhooks.addWebhook("https://x.example", secret: "s", to: OrganisationID(asking.ada.id), now: 1) == nil)
        #expect(
            try webhooks.webhooks(of: clinic).map(\.url) == (0..<8).map { "https://\($0).example" } && webhooks.webhooks(of: other).isEmpty)
        _ = try webhooks.enqueue([1], to: first.id, about: nil, consent: nil, now: 1)
        #expect(try webhooks.webhook(first.id, of: clinic)?.waiting == 1 && webhooks.webhook(first.id, of: other) == nil)
        #expect(
            try webhooks.retryDeliveries(first.id, of: other, now: 2) == nil && webhooks.retryDeliveries(first.id, of: clinic, now: 2) == 1)
        #expect(try !webhooks.removeWebhook(first.id, of: other) && webhooks.removeWebhook(first.id, of: clinic))
        #expect(try !webhooks.removeWebhook(first.id, of: clinic) && asking.fixture.count("delivery") == 0)
        #expect(try webhooks.enqueue([1], to: first.id, about: nil, consent: nil, now: 3) == .gone)
    }

    @Test("CONS-5: a webhook with damaged details is told, and keeps the others on its organisation's list", arguments: Engine.allCases)
    func damagedDetails(engine: Engine) throws {
        let asking = try AskingFixture(engine), webhooks = asking.accounts.webhooks, clinic = OrganisationID(asking.clinic.id)
        let bad = try hook(asking, "bad"), good = try hook(asking, "good")
        try asking.fixture.damage("webhook", "details", where: "id = \(bad.row)")
        #expect(
            try webhooks.webhooks(of: clinic).map(\.id) == [good.id]
                && asking.fixture.keys.unreadable.rows == [UnreadableRow(.webhook, bad.row)])
        #expect(try webhooks.removeWebhook(bad.id, of: clinic), "its owner can still remove it")
        _ = try hook(asking, "another")
    }

    @Test(
        "CONS-5: a slow server is told behind, and what failed for too long is given up and can be tried again", arguments: Engine.allCases)
    func outcomes(engine: Engine) throws {
        let asking = try AskingFixture(engine), webhooks = asking.accounts.webhooks, clinic = OrganisationID(asking.clinic.id)
        // Before there is a webhook, which would be told of the yes first.
        _ = try asking.give(asking.scope())
        let hook = try hook(asking)
        for time in 1...4 as ClosedRange<Milliseconds> { _ = try webhooks.enqueue([1], to: hook.id, about: nil, consent: nil, now: time) }
        let due = try #require(try webhooks.dueWebhooks(9, now: 10).first)
        _ = try webhooks.claimDeliveries([(due, 9)], lease: 100, now: 10)
        let outcomes: [(number: Int64, outcome: DeliveryOutcome)] = [(1, .delivered), (2, .failed("500")), (3, .open), (4, .withdrawn)]
        #expect(try webhooks.settle([DeliveryOutcomes(due, outcomes: outcomes, due: 20)], oldest: 2, now: 11) == [1])
        let stored = try #require(try webhooks.webhook(hook.id, of: clinic))
        #expect(stored.failures == 1 && stored.error == "500" && stored.delivered == 11 && stored.waiting == 1 && stored.dead == 1)
        let dead = try webhooks.deadDeliveries(hook.id, of: clinic)
        #expect(dead.map(\.number) == [2] && dead[0].tries == 1 && dead[0].givenUp == 11 && dead[0].error == "500")
        #expect(try webhooks.webhookFeeds(of: [asking.person]).map(\.isBehind) == [true] && webhooks.dueWebhooks(9, now: 19).isEmpty)
        #expect(try webhooks.retryDeliveries(hook.id, of: clinic, now: 12) == 2 && webhooks.deadDeliveries(hook.id, of: clinic).isEmpty)
        #expect(try webhooks.dueWebhooks(9, now: 12).map(\.failures) == [1])
        let again = try #require(try webhooks.dueWebhooks(9, now: 12).first)
        let claimed = try webhooks.claimDeliveries([(again, 9)], lease: 100, now: 12)
        #expect(claimed.first?.deliveries.map(\.number) == [2, 3] && claimed.first?.deliveries.map(\.tries) == [2, 1])
        try webhooks.releaseDeliveries(now: 13)
        #expect(try webhooks.dueWebhooks(9, now: 13).count == 1, "a hub that was killed tries them again")
        try webhooks.settle([DeliveryOutcomes(again, outcomes: [(2, .delivered), (3, .delivered)], due: 14)], oldest: 0, now: 14)
        #expect(try webhooks.webhook(hook.id, of: clinic)?.failures == 0 && webhooks.dueWebhooks(9, now: 99).isEmpty)
    }
}
