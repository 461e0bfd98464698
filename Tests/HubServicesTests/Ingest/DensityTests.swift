import Exchange
import Foundation
import HubStore
import Privacy
import Segments
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// Nobody's samples are so many that they keep the hub from others' (PERF-6).
struct DensityTests {
    private func rates(_ count: Int, every: Double, from first: Milliseconds) -> SampleSet {
        SampleSet(
            heartRates: (0..<count).map {
                HeartRateSample(time: first + Milliseconds(Double($0) * every), beatsPerMinute: UInt16(60 + $0 % 100))
            })
    }

    private func encoded(_ sequence: UInt64, _ stream: StreamID, _ samples: SampleSet, of person: PersonID) -> [UInt8] {
        Segment(stream: stream, sequence: sequence, person: person, provenance: .live, clock: .wall, samples: samples).encoded()
    }

    @Test("PERF-6: a segment that is too dense is thinned to 16 heart rates a second, counted, and counts as received as it was sent")
    func thinned() async throws {
        var hub = try ServicesFixture()
        let box = try await hub.enrol(), stream = StreamID.random(), start = hub.clock.now - 600_000
        // 50 a second for a minute.
        let dense = encoded(1, stream, rates(3000, every: 20, from: start), of: hub.person)
        let answer = try await hub.send([dense], token: box.token)
        #expect(answer.streams.first?.received == [[1, 1]])
        #expect(answer.streams.first?.refused == nil)
        let stored = try hub.stored().heartRates.map(\.time)
        #expect(stored.count > 700 && stored.count <= 960)
        #expect(SampleDensity.peak(of: stored) <= SampleDensity.heartRatesMax)
        await hub.ingest.thinned.settle()
        let agent = try #require(try hub.accounts.agents.agents().first).agent
        #expect(try hub.accounts.thinned.thinned(of: hub.person)[agent.row]?.samples == 3000 - stored.count)
        // The same bytes again, also after merging and a restart: received, and no fork.
        _ = try await hub.send([dense], token: box.token)
        try hub.series.merger.merge(now: hub.clock.now)
        hub = try ServicesFixture(hub.directory, person: hub.person, clock: hub.clock)
        let again = try await hub.send([dense], token: box.token)
        #expect(again.streams.first?.received == [[1, 1]] && again.streams.first?.forked == nil)
        #expect(try hub.stored().heartRates.map(\.time) == stored)
        #expect(try hub.accounts.thinned.thinned()[agent.row]?.samples == 3000 - stored.count)
    }

    @Test("PERF-6: what one segment may hold, several may not hold together, whatever their order, and an empty rest counts as received")
    func together() async throws {
        let hub = try ServicesFixture()
        let box = try await hub.enrol(), stream = StreamID.random(), start = hub.clock.now - 600_000
        // 20 segments of 159 samples in the same 10 s.
        for sequence in [5, 1, 9, 2, 0, 3, 4, 8, 7, 6, 10, 11, 19, 18, 17, 16, 15, 14, 13, 12] as [UInt64] {
            let samples = rates(159, every: 60, from: start + Milliseconds(sequence))
            _ = try await hub.send([encoded(sequence, stream, samples, of: hub.person)], token: box.token)
        }
        let answer = try await hub.send([encoded(20, stream, rates(1, every: 1, from: start + 60_000), of: hub.person)], token: box.token)
        #expect(answer.streams.first?.received == [[0, 20]])
        #expect(SampleDensity.peak(of: try hub.stored().heartRates.map(\.time)) <= SampleDensity.heartRatesMax)
        try hub.series.merger.merge(now: hub.clock.now)
        let merged = try hub.stored().heartRates
        #expect(merged.count >= 159 && SampleDensity.peak(of: merged.map(\.time)) <= SampleDensity.heartRatesMax)
    }

    @Test("PERF-6: four times the bound is refused as out of range, with the figures, and the rest of the batch is taken")
    func refused() async throws {
        let hub = try ServicesFixture()
        let box = try await hub.enrol(), stream = StreamID.random(), start = hub.clock.now - 600_000
        let positions = SampleSet(
            positions: (0..<4000).map { PositionSample(time: start + Milliseconds($0), latitude: 454_000_000, longitude: 90_000_000) })
        let events = SampleSet(events: (0..<640).map { StateEvent(time: start + Milliseconds($0), code: .sensorLost) })
        let answer = try await hub.send(
            [
                encoded(1, stream, rates(639, every: 1, from: start), of: hub.person),
                encoded(2, stream, rates(640, every: 15.6, from: start), of: hub.person),
                encoded(3, stream, positions, of: hub.person), encoded(4, stream, events, of: hub.person),
                encoded(5, stream, rates(65_536, every: 1, from: start), of: hub.person), hub.segment(6, stream: stream),
            ], token: box.token)
        let state = try #require(answer.streams.first)
        #expect(state.received == [[1, 1], [6, 6]])
        #expect(state.refused?.map(\.sequence) == [2, 3, 4, 5])
        #expect(state.refused?.allSatisfy { $0.reason == .range } == true)
        #expect(state.refused?.first?.detail.contains("640 heart rates within 10 s") == true)
    }

