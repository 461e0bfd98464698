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

    /// Whose salvages have time for one segment, and one SOS record.
    private func hurried(_ directory: TemporaryDirectory) throws -> SampleBuffer {
        try SampleBuffer(directory: directory.url.path, limits: .init(), salvageTime: .zero, freeBytes: DiskSpace.free)
    }

    @Test("EDGE-5: what a start has no time to read of a damaged file follows in turns, once, whenever the power fails; SOS records first")
    func turns() throws {
        let directory = try TemporaryDirectory(), path = directory.url.path + "/buffer.sqlite", now = BufferTime(boot: 1, milliseconds: 0)
        do {
            let buffer = try SampleBuffer(directory: directory.url.path)
            let parts = (0..<100).map { index in
                let help = SampleSet(events: [StateEvent(time: 0, code: .help)])
                return SealPart(
                    person: PersonID(high: 1, low: 1), clock: .recorded,
                    samples: index == 7 ? help : BufferFixture.samples(Milliseconds(index) * 1000))
            }
            try buffer.seal(parts, to: .live, at: now)
            // All of it can be read.
            try buffer.write { try $0.execute(sql: "DROP INDEX segment_settled") }
        }
        func sequences(_ buffer: SampleBuffer) throws -> [Int] {
            try buffer.read { try Int.fetchAll($0, sql: "SELECT sequence FROM segment ORDER BY sequence") }
        }
        var buffer = try hurried(directory)
        #expect(try sequences(buffer) == [7, 99])
        #expect(buffer.takeNotices().count == 1)
        // A gap record does not take the name of what is still to come.
        #expect(try buffer.read { try Int.fetchOne($0, sql: "SELECT min(next) FROM stream") ?? 0 } >= 1 << 40)
        for _ in 0..<30 { try buffer.carryOn(for: .zero, at: now) }
        #expect(try sequences(buffer) == [7] + Array(69..<100))
        // The hub has these. Then the power fails before the box has noted how far it was.
        while let batch = try buffer.nextBatch(bytesMax: 1 << 20, at: now) {
            let states = batch.sent.sequences.map { SyncAnswer.StreamState($0, $1.map { $0...$0 }, complete: false) }
            let answer = SyncAnswer(hub: HubIncarnation(high: 1, low: 1), utc: 0, cadence: .interval, streams: states)
            _ = try buffer.apply(answer, to: batch.sent)
        }
        try buffer.settle()
        try buffer.write { try $0.set(.rest, nil) }
        buffer = try hurried(directory)
        for _ in 0..<400 where buffer.owesRest { try buffer.carryOn(for: .zero, at: now) }
        #expect(try sequences(buffer) == Array(0..<100))
        #expect(try buffer.waiting().segments == 68, "what the hub has is not sent again")
        #expect(!buffer.owesRest && files.fileExists(atPath: path + ".damaged-1") && !files.fileExists(atPath: path + ".rest-1"))
        #expect(buffer.takeNotices().count == 1)
        // The power fails between the last turn and the new name.
        try files.moveItem(atPath: path + ".damaged-1", toPath: path + ".rest-1")
        buffer = try hurried(directory)
        for _ in 0..<400 where buffer.owesRest { try buffer.carryOn(for: .zero, at: now) }
        #expect(try !buffer.owesRest && sequences(buffer) == Array(0..<100) && buffer.waiting().segments == 68)
    }

    /// Whose salvages have time for everything.
    private func patient(_ directory: TemporaryDirectory) throws -> SampleBuffer {
        try SampleBuffer(directory: directory.url.path, limits: .init(), salvageTime: .seconds(60), freeBytes: DiskSpace.free)
    }

    /// How many segments are there after SQLite has told of damage.
    private func salvage(_ buffer: SampleBuffer) throws -> Int {
        #expect(throws: BufferError.self) {
            try buffer.write { _ in
                throw DatabaseError(resultCode: .SQLITE_CORRUPT)
            }
        }
        return try buffer.waiting().segments
    }

    @Test("EDGE-5: in turns as much is read of a damaged file as at once, on a full disk, too, which does not cost the file")
    func turnsAroundDamage() throws {
        let (directory, path) = try damaged(500), again = try TemporaryDirectory(), now = BufferTime(boot: 1, milliseconds: 0)
        try files.copyItem(atPath: path, toPath: again.url.path + "/buffer.sqlite")
        let atOnce = try salvage(patient(directory))
        let buffer = try SampleBuffer(directory: again.url.path, limits: .init(), salvageTime: .zero) { _ in 0 }
        #expect(try atOnce > 200 && salvage(buffer) == 1)
        // Of a second damage, which leaves two such files, the newer one comes first.
        _ = try salvage(buffer)
        for _ in 0..<2000 where buffer.owesRest { try buffer.carryOn(for: .milliseconds(1), at: now) }
        #expect(try !buffer.owesRest && buffer.waiting().segments == atOnce)
    }

    /// Lets a branch of the tree of segments lead to where another one leads: their places among the root's branches, by key.
    private func redirect(_ path: String, _ branch: Int, to other: Int) throws {
        let database = try DatabaseQueue(path: path)
        let page = try database.read { try Int.fetchOne($0, sql: "SELECT rootpage FROM sqlite_master WHERE name = 'segment'") ?? 0 }
        _ = try database.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        try database.close()
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: path))), start = (page - 1) * 512
        // The header of an interior page of a table, and the number of its cells.
        func number(_ place: Int) -> Int { Int(bytes[place]) << 8 | Int(bytes[place + 1]) }
        func place(_ branch: Int) -> Int { start + number(start + 12 + 2 * branch) }
        let isTree = bytes[start] == 5, branches = number(start + 3)
        try #require(isTree && branches > max(branch, other))
        try DamageTests.overwrite(path, at: UInt64(place(branch)), Array(bytes[place(other)..<place(other) + 4]))
    }

    @Test("EDGE-5: where a damaged tree leads to the same place twice, turns come to an end, and read as much as one long reading")
    func twiceTheSame() throws {
        for (branch, other) in [(5, 2), (2, 5)] {
            let (directory, path) = try DamageTests.closed(200), again = try TemporaryDirectory()
            let now = BufferTime(boot: 1, milliseconds: 0)
            try redirect(path, branch, to: other)
            try files.copyItem(atPath: path, toPath: again.url.path + "/buffer.sqlite")
            let atOnce = try salvage(patient(directory)), buffer = try hurried(again)
            #expect(try atOnce > 100 && atOnce < 200 && salvage(buffer) < 3)
            for _ in 0..<1000 where buffer.owesRest { try buffer.carryOn(for: .zero, at: now) }
            #expect(!buffer.owesRest)
            #expect(try buffer.waiting().segments == atOnce)
        }
    }

    @Test("EDGE-5: a disk without room, memory or descriptors says nothing about a damaged file, one that gives no data does")
    func passing() {
        let passing: [ResultCode] = [.SQLITE_FULL, .SQLITE_NOMEM, .SQLITE_CANTOPEN, .SQLITE_IOERR_SHMSIZE, .SQLITE_IOERR_NOMEM]
        #expect(passing.allSatisfy { DatabaseError(resultCode: $0).isPassing })
        let damage: [ResultCode] = [.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_IOERR_READ, .SQLITE_IOERR_SHORT_READ]
        #expect(!damage.contains { DatabaseError(resultCode: $0).isPassing })
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
