import Segments
import SyncProtocol
import Testing
import Vitals

@testable import SampleBuffer

struct SendingTests {
    private static let hour: Milliseconds = 3_600_000

    @Test("EDGE-6: live samples go first, then the newest hour, in order within an hour")
    func order() throws {
        let fixture = try BufferFixture()
        // The boot before, then two hours of this one, then now.
        for (boot, time) in [(1, 5 * Self.hour), (2, 0), (2, 1000), (2, Self.hour), (2, Self.hour + 1000), (2, 3 * Self.hour)] {
            fixture.now = BufferTime(boot: UInt32(boot), milliseconds: time)
            try fixture.seal(BufferFixture.samples(Milliseconds(boot) * 1_000_000_000 + time))
        }
        fixture.now.milliseconds += 100
        var live = LiveOutbox(stream: .random())
        for time: Milliseconds in [1, 2] { fixture.hold(BufferFixture.samples(time), in: &live) }
        let batch = try #require(try fixture.buffer.nextBatch(bytesMax: 1 << 20, at: fixture.now, live: live))
        #expect(try fixture.segments(in: batch).map(\.header.sequence) == [0, 1, 5, 3, 4, 1, 2, 0])
        // However much was stored a moment ago, as when a replay runs at full speed.
        try fixture.seal(count: 500)
        let small = try #require(try fixture.buffer.nextBatch(bytesMax: 400, at: fixture.now, live: live))
        #expect(try fixture.segments(in: small).map(\.samples.heartRates[0].time).prefix(2) == [1, 2])
    }

    @Test func batchKeepsToItsBytesAndHoldsAtLeastOne() throws {
        let fixture = try BufferFixture()
        try fixture.seal(count: 10)
        let one = try #require(try fixture.batch(bytesMax: 1))
        #expect(one.sent.segmentCount == 1)
        // Later segments are a few bytes longer, because their times are larger.
        let three = try #require(try fixture.batch(bytesMax: one.body.count * 7 / 2))
        #expect(three.sent.segmentCount == 3 && three.body.count <= one.body.count * 7 / 2)
    }

    @Test("EDGE-6: only what was in the request is acknowledged, and only what the hub says that it has")
    func acknowledgement() throws {
        let fixture = try BufferFixture()
        try fixture.seal(count: 4)
        let first = try #require(try fixture.batch())
        let stream = try #require(first.sent.sequences.keys.first)
        try fixture.seal(count: 1, from: 4)
        let outcome = try fixture.buffer.apply(fixture.answer([.init(stream, [0...1, 3...900])]), to: first.sent)
        #expect(outcome == AnswerOutcome(acknowledged: 3, more: true))
        #expect(try fixture.unsent().map(\.header.sequence) == [2, 4])
    }

    @Test func answersThatAreNoneChangeNothing() throws {
        let fixture = try BufferFixture()
        try fixture.seal(count: 2)
        let batch = try #require(try fixture.batch())
        let stream = try #require(batch.sent.sequences.keys.first)
        let states: [SyncAnswer.StreamState] = [
            .init(stream: stream, received: [[5, 1]]), .init(stream: stream, received: [[1]]),
            .init(StreamID(high: 8, low: 8), [0...100]),
        ]
        for state in states {
            let outcome = try fixture.buffer.apply(fixture.answer([state]), to: batch.sent)
            #expect(!outcome.isProgress && outcome.more)
        }
        #expect(try fixture.unsent().count == 2)
    }

    @Test("EDGE-6: a refused segment is kept with its reason and not sent again, though the answer calls it received")
    func refusal() throws {
        let fixture = try BufferFixture()
        try fixture.seal(count: 2)
        let batch = try #require(try fixture.batch())
        let stream = try #require(batch.sent.sequences.keys.first)
        var state = SyncAnswer.StreamState(stream, [0...1])
        state.refused = [.init(sequence: 1, reason: .range, detail: "too fast"), .init(sequence: 77, reason: .time, detail: "not sent")]
        #expect(try fixture.buffer.apply(fixture.answer([state]), to: batch.sent).refused == 1)
        #expect(try fixture.batch() == nil)
        let status = try fixture.buffer.status()
        #expect(status.refusedSegments == 1 && status.refusals == ["range: too fast": 1])
    }

