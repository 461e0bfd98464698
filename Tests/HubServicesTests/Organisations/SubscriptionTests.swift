import Foundation
import HubServices
import HubStore
import Privacy
import SyncProtocol
import Synchronization
import TestSupport
import Testing
import Vitals

@Suite(.timeLimit(.minutes(2))) struct SubscriptionTests {
    /// A consent that runs, and a box that sends.
    struct Running {
        let hub: ConsentFixture
        let id: ConsentID
        let box: ServicesFixture.Box
        let stream = StreamID.random()

        init(kinds: Set<DataKind> = [.heartRate]) async throws {
            hub = try ConsentFixture()
            box = try await hub.hub.enrol()
            id = try await hub.accepted(kinds: kinds)
        }

        /// Sends segments; each has a heart rate that is its number, and a position. One request is one row of the journal.
        func send(_ numbers: ClosedRange<UInt64>, time: Milliseconds? = nil) async throws {
            let segments = numbers.map { hub.hub.segment($0, stream: stream, rate: $0 < 200 ? UInt16($0) : 100, time: time.map { $0 + 1 }) }
            let answer = try await hub.hub.send(segments, token: box.token)
            #expect(answer.streams.allSatisfy { ($0.refused ?? []).isEmpty && ($0.forked ?? []).isEmpty })
        }

        func deliveries(after cursor: SubscriptionCursor? = nil, of hub: ConsentFixture? = nil) throws -> Deliveries.Iterator {
            try #require(try (hub ?? self.hub).subscriptions.deliveries(of: id, to: self.hub.asker, after: cursor)).makeAsyncIterator()
        }
    }

    struct Ended: Error {}

    /// The rates of so many deliveries, and the cursor of the last one.
    static func take(_ count: Int, _ iterator: inout Deliveries.Iterator) async throws -> (rates: [Int], cursor: SubscriptionCursor?) {
        var rates: [Int] = [], last: SubscriptionCursor?
        while rates.count < count {
            guard case .samples(let arrival, let cursor) = try await iterator.next() else { throw Ended() }
            try #require(arrival.samples.positions.isEmpty && arrival.samples.clocks.isEmpty)
            (rates, last) = (rates + arrival.samples.heartRates.map { Int($0.beatsPerMinute) }, cursor)
        }
        return (rates, last)
    }

    @Test("CONS-5: what came since the consent, then live, of the granted kinds alone; back-dated samples by their arrival (DATA-14)")
    func live() async throws {
        let running = try await Running()
        try await running.send(60...62)
        var deliveries = try running.deliveries()
        #expect(try await Self.take(3, &deliveries).rates == [60, 61, 62])
        let sending = Task { try await running.send(63...63) }
        #expect(try await Self.take(1, &deliveries).rates == [63])
        try await sending.value
        try await running.send(64...64, time: running.hub.clock.now - 20 * hour)
        #expect(try await Self.take(1, &deliveries).rates == [64])
        #expect(try running.hub.consents.ledger(of: running.hub.person, for: running.hub.ada.id).entries.first?.what == .read)
    }

    @Test("CONS-14: what was received before the consent is no part of it")
    func before() async throws {
        let hub = try ConsentFixture(), box = try await hub.hub.enrol(), stream = StreamID.random()
        _ = try await hub.hub.send([hub.hub.segment(1, stream: stream, rate: 61)], token: box.token)
        hub.clock.advance(1000)
        let id = try await hub.accepted()
        _ = try await hub.hub.send([hub.hub.segment(2, stream: stream, rate: 62)], token: box.token)
        var deliveries = try #require(try hub.subscriptions.deliveries(of: id, to: hub.asker)).makeAsyncIterator()
        #expect(try await Self.take(1, &deliveries).rates == [62])
    }

    @Test("CONS-14: after a break at any point, within one commit too, and a restart: nothing twice, nothing left out")
    func catchUp() async throws {
        let running = try await Running()
        try await running.send(60...64)
        try await running.send(65...66)
        var cursor: SubscriptionCursor?, got: [Int] = []
        for round in 0..<7 {
            let hub = round == 3 ? try running.hub.restarted() : running.hub
            var deliveries = try running.deliveries(after: cursor, of: hub)
            let (rates, last) = try await Self.take(1, &deliveries)
            got += rates
            cursor = try SubscriptionCursor(#require(last).description)
        }
        #expect(got == Array(60...66))
        try await running.send(67...67)
        var deliveries = try running.deliveries(after: cursor)
        #expect(try await Self.take(1, &deliveries).rates == [67])
    }

    @Test(
        "CONS-14: what was merged meanwhile comes too, once, at a restarted hub as well; another hub's order says from when to read again")
    func merged() async throws {
        let running = try await Running(), hub = running.hub
        try await running.send(60...62)
        var deliveries = try running.deliveries()
        let (_, cursor) = try await Self.take(2, &deliveries)
        let (_, atEnd) = try await Self.take(1, &deliveries)
        try hub.hub.series.merger.merge(now: hub.clock.now)
        var idle = try running.deliveries(after: atEnd)
        try await running.send(63...63)
        #expect(try await Self.take(1, &idle).rates == [63])
        for again in [hub, try hub.restarted()] {
            var late = try running.deliveries(after: cursor, of: again)
            #expect(try await Self.take(2, &late).rates == [62, 63])
        }
        let order = ArrivalCursor(journal: 1, received: hub.clock.now)
        var foreign = try running.deliveries(after: .order(order, hub: .random()))
        guard case .startOver(from: 0, let next) = try await foreign.next() else {
            Issue.record("a place of another hub was taken for one's own")
            return
        }
        try await running.send(64...64)
        #expect(try await Self.take(1, &foreign).rates == [64])
        var later = try running.deliveries(after: next)
        #expect(try await Self.take(1, &later).rates == [64])
    }

    @Test("CONS-6: revoked in the middle of a stream: not one sample after the commit, and the stream ends soon")
    func revoked() async throws {
        let running = try await Running()
        let revoked = Mutex<ContinuousClock.Instant?>(nil), arrived = Mutex(0)
        let reading = Task {
            var deliveries = try running.deliveries(), before = 0, after = 0
            while true {
                // Asked first: only what is asked for after the commit must not come.
                let isRevoked = revoked.withLock { $0 != nil }
                switch try await deliveries.next() {
                case .samples:
                    arrived.withLock { $0 += 1 }
                    (before, after) = isRevoked ? (before, after + 1) : (before + 1, after)
                case .ended: return (before, after, ContinuousClock.now)
                default: throw Ended()
                }
            }
        }
        let sending = Task {
            for number in 60...5000 as ClosedRange<UInt64> where !Task.isCancelled { try await running.send(number...number) }
        }
        // The suite's time limit ends it.
        while arrived.withLock({ $0 }) < 3 { try await Task.sleep(for: .milliseconds(5)) }
        try running.hub.consents.answer(running.id, .revoke, by: running.hub.ada.id)
        revoked.withLock { $0 = .now }
        let (before, after, ended) = try await reading.value
        sending.cancel()
        try await sending.value
        #expect(before > 0)
        #expect(after == 0)
        #expect(try #require(revoked.withLock { $0 }).duration(to: ended) < .seconds(5))
        #expect(try running.hub.subscriptions.deliveries(of: running.id, to: running.hub.asker) == nil)
    }

    @Test("CONS-6: what was read before the revocation and not handed out yet is not handed out any more")
    func buffered() async throws {
        let running = try await Running()
        try await running.send(60...69)
        var deliveries = try running.deliveries()
        #expect(try await Self.take(2, &deliveries).rates == [60, 61])
        try running.hub.consents.answer(running.id, .revoke, by: running.hub.ada.id)
        #expect(try await deliveries.next() == .ended)
        #expect(try await deliveries.next() == nil)
    }

    @Test("CONS-5: time ends a subscription, and the asker does, and a stop of the hub ends the stream without ending the consent")
    func ends() async throws {
        let running = try await Running(), hub = running.hub
        var byHub = try running.deliveries()
        hub.hub.bus.close()
        #expect(try await byHub.next() == nil)
        var byTime = try running.deliveries(), other = try running.deliveries()
        hub.clock.advance(30 * day)
        #expect(try await byTime.next() == .ended)
        #expect(try await other.next() == .ended)
        let second = try await hub.accepted()
        var byAsker = try #require(try hub.subscriptions.deliveries(of: second, to: hub.asker)).makeAsyncIterator()
        try hub.consents.end(second, by: hub.asker)
        #expect(try await byAsker.next() == .ended)
    }

    @Test("CONS-1: what was asked for once is no subscription, and is over when it was delivered")
    func once() async throws {
        let hub = try ConsentFixture()
        let id = try await hub.accepted(term: .once)
        #expect(try hub.subscriptions.deliveries(of: id, to: hub.asker) == nil)
        #expect(try hub.consents.read(id, as: hub.asker, from: 0, to: 1) != nil)
        try hub.consents.delivered(id, to: hub.asker)
        #expect(try hub.consents.read(id, as: hub.asker, from: 0, to: 1) == nil)
    }

    @Test("CONS-14: a cursor reads as it was written, and nothing else does")
    func cursors() throws {
        let cursor = SubscriptionCursor.order(ArrivalCursor(journal: 12, part: 3, received: 99), hub: .random())
        #expect(SubscriptionCursor(cursor.description) == cursor)
        let sealed = SubscriptionCursor.sequences(sealed: Array(0...40))
        #expect(SubscriptionCursor(sealed.description) == sealed)
        for text in [
            "", "a", "1.2.3.4", "2.", "2.=", "2.A", "2.é", sealed.description + "=", cursor.description + ".1",
            cursor.description.replacing(".12.", with: ".-1."),
        ] {
            #expect(SubscriptionCursor(text) == nil)
        }
    }
}
