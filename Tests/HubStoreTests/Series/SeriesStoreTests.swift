import Database
import Foundation
import Privacy
import Segments
import Synchronization
import TestSupport
import Testing
import Vitals

@testable import HubStore

/// A store in a directory of its own, with one person and one stream.
struct StoreFixture {
    let directory: TemporaryDirectory
    let hub: HubDirectory
    let accounts: AccountStore
    let series: SeriesStore
    let person: PersonID
    let row: Int64
    let stream: StreamID

    init(
        _ directory: TemporaryDirectory? = nil, hub: HubDirectory? = nil, databases: HubDirectory.Databases = .files,
        person: PersonID? = nil, stream: StreamID = .random()
    ) throws {
        self.directory = try directory ?? TemporaryDirectory()
        let hub = try hub ?? HubDirectory(self.directory.url, databases: databases)
        self.hub = hub
        let keys = try KeyStore(hub, environment: [:])
        accounts = try AccountStore(hub, keys: keys)
        series = try SeriesStore(hub, accounts: accounts, keys: keys)
        self.person = try person ?? accounts.addPerson(name: "Made up", now: 0).id
        row = try #require(try accounts.row(of: self.person))
        self.stream = stream
    }

    func reopened() throws -> StoreFixture { try StoreFixture(directory, hub: hub, person: person, stream: stream) }

    func append(
        _ samples: SampleSet, sequence: UInt64, clock: ClockDomain = .recorded, provenance: Provenance = .live, stream: StreamID? = nil
    ) throws {
        let segment = Segment(
            stream: stream ?? self.stream, sequence: sequence, person: person, provenance: provenance, clock: clock, samples: samples)
        let stored = try known(segment.header.stream, provenance: provenance)
        let key = SeriesStore.ClockKey(stream: stored.row, domain: clock)
        let clockRow = try #require(try series.clocks([key])[key])
        let sealed = try segment.encoded().withUnsafeBytes {
            try series.seal($0, person: person, stream: stored.row, sequence: sequence)
        }
        let frame = JournalFrame(
            person: row, stream: stored.row, clock: clockRow, sequence: sequence, fingerprint: sequence &* 7919,
            first: segment.header.firstTime, last: segment.header.lastTime, hasClocks: !samples.clocks.isEmpty,
            gaps: samples.gaps.map(\.sequences), envelope: try #require(sealed))
        try series.append([frame], clocks: [(clockRow, samples.clocks)], now: noon + 86_400_000)
    }

    func known(_ stream: StreamID, provenance: Provenance = .live) throws -> SeriesStore.StoredStream {
        try #require(try series.streams([.init(stream: stream, agent: 1, provenance: provenance)], now: 0)[stream])
    }

    func all() throws -> Reading {
        try #require(try series.reader.read(.maintenance(of: person), from: .min / 2, to: .max / 2, now: 0))
    }
}

func heartRates(from start: Milliseconds, count: Int, rate: UInt16 = 120) -> [HeartRateSample] {
    (0..<count).map { HeartRateSample(time: start + Milliseconds($0) * 1000, beatsPerMinute: rate + UInt16($0 % 5), contact: .detected) }
}

func positions(from start: Milliseconds, count: Int) -> [PositionSample] {
    (0..<count).map { index in
        PositionSample(
            time: start + Milliseconds(index) * 1000, latitude: 454_640_000 + Int32(index) * 210,
            longitude: 91_900_000 - Int32(index) * 130,
            altitude: 1200, speed: 310, course: 4500, horizontalError: 35)
    }
}

let noon: Milliseconds = 1_795_262_400_000

struct SeriesStoreTests {
    @Test("DATA-3: what is stored reads the same pending, merged, and after a restart, across hours", arguments: Engine.allCases)
    func reads(_ engine: Engine) throws {
        var store = try StoreFixture(databases: engine)
        let rates = heartRates(from: noon - 5_000_000, count: 9000), track = positions(from: noon - 5_000_000, count: 9000)
        for part in 0..<90 {
            let range = part * 100..<part * 100 + 100
            try store.append(
                SampleSet(heartRates: Array(rates[range]), positions: Array(track[range])), sequence: UInt64(part))
            if part == 40 { try store.series.merger.merge(now: 2) }
            if part == 60 { store = try store.reopened() }
        }
        func check(_ store: StoreFixture) throws {
            let reading = try store.all()
            #expect(reading.heartRates == rates)
            #expect(reading.positions == track)
            let part = try store.series.reader.read(
                .maintenance(of: store.person), from: rates[4000].time, to: rates[4999].time, now: 0)
            #expect(part?.heartRates == Array(rates[4000...4999]))
        }
        try check(store)
        let report = try store.series.merger.merge(now: 3)
        #expect(report.segments == 49)
        #expect(store.series.merger.backlog.segments == 0)
        try check(store)
        try check(try store.reopened())
        let last = try store.series.reader.last(10, .maintenance(of: store.person), now: noon + day)
        #expect(last?.heartRates == Array(rates.suffix(10)))
    }

