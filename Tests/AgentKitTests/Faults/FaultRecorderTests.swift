import Foundation
import GRDB
import Logging
import Segments
import Sensing
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import AgentKit
@testable import SampleBuffer

/// The recorder with a disk that fails, and clocks that jump.
struct FaultRecorderTests {
    static let person = PersonID(high: 5, low: 5)

    /// A recorder of live samples whose clocks a test moves.
    struct Fixture {
        let directory: TemporaryDirectory
        let buffer: SampleBuffer
        let recorder: Recorder
        let boottime = ManualClock(10_000)
        /// What the wall clock shows beyond the boot clock.
        let wall: ManualClock
        let nudges = SyncSignals()
        let clock: BoxClock

        init(
            wall offset: Milliseconds = 1_800_000_000_000, limits: SampleBuffer.Limits = .init(), boot: UInt64 = 1,
            salvageTime: Duration = Salvaged.timeMax, freeBytes: @escaping @Sendable (String) -> Int? = DiskSpace.free
        ) throws {
            directory = try TemporaryDirectory()
            buffer = try SampleBuffer(directory: directory.url.path, limits: limits, salvageTime: salvageTime, freeBytes: freeBytes)
            let (boottime, wall) = (boottime, ManualClock(offset))
            self.wall = wall
            clock = BoxClock(boottime: { boottime.now }, utc: { boottime.now + wall.now })
            recorder = try Recorder(
                buffer: buffer, target: .live, boot: BootID(high: boot, low: boot), clock: clock, time: TokenClock(clock),
                configuration: AgentConfiguration(stateDirectory: directory.url.path), nudges: nudges, logger: Logger(label: "test"))
        }

        /// What SQLite would say of a full disk, at the first insertion.
        func fillDisk() throws {
            try buffer.write {
                try $0.execute(
                    sql: "CREATE TRIGGER full BEFORE INSERT ON segment BEGIN SELECT raise(ABORT, 'database or disk is full'); END")
            }
        }

        func emptyDisk() throws { try buffer.write { try $0.execute(sql: "DROP TRIGGER full") } }

        func heartRate(_ beats: UInt16 = 60) async {
            await recorder.take(
                HeartRateEvent.measurement(HeartRateSample(time: boottime.now, beatsPerMinute: beats)), of: FaultRecorderTests.person)
        }

        func press(_ code: StateEvent.Code) async {
            await recorder.take(StateEvent(time: boottime.now, code: code), of: FaultRecorderTests.person)
        }

        func segments(_ batch: OutgoingBatch?) throws -> [Segment] {
            try (batch?.body ?? []).withUnsafeBytes { body in
                try SegmentBatch.ranges(in: body).map { try Segment(decoding: UnsafeRawBufferPointer(rebasing: body[$0])) }
            }
        }

        func answer(to batch: OutgoingBatch) -> SyncAnswer {
            SyncAnswer(
                hub: HubIncarnation(high: 1, low: 1), utc: 1_800_000_000_000, cadence: .interval,
                streams: batch.sent.sequences.map { stream, sequences in
                    SyncAnswer.StreamState(stream: stream, received: [[0, sequences.max() ?? 0]])
                })
        }

        /// Everything that waits, acknowledged.
        func drain() async throws -> [Segment] {
            var all: [Segment] = []
            while let batch = try await recorder.nextBatch(bytesMax: 1 << 20) {
                all += try segments(batch)
                _ = try await recorder.apply(answer(to: batch), to: batch.sent, sent: boottime.now, received: boottime.now)
            }
            return all
        }
    }

    @Test("EDGE-5: an SOS record is on the disk when the button is let go, with what was collected before it")
    func sealedAtOnce() async throws {
        let fixture = try Fixture()
        await fixture.heartRate()
        #expect(try fixture.buffer.waiting().segments == 0)
        await fixture.press(.help)
        #expect(try fixture.buffer.waiting().segments == 2)
        let all = try await fixture.drain(), first = try #require(all.first)
        #expect(first.samples.events.map(\.code) == [.help] && !first.samples.clocks.isEmpty)
        #expect(all.flatMap(\.samples.heartRates).count == 1 && all.flatMap(\.samples.events).count == 1)
        await fixture.press(.sensorAway)
        #expect(try fixture.buffer.waiting().segments == 0, "other events wait for their segment")
    }

