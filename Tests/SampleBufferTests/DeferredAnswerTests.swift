import Foundation
import Segments
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import SampleBuffer

/// Acknowledgements that wait in memory, to spare the memory card.
struct DeferredAnswerTests {
    private func acknowledge(_ fixture: BufferFixture, received: ClosedRange<UInt64>, utc: Milliseconds) throws -> AnswerOutcome {
        let batch = try #require(try fixture.batch())
        let stream = try #require(batch.sent.sequences.keys.first)
        return try fixture.buffer.apply(fixture.answer([.init(stream, [received])], utc: utc), to: batch.sent)
    }

    private func onDisk(_ fixture: BufferFixture) throws -> Int {
        try BufferStatus(ofBufferIn: fixture.directory.url.path).unsentSegments
    }

    @Test("EDGE-5: acknowledgements reach the disk once in ten minutes; until then nothing is sent twice, and everybody sees them")
    func deferred() throws {
        let fixture = try BufferFixture()
        for index in 0..<8 {
            try fixture.seal(count: 1, from: index)
            let utc = BufferFixture.utc + Milliseconds(index) * 100_000
            let outcome = try acknowledge(fixture, received: 0...UInt64(index), utc: utc)
            #expect(outcome.acknowledged == 1 && !outcome.more)
            #expect(try fixture.batch() == nil)
            #expect(try fixture.buffer.status().unsentSegments == 0 && fixture.buffer.waiting() == (0, 0))
        }
        // The first is written at once, and then those of ten minutes.
        #expect(try onDisk(fixture) == 0)
        try fixture.seal(count: 1, from: 8)
        #expect(try acknowledge(fixture, received: 0...8, utc: BufferFixture.utc + 800_000).acknowledged == 1)
        #expect(try onDisk(fixture) == 1)
        try fixture.buffer.settle()
        #expect(try onDisk(fixture) == 0)
    }

    @Test("EDGE-5: more than 64 of them reach the disk at once, and so do those that waited a minute when there are that many")
    func bounded() throws {
        let fixture = try BufferFixture()
        for index in 0...64 {
            try fixture.seal(count: 1, from: index)
            _ = try acknowledge(fixture, received: 0...UInt64(index), utc: BufferFixture.utc)
        }
        // The first was written at once, and 64 wait.
        #expect(try onDisk(fixture) == 64)
        for (index, seconds) in [(65, 1), (66, 120)] {
            try fixture.seal(count: 1, from: index)
            _ = try acknowledge(fixture, received: 0...UInt64(index), utc: BufferFixture.utc + Milliseconds(seconds) * 1000)
            #expect(try onDisk(fixture) == (index == 65 ? 0 : 1))
        }
        var full = DeferredAnswers(), batch = SentBatch()
        batch.sequences = [.random(): Array(0..<64)]
        batch.segmentCount = 64
        full.add(batch, at: 0)
        #expect(!full.hasRoom(for: 1, at: 1) && !full.hasRoom(for: 1, at: DeferredAnswers.timeMax))
        #expect(!DeferredAnswers().hasRoom(for: 65, at: 0) && DeferredAnswers().hasRoom(for: 64, at: 0))
    }

    @Test("EDGE-5, EDGE-6: what is lost of them with the power is sent again, and no more")
    func lost() throws {
        let fixture = try BufferFixture()
        for index in 0..<3 {
            try fixture.seal(count: 1, from: index)
            _ = try acknowledge(fixture, received: 0...UInt64(index), utc: BufferFixture.utc)
        }
        try fixture.reopen()
        #expect(try fixture.unsent().map(\.header.sequence) == [1, 2])
    }

    @Test("OPS-2: a hub that lost what it acknowledged a moment ago gets it again at its next answer")
    func restoredHub() throws {
        let fixture = try BufferFixture()
        for index in 0..<4 {
            try fixture.seal(count: 1, from: index)
            _ = try acknowledge(fixture, received: 0...UInt64(index), utc: BufferFixture.utc)
        }
        try fixture.seal(count: 1, from: 4)
        let batch = try #require(try fixture.batch()), stream = try #require(batch.sent.sequences.keys.first)
        let outcome = try fixture.buffer.apply(fixture.answer([.init(stream, [0...1, 4...4])]), to: batch.sent)
        #expect(outcome.lostByHub == 2 && outcome.more)
        #expect(try fixture.unsent().map(\.header.sequence) == [2, 3])
    }

    @Test("EDGE-5: with too little space, what the hub has goes before what it has not, though the disk does not say so yet")
    func space() throws {
        var limits = SampleBuffer.Limits()
        limits.bytesMax = 100_000
        let fixture = try BufferFixture(limits: limits)
        func large(_ time: Int) -> SampleSet {
            let rates = (0..<1000).map { offset in
                HeartRateSample(
                    time: Milliseconds(time + offset), beatsPerMinute: 60, rrIntervals: [UInt16(truncatingIfNeeded: offset &* 7919)])
            }
            return SampleSet(heartRates: rates)
        }
        for index in 0..<20 {
            try fixture.seal(large(index))
            _ = try acknowledge(fixture, received: 0...UInt64(index), utc: BufferFixture.utc)
        }
        for index in 20..<40 { try fixture.seal(large(index)) }
        #expect(try fixture.buffer.status().bytes <= 100_000)
        #expect(try fixture.unsent().allSatisfy { $0.samples.gaps.allSatisfy { $0.sequences.lowerBound >= 20 } })
    }
}
