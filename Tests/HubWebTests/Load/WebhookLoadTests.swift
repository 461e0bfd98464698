import Foundation
import HubServices
import Privacy
import Synchronization
import TestSupport
import Testing
import Vitals

@testable import HubStore
@testable import HubWeb

/// A thousand subscriptions of one organisation that has one webhook; printed and not judged, as ``LoadTests`` is.
@Suite(.serialized, .enabled(if: ProcessInfo.processInfo.environment["TRACKME_LOAD"] != nil))
struct WebhookLoadTests {
    @Test("CONS-5: 1,000 subscriptions by one webhook, 1,000 people sending: how old samples are when they arrive")
    func age() async throws {
        let server = try await HookServer()
        try await LoadTown.run(1000, outside: server.trust) { town in
            let organisation = OrganisationID(try town.organisation.id)
            _ = try town.consents(1000)
            let made = try town.web.hub.accounts.webhooks.addWebhook(
                "https://127.0.0.1:\(server.port)/in", secret: "secret", to: organisation, now: Cast.now)
            #expect(made != nil)
            let seen = LoadTests.Seen(), senders = Task { try await LoadTests.sending(town, people: 1000, seen) }
            try await Task.sleep(for: .seconds(LoadTests.seconds))
            let got = server.got, stored = seen.answered.withLock { $0 }
            senders.cancel()
            _ = await senders.result
            var ages = Times(), arrived: Set<Int32> = []
            for delivery in got {
                for mark in marks(delivery) where arrived.insert(mark).inserted {
                    if let stored = stored[mark] { ages.all.append((delivery.at - stored).milliseconds) }
                }
            }
            Told.line("from the answer to the webhook: \(ages.description); \(got.count) deliveries for \(stored.count) samples of a kind")
            Told.figure("webhook_from_answer_p99_ms", ages.quantile(0.99))
            Told.figure("webhook_deliveries_per_s", Double(got.count) / Double(LoadTests.seconds))
            Told.figure("webhook_samples_stored_per_s", Double(stored.count) / Double(LoadTests.seconds))
        }
        try await server.close()
    }

    private func marks(_ delivery: HookServer.Got) -> [Int32] {
        String(decoding: delivery.body, as: UTF8.self).components(separatedBy: "\"lat\":").dropFirst()
            .compactMap { Int32($0.prefix { $0 != "," && $0 != "}" }.filter { $0 != "." }) }
    }

    @Test("CONS-5: how many deliveries a second one webhook gets that has 8,000 waiting", arguments: [0, 20])
    func rate(delay: Int64) async throws {
        let hub = try await HookFixture(), hook = try hub.hook()
        if delay > 0 { hub.server.answer(.slow(delay)) }
        try hub.enqueue(8, about: (0..<1000).map { _ in ConsentID.random() }, to: hook)
        let start = ContinuousClock.now
        try await hub.serve(seconds: 300) { try hub.state(hook).waiting == 0 }
        let took = start.duration(to: .now).milliseconds / 1000
        Told.line("8,000 deliveries to a server that takes \(delay) ms: \(Times.text(took)) s")
        Told.figure("webhook_backlog_deliveries_per_s_\(delay)_ms", 8000 / took)
        try await hub.server.close()
    }
}