    @Test("EDGE-5: with a full disk an SOS record goes out from memory, once, and samples go behind it")
    func fullDisk() async throws {
        let fixture = try Fixture()
        await fixture.heartRate()
        await fixture.press(.reactivated)
        _ = try await fixture.drain()
        try fixture.fillDisk()
        for _ in 0..<5 {
            fixture.boottime.advance(1000)
            await fixture.heartRate()
        }
        await fixture.press(.help)
        let batch = try #require(try await fixture.recorder.nextBatch(bytesMax: 1 << 20))
        let sent = try fixture.segments(batch)
        #expect(sent.count == 1 && sent[0].samples.events.map(\.code) == [.help])
        #expect(!sent[0].samples.clocks.isEmpty, "the hub can date it")
        let outcome = try await fixture.recorder.apply(fixture.answer(to: batch), to: batch.sent, sent: 0, received: 0)
        #expect(outcome.acknowledged == 1)
        let behind = try fixture.segments(try await fixture.recorder.nextBatch(bytesMax: 1 << 20))
        #expect(behind.flatMap(\.samples.heartRates).count == 5, "samples follow from memory, too")
        // A second one meets the disk's recovery on its way.
        await fixture.press(.ok)
        let late = try #require(try await fixture.recorder.nextBatch(bytesMax: 1 << 20))
        try fixture.emptyDisk()
        try await fixture.recorder.seal()
        #expect(try fixture.buffer.waiting().segments == 2, "the samples, and the record under the name that it was sent with")
        _ = try await fixture.recorder.apply(fixture.answer(to: late), to: late.sent, sent: 0, received: 0)
        let rest = try await fixture.drain()
        #expect(rest.count == 1)
        #expect(rest.flatMap(\.samples.heartRates).count == 5)
        #expect(rest.flatMap(\.samples.events).isEmpty)
    }

    @Test("EDGE-5: a full disk that outlasts the memory loses its oldest samples, declared, and neither the newest nor an SOS record")
    func fullForLong() async throws {
        // As dense as a sensor may be.
        let fixture = try Fixture(freeBytes: { _ in 0 }), old = 2000, new = 21_000, step: Milliseconds = 63
        await fixture.press(.help)
        let parts = (0..<old).map { index in
            let sample = HeartRateSample(time: Milliseconds(index), beatsPerMinute: 60)
            return SealPart(person: Self.person, clock: .recorded, samples: SampleSet(heartRates: [sample]))
        }
        try fixture.buffer.seal(parts, to: .live, at: BufferTime(boot: 1, milliseconds: 0))
        try fixture.buffer.write { database in
            let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
            try database.execute(sql: "PRAGMA max_page_count = \(pages)")
        }
        for index in 0..<new {
            fixture.boottime.advance(step)
            await fixture.heartRate(UInt16(60 + index * 7919 % 90))
        }
        try await fixture.recorder.seal()
        #expect(fixture.recorder.trouble == nil)
        try fixture.buffer.write { try $0.execute(sql: "PRAGMA max_page_count = 1073741823") }
        let all = try await fixture.drain(), gaps = all.flatMap(\.samples.gaps)
        #expect(all.flatMap(\.samples.events).map(\.code) == [.help])
        let times = all.flatMap(\.samples.heartRates).map(\.time).sorted(), kept = times.count - new
        #expect(Array(times.suffix(new)) == (1...Int64(new)).map { 10_000 + $0 * step })
        #expect((1..<old).contains(kept) && !gaps.isEmpty && gaps.allSatisfy { $0.reason == .bufferFull })
        #expect(gaps.map(\.sequences.count).reduce(0, +) == old - kept, "what went is declared")
    }