    @Test("EDGE-6: after merging and a restart the hub still knows every sequence and its fingerprint", arguments: Engine.allCases)
    func remembers(_ engine: Engine) throws {
        let store = try StoreFixture(databases: engine)
        for sequence in [1, 2, 3, 7, 8] as [UInt64] {
            try store.append(SampleSet(heartRates: heartRates(from: noon, count: 1)), sequence: sequence)
        }
        try store.append(
            SampleSet(gaps: [GapRecord(time: noon, sequences: 4...5, reason: .bufferFull)]), sequence: 9)
        for round in 0..<3 {
            let again = try store.reopened()
            let stream = try again.known(store.stream)
            #expect(stream.received.ranges == [1...5, 7...9], "round \(round)")
            #expect(try again.series.fingerprint(stream: stream.row, sequence: 7) == 7 &* 7919)
            #expect(try again.series.fingerprint(stream: stream.row, sequence: 6) == nil)
            #expect(try again.series.fingerprint(stream: stream.row, sequence: 100) == nil)
            try again.series.merger.merge(now: 2)
        }
    }

    @Test("DATA-11: nothing that a person has stands readable on the disk, and a moved or changed envelope does not open")
    func encrypted() throws {
        let store = try StoreFixture()
        let name = "Made up"
        try store.append(SampleSet(positions: positions(from: noon, count: 50)), sequence: 1)
        try store.series.merger.merge(now: 1)
        try store.append(SampleSet(positions: positions(from: noon + 60_000, count: 50)), sequence: 2)
        let plain = Segment(
            stream: store.stream, sequence: 2, person: store.person, provenance: .live, clock: .recorded,
            samples: SampleSet(positions: positions(from: noon + 60_000, count: 50))
        ).encoded()
        for file in try FileManager.default.contentsOfDirectory(atPath: store.directory.url.path) {
            let bytes = try Data(contentsOf: store.directory.url.appendingPathComponent(file))
            #expect(bytes.range(of: Data(name.utf8)) == nil, "the name in \(file)")
            #expect(bytes.range(of: Data(plain[40..<80])) == nil, "a segment in \(file)")
            let mode = try FileManager.default.attributesOfItem(atPath: store.directory.url.appendingPathComponent(file).path)
            #expect((mode[.posixPermissions] as? NSNumber)?.intValue == 0o600, "\(file)")
        }
        // Without the right master key nothing opens.
        try Data((String(repeating: "ab", count: 32) + "\n").utf8).write(
            to: store.directory.url.appendingPathComponent(KeyStore.masterKeyFile))
        let hub = try HubDirectory(store.directory.url)
        #expect(throws: HubStoreError.self) { try KeyStore(hub, environment: [:]) }
    }

