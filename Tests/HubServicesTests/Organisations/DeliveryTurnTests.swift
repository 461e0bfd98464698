import Accounts
import HubStore
import TestSupport
import Testing
import Vitals

@testable import HubServices

struct DeliveryTurnTests {
    @Test("CONS-5: a turn has as many places as it can use: one for each consent, and no more than it may")
    func places() throws {
        let directory = try TemporaryDirectory(), hub = try HubDirectory(directory.url)
        let accounts = try AccountStore(hub, keys: KeyStore(hub, environment: [:]))
        let new = NewAccount(
            roles: [.organisation], details: [:], canonicalEmail: "office@example.org", canonicalIdentifier: nil, password: "",
            language: "en", accepted: [:])
        guard case .added(let account) = try accounts.addConfirmedAccount(new, now: 0) else { throw AccountFixture.NotMade() }
        let hook = try #require(
            try accounts.webhooks.addWebhook("https://hook.example", secret: "s", to: OrganisationID(account.id), now: 0))
        for consent in [ConsentID.random(), .random(), .random()] {
            for _ in 0..<3 { _ = try accounts.webhooks.enqueue([1], to: hook.id, about: nil, consent: consent, now: 0) }
        }
        let due = try accounts.webhooks.dueWebhooks(1, now: 0).map { (webhook: $0, count: 9) }
        let claimed = try #require(try accounts.webhooks.claimDeliveries(due, lease: 1, now: 0).first)
        #expect(claimed.deliveries.count == 9)
        #expect(DeliveryTurn(claimed, destination: "a", places: 64).places == 3)
        #expect(DeliveryTurn(claimed, destination: "a", places: 2).places == 2)
    }
}
