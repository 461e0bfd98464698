import Foundation
import GRDB
import Segments
import SyncProtocol
import Synchronization
import TestSupport
import Testing
import Vitals

@testable import SampleBuffer

struct SpaceTests {
    private func fixture() throws -> BufferFixture {
        var limits = SampleBuffer.Limits()
        limits.bytesMax = 300_000
        return try BufferFixture(limits: limits)
    }

    /// About 2 KB each.
    private func seal(_ count: Int, from first: Int, _ fixture: BufferFixture, givesUpOldest: Bool = false) throws {
        for index in first..<first + count {
            fixture.now.milliseconds += 1000
            let rates = (0..<1000).map { offset in
                HeartRateSample(
                    time: Milliseconds(index * 1000 + offset), beatsPerMinute: UInt16(60 + offset % 90),
                    rrIntervals: [UInt16(truncatingIfNeeded: offset &* 7919 &+ index)])
            }
            try fixture.seal(SampleSet(heartRates: rates), givesUpOldest: givesUpOldest)
        }
    }

    @Test("EDGE-5: with too little space the oldest acknowledged segments go first, and no unsent one")
    func acknowledgedFirst() throws {
        let fixture = try fixture()
        try seal(90, from: 0, fixture)
        try fixture.acknowledgeAll()
        try seal(90, from: 90, fixture)
        let status = try fixture.buffer.status()
        #expect(status.unsentSegments == 90)
        #expect((1..<90).contains(status.acknowledgedSegments))
        #expect(status.bytes <= 300_000)
        #expect(try fixture.unsent().allSatisfy { $0.samples.gaps.isEmpty })
    }