    @Test("EDGE-6: forked segments move to a new stream, where new samples go too; nothing is lost")
    func fork() throws {
        let fixture = try BufferFixture()
        try fixture.seal(count: 2)
        try fixture.seal(BufferFixture.samples(2000), lost: .diskFull)
        let batch = try #require(try fixture.batch())
        let stream = try #require(batch.sent.sequences.keys.first)
        let sent = try fixture.segments(in: batch)
        var state = SyncAnswer.StreamState(stream, [0...9])
        state.forked = [1, 3, 500]
        let outcome = try fixture.buffer.apply(fixture.answer([state]), to: batch.sent)
        #expect(outcome.moved == 2 && outcome.acknowledged == 1)
        try fixture.seal(count: 1, from: 3)
        let moved = try fixture.unsent()
        #expect(Set(moved.map(\.header.stream)).count == 1 && moved[0].header.stream != stream)
        #expect(moved.map(\.samples.heartRates) == [sent[1], sent[2]].map(\.samples.heartRates) + [BufferFixture.samples(3000).heartRates])
        // The gap names a sequence of the new stream that nothing else has.
        let gap = try #require(moved[1].samples.gaps.first)
        #expect(gap.sequences.count == 1)
        #expect(!moved.contains { gap.sequences.contains($0.header.sequence) })
        #expect(moved.map(\.header.sequence) == [0, 2, 3])
        // A later fork in the old stream goes to the same place.
        #expect(try fixture.buffer.status().acknowledgedSegments == 1)
    }

    @Test("OPS-2: what a restored hub shows to be missing is sent again")
    func restoredHub() throws {
        let fixture = try BufferFixture()
        try fixture.seal(count: 10)
        try fixture.acknowledgeAll()
        try fixture.seal(count: 1, from: 10)
        let batch = try #require(try fixture.batch())
        let stream = try #require(batch.sent.sequences.keys.first)
        let outcome = try fixture.buffer.apply(fixture.answer([.init(stream, [0...3, 6...7, 10...10])]), to: batch.sent)
        #expect(outcome.lostByHub == 4 && outcome.more)
        #expect(Set(try fixture.unsent().map(\.header.sequence)) == [4, 5, 8, 9])
    }

    @Test("OPS-2: an answer that names only the lowest ranges says nothing about what lies above them")
    func incompleteAnswer() throws {
        let fixture = try BufferFixture()
        try fixture.seal(count: 10)
        try fixture.acknowledgeAll()
        try fixture.seal(count: 1, from: 10)
        let batch = try #require(try fixture.batch())
        let stream = try #require(batch.sent.sequences.keys.first)
        let outcome = try fixture.buffer.apply(fixture.answer([.init(stream, [0...3, 6...7], complete: false)]), to: batch.sent)
        #expect(outcome.lostByHub == 2)
        #expect(Set(try fixture.unsent().map(\.header.sequence)) == [4, 5, 10])
    }

    @Test("OPS-2: when another hub database answers, every stream is asked about")
    func otherIncarnation() throws {
        let fixture = try BufferFixture()
        try fixture.seal(count: 3)
        try fixture.acknowledgeAll(hub: 1)
        try fixture.buffer.forgetToken()
        try fixture.seal(count: 1, from: 3)
        var batch = try #require(try fixture.batch())
        let stream = try #require(batch.sent.sequences.keys.first)
        _ = try fixture.buffer.apply(fixture.answer([.init(stream, [0...0])], hub: 1), to: batch.sent)
        try fixture.seal(count: 1, from: 4)
        batch = try #require(try fixture.batch())
        _ = try fixture.buffer.apply(fixture.answer([.init(stream, [0...1])], hub: 2), to: batch.sent)
        let probe = try #require(try fixture.batch())
        let old = try #require(probe.sent.sequences.keys.first)
        #expect(old != stream && probe.sent.sequences[old] == [2])
        _ = try fixture.buffer.apply(fixture.answer([.init(old, [2...2])], hub: 2), to: probe.sent)
        #expect(try fixture.unsent().map(\.header.sequence) == [0, 1])
    }

    @Test("OPS-2: an order to begin a new stream asks about the old ones too: the hub may have been restored")
    func newStreamProbes() throws {
        let fixture = try BufferFixture()
        try fixture.seal(count: 3)
        try fixture.acknowledgeAll(hub: 1)
        try fixture.buffer.store(token: "t", newStream: false)
        #expect(try fixture.unsent().isEmpty)
        try fixture.buffer.store(token: "u", newStream: true)
        #expect(try fixture.unsent().map(\.header.sequence) == [2])
    }

    @Test("EDGE-5: acknowledged segments are kept for 14 days")
    func retention() throws {
        let fixture = try BufferFixture()
        let day: Milliseconds = 86_400_000
        try fixture.seal(count: 5)
        try fixture.acknowledgeAll(utc: BufferFixture.utc)
        try fixture.seal(count: 1)
        try fixture.acknowledgeAll(utc: BufferFixture.utc + 14 * day)
        #expect(try fixture.buffer.status().acknowledgedSegments == 6)
        try fixture.seal(count: 1)
        try fixture.acknowledgeAll(utc: BufferFixture.utc + 14 * day + 600_001)
        #expect(try fixture.buffer.status().acknowledgedSegments == 2)
    }
}
