import Foundation
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubServices
@testable import HubStore

@Suite(.serialized, .timeLimit(.minutes(3)))
struct WebhookFeedTests {
    @Test(
        "CONS-5, CONS-14: what is stored for a consent reaches the webhook: all since the consent, of the granted kinds, each with its place"
    )
    func fed() async throws {
        let hub = try await FeedFixture()
        try await hub.store(1...2)
        let id = try await hub.accepted(), hook = try hub.hook()
        try await hub.store(3...5)
        try await hub.serve { try hub.latitudes().count == 3 }
        #expect(try hub.latitudes() == [3, 4, 5])
        let first = try #require(try hub.payloads().first)
        #expect(first.type == "samples")
        #expect(first.consent == id.description)
        #expect(first.after == nil)
        let cursor = try #require(first.cursor.flatMap(SubscriptionCursor.init))
        // The place is good for the stream too: nothing is behind it.
        let stream = Subscriptions(accounts: hub.run.accounts, arrivals: hub.run.series.arrivals, bus: hub.run.bus, time: hub.run.time)
        var deliveries = try #require(
            try stream.deliveries(of: id, to: .organisation(OrganisationID(hub.hospital.id)), after: cursor)
        ).makeAsyncIterator()
        try await hub.store(6...6)
        guard case .samples(let arrival, _) = try await deliveries.next() else {
            Issue.record("the stream did not go on behind the webhook's place")
            return
        }
        #expect(arrival.samples.positions.map(\.latitude) == [60_000_000])
        try await hub.serve { try hub.latitudes().count == 4 && hub.state(hook).waiting == 0 }
        let all = try hub.payloads()
        #expect(all.dropFirst().map(\.after) == all.dropLast().map(\.cursor))
        let ledger = try hub.run.consents.ledger(of: hub.ada.id.person, for: hub.ada.id)
        #expect(ledger.entries.first?.what == .read)
        try await hub.server.close()
    }

    @Test("CONS-5, CONS-14: of all who send only those are looked at whose data goes to a webhook, from the moment on that it does")
    func whose() async throws {
        let hub = try await FeedFixture(), accounts = hub.run.accounts, ada = hub.ada.id.person
        let senders = [try accounts.addPerson(name: "B", now: 0).id, ada]
        #expect(try accounts.webhooks.fedToWebhooks(senders).isEmpty)
        let first = try await hub.accepted()
        #expect(try accounts.webhooks.fedToWebhooks(senders).isEmpty)
        _ = try hub.hook()
        #expect(try accounts.webhooks.fedToWebhooks(senders) == [ada])
        #expect(try Set(accounts.webhooks.peopleFedToWebhooks()) == [ada])
        try hub.run.consents.answer(first, .revoke, by: hub.ada.id)
        #expect(try accounts.webhooks.fedToWebhooks(senders).isEmpty)
        #expect(try accounts.webhooks.fedToWebhooks([]).isEmpty)
        try await hub.server.close()
    }

    @Test("CONS-5: whoever arrives is named once, however often, also where nobody looks for long")
    func arrivals() async {
        let queue = ArrivalQueue(), people = (0..<5000).map { _ in PersonID.random() }
        for round in 0..<5 { queue.note(round < 3 ? people : Array(people.prefix(10))) }
        #expect(queue.take() == Set(people))
        #expect(queue.take().isEmpty)
        queue.note(people.suffix(2))
        #expect(queue.take() == Set(people.suffix(2)))
    }

    @Test("CONS-14: a hub that is killed between any two steps queues and delivers nothing twice and leaves nothing out")
    func killed() async throws {
        var hub = try await FeedFixture()
        _ = try await hub.accepted()
        _ = try hub.hook()
        var next = 1
        for round in 0..<7 {
            try await hub.store(next...next + 2)
            next += 3
            let fixture = hub
            switch round % 3 {
            // Stored, and killed before anything was queued.
            case 0: break
            // Queued, and killed before it left.
            case 1:
                let feeder = WebhookFeeder(
                    accounts: fixture.run.accounts, arrivals: fixture.run.series.arrivals, bus: fixture.run.bus, logger: fixture.run.logger,
                    time: fixture.run.time)
                feeder.sweep(isBehindToo: true)
                _ = try fixture.run.accounts.webhooks.claimDeliveries(9, lease: 1000, now: fixture.clock.now)
            default: try await fixture.serve { try fixture.latitudes().count == next - 1 }
            }
            try hub.restart()
        }
        let fixture = hub
        try await fixture.serve { try fixture.latitudes().count == next - 1 }
        #expect(try fixture.latitudes() == Array(1..<next))
        try await fixture.server.close()
    }

    @Test("CONS-6: revoked with deliveries waiting: none leaves, the program is told that it is over, and nothing is queued any more")
    func revoked() async throws {
        let hub = try await FeedFixture()
        let id = try await hub.accepted(), hook = try hub.hook()
        hub.server.answer(.status(503))
        try await hub.store(1...3)
        try await hub.serve { try hub.state(hook).failures > 0 }
        let tried = hub.server.got.count
        try hub.run.consents.answer(id, .revoke, by: hub.ada.id)
        // With its commit, and not only when it would leave.
        #expect(try hub.state(hook).waiting == 1)
        hub.server.answer(.status(204))
        try await hub.store(4...5)
        hub.clock.advance(3_600_000)
        try await hub.serve { try hub.state(hook).waiting == 0 }
        let late = hub.server.got.dropFirst(tried).map { String(decoding: $0.body, as: UTF8.self) }
        #expect(late == ["{\"type\":\"ended\",\"consent\":\"\(id)\"}"])
        try await hub.server.close()
    }

    @Test("CONS-5: a consent whose time is over delivers nothing more, also when its timer did not come round yet")
    func expired() async throws {
        let hub = try await FeedFixture()
        _ = try await hub.accepted(term: .lasting(86_400_000))
        let hook = try hub.hook()
        hub.server.answer(.status(503))
        try await hub.store(1...2)
        try await hub.serve { try hub.state(hook).failures > 0 }
        let tried = hub.server.got.count
        hub.clock.advance(86_400_000)
        hub.server.answer(.status(204))
        try await hub.store(3...3)
        try await hub.serve { try hub.state(hook).waiting == 0 }
        #expect(hub.server.got.count == tried)
        try await hub.server.close()
    }

    @Test("CONS-14: after an outage all of it comes, in order and in fewer deliveries; who asked for once gets nothing by itself")
    func outage() async throws {
        let hub = try await FeedFixture()
        _ = try await hub.accepted()
        _ = try await hub.accepted(term: .once, kinds: [.event])
        let hook = try hub.hook()
        hub.server.answer(.status(503))
        try await hub.store(1...1)
        try await hub.serve { try hub.state(hook).failures > 0 }
        try await hub.store(2...40)
        hub.server.answer(.status(204))
        hub.clock.advance(60_000)
        try await hub.serve { try hub.latitudes().count == 40 }
        #expect(try hub.latitudes() == Array(1...40))
        #expect(try hub.payloads().count < 10)
        try await hub.server.close()
    }

    @Test(
        "CONS-14: what was given up after a day stays visible, and the next delivery shows that something lacks, and from where it can be read"
    )
    func givenUp() async throws {
        let hub = try await FeedFixture()
        let id = try await hub.accepted(), hook = try hub.hook()
        try await hub.store(1...1)
        try await hub.serve { try hub.latitudes() == [1] }
        hub.server.answer(.status(503))
        try await hub.store(2...3)
        try await hub.serve { try hub.state(hook).failures > 0 }
        hub.clock.advance(86_400_000)
        try await hub.serve { try hub.state(hook).dead > 0 }
        hub.server.answer(.status(204))
        hub.clock.advance(3_600_000)
        try await hub.store(4...4)
        try await hub.serve { try hub.latitudes().contains(4) }
        let got = try hub.payloads().filter { $0.consent == id.description }
        let last = try #require(got.last), lastSeen = try #require(got.first?.cursor)
        #expect(last.after != lastSeen)
        let reader = Reader.organisation(OrganisationID(hub.hospital.id))
        let stream = Subscriptions(accounts: hub.run.accounts, arrivals: hub.run.series.arrivals, bus: hub.run.bus, time: hub.run.time)
        var missed = try #require(
            try stream.deliveries(of: id, to: reader, after: SubscriptionCursor(lastSeen))
        ).makeAsyncIterator()
        guard case .samples(let arrival, _) = try await missed.next() else {
            Issue.record("the stream does not give what the webhook missed")
            return
        }
        #expect(arrival.samples.positions.map(\.latitude) == [20_000_000])
        #expect(try hub.run.accounts.webhooks.deadDeliveries(hook.id, of: OrganisationID(hub.hospital.id)).count > 0)
        try await hub.server.close()
    }

    @Test("CONS-14: what was merged before it was queued goes out too, once, and a new webhook begins with the consent")
    func merged() async throws {
        let hub = try await FeedFixture()
        _ = try await hub.accepted()
        try await hub.store(1...2)
        hub.clock.advance(3_600_000)
        try hub.run.series.merger.merge(now: hub.clock.now)
        let first = try hub.hook()
        try await hub.store(3...3)
        // The server has a payload before the hub has its answer: until then it waits.
        try await hub.serve { try hub.latitudes().count >= 3 && hub.state(first).waiting == 0 }
        #expect(try hub.latitudes() == [1, 2, 3])
        let payloads = try hub.payloads()
        #expect(payloads.allSatisfy { $0.type == "samples" })
        #expect(payloads.dropFirst().map(\.after) == payloads.dropLast().map(\.cursor))
        try await hub.server.close()
    }

    @Test("CONS-5: whole segments go in payloads below the limit, each line once, and a part of a segment moves no place")
    func large() throws {
        let id = ConsentID.random()
        var payloads = WebhookPayloads(id, told: "a")
        let positions = (0..<9000).map {
            PositionSample(time: Milliseconds($0), latitude: Int32($0), longitude: 0, source: .gnss)
        }
        let arrival = Arrival(
            cursor: .unreadable, stream: 1, provenance: .live, received: 0,
            samples: SampleSet(positions: positions))
        payloads.append(arrival, cursor: "b")
        payloads.flush()
        let read = try payloads.payloads.map { try JSONDecoder().decode(FeedFixture.Payload.self, from: Data($0)) }
        #expect(read.count > 2)
        let longest = payloads.payloads.map(\.count).max() ?? 0
        #expect(longest <= WebhookStore.deliveryBytesMax)
        var latitudes: [Int] = []
        for payload in read { for sample in payload.samples ?? [] { latitudes.append(Int((sample.lat * 10_000_000).rounded())) } }
        #expect(latitudes == Array(0..<9000))
        #expect(Set(read.dropLast().map(\.cursor)) == ["a"])
        #expect(read.last?.cursor == "b")
    }

    @Test("CONS-5: what webhooks post is byte for byte as release 0.3.0 wrote it")
    func unchanged() throws {
        let time: Milliseconds = 1_795_230_245_678
        let samples = SampleSet(
            heartRates: [
                HeartRateSample(time: time, beatsPerMinute: 61, contact: .detected, energyKilojoules: 7, rrIntervals: [1024, 512]),
                HeartRateSample(time: time + 1000, beatsPerMinute: 0, contact: .notDetected),
            ],
            positions: [
                PositionSample(
                    time: time + 500, latitude: 454_642_000, longitude: -91_900_000, altitude: 1234, speed: 310, course: 17_900,
                    horizontalError: 45, source: .gnss)
            ], events: [StateEvent(time: time + 2000, code: .ok)],
            gaps: [GapRecord(time: time + 3000, sequences: 4...9, reason: .diskFull)])
        func arrival(_ provenance: Provenance) -> Arrival {
            Arrival(
                cursor: .unreadable, stream: 1, provenance: provenance, received: 0, samples: samples)
        }
        var payloads = WebhookPayloads(ConsentID(high: 1, low: 2), told: nil)
        payloads.append(arrival(.live), cursor: "1.0.2")
        payloads.flush()
        payloads.startOver(from: time, cursor: "3.0.4")
        payloads.append(arrival(.drill), cursor: "5.0.6")
        payloads.flush()
        // FNV-1a of what release 0.3.0 wrote.
        let digest = payloads.payloads.joined().reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        #expect(payloads.payloads.count == 3 && digest == 13_066_413_505_205_507_393)
    }

    @Test("CONS-5: stored to delivered within a second as a rule, while others send")
    func soon() async throws {
        let hub = try await FeedFixture()
        _ = try await hub.accepted()
        _ = try hub.hook()
        var delays: [Duration] = []
        let sending = Task {
            var sent: [(Int, ContinuousClock.Instant)] = []
            for number in 1...60 {
                try await hub.store(number...number)
                sent.append((number, .now))
                try await Task.sleep(for: .milliseconds(30))
            }
            return sent
        }
        var arrived: [Int: ContinuousClock.Instant] = [:]
        try await hub.serve {
            for number in try hub.latitudes() where arrived[number] == nil { arrived[number] = .now }
            return arrived.count == 60
        }
        for (number, time) in try await sending.value {
            delays.append(time.duration(to: try #require(arrived[number])))
        }
        delays.sort()
        // On a slow machine some come late: the benchmark measures how many.
        let half = delays[delays.count / 2], last = try #require(delays.last)
        #expect(half < .seconds(1) && last < .seconds(10), "\(half), \(last)")
        try await hub.server.close()
    }
}
