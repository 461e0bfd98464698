import Foundation
import GRDB
import Segments
import SyncProtocol
import Testing
import Vitals

@testable import SampleBuffer

/// Samples of somebody of whom a hub, restored from an older backup, does not know that this box sends for them.
struct WithheldTests {
    /// The hub refuses everything that waits.
    private func refuseAll(_ fixture: BufferFixture, _ reason: SyncAnswer.Refusal.Reason, utc: Milliseconds = BufferFixture.utc) throws {
        while let batch = try fixture.batch() {
            let states = batch.sent.sequences.map { stream, sequences in
                SyncAnswer.StreamState(
                    stream: stream, received: SequenceSet(), refused: sequences.map { .init(sequence: $0, reason: reason, detail: "") })
            }
            _ = try fixture.buffer.apply(fixture.answer(states, utc: utc), to: batch.sent)
        }
    }

    @Test("OPS-2: what a restored hub does not know as this box's is kept beyond the time of refused segments, and sent once it does")
    func kept() throws {
        let fixture = try BufferFixture(), month: Milliseconds = 30 * 86_400_000
        try fixture.seal(count: 2)
        try refuseAll(fixture, .notBound)
        try fixture.seal(count: 1, from: 2)
        try refuseAll(fixture, .range)
        #expect(try fixture.buffer.status().refusals == ["not-bound: ": 2, "range: ": 1])
        // A month later an answer removes what was refused then.
        try fixture.seal(count: 1, from: 3)
        try refuseAll(fixture, .malformed, utc: BufferFixture.utc + month)
        #expect(try fixture.buffer.status().refusals == ["not-bound: ": 2, "malformed: ": 1])
        let withheld = WithheldSegments(fixture.buffer)
        #expect(try withheld.bringBack([PersonID(high: 8, low: 8)]) == 0 && fixture.unsent().isEmpty)
        try fixture.reopen()
        #expect(try WithheldSegments(fixture.buffer).bringBack([fixture.person]) == 2)
        #expect(try fixture.unsent().map(\.samples.heartRates.first?.time) == [0, 1000])
        #expect(try WithheldSegments(fixture.buffer).bringBack([fixture.person]) == 0)
        #expect(try fixture.buffer.status().refusals == ["malformed: ": 1])
    }

    @Test("OPS-2: what is kept of somebody whom this box serves no more goes like everything that was refused")
    func released() throws {
        let fixture = try BufferFixture()
        try fixture.seal(count: 2)
        try refuseAll(fixture, .notBound)
        let withheld = WithheldSegments(fixture.buffer)
        try withheld.release(besides: [fixture.person])
        #expect(try withheld.bringBack([fixture.person]) == 2)
        try refuseAll(fixture, .notBound)
        try withheld.release(besides: [])
        #expect(try withheld.bringBack([fixture.person]) == 0 && fixture.buffer.status().refusedSegments == 2)
        let times = try fixture.buffer.read { try Int64.fetchAll($0, sql: "SELECT DISTINCT settled FROM segment") }
        #expect(times == [BufferFixture.utc])
    }

    @Test("OPS-2, EDGE-5: without room it goes before what waits, and gap records go to a hub that knows its person")
    func withoutRoom() throws {
        var limits = SampleBuffer.Limits()
        limits.bytesMax = 300_000
        let fixture = try BufferFixture(limits: limits)
        // About 2 KB each.
        func seal(_ count: Int, from first: Int) throws {
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
        try seal(90, from: 0)
        try refuseAll(fixture, .notBound)
        try seal(90, from: 90)
        let rates = try fixture.unsent().filter(\.samples.gaps.isEmpty)
        #expect(rates.count == 90, "nothing of what waits")
        #expect(try fixture.buffer.status().bytes <= 300_000)
        let left = try fixture.buffer.status().refusedSegments
        #expect((1..<90).contains(left))
        _ = try WithheldSegments(fixture.buffer).bringBack([fixture.person])
        var lost: Set<UInt64> = [], here: Set<UInt64> = []
        let rows = try fixture.buffer.read { try Data.fetchAll($0, sql: "SELECT bytes FROM segment WHERE state = 0") }
        for row in rows {
            let segment = try Segment(decoding: Array(row))
            here.insert(segment.header.sequence)
            for gap in segment.samples.gaps { lost.formUnion(gap.sequences) }
        }
        #expect(!lost.isEmpty && lost.isDisjoint(with: here), "each is here, or told as lost")
        #expect(lost.union(here).isSuperset(of: (0..<180).map { UInt64($0) }))
    }
}
