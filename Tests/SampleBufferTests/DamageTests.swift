import Foundation
import GRDB
import Segments
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import SampleBuffer

struct DamageTests {
    /// A closed buffer with `count` unsent segments, all of it in the main file.
    static func closed(_ count: Int) throws -> (directory: TemporaryDirectory, path: String) {
        let directory = try TemporaryDirectory(), path = directory.url.appendingPathComponent("buffer.sqlite").path
        let buffer = try SampleBuffer(directory: directory.url.path)
        _ = try buffer.beginBoot(BootID(high: 1, low: 1))
        try buffer.store(token: "kept", newStream: false)
        // Many in one transaction: syncing each would take most of the test's time.
        for first in stride(from: 0, to: count, by: 100) {
            let parts = (first..<first + 100).map { index in
                SealPart(
                    person: PersonID(high: 1, low: 1), clock: .recorded,
                    samples: BufferFixture.samples(Milliseconds(index) * 1000, count: 40))
            }
            try buffer.seal(parts, to: .live, at: BufferTime(boot: 1, milliseconds: Milliseconds(first)))
        }
        return (directory, path)
    }

    static func overwrite(_ path: String, at offset: UInt64, _ bytes: [UInt8]) throws {
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        try file.seek(toOffset: offset)
        file.write(Data(bytes))
        try file.close()
    }

