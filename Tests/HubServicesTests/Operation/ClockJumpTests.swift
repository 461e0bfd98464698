import Foundation
import HubServices
import SampleBuffer
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import HubStore

/// A box whose wall clock jumps, through its real buffer to the hub's readers. Its clock records are those that the agent makes: one with
/// the first seal, one every ten minutes, and one for each jump by more than a second.
struct ClockJumpTests {
    static let boot = BootID(high: 3, low: 3)
    static let seal: Milliseconds = 10_000
    static let secondsOfRun = 3000

    final class Box {
        let directory: TemporaryDirectory
        let buffer: SampleBuffer
        let person: PersonID
        let token: String
        var time: Milliseconds = 50_000
        /// What the box believes to be UTC, beyond its boot clock.
        var wall: Milliseconds
        var measured: [HeartRateSample] = []
        private var told: ClockRecord?

        init(_ hub: ServicesFixture, wall: Milliseconds) async throws {
            directory = try TemporaryDirectory()
            buffer = try SampleBuffer(directory: directory.url.path)
            (person, token, self.wall) = (hub.person, try await hub.enrol().token, wall)
        }

        var now: BufferTime { BufferTime(boot: 1, milliseconds: time) }

        func collect(_ trusted: [ClockRecord] = []) throws {
            let samples = (0..<10).map { index in
                HeartRateSample(time: time + Milliseconds(index) * 1000, beatsPerMinute: UInt16(40 + (measured.count + index) % 180))
            }
            measured += samples
            time += ClockJumpTests.seal
            let record = ClockRecord(time: time, utc: time + wall, uncertainty: .max, source: .wall)
            var records = trusted
            if told.map({ time - $0.time >= 600_000 || abs(record.offset - $0.offset) > 1000 }) ?? true {
                records.append(record)
                told = record
            }
            let set = SampleSet(heartRates: samples, clocks: records)
            try buffer.seal(
                [SealPart(person: person, clock: .boottime(boot: ClockJumpTests.boot, counter: 1), samples: set)], to: .live, at: now)
        }

        func send(to hub: ServicesFixture) async throws {
            while let batch = try buffer.nextBatch(bytesMax: 20_000, at: now) {
                let prepared = try batch.body.withUnsafeBytes {
                    try hub.ingest.receive(session: hub.ingest.session(bearer: token), body: $0)
                }
                let answer = try JSONDecoder().decode(SyncAnswer.self, from: Data(try await hub.ingest.commit(prepared)))
                _ = try buffer.apply(answer, to: batch.sent)
            }
        }
    }

    @Test(
        "EDGE-6, EDGE-8: the wall clock jumps by hours and years: readers get every sample once, in its order, and once one good clock record came at its time",
        arguments: Seeds.some(5, of: 0..<16))
    func jumps(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let hub = try ServicesFixture(), truth = hub.clock.now - 7_200_000
        let box = try await Box(hub, wall: truth + [0, 3_600_000, -86_400_000, -truth].randomElement(using: &random)!)
        var isPlaced = true
        for _ in 0..<Self.secondsOfRun / 10 {
            if Int.random(in: 0..<25, using: &random) == 0 {
                let size: Milliseconds = [1_500, 3_600_000, 86_400_000, 31_536_000_000].randomElement(using: &random)!
                box.wall += Bool.random(using: &random) ? size : -size
            }
            try box.collect()
            if Int.random(in: 0..<8, using: &random) == 0 { try await box.send(to: hub) }
            if Int.random(in: 0..<40, using: &random) == 0 {
                try hub.series.merger.merge(now: hub.clock.now)
                let seen = try hub.stored().heartRates
                let sent = seen.map(\.beatsPerMinute)
                // Until somebody knows better the times are wrong, but no sample is before an earlier one.
                isPlaced = isPlaced && sent == Array(box.measured.prefix(sent.count).map(\.beatsPerMinute))
            }
        }
        try await box.send(to: hub)
        #expect(isPlaced, "seed \(seed): the order before a good record")
        try await expectTimes(box, hub, truth, seed)
    }

    private func expectTimes(_ box: Box, _ hub: ServicesFixture, _ truth: Milliseconds, _ seed: UInt64) async throws {
        try box.collect([ClockRecord(time: box.time, utc: box.time + truth, uncertainty: 40, source: .hub)])
        try await box.send(to: hub)
        for isMerged in [false, true] {
            if isMerged { try hub.series.merger.merge(now: hub.clock.now) }
            let stored = try hub.stored().heartRates
            #expect(stored.map(\.beatsPerMinute) == box.measured.map(\.beatsPerMinute), "seed \(seed): order, merged \(isMerged)")
            #expect(stored.map(\.time) == box.measured.map { $0.time + truth }, "seed \(seed): times, merged \(isMerged)")
        }
    }

    @Test(
        "EDGE-6, EDGE-8: a leap second repeats a second of UTC: readers get every sample once and in its order, no more than a second off")
    func leapSecond() async throws {
        let hub = try ServicesFixture(), before = hub.clock.now - 7_200_000
        let box = try await Box(hub, wall: before)
        for index in 0..<120 {
            let offset = before - (index < 60 ? 0 : 1000)
            box.wall = offset
            let isDue = index % 20 == 0
            try box.collect(isDue ? [ClockRecord(time: box.time, utc: box.time + offset, uncertainty: 500, source: .gnss)] : [])
        }
        try await box.send(to: hub)
        let stored = try hub.stored().heartRates
        #expect(stored.map(\.beatsPerMinute) == box.measured.map(\.beatsPerMinute))
        for (sample, measured) in zip(stored, box.measured) {
            #expect((-1000...0).contains(sample.time - measured.time - before))
        }
    }
}
