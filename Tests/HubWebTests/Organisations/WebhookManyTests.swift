import Foundation
import HubServices
import TestSupport
import Testing
import Vitals

@testable import HubStore

/// Many deliveries at once, with a real server.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct WebhookManyTests {
    /// What arrived, by consent, each delivery once.
    private func arrived(_ got: [HookServer.Got]) -> [Substring: [Int]] {
        var numbers: Set<String> = []
        let texts = got.filter { numbers.insert($0.header("TrackMe-Delivery") ?? "").inserted }.map {
            String(decoding: $0.body, as: UTF8.self)
        }
        let pairs = texts.compactMap { text -> (Substring, Int)? in
            let parts = text.split(separator: " ")
            return Int(parts[1]).map { (parts[0], $0) }
        }
        return Dictionary(grouping: pairs, by: \.0).mapValues { $0.map(\.1) }
    }

    @Test("CONS-5, CONS-14: a thousand subscriptions by one webhook are delivered side by side, those of each consent in order, none twice")
    func aThousand() async throws {
        let hub = try await HookFixture(), hook = try hub.hook(), consents = (0..<1000).map { _ in ConsentID.random() }
        hub.server.answer(.slow(50))
        try hub.enqueue(3, about: consents, to: hook)
        let start = ContinuousClock.now
        try await hub.serve(seconds: 120) { try hub.state(hook).waiting == 0 }
        let took = start.duration(to: .now)
        let arrived = arrived(hub.server.got)
        #expect(hub.server.got.count == 3000)
        #expect(arrived.count == 1000 && arrived.values.allSatisfy { $0 == [1, 2, 3] })
        #expect((9...64).contains(hub.server.openMax(at: "/in")), "\(hub.server.openMax(at: "/in"))")
        #expect(hub.server.connections <= 64)
        #expect(took < .seconds(60), "\(took)")
        try await hub.server.close()
    }

    @Test("CONS-5: a slow receiver with much to get has one delivery at a time and holds up no other")
    func slow() async throws {
        var hub = try await HookFixture()
        hub.resolve = { _ in [IPAddress("127.0.0.1")].compactMap { $0 } }
        let slow = try hub.hook("hook.test", path: "/slow"), fast = try hub.hook(path: "/fast"), fixture = hub
        fixture.server.answer(.slow(1200), at: "/slow")
        fixture.server.answer(.slow(50), at: "/fast")
        let consents = (0..<200).map { _ in ConsentID.random() }
        try fixture.enqueue(1, about: consents, to: slow)
        // Until it has shown how slow it is.
        try await fixture.serve { try fixture.state(slow).waiting < 200 }
        try fixture.enqueue(5, about: consents, to: fast)
        let before = fixture.server.got(at: "/slow").count
        try await fixture.serve { try fixture.state(fast).waiting == 0 }
        #expect(arrived(fixture.server.got(at: "/fast")).values.allSatisfy { $0 == [1, 2, 3, 4, 5] })
        #expect(fixture.server.openMax(at: "/slow") <= 2 && fixture.server.openMax(at: "/fast") > 8)
        #expect(fixture.server.got(at: "/slow").count - before <= 20)
        try await fixture.server.close()
    }

    @Test("CONS-5: a receiver that fails is asked once and then paused, with all that waits for it; another gets everything meanwhile")
    func failing() async throws {
        var hub = try await HookFixture()
        hub.resolve = { _ in [IPAddress("127.0.0.1")].compactMap { $0 } }
        let bad = try hub.hook("hook.test", path: "/bad"), good = try hub.hook(path: "/good"), fixture = hub
        fixture.server.answer(.status(500), at: "/bad")
        let consents = (0..<100).map { _ in ConsentID.random() }
        for hook in [bad, good] { try fixture.enqueue(2, about: consents, to: hook) }
        try await fixture.serve { try fixture.state(good).waiting == 0 && fixture.state(bad).failures > 0 }
        #expect(fixture.server.got(at: "/bad").count == 1)
        #expect(try fixture.state(bad).failures == 1 && fixture.state(bad).waiting == 200)
        fixture.server.answer(.status(204), at: "/bad")
        fixture.clock.advance(5000)
        try await fixture.serve { try fixture.state(bad).waiting == 0 }
        #expect(arrived(fixture.server.got(at: "/bad").dropFirst().map { $0 }).values.allSatisfy { $0 == [1, 2] })
        try await fixture.server.close()
    }

    @Test("CONS-5: one delivery among others that is refused once comes again at once, before what came after it, and nothing is lost")
    func hiccup() async throws {
        let hub = try await HookFixture(), hook = try hub.hook(), consents = (0..<50).map { _ in ConsentID.random() }
        try hub.enqueue(4, about: consents, to: hook)
        hub.server.refuseOnce([40, 90, 150])
        // The clock stands still: a pause would never end.
        try await hub.serve { try hub.state(hook).waiting == 0 }
        let taken = hub.server.got, arrived = arrived(taken)
        #expect(arrived.values.allSatisfy { $0.sorted() == [1, 2, 3, 4] })
        let again = Dictionary(grouping: taken, by: { $0.header("TrackMe-Delivery") ?? "" }).filter { $0.value.count > 1 }
        #expect(Set(again.keys) == ["40", "90", "150"])
        let last = Dictionary(taken.map { (String(decoding: $0.body, as: UTF8.self), $0.at) }, uniquingKeysWith: { $1 })
        for consent in consents {
            let times = (1...4).compactMap { last["\(consent) \($0)"] }
            #expect(times == times.sorted())
        }
        try await hub.server.close()
    }
}
