import Foundation
import GRDB
import Segments
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import SampleBuffer

/// What a salvage leaves behind when the power fails or the disk is full.
struct SalvageTests {
    private let files = FileManager.default

    /// A closed buffer whose damage is met when everything is read.
    private func damaged(_ count: Int) throws -> (directory: TemporaryDirectory, path: String) {
        let (directory, path) = try DamageTests.closed(count)
        let size = try #require(try files.attributesOfItem(atPath: path)[.size] as? UInt64)
        try DamageTests.overwrite(path, at: size / 2 / 4096 * 4096, [UInt8](repeating: 0xA5, count: 4096))
        return (directory, path)
    }

    @Test("EDGE-5: a damaged file that was set aside before anything was saved of it is salvaged by the next start")
    func onlyAside() throws {
        let (directory, path) = try damaged(500)
        try files.moveItem(atPath: path, toPath: path + ".damaged-1")
        try Data("half of it".utf8).write(to: URL(fileURLWithPath: path + ".new"))
        let buffer = try SampleBuffer(directory: directory.url.path)
        #expect(try buffer.waiting().segments > 200)
        #expect(try buffer.token() == "kept")
        #expect(buffer.takeNotices().count == 1)
        #expect(!files.fileExists(atPath: path + ".new"))
        // Once.
        #expect(try SampleBuffer(directory: directory.url.path).takeNotices() == [])
    }

    @Test("EDGE-5: a new file that was filled and has not its name yet gets it by the next start")
    func onlyNew() throws {
        let (directory, path) = try damaged(500)
        let count: Int
        do {
            let buffer = try SampleBuffer(directory: directory.url.path)
            _ = try buffer.nextBatch(bytesMax: 4 << 20, at: BufferTime(boot: 1, milliseconds: 0))
            #expect(buffer.takeNotices().count == 1)
            count = try buffer.waiting().segments
        }
        try files.moveItem(atPath: path, toPath: path + ".new")
        // Nothing can be had from the old one, and its log must not be played into the new one.
        try Data().write(to: URL(fileURLWithPath: path + ".damaged-1"))
        try Data(repeating: 7, count: 5000).write(to: URL(fileURLWithPath: path + "-wal"))
        let buffer = try SampleBuffer(directory: directory.url.path)
        #expect(try buffer.waiting().segments == count)
        #expect(try buffer.token() == "kept")
        #expect(buffer.takeNotices().count == 1)
    }

    @Test("EDGE-5: a salvage that the disk does not take is tried again by the next call, and loses nothing")
    func diskFull() throws {
        let (directory, path) = try damaged(500)
        let buffer = try SampleBuffer(directory: directory.url.path), time = BufferTime(boot: 1, milliseconds: 0)
        // Something that no file can replace stands for a full disk.
        try files.createDirectory(atPath: path + ".new/x", withIntermediateDirectories: true)
        for _ in 0..<3 {
            let error = #expect(throws: BufferError.self) {
                while let batch = try buffer.nextBatch(bytesMax: 4 << 20, at: time) { #expect(batch.sent.segmentCount > 500) }
            }
            guard case .notWritable = try #require(error) else {
                Issue.record("\(error as Any)")
                return
            }
            #expect(files.fileExists(atPath: path) && !files.fileExists(atPath: path + ".damaged-1"))
        }
        try files.removeItem(atPath: path + ".new")
        let batch = try #require(try buffer.nextBatch(bytesMax: 4 << 20, at: time))
        #expect(batch.sent.segmentCount > 200)
        #expect(buffer.takeNotices().count == 1)
    }

    @Test("EDGE-10: a replay goes on after a salvage; one that was lost with the file ends with an error")
    func replays() throws {
        let fixture = try BufferFixture()
        let replays = try (1...3).map { index in
            let file = ReplayFile(digest: [UInt8(index)], name: "\(index)")
            let specification = ReplaySpecification(person: fixture.person, nmea: file, ble: nil, offset: 0, handle: nil)
            guard case .fresh(let id) = try fixture.buffer.beginReplay(specification, again: false, utc: 1) else {
                throw BufferError.missing(what: "fresh replay")
            }
            return (id, specification)
        }
        try fixture.buffer.write { database in
            try database.execute(sql: "DELETE FROM replay WHERE key = 1; UPDATE replay SET person = x'00' WHERE key = 2")
        }
        #expect(throws: BufferError.self) {
            try fixture.buffer.write { _ in
                throw DatabaseError(resultCode: .SQLITE_CORRUPT)
            }
        }
        #expect(fixture.buffer.takeNotices().count == 1)
        var progress = ReplayProgress()
        progress.nmeaEvents = 5
        try fixture.seal(BufferFixture.samples(0), to: .replay(replays[2].0), progress: progress)
        #expect(try fixture.buffer.beginReplay(replays[2].1, again: false, utc: 2) == .resumed(replays[2].0, progress))
        for lost in replays[..<2] {
            #expect(throws: BufferError.missing(what: "replay")) {
                try fixture.seal(BufferFixture.samples(0), to: .replay(lost.0), progress: progress)
            }
        }
    }
}
