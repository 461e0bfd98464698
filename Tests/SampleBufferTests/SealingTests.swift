import GRDB
import Segments
import SyncProtocol
import Testing
import Vitals

@testable import SampleBuffer

struct SealingTests {
    @Test("EDGE-5: the outbox is a WAL database whose commits are synced to the disk")
    func durability() throws {
        let fixture = try BufferFixture()
        let settings = try fixture.buffer.read { database in
            [
                try String.fetchOne(database, sql: "PRAGMA journal_mode") ?? "",
                try String.fetchOne(database, sql: "PRAGMA synchronous") ?? "",
            ]
        }
        #expect(settings == ["wal", "2"])
    }

    @Test("EDGE-5: segments get the sequences of one stream without holes, also after a restart, and come back as they were")
    func sequences() throws {
        let fixture = try BufferFixture()
        try fixture.seal(count: 3)
        try fixture.reopen()
        try fixture.seal(count: 2, from: 3)
        let segments = try fixture.unsent()
        #expect(segments.map(\.header.sequence) == [0, 1, 2, 3, 4])
        #expect(Set(segments.map(\.header.stream)).count == 1)
        #expect(segments.map(\.samples) == (0..<5).map { BufferFixture.samples(Milliseconds($0) * 1000) })
        #expect(segments.allSatisfy { $0.header.provenance == .live && $0.header.person == fixture.person })
    }

    @Test("DATA-2, EDGE-5: what is entered by hand has one stream of its own, also after a restart, and what was lost is not told in it")
    func manual() throws {
        let fixture = try BufferFixture()
        let weight = try #require(ScalarSample(.weight, time: 1_790_000_000_000, value: 725))
        try fixture.seal(count: 1)
        try fixture.buffer.write { try $0.set(.pendingGap, String(GapRecord.Reason.diskFull.rawValue)) }
        try fixture.seal(SampleSet(scalars: [weight]), to: .manual)
        try fixture.reopen()
        try fixture.seal(SampleSet(scalars: [weight]), to: .manual)
        try fixture.seal(count: 1, from: 1)
        let segments = try fixture.unsent(), manual = segments.filter { $0.header.provenance == .manual }
        #expect(segments.count == 4 && manual.map(\.header.sequence) == [0, 1] && Set(manual.map(\.header.stream)).count == 1)
        #expect(manual.allSatisfy { $0.samples.scalars.byKind.map(\.kind) == [.weight] && $0.samples.gaps.isEmpty })
        let live = segments.filter { $0.header.provenance == .live }
        #expect(live.count == 2 && live.contains { !$0.samples.gaps.isEmpty } && live[0].header.stream != manual[0].header.stream)
    }

    @Test func partsWithoutSamplesMakeNoSegment() throws {
        let fixture = try BufferFixture()
        try fixture.seal(SampleSet())
        #expect(try fixture.batch() == nil)
    }

    @Test("EDGE-5: when the disk is full nothing is stored in part, and what was stored stays")
    func diskFull() throws {
        let fixture = try BufferFixture()
        try fixture.seal(count: 3)
        try fixture.buffer.write { database in
            let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
            try database.execute(sql: "PRAGMA max_page_count = \(pages)")
        }
        let large = BufferFixture.samples(100_000, count: 4000)
        let error = #expect(throws: BufferError.self) {
            for _ in 0..<100 { try fixture.seal(large) }
        }
        guard case .notWritable = try #require(error) else {
            Issue.record("not a clear error")
            return
        }
        let sealed = try fixture.buffer.status().unsentSegments
        try fixture.buffer.write { try $0.execute(sql: "PRAGMA max_page_count = 1000000") }
        try fixture.seal(large)
        #expect(try fixture.buffer.status().unsentSegments == sealed + 1)
        #expect(try fixture.unsent().map(\.header.sequence) == (0...UInt64(sealed)).map { $0 })
    }

    @Test("EDGE-5: samples that were lost before they were sealed are declared as a gap with a sequence of its own")
    func lostSamples() throws {
        let fixture = try BufferFixture()
        try fixture.seal(count: 1)
        try fixture.seal(BufferFixture.samples(5000), lost: .diskFull)
        let segments = try fixture.unsent()
        #expect(segments.map(\.header.sequence) == [0, 2])
        #expect(segments[1].samples.gaps == [GapRecord(time: 5000, sequences: 1...1, reason: .diskFull)])
    }

    @Test("EDGE-10: samples and the progress of a replay are one transaction")
    func replayProgress() throws {
        let fixture = try BufferFixture()
        let specification = ReplaySpecification(
            person: fixture.person, nmea: ReplayFile(digest: [1], name: "a.nmea"), ble: nil, offset: 0, handle: nil)
        guard case .fresh(let replay) = try fixture.buffer.beginReplay(specification, again: false, utc: 5) else {
            Issue.record("not fresh")
            return
        }
        var progress = ReplayProgress()
        (progress.nmeaEvents, progress.nmeaOffset, progress.position) = (10, 700, 9000)
        try fixture.seal(BufferFixture.samples(9000), to: .replay(replay), progress: progress)
        // A transaction that fails leaves the progress where it was.
        var further = progress
        further.nmeaEvents = 20
        try fixture.buffer.write { try $0.execute(sql: "CREATE TRIGGER no BEFORE INSERT ON segment BEGIN SELECT raise(ABORT, 'no'); END") }
        #expect(throws: BufferError.self) { try fixture.seal(BufferFixture.samples(1), to: .replay(replay), progress: further) }
        try fixture.buffer.write { try $0.execute(sql: "DROP TRIGGER no") }
        try fixture.reopen()
        #expect(try fixture.buffer.beginReplay(specification, again: false, utc: 6) == .resumed(replay, progress))
        #expect(try fixture.unsent().map(\.header.provenance) == [.replay])
    }

    @Test func bootsAreCounted() throws {
        let fixture = try BufferFixture()
        let first = BootID(high: 1, low: 1), second = BootID(high: 2, low: 2)
        #expect(try fixture.buffer.beginBoot(first) == 1)
        #expect(try fixture.buffer.beginBoot(first) == 1)
        #expect(try fixture.buffer.beginBoot(second) == 2)
        try fixture.reopen()
        #expect(try fixture.buffer.beginBoot(second) == 2)
    }

    @Test("EDGE-6: with the hub's order new samples go to a new stream, and sealed ones stay in theirs")
    func newStream() throws {
        let fixture = try BufferFixture()
        try fixture.seal(count: 1)
        try fixture.buffer.store(token: "t", newStream: true)
        try fixture.seal(count: 1)
        #expect(try fixture.buffer.token() == "t")
        let headers = try fixture.unsent().map(\.header)
        #expect(headers.map(\.sequence) == [0, 0])
        #expect(headers[0].stream != headers[1].stream)
    }
}