    @Test("DATA-3: scalars are taken by the table of kinds: thinned and refused by their kind's density, refused by name out of its bounds")
    func scalars() async throws {
        let hub = try ServicesFixture()
        let box = try await hub.enrol(), stream = StreamID.random(), start = hub.clock.now - 600_000
        func weights(_ count: Int, value: Int64 = 7150) throws -> SampleSet {
            SampleSet(scalars: try (0..<count).map { try #require(ScalarSample(.weight, time: start + Milliseconds($0), value: value)) })
        }
        let mixed = SampleSet(scalars: [
            try #require(ScalarSample(.steps, time: start, value: 120, end: start + 60_000)),
            try #require(ScalarSample(.bodyTemperature, time: start, value: 3672)),
        ])
        let answer = try await hub.send(
            [
                encoded(1, stream, mixed, of: hub.person), encoded(2, stream, try weights(159), of: hub.person),
                encoded(3, stream, try weights(160), of: hub.person), encoded(4, stream, try weights(1, value: 700_000), of: hub.person),
                encoded(5, stream, SampleSet(scalars: [try #require(ScalarSample(.sleep, time: start, value: 4))]), of: hub.person),
                encoded(6, stream, mixed, of: hub.person),
            ], token: box.token)
        let state = try #require(answer.streams.first)
        #expect(state.received == [[1, 2], [6, 6]])
        #expect(state.refused?.map(\.sequence) == [3, 4, 5])
        let details = state.refused?.map(\.detail) ?? []
        #expect(details[0].contains("160 samples of weight within 10 s"), "\(details[0])")
        #expect(details[1].hasPrefix("weight: 700000 is outside") && details[2] == "sleep: the end is missing", "\(details)")
        let stored = try hub.stored().scalars
        #expect(stored.filter { $0.kind == .weight }.count == SampleDensity.scalarsMax)
        #expect(stored.filter { $0.kind == .steps }.count == 2)
        #expect(Set(stored.map(\.kind)) == [.weight, .steps, .bodyTemperature])
    }

    @Test("PERF-6: SOS records among too many events are kept")
    func sosRecords() async throws {
        let hub = try ServicesFixture()
        let box = try await hub.enrol(), start = hub.clock.now - 600_000
        let events = (0..<600).map {
            StateEvent(time: start + Milliseconds($0), code: $0 % 10 == 9 ? .help : .sensorLost, value: Int64($0))
        }
        _ = try await hub.send([encoded(1, .random(), SampleSet(events: events), of: hub.person)], token: box.token)
        let stored = try hub.stored().events
        #expect(stored.filter { $0.code == .help }.count == 60)
        #expect(stored.count < 300)
    }

    @Test("PERF-6: a megabyte of samples a millisecond apart costs the hub nothing to speak of, at ingest and at reading")
    func attack() async throws {
        let hub = try ServicesFixture()
        let box = try await hub.enrol(), stream = StreamID.random(), start = hub.clock.now - 7_000_000
        let flat = SampleSet(heartRates: (0..<65_536).map { HeartRateSample(time: start + Milliseconds($0), beatsPerMinute: 60) })
        let body = encoded(0, stream, flat, of: hub.person)
        #expect(body.count < 4000)
        // Just below what is refused: 63 a second for 17 minutes, again and again over the same time.
        let below = SampleSet(
            heartRates: (0..<65_536).map { HeartRateSample(time: start + Milliseconds($0) * 1000 / 63, beatsPerMinute: 60) })
        for sequence in 0..<32 as Range<UInt64> {
            _ = try await hub.send([encoded(sequence, stream, sequence < 24 ? flat : below, of: hub.person)], token: box.token)
        }
        let begin = ContinuousClock.now
        for _ in 0..<2 {
            let recent = try #require(try hub.series.reader.last(7200, .maintenance(of: hub.person), now: hub.clock.now))
            #expect(recent.heartRates.count <= 7200)
        }
        #expect(ContinuousClock.now - begin < .seconds(5))
        let times = try hub.stored().heartRates.map(\.time)
        #expect(SampleDensity.peak(of: times) <= SampleDensity.heartRatesMax)
        #expect(times.count < 20_000)
    }

    @Test("PERF-6: what sensors deliver loses nothing: live, as a backlog behind it, from two persons of one box, by a phone that was away")
    func ordinary() async throws {
        let hub = try ServicesFixture()
        let second = try hub.accounts.addPerson(name: "Made up too", now: 0).id
        let box = try await hub.enrol([hub.person, second]), stream = StreamID.random(), start = hub.clock.now - 80_000_000
        func both(_ index: Int, _ count: Int) -> SampleSet {
            var samples = rates(count, every: 1000, from: start + Milliseconds(index) * 1000)
            samples.positions = samples.heartRates.map { PositionSample(time: $0.time, latitude: 454_000_000, longitude: 90_000_000) }
            return samples
        }
        var sequence: UInt64 = 1000
        // Live first, in segments of 25 s; then an hour before it in large ones, the oldest first; and again live.
        for index in 0..<20 {
            for person in [hub.person, second] {
                _ = try await hub.send([encoded(sequence, stream, both(7200 + 25 * index, 25), of: person)], token: box.token)
                sequence += 1
            }
        }
        for index in 0..<8 {
            _ = try await hub.send([encoded(UInt64(index), stream, both(900 * index, 900), of: hub.person)], token: box.token)
        }
        _ = try await hub.send([encoded(sequence, stream, both(7700, 25), of: hub.person)], token: box.token)
        #expect(try hub.stored().heartRates.count == 7200 + 500 + 25)
        #expect(try hub.stored().positions.count == 7200 + 500 + 25)
        await hub.ingest.thinned.settle()
        #expect(try hub.accounts.thinned.thinned().isEmpty)
    }

    @Test("PERF-6, DATA-13: what a phone sends too densely is thinned and told, never refused")
    func phone() async throws {
        let phone = try DeviceFixture()
        let place = PositionSample(time: 0, latitude: 454_000_000, longitude: 90_000_000), start = phone.hub.clock.now - 60_000
        var reading = SenderReading()
        reading.samples.positions = (0..<6000).map { index in
            var sample = place
            sample.time = start + Milliseconds(index)
            sample.latitude += Int32(index)
            return sample
        }
        let sender = try #require(try phone.ingest.device(secret: phone.secret))
        try await phone.ingest.receive(reading, from: sender)
        let stored = try phone.hub.stored().positions
        #expect(stored.count == SampleDensity.positionsMax)
        await phone.hub.ingest.thinned.settle()
        #expect(try phone.hub.accounts.thinned.thinned(of: phone.hub.person)[phone.device.agent.row]?.samples == 5000)
    }

    @Test("PERF-6: senders beyond those that are counted one by one are counted together and told")
    func beyond() async throws {
        let hub = try ServicesFixture(), log = KeptLog(), thinned = ThinnedSamples(store: hub.accounts.thinned, logger: log.logger)
        let senders = Int64(ThinnedSamples.waitingMax) + 2
        thinned.note((1...senders).map { .init(sender: $0, person: 1, samples: 7) }, now: hub.clock.now)
        await thinned.settle()
        #expect(log.lines.count { $0.hasPrefix("error ") } == 1)
        #expect(log.lines.contains { $0.hasPrefix("error ") && $0.hasSuffix("samples=14 senders=more than \(ThinnedSamples.waitingMax)") })
    }

    @Test("PERF-6: however many other clocks send, whoever sends on keeps their count, and what is kept stays bounded")
    func manyClocks() {
        var memory = DensityMemory(max: 100), kept = 0
        for other in 0..<1000 as Range<Int64> {
            var some = rates(1, every: 1, from: 0)
            _ = memory.thin(&some, of: .init(clock: other, person: 2))
            guard other % 10 == 0 else { continue }
            var own = rates(10, every: 10, from: 0)
            _ = memory.thin(&own, of: .init(clock: -1, person: 1))
            kept += own.heartRates.count
        }
        #expect(kept > 0 && kept <= SampleDensity.heartRatesMax, "1,000 in a tenth of a second")
        #expect(memory.count <= 100)
    }
}

struct DensityHistoryTests {
    @Test("PERF-6: no 10 s hold more than the bound, whatever segments come in whatever order", arguments: 0..<30 as Range<UInt64>)
    func never(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var history = DensityHistory(max: 160), stored: [Milliseconds] = []
        for _ in 0..<300 {
            let start = Milliseconds.random(in: 0..<3_000_000, using: &random)
            let step = Double.random(in: 0...2000, using: &random), count = Int.random(in: 1...300, using: &random)
            var times = (0..<count).map { start + Milliseconds(Double($0) * step) }
            if seed.isMultiple(of: 3) { times.shuffle(using: &random) }
            let keeps = history.thin(times)
            stored += times.indices.filter { keeps?[$0] ?? true }.map { times[$0] }
        }
        #expect(SampleDensity.peak(of: stored) <= 160)
        #expect(stored.count > 1000)
    }

    @Test("PERF-6: up to half the bound nothing is lost at the borders of segments, however they are cut")
    func borders() {
        var random = SeededGenerator(seed: 7)
        for rate in [1, 2, 4, 8] {
            var history = DensityHistory(max: 160), time: Milliseconds = 0
            for _ in 0..<2000 {
                let count = Int.random(in: 1...100, using: &random)
                let times = (0..<count).map { time + Milliseconds($0) * 1000 / Milliseconds(rate) }
                #expect(history.thin(times) == nil)
                time += Milliseconds(count) * 1000 / Milliseconds(rate)
            }
        }
    }

    @Test("PERF-6: a segment at the bound loses nothing by itself")
    func atTheBound() {
        var history = DensityHistory(max: 160)
        #expect(history.thin((0..<4800).map { Milliseconds($0) * 10_000 / 160 }) == nil)
    }
}