    @Test("EDGE-5: what a salvage had no time for follows by itself, to the disk and to the hub, once", .timeLimit(.minutes(1)))
    func carriesOn() async throws {
        let fixture = try Fixture(salvageTime: .zero)
        let parts = (0..<100).map { index in
            let sample = HeartRateSample(time: Milliseconds(index), beatsPerMinute: 60)
            return SealPart(person: Self.person, clock: .recorded, samples: SampleSet(heartRates: [sample]))
        }
        try fixture.buffer.seal(parts, to: .live, at: BufferTime(boot: 1, milliseconds: 0))
        #expect(throws: BufferError.self) {
            try fixture.buffer.write { _ in
                throw DatabaseError(resultCode: .SQLITE_CORRUPT)
            }
        }
        #expect(try fixture.buffer.waiting().segments == 1)
        await fixture.heartRate()
        try await fixture.recorder.seal()
        while fixture.buffer.owesRest { try await Task.sleep(for: .milliseconds(20)) }
        let times = try await fixture.drain().flatMap(\.samples.heartRates).map(\.time)
        #expect(times.sorted() == Array(0..<100) + [10_000])
    }

    @Test("EDGE-5: while the disk hangs an SOS record can be sent and acknowledged, and is no second one later", .timeLimit(.minutes(1)))
    func hangingDisk() async throws {
        let fixture = try Fixture(), recorder = fixture.recorder
        let hang = try await HangingDisk(fixture.buffer)
        func pressed(_ code: StateEvent.Code, _ count: Int) async throws -> (press: Task<Void, Never>, batch: OutgoingBatch) {
            let press = Task { await fixture.press(code) }
            while recorder.outbox.batch()?.sent.segmentCount ?? 0 < count { try await Task.sleep(for: .milliseconds(5)) }
            return (press, try #require(recorder.outbox.batch()))
        }
        let first = try await pressed(.help, 1)
        #expect(try fixture.segments(first.batch).flatMap(\.samples.events).map(\.code) == [.help])
        let outcome = recorder.applyToMemory(fixture.answer(to: first.batch), to: first.batch.sent, sent: 0, received: 0)
        #expect(outcome?.acknowledged == 1 && recorder.outbox.isEmpty)
        // The answer to this one comes when the disk is back and has it.
        let second = try await pressed(.falseAlarm, 1)
        await hang.end()
        await first.press.value
        await second.press.value
        #expect(recorder.outbox.isEmpty)
        let rest = try await fixture.drain(), sent = try fixture.segments(second.batch)
        #expect(Set(rest.filter(\.samples.holdsSOS).map(\.header.sequence)).isSuperset(of: sent.map(\.header.sequence)))
        #expect(Set(rest.filter(\.samples.holdsSOS).map(\.header.stream)) == Set(sent.map(\.header.stream)))
        #expect(rest.flatMap(\.samples.events).filter { $0.code == .falseAlarm }.count == 1)
    }

    @Test("EDGE-5: readings that were lost before they came to the recorder leave a gap record")
    func lostBefore() async throws {
        let fixture = try Fixture()
        fixture.recorder.noteLost(of: Self.person)
        for _ in 0..<2 {
            await fixture.heartRate()
            try await fixture.recorder.seal()
        }
        #expect(try await fixture.drain().map(\.samples.gaps.count) == [1, 0])
    }

    @Test("EDGE-5: a buffer that was opened while its file could not be written takes samples as soon as it can be")
    func writableAgain() async throws {
        let fixture = try Fixture()
        await fixture.heartRate()
        try await fixture.recorder.seal()
        // Root may write what is read-only: SQLite's own flag does it here.
        try fixture.buffer.write { try $0.execute(sql: "PRAGMA query_only = 1") }
        let part = SealPart(
            person: Self.person, clock: .recorded, samples: SampleSet(heartRates: [HeartRateSample(time: 1, beatsPerMinute: 60)]))
        #expect(throws: BufferError.self) { try fixture.buffer.seal([part], to: .live, at: BufferTime(boot: 1, milliseconds: 1)) }
        await fixture.heartRate()
        try await fixture.recorder.seal()
        #expect(try await fixture.drain().flatMap(\.samples.heartRates).count == 2)
    }

    @Test("EDGE-5: when the memory is full of samples, SOS records are not among those that go")
    func dropping() {
        var samples = SampleSet(heartRates: (0..<10).map { HeartRateSample(time: Milliseconds($0), beatsPerMinute: 60) })
        samples.events = (0..<10).map { StateEvent(time: Milliseconds($0), code: $0.isMultiple(of: 3) ? .help : .sensorLost) }
        samples.dropOlderHalf()
        #expect(samples.heartRates.map(\.time) == [5, 6, 7, 8, 9])
        #expect(samples.events.map(\.time) == [0, 3, 5, 6, 7, 8, 9])
    }

    @Test(
        "EDGE-8: a clock that jumps, and a leap second, change no order; each jump leaves a clock record",
        arguments: 0..<20 as Range<UInt64>)
    func jumps(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let fixture = try Fixture()
        var jumps = 0
        for index in 0..<300 {
            fixture.boottime.advance(1000)
            if Int.random(in: 0..<30, using: &random) == 0 {
                let size: Milliseconds = [1_000, 3_600_000, 86_400_000, 700_000_000_000].randomElement(using: &random) ?? 0
                fixture.wall.advance(Bool.random(using: &random) ? size + 1 : -size - 1)
                jumps += 1
            }
            await fixture.heartRate(UInt16(index % 200))
        }
        try await fixture.recorder.seal()
        let segments = try await fixture.drain().sorted { $0.header.sequence < $1.header.sequence }
        let rates = segments.flatMap(\.samples.heartRates)
        #expect(rates.map(\.beatsPerMinute) == (0..<300).map { UInt16($0 % 200) }, "seed \(seed)")
        #expect(zip(rates, rates.dropFirst()).allSatisfy { $0.time + 1000 == $1.time }, "seed \(seed)")
        let records = segments.flatMap(\.samples.clocks)
        #expect(records.last?.offset == fixture.wall.now, "seed \(seed): the last jump is told")
        #expect(records.count <= jumps + 1)
    }

    @Test("EDGE-8: a box that starts in 1970 and sees satellites later tells what all its earlier times were")
    func satellitesLater() async throws {
        let fixture = try Fixture(wall: 0), truth: Milliseconds = 1_800_000_000_000
        for second in 0..<120 {
            fixture.boottime.advance(1000)
            await fixture.heartRate()
            guard second >= 60 else { continue }
            let sample = PositionSample(time: fixture.boottime.now, latitude: 1, longitude: 1, mode: .threeDimensional)
            // A receiver that counts from the wrong week first.
            let utc = fixture.boottime.now + truth - (second < 90 ? 1024 * 7 * 86_400_000 : 0)
            await fixture.recorder.take(PositionEvent.fix(sample, utc: utc), of: Self.person)
        }
        try await fixture.recorder.seal()
        let segments = try await fixture.drain()
        #expect(segments.allSatisfy { $0.header.clock == .boottime(boot: BootID(high: 1, low: 1), counter: 1) })
        let satellites = segments.flatMap(\.samples.clocks).filter { $0.source == .gnss }
        #expect(satellites.map(\.offset) == [truth])
    }
}
