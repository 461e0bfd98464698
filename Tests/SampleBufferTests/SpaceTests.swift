import Segments
import SyncProtocol
import Testing
import Vitals

@testable import SampleBuffer

struct SpaceTests {
    private func fixture() throws -> BufferFixture {
        var limits = SampleBuffer.Limits()
        limits.bytesMax = 300_000
        return try BufferFixture(limits: limits)
    }

    /// About 2 KB each.
    private func seal(_ count: Int, from first: Int, _ fixture: BufferFixture) throws {
        for index in first..<first + count {
            fixture.now.milliseconds += 1000
            let rates = (0..<1000).map { offset in
                HeartRateSample(
                    time: Milliseconds(index * 1000 + offset), beatsPerMinute: UInt16(60 + offset % 90),
                    rrIntervals: [UInt16(truncatingIfNeeded: offset &* 7919 &+ index)])
            }
            try fixture.seal(SampleSet(heartRates: rates))
        }
    }

    @Test("EDGE-5: with too little space the oldest acknowledged segments go first, and no unsent one")
    func acknowledgedFirst() throws {
        let fixture = try fixture()
        try seal(90, from: 0, fixture)
        try fixture.acknowledgeAll()
        try seal(90, from: 90, fixture)
        let status = try fixture.buffer.status()
        #expect(status.unsentSegments == 90)
        #expect((1..<90).contains(status.acknowledgedSegments))
        #expect(status.bytes <= 300_000)
        #expect(try fixture.unsent().allSatisfy { $0.samples.gaps.isEmpty })
    }

    @Test("EDGE-5: then the oldest unsent ones go, and gap records say which sequences and why")
    func gaps() throws {
        let fixture = try fixture()
        try seal(300, from: 0, fixture)
        #expect(try fixture.buffer.status().bytes <= 300_000)
        // All sequences are either there or declared, and no sequence is both.
        var stored: Set<UInt64> = [], declared: Set<UInt64> = []
        while let batch = try fixture.batch() {
            for segment in try fixture.segments(in: batch) {
                stored.insert(segment.header.sequence)
                for gap in segment.samples.gaps {
                    #expect(gap.reason == .bufferFull)
                    for sequence in gap.sequences { #expect(declared.insert(sequence).inserted) }
                }
            }
            let states = batch.sent.sequences.map { stream, sequences in
                SyncAnswer.StreamState(stream, sequences.map { $0...$0 }, complete: false)
            }
            _ = try fixture.buffer.apply(fixture.answer(states), to: batch.sent)
        }
        #expect(stored.isDisjoint(with: declared) && !declared.isEmpty)
        let last = try #require(stored.max())
        #expect(stored.union(declared) == Set(0...last))
        // What is left is the newest.
        #expect(declared.contains(0) && !declared.contains(last - 1))
    }
}
