import Database
import Foundation
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct JournalTests {
    private func frame(_ sequence: UInt64, envelope: [UInt8] = [1, 2, 3], gaps: [ClosedRange<UInt64>] = []) -> JournalFrame {
        JournalFrame(
            person: 1, stream: 2, clock: 3, sequence: sequence, fingerprint: 5, first: -6, last: 7, hasClocks: sequence.isMultiple(of: 2),
            gaps: gaps, envelope: envelope)
    }

    private func bytes(_ frames: [JournalFrame]) -> [UInt8] {
        var bytes: [UInt8] = []
        for frame in frames { _ = frame.write(into: &bytes) }
        return bytes
    }

    private func read(_ bytes: [UInt8]) -> (frames: [JournalFrame], isWhole: Bool) {
        let read = bytes.withUnsafeBytes(JournalFrame.read)
        return (read.frames.map(\.frame), read.isWhole)
    }

    @Test("EDGE-6: a row of the journal reads as it was written")
    func frames() {
        let frames = [frame(1), frame(2, envelope: []), frame(.max, gaps: [3...5, 9...9])]
        #expect(read(bytes(frames)) == (frames, true) && read([]) == ([], true))
        let offsets = bytes(frames).withUnsafeBytes(JournalFrame.read).frames.map(\.offset)
        #expect(Array(bytes(frames)[offsets[0]..<offsets[0] + 3]) == [1, 2, 3])
    }

    @Test("EDGE-6: of a row that is cut off anywhere what stands before the cut is read, and the cut is seen")
    func cut() {
        let frames = [frame(1), frame(2, gaps: [1...2]), frame(3)], all = bytes(frames)
        var ends: Set<Int> = [0]
        for count in 1...3 { ends.insert(bytes(Array(frames.prefix(count))).count) }
        for end in 0..<all.count {
            let found = read(Array(all.prefix(end)))
            #expect(found.isWhole == ends.contains(end) && found.frames == Array(frames.prefix(found.frames.count)), "\(end)")
        }
        var backwards = bytes([frame(1, gaps: [1...2])])
        backwards.replaceSubrange(47..<55, with: [9, 0, 0, 0, 0, 0, 0, 0])
        #expect(!read(backwards).isWhole, "a gap that ends before it begins")
    }

    @Test(
        "EDGE-6, SOS-21: a damaged row of the journal does not keep the hub from starting; the rest is read, and it is told and kept",
        arguments: Engine.allCases)
    func damagedRow(engine: Engine) throws {
        let store = try StoreFixture(databases: engine)
        for number in 0..<3 as Range<UInt64> {
            try store.append(SampleSet(heartRates: heartRates(from: noon + Milliseconds(number) * 60_000, count: 10)), sequence: number)
        }
        try store.series.journal.write { try $0.execute(sql: "UPDATE journal SET frames = substr(frames, 1, 70) WHERE id = 2") }
        let again = try store.reopened()
        #expect(again.series.problemsOfRecovery.count == 1 && again.series.problemsOfRecovery[0].contains("row 2"))
        #expect(
            try again.all().heartRates.map(\.time)
                == (heartRates(from: noon, count: 10) + heartRates(from: noon + 120_000, count: 10)).map(\.time))
        // What the box was told is stored, and here is not, stands aside as it is; its sequence is not taken for stored.
        #expect(try again.count("SELECT count(*) FROM quarantine WHERE sequence = 2 AND length(envelope) = 70") == 1)
        #expect(try again.known(again.stream).received.ranges == [0...0, 2...2])
        try again.append(SampleSet(heartRates: heartRates(from: noon + 60_000, count: 10)), sequence: 1)
        try again.series.merger.merge(now: noon)
        #expect(try again.all().heartRates.count == 30 && again.count("SELECT count(*) FROM quarantine") == 1)
        let last = try again.reopened()
        #expect(try last.series.problemsOfRecovery.isEmpty && last.all().heartRates.count == 30)
    }

    @Test(
        "EDGE-6, SOS-21: damaged sequences of a stream hold up no box: they are made anew of the fingerprints, told and kept",
        arguments: Engine.allCases)
    func damagedSequences(engine: Engine) throws {
        let store = try StoreFixture(databases: engine)
        for number in 3..<6 as Range<UInt64> {
            try store.append(SampleSet(heartRates: heartRates(from: noon + Milliseconds(number) * 60_000, count: 10)), sequence: number)
        }
        try store.series.merger.merge(now: noon)
        try store.series.series.write { try $0.execute(sql: "UPDATE stream SET received = '[[3,5'") }
        let again = try store.reopened()
        #expect(try again.known(again.stream).received.ranges == [0...5], "nothing is asked for again, not even what was before")
        try again.append(SampleSet(heartRates: heartRates(from: noon + 420_000, count: 10)), sequence: 7)
        try again.series.merger.merge(now: noon)
        #expect(try again.count("SELECT count(*) FROM quarantine WHERE stream = 0 AND sequence < 0 AND length(envelope) = 5") == 1)
        #expect(try again.count("SELECT count(*) FROM stream WHERE received = '[[0,5],[7,7]]'") == 1)
        let last = try again.reopened()
        #expect(try last.known(last.stream).received.ranges == [0...5, 7...7] && last.all().heartRates.count == 40)
    }

    @Test("EDGE-6: a stream of unknown provenance goes on with that of its segments", arguments: Engine.allCases)
    func damagedProvenance(engine: Engine) throws {
        let store = try StoreFixture(databases: engine)
        try store.append(SampleSet(heartRates: heartRates(from: noon, count: 10)), sequence: 0)
        try store.series.merger.merge(now: noon)
        try store.series.series.write { try $0.execute(sql: "UPDATE stream SET provenance = 99") }
        let again = try store.reopened()
        #expect(try again.known(again.stream).received.ranges == [0...0])
        try again.append(SampleSet(heartRates: heartRates(from: noon + 60_000, count: 10)), sequence: 1)
        #expect(try again.all().heartRates.count == 20)
    }

    @Test("EDGE-6: of a damaged row of several segments those before the damage are read", arguments: Engine.allCases)
    func severalSegments(engine: Engine) throws {
        let store = try StoreFixture(databases: engine)
        for number in 0..<2 as Range<UInt64> {
            try store.append(SampleSet(heartRates: heartRates(from: noon + Milliseconds(number) * 60_000, count: 10)), sequence: number)
        }
        // Two segments that came with one request stand in one row.
        try store.series.journal.write { db in
            let rows = try db.fetchAll(Data.self, sql: "SELECT frames FROM journal ORDER BY id")
            let both = rows[0] + rows[1]
            try db.execute(sql: "DELETE FROM journal WHERE id = 2")
            try db.execute(sql: "UPDATE journal SET frames = ?", arguments: [both.prefix(both.count - 5)])
        }
        let again = try store.reopened()
        #expect(try again.all().heartRates.map(\.time) == heartRates(from: noon, count: 10).map(\.time))
        #expect(again.series.problemsOfRecovery.map { $0.contains("first 1 segments") } == [true])
        for garbage in ["zeroblob(60)", "x''", "x'FF'"] {
            try store.series.journal.write { try $0.execute(sql: "UPDATE journal SET frames = \(garbage)") }
            let opened = try store.reopened()
            try opened.series.merger.merge(now: noon)
            #expect(try opened.all().heartRates.isEmpty, "\(garbage)")
        }
    }

    @Test(
        "EDGE-6: without clock records a live box's clock is assumed from when its data came; a known one is not",
        arguments: Engine.allCases)
    func clocks(engine: Engine) throws {
        let store = try StoreFixture(databases: engine), domain = ClockDomain.boottime(boot: .random(), counter: 0)
        let stream = try store.known(store.stream), key = SeriesStore.ClockKey(stream: stream.row, domain: domain)
        let clock = try #require(try store.series.clocks([key])[key])
        #expect(try store.series.clocks([key])[key] == clock && store.series.model(clock: clock).isEmpty)
        try store.series.assume(time: 1000, now: noon, clock: clock)
        #expect(try store.series.model(clock: clock).utc(2000) == noon + 1000)
        try store.series.assume(time: 1000, now: noon + day, clock: clock)
        #expect(try store.series.model(clock: clock).utc(2000) == noon + 1000)
        // Decades ahead: not believed.
        try store.series.learn([ClockRecord(time: 1000, utc: noon * 2, uncertainty: 1, source: .gnss)], clock: clock, now: noon)
        #expect(try store.series.model(clock: clock).utc(2000) == noon + 1000)
        let wall = SeriesStore.ClockKey(stream: stream.row, domain: .wall), wallRow = try #require(try store.series.clocks([wall])[wall])
        #expect(try wallRow != clock && store.series.model(clock: wallRow).utc(5) == 5)
        try store.series.merger.merge(now: noon)
        #expect(try store.reopened().series.clocks([key])[key] == clock)
    }

    @Test("EDGE-6: a stream belongs to the box that made it, with what it sent", arguments: Engine.allCases)
    func streams(engine: Engine) throws {
        let store = try StoreFixture(databases: engine), one = StreamID.random(), two = StreamID.random()
        let claims = [SeriesStore.StreamClaim(stream: one, agent: 7, provenance: .live), .init(stream: two, agent: 8, provenance: .replay)]
        let made = try store.series.streams(claims, now: 5)
        #expect(made[one]?.agent == 7 && made[two]?.provenance == .replay && made[one]?.received.ranges.isEmpty == true)
        let stolen = try store.series.streams([.init(stream: one, agent: 9, provenance: .drill)], now: 6)
        #expect(stolen[one]?.agent == 7 && stolen[one]?.provenance == .live)
        #expect(try store.series.streams([], now: 6).isEmpty && SeriesStore.ranges("[[1,3],[5,5]]").ranges == [1...3, 5...5])
        #expect(try SeriesStore.json(SeriesStore.ranges("[[1,3],[9,2],[4,4]]")) == "[[1,4]]")
        #expect(throws: (any Error).self) { try SeriesStore.ranges("{") }
    }

    @Test("CONS-14: what came for several people is read at once; one who cannot be read keeps nobody else", arguments: Engine.allCases)
    func detection(engine: Engine) throws {
        let store = try StoreFixture(databases: engine), person = store.person
        try store.append(SampleSet(heartRates: heartRates(from: noon, count: 3)), sequence: 0)
        try store.append(SampleSet(heartRates: heartRates(from: noon + 9000, count: 2)), sequence: 1)
        let own = Grant.system(.detection, of: person), nobody = Grant.system(.detection, of: .random()),
            wrong = Grant.maintenance(of: person)
        let detection = store.series.detection
        let answers = try detection.arrivals([(own, 0), (nobody, 0), (wrong, 0)]).map { try $0.get() }
        #expect(answers.map { $0.segments.flatMap(\.samples.heartRates).count } == [5, 0, 0])
        #expect(answers[0].upTo == detection.newestArrival && answers[0].segments.map(\.sequence) == [0, 1])
        let first = try detection.arrivals([(own, 0)], max: 1)[0].get()
        #expect(first.segments.map(\.sequence) == [0])
        #expect(try detection.arrivals([(own, first.upTo)])[0].get().segments.map(\.sequence) == [1])
        #expect(try detection.arrivals([(own, 99)])[0].get().upTo == detection.newestArrival, "a place of another database")
        let moved = answers[0].segments[0].shifted(by: 5)
        #expect(moved.samples.heartRates[0].time == noon + 5 && moved.received == answers[0].segments[0].received + 5)
        #expect(answers[0].segments[0].shifted(by: 0) == answers[0].segments[0])
        try store.series.journal.write { try $0.execute(sql: "UPDATE journal SET frames = zeroblob(length(frames)) WHERE id = 1") }
        #expect(throws: (any Error).self) { try detection.arrivals([(own, 0)])[0].get() }
        #expect(try detection.arrivals([(own, 0), (nobody, 0)])[1].get().segments.isEmpty)
    }
}