    @Test("EDGE-6: times of a box without a clock become right when its clock is known, merged or not", arguments: Engine.allCases)
    func clocks(_ engine: Engine) throws {
        let store = try StoreFixture(databases: engine)
        let boot = ClockDomain.boottime(boot: BootID(high: 1, low: 2), counter: 1)
        try store.append(SampleSet(heartRates: heartRates(from: 10_000, count: 10)), sequence: 1, clock: boot)
        try store.series.merger.merge(now: 1)
        try store.append(SampleSet(heartRates: heartRates(from: 20_000, count: 10)), sequence: 2, clock: boot)
        let record = ClockRecord(time: 25_000, utc: noon + 25_000, uncertainty: 20, source: .gnss)
        try store.append(SampleSet(clocks: [record]), sequence: 3, clock: boot)
        let expected = heartRates(from: noon + 10_000, count: 20).map(\.time)
        #expect(try store.all().heartRates.map(\.time) == expected)
        // The journal is all that knows of the record: it is read again.
        #expect(try store.reopened().all().heartRates.map(\.time) == expected)
        try store.series.merger.merge(now: 2)
        let later = try store.reopened()
        #expect(try later.all().heartRates.map(\.time) == expected)
        // The blocks are indexed by what is known now.
        let part = try later.series.reader.read(.maintenance(of: later.person), from: noon, to: noon + 15_000, now: 0)
        #expect(part?.heartRates.count == 6)
    }

    @Test("DATA-14: a backlog of weeks is merged in parts, and each part may be the last one before a crash", arguments: Engine.allCases)
    func backlog(_ engine: Engine) throws {
        let store = try StoreFixture(databases: engine)
        let rates = heartRates(from: noon, count: 2500)
        // Several segments of one person in one journal row, and rows of one segment.
        for (index, sample) in rates.enumerated() { try store.append(SampleSet(heartRates: [sample]), sequence: UInt64(index)) }
        let report = try store.series.merger.merge(now: 1)
        #expect(report.segments == 2500 && report.people == 1)
        #expect(try store.all().heartRates == rates)
        #expect(try store.reopened().all().heartRates == rates)
    }

    @Test("DATA-14: of two streams of one minute one counts, live before replay, and nothing is counted twice", arguments: Engine.allCases)
    func primarySource(_ engine: Engine) throws {
        let store = try StoreFixture(databases: engine)
        let replay = StreamID.random()
        try store.append(SampleSet(heartRates: heartRates(from: noon, count: 60, rate: 60)), sequence: 1)
        try store.append(
            SampleSet(heartRates: heartRates(from: noon, count: 120, rate: 170)), sequence: 1, provenance: .replay, stream: replay)
        for _ in 0..<2 {
            let reading = try store.all()
            #expect(reading.heartRates.count == 120)
            #expect(reading.heartRates.prefix(60).allSatisfy { $0.beatsPerMinute < 70 })
            #expect(reading.heartRates.suffix(60).allSatisfy { $0.beatsPerMinute >= 170 })
            #expect(reading.provenance == .replay)
            try store.series.merger.merge(now: 1)
        }
    }

    @Test(
        "DATA-14: a box that begins a new stream within a minute hides nothing, and two at once are not mixed",
        arguments: Engine.allCases)
    func handedOver(_ engine: Engine) throws {
        let store = try StoreFixture(databases: engine)
        let second = StreamID.random(), third = StreamID.random()
        try store.append(SampleSet(heartRates: heartRates(from: noon, count: 20, rate: 60)), sequence: 1)
        try store.append(SampleSet(heartRates: heartRates(from: noon + 20_000, count: 15, rate: 80)), sequence: 1, stream: second)
        try store.append(SampleSet(heartRates: heartRates(from: noon + 10_500, count: 12, rate: 170)), sequence: 1, stream: third)
        let rates = try store.all().heartRates
        #expect(rates.map(\.time) == heartRates(from: noon, count: 35).map(\.time))
        #expect(rates.allSatisfy { $0.beatsPerMinute < 90 })
    }

    @Test(
        "DATA-14: what a box sends under two streams by turns within a minute is one source; a copy of its card is another",
        arguments: Engine.allCases)
    func byTurns(_ engine: Engine) throws {
        let store = try StoreFixture(databases: engine), second = StreamID.random(), copy = StreamID.random()
        let boot = ClockDomain.boottime(boot: BootID(high: 1, low: 1), counter: 1)
        let other = ClockDomain.boottime(boot: BootID(high: 2, low: 2), counter: 1)
        func append(_ seconds: Range<Int>, sequence: UInt64, _ clock: ClockDomain, _ stream: StreamID?, rate: UInt16 = 60) throws {
            var samples = SampleSet(
                heartRates: heartRates(from: noon + Milliseconds(seconds.lowerBound) * 1000, count: seconds.count, rate: rate))
            if sequence == 1 { samples.clocks = [ClockRecord(time: noon, utc: noon, uncertainty: 1, source: .gnss)] }
            try store.append(samples, sequence: sequence, clock: clock, stream: stream)
        }
        // The hub away, there, away again: the disk's stream, memory's, the disk's.
        try append(0..<10, sequence: 1, boot, nil)
        try append(10..<40, sequence: 1, boot, second)
        try append(40..<55, sequence: 2, boot, nil)
        try append(5..<45, sequence: 1, other, copy, rate: 170)
        for _ in 0..<2 {
            let rates = try store.all().heartRates
            #expect(rates.map(\.time) == heartRates(from: noon, count: 55).map(\.time))
            #expect(rates.allSatisfy { $0.beatsPerMinute < 170 })
            try store.series.merger.merge(now: 1)
        }
    }

