import Foundation
import GRDB
import Segments
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import SampleBuffer

/// Records of a person's call for help are first in everything and lost in nothing.
struct SOSTests {
    static let help = SampleSet(events: [StateEvent(time: 500_000, code: .help)])

    @Test(
        "EDGE-5, EDGE-6: an SOS record goes out before everything else, and history does not ride with it",
        arguments: [StateEvent.Code.ok, .help, .falseAlarm, .reactivated])
    func first(code: StateEvent.Code) throws {
        let fixture = try BufferFixture()
        try fixture.seal(count: 5)
        fixture.now.milliseconds += 3_600_000
        try fixture.seal(count: 2, from: 5)
        var samples = BufferFixture.samples(1000)
        samples.events = [StateEvent(time: 1001, code: code)]
        try fixture.seal(samples)
        var live = LiveOutbox(stream: .random())
        for time: Milliseconds in [2000, 3000] { fixture.hold(BufferFixture.samples(time), in: &live) }
        let mixed = try #require(try fixture.buffer.nextBatch(bytesMax: 1 << 20, at: fixture.now, live: live))
        #expect(try fixture.segments(in: mixed).map(\.header.sequence) == [7, 0, 1], "live samples ride with it")
        fixture.now.milliseconds += 7_200_000
        let sent = try fixture.unsent()
        #expect(sent.map(\.header.sequence) == [7] && sent[0].samples.events.map(\.code) == [code])
        let batch = try #require(try fixture.batch())
        let state = SyncAnswer.StreamState(sent[0].header.stream, [7...7], complete: false)
        _ = try fixture.buffer.apply(fixture.answer([state]), to: batch.sent)
        #expect(try fixture.unsent().map(\.header.sequence) == [5, 6, 0, 1, 2, 3, 4])
    }

    @Test("EDGE-6: other state events are no SOS records")
    func others() throws {
        let fixture = try BufferFixture()
        try fixture.seal(count: 1)
        for code in [StateEvent.Code.sensorLost, .paused, .boxBattery, .kindsChosen] {
            try fixture.seal(SampleSet(events: [StateEvent(time: 1, code: code)]))
        }
        #expect(try fixture.unsent().map(\.header.sequence) == [0, 1, 2, 3, 4])
    }

    @Test("EDGE-5: no shortage of space drops an SOS record, delivered or not", arguments: [false, true])
    func neverDropped(delivered: Bool) throws {
        var limits = SampleBuffer.Limits()
        limits.bytesMax = 300_000
        let fixture = try BufferFixture(limits: limits)
        for index in 0..<5 { try fixture.seal(SampleSet(events: [StateEvent(time: Milliseconds(index), code: .help)])) }
        if delivered { try fixture.acknowledgeAll() }
        for index in 0..<400 {
            fixture.now.milliseconds += 60_000
            let rates = (0..<400).map {
                HeartRateSample(
                    time: Milliseconds(index * 1000 + $0), beatsPerMinute: UInt16(60 + $0 % 90),
                    rrIntervals: [UInt16(truncatingIfNeeded: $0 &* 7919 &+ index)])
            }
            try fixture.seal(SampleSet(heartRates: rates))
        }
        #expect(try fixture.buffer.status().bytes <= 300_000)
        let (kept, dropped) = try fixture.buffer.read { database in
            (
                try Int.fetchOne(database, sql: "SELECT count(*) FROM segment WHERE sos = 1 AND sequence < 5"),
                try Int.fetchOne(database, sql: "SELECT 400 - count(*) FROM segment WHERE kind = 0 AND sos = 0")
            )
        }
        #expect(kept == 5)
        #expect(try #require(dropped) > 0, "there was a shortage")
    }

    @Test("EDGE-5: a buffer that holds nothing but SOS records grows beyond its limit")
    func onlySOS() throws {
        var limits = SampleBuffer.Limits()
        limits.bytesMax = 100_000
        let fixture = try BufferFixture(limits: limits)
        for index in 0..<1500 { try fixture.seal(SampleSet(events: [StateEvent(time: Milliseconds(index), code: .help)])) }
        #expect(try fixture.buffer.status().unsentSegments == 1500)
    }

    @Test("EDGE-5: a buffer of the version before knows no SOS records, and is carried over")
    func migration() throws {
        let directory = try TemporaryDirectory(), path = directory.url.appendingPathComponent("buffer.sqlite").path
        do {
            let old = try DatabaseQueue(path: path)
            try Schema.migrator.migrate(old, upTo: "1 streams, segments, replays")
            let samples = BufferFixture.samples(5)
            let segment = Segment(
                stream: StreamID(high: 1, low: 1), sequence: 0, person: PersonID(high: 1, low: 2), provenance: .live, clock: .recorded,
                samples: samples)
            try old.write { database in
                try database.execute(
                    sql: "INSERT INTO stream (id, provenance, next) VALUES (?, 0, 1)", arguments: [segment.header.stream.blob])
                try database.execute(
                    sql: "INSERT INTO segment (stream, sequence, person, kind, hour, sealed, count, bytes) VALUES (1, 0, ?, 0, 0, 0, 3, ?)",
                    arguments: [segment.header.person.blob, Data(segment.encoded())])
                try database.execute(sql: "INSERT INTO setting VALUES ('liveStream', '1')")
            }
            try old.close()
        }
        let buffer = try SampleBuffer(directory: directory.url.path)
        #expect(buffer.takeNotices().isEmpty)
        let person = PersonID(high: 1, low: 2), now = BufferTime(boot: 1, milliseconds: 0)
        try buffer.seal([SealPart(person: person, clock: .recorded, samples: Self.help)], to: .live, at: now)
        let batch = try #require(try buffer.nextBatch(bytesMax: 1 << 20, at: now))
        #expect(batch.sent.sequences.values.first == [1], "the SOS record alone")
        #expect(try buffer.status().unsentSegments == 2)
    }