    @Test("EDGE-5: a file that is no database is set aside, and a new buffer starts within 2 s", arguments: [0, 1, 100, 100_000])
    func garbage(size: Int) throws {
        let directory = try TemporaryDirectory(), path = directory.url.appendingPathComponent("buffer.sqlite").path
        try Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) }).write(to: URL(fileURLWithPath: path))
        let start = ContinuousClock.now
        let buffer = try SampleBuffer(directory: directory.url.path)
        #expect(ContinuousClock.now - start < .seconds(2))
        let part = SealPart(person: PersonID(high: 1, low: 1), clock: .recorded, samples: BufferFixture.samples(0))
        try buffer.seal([part], to: .live, at: BufferTime(boot: 1, milliseconds: 0))
        #expect(try buffer.status().unsentSegments == 1)
        if size > 1 { #expect(buffer.takeNotices().count == 1 && FileManager.default.fileExists(atPath: path + ".damaged-1")) }
    }

    @Test("EDGE-5: what can be read of a damaged buffer is carried over, and the gap is declared")
    func salvage() throws {
        let (directory, path) = try Self.closed(2000)
        let size = try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? UInt64)
        // Some pages in the middle.
        try Self.overwrite(path, at: size / 2 / 4096 * 4096, [UInt8](repeating: 0xA5, count: 3 * 4096))
        let start = ContinuousClock.now
        var buffer = try SampleBuffer(directory: directory.url.path)
        // Damage that opening does not meet is met by reading.
        while let batch = try buffer.nextBatch(bytesMax: 1 << 20, at: BufferTime(boot: 1, milliseconds: 0)) {
            let states = batch.sent.sequences.map { SyncAnswer.StreamState($0, $1.map { $0...$0 }, complete: false) }
            let answer = SyncAnswer(hub: HubIncarnation(high: 1, low: 1), utc: 0, cadence: .interval, streams: states)
            _ = try buffer.apply(answer, to: batch.sent)
        }
        #expect(ContinuousClock.now - start < .seconds(10))
        #expect(buffer.takeNotices().count == 1)
        let saved = try buffer.status().acknowledgedSegments
        #expect(saved > 1000 && saved < 2000, "\(saved)")
        #expect(try buffer.token() == "kept")
        #expect(try buffer.beginBoot(BootID(high: 2, low: 2)) == 2)

        let part = SealPart(person: PersonID(high: 1, low: 1), clock: .recorded, samples: BufferFixture.samples(9_000_000))
        for _ in 0..<2 { try buffer.seal([part], to: .live, at: BufferTime(boot: 2, milliseconds: 0)) }
        buffer = try SampleBuffer(directory: directory.url.path)
        let batch = try #require(try buffer.nextBatch(bytesMax: 1 << 20, at: BufferTime(boot: 2, milliseconds: 0)))
        let segments = try batch.body.withUnsafeBytes { body in
            try SegmentBatch.ranges(in: body).map { try Segment(decoding: UnsafeRawBufferPointer(rebasing: body[$0])) }
        }
        #expect(segments.map(\.samples.gaps) == [[GapRecord(time: 9_000_000, sequences: 0...0, reason: .corruption)], []])
        #expect(segments.map(\.header.sequence) == [1, 2])
    }

    @Test("EDGE-5: any damage is survived, and the buffer works afterwards", arguments: Seeds.some(10, of: 0..<30))
    func anyDamage(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let (directory, path) = try Self.closed(300)
        let size = try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? UInt64)
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            let junk = (0..<Int.random(in: 1...5000, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
            try Self.overwrite(path, at: UInt64.random(in: 0..<size, using: &random), junk)
        }
        if Bool.random(using: &random) { truncate(path, off_t(UInt64.random(in: 0..<size, using: &random))) }
        try use(directory, seed)
    }

    /// The schema, the settings, streams and the roots of all trees are there.
    @Test(
        "EDGE-5: a flipped bit in the first pages is survived, and the buffer works afterwards",
        arguments: Seeds.some(50, of: 0..<180))
    func anyFlipInFirstPages(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let (directory, path) = try Self.closed(100)
        var pages = try Data(contentsOf: URL(fileURLWithPath: path))
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            // Half of them where most of the schema is.
            let offset =
                Int.random(in: 0..<(Bool.random(using: &random) ? 8 : 32) * 512, using: &random)
            pages[offset] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        }
        try pages.write(to: URL(fileURLWithPath: path))
        try use(directory, seed)
    }

    @Test(
        "EDGE-5: damage in the schema is noticed, and nothing is lost by it",
        arguments: [
            ("CREATE TABLE segment", "CREATE TABLE sogment"), ("sequence INTEGER NOT NULL", "sequense INTEGER NOT NULL"),
            ("1 streams, segments", "2 streams, segments"), ("CREATE TABLE setting", "CREATE TABLE retting"),
        ])
    func schema(old: String, new: String) throws {
        let (directory, path) = try Self.closed(100)
        var pages = try Data(contentsOf: URL(fileURLWithPath: path))
        while let range = pages.range(of: Data(old.utf8)) { pages.replaceSubrange(range, with: Data(new.utf8)) }
        try pages.write(to: URL(fileURLWithPath: path))
        let buffer = try SampleBuffer(directory: directory.url.path)
        #expect(buffer.takeNotices().count == 1)
        try use(directory, 0)
    }

    @Test("EDGE-5: values of another type than the column's are damage, not an end")
    func wrongType() throws {
        let fixture = try BufferFixture()
        try fixture.seal(count: 3)
        // As a flipped bit in a record's header makes it; SQL could not.
        try fixture.buffer.write { database in
            try database.execute(sql: "UPDATE segment SET person = 'x', hour = x'00', sequence = x'01', count = 'y' WHERE key = 2")
        }
        try fixture.seal(count: 1, from: 3)
        _ = try fixture.buffer.status()
        #expect(try fixture.unsent().flatMap(\.samples.heartRates).map(\.time).contains(3000))
        try fixture.acknowledgeAll()
        #expect(try fixture.buffer.waiting().segments == 0)
    }

    /// Opens, seals, and sends until everything was sent.
    private func use(_ directory: TemporaryDirectory, _ seed: UInt64) throws {
        let start = ContinuousClock.now
        let buffer = try SampleBuffer(directory: directory.url.path)
        #expect(ContinuousClock.now - start < .seconds(2), "seed \(seed)")
        let part = SealPart(person: PersonID(high: 1, low: 1), clock: .recorded, samples: BufferFixture.samples(0))
        try buffer.seal([part], to: .live, at: BufferTime(boot: 2, milliseconds: 0))
        var rounds = 0
        while let batch = try buffer.nextBatch(bytesMax: 1 << 20, at: BufferTime(boot: 2, milliseconds: 0)) {
            let states = batch.sent.sequences.map { SyncAnswer.StreamState($0, $1.map { $0...$0 }, complete: false) }
            let answer = SyncAnswer(hub: HubIncarnation(high: 1, low: 1), utc: 0, cadence: .interval, streams: states)
            _ = try buffer.apply(answer, to: batch.sent)
            rounds += 1
            try #require(rounds < 100, "seed \(seed)")
        }
        #expect(try buffer.status().unsentSegments == 0, "seed \(seed)")
    }
}