    @Test("CONS-6: a revoked or expired session reads nothing, and only its own person and kinds", arguments: Engine.allCases)
    func grants(_ engine: Engine) throws {
        let store = try StoreFixture(databases: engine)
        try store.append(SampleSet(heartRates: heartRates(from: noon, count: 5)), sequence: 1)
        let secret = try store.accounts.links.makeLink(to: store.person, now: noon)
        #expect(try store.accounts.links.personOfLink(secret, now: noon + 1) == store.person)
        let redeemed = try #require(try store.accounts.links.redeemLink(secret, now: noon + 1))
        #expect(try store.accounts.links.redeemLink(secret, now: noon + 1) == nil, "a link works once")
        #expect(try store.accounts.links.redeemLink("other", now: noon + 1) == nil)
        let session = try #require(try store.accounts.links.linkSession(redeemed.session))
        let grant = try #require(session.grant(at: noon + 2))
        #expect(try store.series.reader.last(10, grant, now: noon + 3)?.heartRates.count == 5)
        #expect(try store.series.reader.last(10, grant, now: session.expires) == nil)
        try store.accounts.links.revokeLinkSession(session.hash, now: noon + 4)
        #expect(try store.series.reader.last(10, grant, now: noon + 5) == nil)
    }

    @Test("EDGE-5: what is acknowledged has been synced to the disk")
    func synchronous() throws {
        let store = try StoreFixture()
        for pool in [store.series.journal, store.series.series, store.accounts.pool] {
            let mode = try pool.writeWithoutTransaction { try $0.fetchOne(Int.self, sql: "PRAGMA synchronous") }
            #expect(mode == 2, "FULL in \(pool.path)")
        }
    }