    @Test("EDGE-5: a salvage carries SOS records over as SOS records")
    func salvaged() throws {
        let fixture = try BufferFixture()
        try fixture.seal(count: 20)
        try fixture.seal(Self.help)
        try fixture.seal(count: 3, from: 20)
        try fixture.buffer.write { try $0.execute(sql: "DROP INDEX segment_settled") }
        try fixture.reopen()
        #expect(!fixture.buffer.takeNotices().isEmpty)
        #expect(try fixture.buffer.status().unsentSegments == 24)
        #expect(try fixture.unsent().first?.samples.events == Self.help.events)
    }

    @Test("EDGE-5: SOS records that the disk does not take are sent from memory, once, also when the disk takes them meanwhile")
    func memory() throws {
        let fixture = try BufferFixture(), stream = StreamID(high: 9, low: 9), other = fixture.answer([])
        var outbox = MemoryOutbox(stream: stream)
        #expect(outbox.batch() == nil)
        for time in 0..<3 {
            let fits = outbox.hold(
                SampleSet(events: [StateEvent(time: Milliseconds(time), code: .help)]), of: fixture.person, clock: .recorded)
            #expect(fits)
        }
        let batch = try #require(outbox.batch())
        #expect(try fixture.segments(in: batch).map(\.header.sequence) == [0, 1, 2])
        let foreign = outbox.apply(other, to: SentBatch()), silent = outbox.apply(other, to: batch.sent)
        #expect(foreign == nil, "another's batch")
        #expect(silent?.isProgress == false, "an answer that says nothing of it")
        let outcome = outbox.apply(fixture.answer([.init(stream, [1...1], complete: false)]), to: batch.sent)
        #expect(outcome?.acknowledged == 1)
        #expect(outbox.batch()?.sent.sequences == [stream: [0, 2]])
        // While a request is on its way the disk takes them; its answer counts for what was stored.
        let late = try #require(outbox.batch())
        try fixture.buffer.adopt(outbox, at: fixture.now)
        #expect(try fixture.unsent().map(\.header.sequence) == [0, 2])
        let stored = try fixture.buffer.apply(fixture.answer([.init(stream, [0...2])]), to: late.sent)
        #expect(stored.acknowledged == 2 && !stored.more)
        // What comes now has a stream of the database.
        try fixture.seal(count: 1)
        #expect(try fixture.unsent().first?.header.stream != stream)
    }

    @Test("EDGE-5: the hub's refusal of an SOS record from memory ends its sending, with the reason")
    func memoryRefused() throws {
        let fixture = try BufferFixture(), stream = StreamID(high: 9, low: 9)
        var outbox = MemoryOutbox(stream: stream)
        _ = outbox.hold(Self.help, of: fixture.person, clock: .recorded)
        let batch = try #require(outbox.batch())
        let refusal = SyncAnswer.Refusal(sequence: 0, reason: .range, detail: "no such rate")
        let outcome = outbox.apply(
            fixture.answer([.init(stream: stream, received: SequenceSet(), refused: [refusal])]), to: batch.sent)
        #expect(outcome?.refusals == ["range: no such rate"])
        #expect(outbox.isEmpty)
    }

    @Test(
        "OPS-2, EDGE-5: an SOS record of somebody whom a restored hub does not know stays, goes out no more, and goes to one that knows them"
    )
    func memoryUnbound() throws {
        let fixture = try BufferFixture(), stream = StreamID(high: 9, low: 9), other = PersonID(high: 3, low: 4)
        var outbox = MemoryOutbox(stream: stream)
        _ = outbox.hold(Self.help, of: fixture.person, clock: .recorded)
        let batch = try #require(outbox.batch())
        let refusal = SyncAnswer.Refusal(sequence: 0, reason: .notBound, detail: "nobody here")
        let outcome = outbox.apply(
            fixture.answer([.init(stream: stream, received: SequenceSet(), refused: [refusal])]), to: batch.sent)
        #expect(outcome?.unbound == [fixture.person] && outcome?.gone == [])
        #expect(!outbox.isEmpty && outbox.batch() == nil)
        _ = outbox.hold(Self.help, of: other, clock: .recorded)
        #expect(outbox.batch()?.sent.sequences[stream] == [1], "it holds up nobody else's")
        // The disk takes both.
        try fixture.buffer.adopt(outbox, at: fixture.now)
        #expect(try fixture.unsent().map(\.header.sequence) == [0, 1])
        outbox.bringBack([fixture.person])
        #expect(outbox.batch()?.sent.sequences[stream] == [0, 1])
    }
}
