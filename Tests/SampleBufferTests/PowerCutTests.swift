import Foundation
import GRDB
import Segments
import TestSupport
import Testing
import Vitals

@testable import SampleBuffer

/// What the disk may hold after a power cut: everything that was synced, and of what was written since any part, in any state.
struct PowerCutTests {
    private static let pageBytes = 512

    /// The buffer as a new start finds it.
    private func start(database: Data, wal: Data) throws -> (buffer: SampleBuffer, directory: TemporaryDirectory) {
        let directory = try TemporaryDirectory()
        try database.write(to: directory.url.appendingPathComponent("buffer.sqlite"))
        try wal.write(to: directory.url.appendingPathComponent("buffer.sqlite-wal"))
        return (try SampleBuffer(directory: directory.url.path), directory)
    }

    private func sequences(_ buffer: SampleBuffer) throws -> [UInt64] {
        let batch = try buffer.nextBatch(bytesMax: 4 << 20, at: BufferTime(boot: 9, milliseconds: 0))
        return try (batch?.body ?? []).withUnsafeBytes { body in
            try SegmentBatch.ranges(in: body).map { try Segment(decoding: UnsafeRawBufferPointer(rebasing: body[$0])).header.sequence }
        }.sorted()
    }

    /// What was written into the log, without the zeros that it is filled up with.
    private func frames(_ wal: URL) throws -> Data {
        let log = try Data(contentsOf: wal), frame = 24 + Self.pageBytes
        let used = (log.lastIndex { $0 != 0 } ?? -1) + 1
        return log.prefix(32 + (max(used - 32, 0) + frame - 1) / frame * frame)
    }

    @Test("EDGE-5: a commit spares the memory card: the log is as long as it gets from the start, and its index is in no file")
    func noGrowth() throws {
        let fixture = try BufferFixture(), wal = URL(fileURLWithPath: fixture.path + "-wal")
        let before = try Data(contentsOf: wal).count
        #expect(before > 4_000_000)
        try fixture.seal(count: 300)
        #expect(try Data(contentsOf: wal).count == before)
        #expect(!FileManager.default.fileExists(atPath: fixture.path + "-shm"))
    }

    @Test(
        "EDGE-5: after a power cut everything that was sealed before it is there, whatever became of the writes that were under way",
        arguments: Seeds.some(10, of: 0..<40))
    func tornWrites(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let fixture = try BufferFixture(), wal = URL(fileURLWithPath: fixture.path + "-wal")
        let sealed = Int.random(in: 1...30, using: &random)
        try fixture.seal(count: sealed)
        let durable = try frames(wal)
        try fixture.seal(count: Int.random(in: 1...5, using: &random), from: sealed)
        let later = try frames(wal)
        try #require(later.count > durable.count && later.starts(with: durable))
        // Of what was not synced, each sector is old (nothing), new, or noise; and the file ends anywhere.
        var cut = later.prefix(Int.random(in: durable.count...later.count, using: &random))
        for sector in stride(from: durable.count, to: cut.count, by: Self.pageBytes) {
            let range = sector..<min(sector + Self.pageBytes, cut.count)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: cut.replaceSubrange(range, with: Data(count: range.count))
            case 1: cut.replaceSubrange(range, with: Data(range.map { _ in UInt8.random(in: 0...255, using: &random) }))
            default: break
            }
        }
        // The zeros with which the log was filled up at the start, where they reached the disk.
        if Bool.random(using: &random) { cut += Data(count: Int.random(in: 1...100_000, using: &random)) }
        let found = try start(database: try Data(contentsOf: URL(fileURLWithPath: fixture.path)), wal: cut)
        #expect(found.buffer.takeNotices().isEmpty, "seed \(seed): nothing is damaged")
        let there = try sequences(found.buffer)
        #expect(there.starts(with: (0..<UInt64(sealed)).map { $0 }), "seed \(seed)")
        // It goes on without using a sequence twice.
        let part = SealPart(person: fixture.person, clock: .recorded, samples: BufferFixture.samples(1))
        try found.buffer.seal([part], to: .live, at: BufferTime(boot: 9, milliseconds: 0))
        #expect(try sequences(found.buffer) == (0...UInt64(there.count)).map { $0 }, "seed \(seed)")
    }

    @Test("EDGE-5: a power cut while the log is being carried into the database loses nothing", arguments: 0..<20 as Range<UInt64>)
    func checkpoint(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let fixture = try BufferFixture(), file = URL(fileURLWithPath: fixture.path), wal = URL(fileURLWithPath: fixture.path + "-wal")
        try fixture.seal(count: 25)
        let log = try Data(contentsOf: wal), before = try Data(contentsOf: file)
        let queue = try DatabaseQueue(path: fixture.path)
        _ = try queue.writeWithoutTransaction { try $0.checkpoint(.passive) }
        let after = try Data(contentsOf: file)
        try #require(after.count > before.count, "the log was carried over")
        // The log is synced before; of the database's pages some are new, some old, some half of each.
        var mixed = before + Data(count: after.count - before.count)
        for page in stride(from: 0, to: after.count, by: Self.pageBytes) {
            let written = [0, Self.pageBytes / 2, Self.pageBytes].randomElement(using: &random) ?? 0
            mixed.replaceSubrange(page..<page + written, with: after[page..<page + written])
        }
        let found = try start(database: mixed, wal: log)
        #expect(found.buffer.takeNotices().isEmpty, "seed \(seed)")
        #expect(try sequences(found.buffer) == (0..<25).map { $0 }, "seed \(seed)")
    }
}