    @Test("EDGE-5: then the oldest unsent ones go, and gap records say which sequences and why")
    func gaps() throws {
        let fixture = try fixture()
        try seal(300, from: 0, fixture)
        #expect(try fixture.buffer.status().bytes <= 300_000)
        // All sequences are either there or declared, and no sequence is both.
        var stored: Set<UInt64> = [], declared: Set<UInt64> = []
        while let batch = try fixture.batch() {
            for segment in try fixture.segments(in: batch) {
                stored.insert(segment.header.sequence)
                for gap in segment.samples.gaps {
                    #expect(gap.reason == .bufferFull)
                    for sequence in gap.sequences { #expect(declared.insert(sequence).inserted) }
                }
            }
            let states = batch.sent.sequences.map { stream, sequences in
                SyncAnswer.StreamState(stream, sequences.map { $0...$0 }, complete: false)
            }
            _ = try fixture.buffer.apply(fixture.answer(states), to: batch.sent)
        }
        #expect(stored.isDisjoint(with: declared) && !declared.isEmpty)
        let last = try #require(stored.max())
        #expect(stored.union(declared) == Set(0...last))
        // What is left is the newest.
        #expect(declared.contains(0) && !declared.contains(last - 1))
    }

    /// What a test says to be free on the disk.
    private final class Disk: Sendable {
        let free = Mutex(1 << 40)
        func set(_ bytes: Int) { free.withLock { $0 = bytes } }
    }

    private func fixture(on disk: Disk) throws -> BufferFixture {
        let directory = try TemporaryDirectory()
        let buffer = try SampleBuffer(directory: directory.url.path, limits: .init()) { _ in disk.free.withLock { $0 } }
        return BufferFixture(buffer, in: directory)
    }

    @Test("EDGE-5: on a disk that others have filled, what the hub has makes place, the oldest first, and the buffer does not grow")
    func fullDisk() throws {
        let disk = Disk(), fixture = try fixture(on: disk)
        try seal(90, from: 0, fixture)
        try fixture.seal(SampleSet(events: [StateEvent(time: 1, code: .help)]))
        try fixture.acknowledgeAll()
        try seal(5, from: 90, fixture)
        #expect(try fixture.buffer.status().acknowledgedSegments == 91, "with room nothing goes")
        disk.set(0)
        let before = try fixture.buffer.status().bytes
        for index in 95..<110 {
            try seal(1, from: index, fixture)
            // That the hub has the SOS record waits in memory to be written down.
            let keys = try fixture.buffer.read {
                try Int.fetchAll($0, sql: "SELECT key FROM segment WHERE state = 1 OR sos = 1 ORDER BY key")
            }
            #expect(keys.last == 91 && keys.count == max(1, 91 - 8 * (index - 94)), "the newest are left, and the SOS record")
            #expect(try fixture.buffer.status().bytes <= before)
        }
        let status = try fixture.buffer.status()
        #expect(status.unsentSegments == 20 && status.acknowledgedSegments == 1)
        #expect(try fixture.unsent().allSatisfy { $0.samples.gaps.isEmpty }, "and nothing that waits")
    }

    @Test("EDGE-5: on a full disk without anything that the hub has, the oldest samples go for the newest, declared, and no SOS record")
    func givingUp() throws {
        let disk = Disk(), fixture = try fixture(on: disk)
        try fixture.seal(SampleSet(events: [StateEvent(time: 1, code: .help)]))
        try seal(90, from: 0, fixture)
        disk.set(0)
        try fixture.stopGrowing()
        #expect(throws: BufferError.self) { try seal(5, from: 90, fixture) }
        let before = try stored(fixture)
        #expect(before.allSatisfy { $0.samples.gaps.isEmpty }, "a disk that is full for a while costs nothing")
        #expect((91...95).contains(before.count))
        try seal(30, from: 100, fixture, givesUpOldest: true)
        let segments = try stored(fixture), gaps = segments.flatMap(\.samples.gaps)
        #expect(gaps.allSatisfy { $0.reason == .bufferFull } && segments.filter(\.samples.holdsSOS).count == 1)
        let seconds = segments.compactMap(\.samples.heartRates.first).map { $0.time / 1000 }.sorted()
        #expect(Array(seconds.suffix(30)) == Array(100..<130) && seconds.first != 0)
        #expect(seconds.count > 60, "no more of the old ones than it takes")
        let names = Set(segments.map(\.header.sequence)), declared = gaps.flatMap { Array($0.sequences) }
        #expect(!declared.isEmpty && Set(declared).count == declared.count && names.isDisjoint(with: declared))
        #expect(names.union(declared) == Set(0...(names.max() ?? 0)), "all are there, or declared")
    }

    @Test("EDGE-5: on a full disk an SOS record displaces the oldest samples, and waits for nobody to allow it")
    func givingUpForSOS() throws {
        let disk = Disk(), fixture = try fixture(on: disk)
        try seal(40, from: 0, fixture)
        disk.set(0)
        try fixture.stopGrowing()
        #expect(throws: BufferError.self) { try seal(5, from: 40, fixture) }
        var records = MemoryOutbox(stream: .random())
        for time in 0..<40 {
            _ = records.hold(
                SampleSet(events: [StateEvent(time: Milliseconds(time), code: .help)]), of: fixture.person, clock: .recorded)
        }
        try fixture.buffer.adopt(records, at: fixture.now)
        let segments = try stored(fixture)
        #expect(segments.filter(\.samples.holdsSOS).count == 40 && segments.flatMap(\.samples.gaps).map(\.reason) == [.bufferFull])
    }

    /// What waits in the file, as it lies there.
    private func stored(_ fixture: BufferFixture) throws -> [Segment] {
        let bytes = try fixture.buffer.read { try Data.fetchAll($0, sql: "SELECT bytes FROM segment WHERE state = 0 ORDER BY key") }
        return try bytes.map { try Segment(decoding: Array($0)) }
    }

    @Test("EDGE-5: on a full disk also samples that went out from memory, and SOS records, make what the hub has go")
    func adopting() throws {
        let disk = Disk(), fixture = try fixture(on: disk)
        try seal(30, from: 0, fixture)
        try fixture.acknowledgeAll()
        disk.set(1 << 20)
        var live = LiveOutbox(stream: .random()), records = MemoryOutbox(stream: .random())
        fixture.hold(BufferFixture.samples(0), in: &live)
        try fixture.buffer.adopt(&live, at: fixture.now)
        #expect(try fixture.buffer.status().acknowledgedSegments == 0)
        disk.set(1 << 40)
        try fixture.acknowledgeAll()
        disk.set(0)
        _ = records.hold(
            SampleSet(events: [StateEvent(time: 1, code: .help)]), of: fixture.person,
            clock: .boottime(boot: BootID(high: 1, low: 1), counter: 1))
        try fixture.buffer.adopt(records, at: fixture.now)
        let status = try fixture.buffer.status()
        #expect(status.unsentSegments == 1 && status.acknowledgedSegments == 0, "what the hub has by answers in memory counts, too")
    }

    @Test("EDGE-5: copies of damaged files go before anything else, and that is said")
    func copies() throws {
        let directory = try TemporaryDirectory(), copy = directory.url.path + "/buffer.sqlite.damaged-2"
        let buffer = try SampleBuffer(directory: directory.url.path, limits: .init()) { _ in
            FileManager.default.fileExists(atPath: copy) ? 0 : 1 << 40
        }
        let fixture = BufferFixture(buffer, in: directory)
        try seal(30, from: 0, fixture)
        try fixture.acknowledgeAll()
        for suffix in ["", "-wal"] { try Data(count: 1000).write(to: URL(fileURLWithPath: copy + suffix)) }
        try seal(1, from: 30, fixture)
        let files = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
        #expect(files.allSatisfy { !$0.contains("damaged") }, "\(files)")
        #expect(fixture.buffer.takeNotices().count == 1)
        #expect(try fixture.buffer.status().acknowledgedSegments == 30)
    }
}
