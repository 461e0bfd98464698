import Foundation
import GRDB
import Segments
import SyncProtocol
import Testing
import Vitals

@testable import SampleBuffer

/// Live samples that the hub has before the disk.
struct LiveOutboxTests {
    private let fixture: BufferFixture
    private var live = LiveOutbox(stream: .random())

    init() throws {
        fixture = try BufferFixture()
        // The disk knows a hub, and that it has something.
        try fixture.seal(count: 1)
        try fixture.acknowledgeAll()
    }

    private mutating func hold(_ times: [Milliseconds]) {
        for time in times { fixture.hold(BufferFixture.samples(time), in: &live) }
    }

    private func send() throws -> SentBatch {
        try #require(try fixture.buffer.nextBatch(bytesMax: 1 << 20, at: fixture.now, live: live)).sent
    }

    private mutating func apply(_ state: SyncAnswer.StreamState, to sent: SentBatch, utc: Milliseconds = BufferFixture.utc) throws
        -> AnswerOutcome
    {
        try fixture.buffer.apply(fixture.answer([state], utc: utc), to: sent, &live, at: fixture.now)
    }

    @Test("EDGE-5: what the hub has waits for the disk in memory, is written once, and is not sent again")
    mutating func acknowledged() throws {
        hold([1, 2, 3])
        let sent = try send()
        let before = try fixture.writes()
        #expect(try apply(.init(live.stream, [0...2]), to: sent).acknowledged == 3)
        #expect(try fixture.writes() == before, "no write for an acknowledgement")
        #expect(try fixture.buffer.nextBatch(bytesMax: 1 << 20, at: fixture.now, live: live) == nil)
        #expect(live.waiting.segments == 0 && live.oldestWaiting == nil && live.count == 3)
        hold([4])
        try fixture.buffer.adopt(&live, at: fixture.now)
        #expect(live.count == 0)
        let status = try fixture.buffer.status()
        #expect(status.acknowledgedSegments == 4 && status.unsentSegments == 1)
        #expect(try fixture.unsent().map(\.header.sequence) == [3])
    }

    @Test("EDGE-6: segments of one stream in memory and on the disk are acknowledged together")
    mutating func mixed() throws {
        hold([1, 2])
        try fixture.buffer.adopt(&live, at: fixture.now)
        hold([3])
        let sent = try send()
        #expect(sent.sequences[live.stream] == [2, 0, 1])
        #expect(try apply(.init(live.stream, [0...2]), to: sent).acknowledged == 3)
        #expect(try fixture.buffer.waiting().segments == 0 && live.waiting.segments == 0)
    }

    @Test("EDGE-6: what went to the disk while it was on its way is acknowledged there")
    mutating func adoptedInFlight() throws {
        hold([1, 2])
        let sent = try send()
        try fixture.buffer.adopt(&live, at: fixture.now)
        #expect(try apply(.init(live.stream, [0...1]), to: sent).acknowledged == 2)
        #expect(try fixture.buffer.waiting().segments == 0)
    }

    @Test("EDGE-6: a hub that lost what it had acknowledged gets it again, from memory and from the disk")
    mutating func restoredHub() throws {
        hold([1, 2])
        _ = try apply(.init(live.stream, [0...1]), to: try send())
        try fixture.buffer.adopt(&live, at: fixture.now)
        hold([3])
        _ = try apply(.init(live.stream, [0...2]), to: try send())
        hold([4])
        let outcome = try apply(.init(live.stream, [0...0, 3...3]), to: try send())
        #expect(outcome.lostByHub == 2)
        #expect(Set(try fixture.unsent().map(\.header.sequence)) == [1, 2])
    }

    @Test("EDGE-6: refusals and forks of what is in memory are kept on the disk")
    mutating func refusedAndForked() throws {
        hold([1, 2, 3])
        var state = SyncAnswer.StreamState(live.stream, [0...0])
        state.refused = [.init(sequence: 1, reason: .malformed, detail: "test")]
        state.forked = [2]
        let outcome = try apply(state, to: try send())
        #expect(outcome.acknowledged == 1 && outcome.refused == 1 && outcome.moved == 1)
        #expect(live.count == 0)
        #expect(try fixture.buffer.status().refusedSegments == 1)
        let moved = try fixture.unsent()
        #expect(moved.count == 1 && moved[0].header.stream != live.stream && moved[0].samples == BufferFixture.samples(3))
    }

    @Test("EDGE-5: an answer that does not name a segment leaves it unsent")
    mutating func unnamed() throws {
        hold([1, 2])
        let outcome = try apply(.init(live.stream, [0...0]), to: try send())
        #expect(outcome.acknowledged == 1)
        #expect(try fixture.unsent().map(\.header.sequence) == [1])
    }

    @Test("EDGE-5: a write whose end was not seen to succeed stores nothing twice")
    mutating func storedTwice() throws {
        hold([1, 2])
        var again = live
        try fixture.buffer.adopt(&live, at: fixture.now)
        try fixture.buffer.adopt(&again, at: fixture.now)
        #expect(try fixture.unsent().map(\.header.sequence) == [0, 1])
    }

    @Test("EDGE-5: lost samples are declared under a sequence of their own")
    mutating func gap() throws {
        fixture.hold(BufferFixture.samples(5), in: &live, lost: .diskFull)
        try fixture.buffer.adopt(&live, at: fixture.now)
        let gaps = try fixture.unsent().flatMap(\.samples.gaps)
        #expect(gaps.map(\.sequences) == [0...0] && gaps.map(\.reason) == [.diskFull])
        #expect(try fixture.unsent().map(\.header.sequence) == [1])
    }

    @Test("EDGE-5: on a disk that takes nothing what the hub has arrived all the same, and its copies can go")
    mutating func fullDisk() throws {
        hold([1])
        try fixture.buffer.write {
            try $0.execute(sql: "CREATE TRIGGER full BEFORE INSERT ON segment BEGIN SELECT raise(ABORT, 'database or disk is full'); END")
            try $0.execute(sql: "CREATE TRIGGER set1 BEFORE INSERT ON setting BEGIN SELECT raise(ABORT, 'database or disk is full'); END")
        }
        // Hours later the disk is to note when the hub answered.
        let sent = try send()
        let outcome = try apply(.init(live.stream, [0...0]), to: sent, utc: BufferFixture.utc + 86_400_000)
        #expect(outcome.acknowledged == 1 && live.waiting.segments == 0)
        #expect(throws: BufferError.self) { try fixture.buffer.adopt(&live, at: fixture.now) }
        #expect(live.count == 1 && live.dropAcknowledged() == 1 && live.count == 0)
    }

    @Test("EDGE-5: the size limit holds for what comes from memory too")
    func bounded() throws {
        var limits = SampleBuffer.Limits()
        limits.bytesMax = 200_000
        let fixture = try BufferFixture(limits: limits)
        var live = LiveOutbox(stream: .random())
        for round in 0..<20 {
            for index in 0..<200 { fixture.hold(BufferFixture.samples(Milliseconds(round * 1000 + index)), in: &live) }
            try fixture.buffer.adopt(&live, at: fixture.now)
        }
        #expect(try fixture.buffer.status().bytes <= 200_000)
        #expect(try !fixture.unsent().flatMap(\.samples.gaps).isEmpty, "and what was dropped is declared")
    }
}

extension BufferFixture {
    /// Changes to the file so far.
    func writes() throws -> Int { try buffer.read { $0.totalChangesCount } }
}