    @Test("EDGE-6: a crash between merging and emptying the journal doubles nothing", .timeLimit(.minutes(1)))
    func crashAfterMerging() throws {
        let store = try StoreFixture()
        let rates = heartRates(from: noon, count: 300)
        for part in 0..<30 {
            try store.append(SampleSet(heartRates: Array(rates[part * 10..<part * 10 + 10])), sequence: UInt64(part))
        }
        let journal = store.directory.url.appendingPathComponent("journal.sqlite")
        let saved = try TemporaryDirectory().url.appendingPathComponent("journal.sqlite")
        try FileManager.default.createDirectory(at: saved.deletingLastPathComponent(), withIntermediateDirectories: true)
        try store.series.journal.writeWithoutTransaction { try $0.execute(sql: "VACUUM INTO ?", arguments: [saved.path]) }
        let pending = store.series.state.withLock { $0.pending }
        try store.series.merger.merge(now: 1)
        // A reader that looked before the merging.
        store.series.state.withLock { $0.pending = pending }
        #expect(try store.all().heartRates == rates)
        // A hub that starts with the journal as it was.
        try store.series.journal.close()
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: journal.path + suffix) }
        try FileManager.default.copyItem(at: saved, to: journal)
        let again = try store.reopened()
        #expect(try again.all().heartRates == rates)
        #expect(try again.series.merger.merge(now: 2).segments == 0)
        #expect(try again.all().heartRates == rates)
        let stream = try again.known(store.stream)
        #expect(stream.received.ranges == [0...29])
    }

    @Test("EDGE-6: a row that is committed while merging begins is not merged away", arguments: Engine.allCases)
    func committedMeanwhile(_ engine: Engine) throws {
        let store = try StoreFixture(databases: engine)
        try store.append(SampleSet(heartRates: heartRates(from: noon, count: 5)), sequence: 1)
        // As the committing thread leaves it between its commit and telling the store.
        try store.series.journal.write {
            try $0.execute(sql: "INSERT INTO journal(received, frames) SELECT received, frames FROM journal")
        }
        #expect(try store.series.merger.merge(now: 1).segments == 1)
        #expect(try store.series.journal.read { try $0.fetchOne(Int.self, sql: "SELECT count(*) FROM journal") } == 1)
    }

    @Test("DATA-14: one person's damaged data is set aside, and holds up nobody else's")
    func quarantine() throws {
        let store = try StoreFixture()
        let other = try StoreFixture(store.directory)
        try store.append(SampleSet(heartRates: heartRates(from: noon, count: 5)), sequence: 1)
        // A bit of the sealed segment flips on the disk.
        try store.series.journal.write {
            try $0.execute(sql: "UPDATE journal SET frames = CAST(substr(frames, 1, length(frames) - 1) || x'00' AS BLOB)")
        }
        try other.append(SampleSet(heartRates: heartRates(from: noon, count: 7)), sequence: 1)
        let again = try StoreFixture(store.directory, person: other.person, stream: other.stream)
        let report = try again.series.merger.merge(now: 1)
        #expect(report.segments == 1 && report.quarantined.count == 1)
        #expect(try again.all().heartRates.count == 7)
        #expect(again.series.merger.backlog.segments == 0)
        #expect(try again.series.series.read { try $0.fetchOne(Int.self, sql: "SELECT count(*) FROM quarantine") } == 1)
        #expect(try again.reopened().series.merger.merge(now: 2).segments == 0)
    }

    @Test(
        "EDGE-6: one good record puts hours right that a box spent with a wrong clock, and a clock that is far ahead is not believed",
        arguments: Engine.allCases)
    func wrongWallClock(_ engine: Engine) throws {
        let store = try StoreFixture(databases: engine)
        let boot = ClockDomain.boottime(boot: BootID(high: 5, low: 6), counter: 1)
        let wrong: Milliseconds = 3 * 86_400_000
        for hour in 0..<5 as Range<Int64> {
            let time = hour * 3_600_000
            let wall = ClockRecord(time: time, utc: noon + time - wrong, uncertainty: .max, source: .wall)
            try store.append(
                SampleSet(heartRates: heartRates(from: time, count: 10), clocks: [wall]), sequence: UInt64(hour), clock: boot)
        }
        let good = ClockRecord(time: 5 * 3_600_000, utc: noon + 5 * 3_600_000, uncertainty: 40, source: .hub)
        let absurd = ClockRecord(time: 5 * 3_600_000 + 1, utc: noon * 2, uncertainty: 0, source: .gnss)
        try store.append(SampleSet(clocks: [good, absurd]), sequence: 9, clock: boot)
        for _ in 0..<2 {
            #expect(try store.all().heartRates.first?.time == noon)
            #expect(try store.all().heartRates.last?.time == noon + 4 * 3_600_000 + 9000)
            try store.series.merger.merge(now: noon)
        }
    }

    @Test("DATA-14: reading beside merging never misses or doubles a sample")
    func readingWhileMerging() async throws {
        let store = try StoreFixture()
        let rates = heartRates(from: noon, count: 3000)
        for part in 0..<300 {
            try store.append(SampleSet(heartRates: Array(rates[part * 10..<part * 10 + 10])), sequence: UInt64(part))
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for part in 300..<600 {
                    let more = heartRates(from: noon + Milliseconds(part) * 10_000, count: 10)
                    try store.append(SampleSet(heartRates: more), sequence: UInt64(part))
                    if part.isMultiple(of: 10) { try store.series.merger.merge(now: 1) }
                }
            }
            group.addTask {
                for _ in 0..<60 {
                    let reading = try store.series.reader.read(.maintenance(of: store.person), from: noon, to: noon + 2_999_000, now: 0)
                    #expect(reading?.heartRates == rates)
                }
            }
            try await group.waitForAll()
        }
        #expect(try store.all().heartRates.count == 6000)
    }
}
