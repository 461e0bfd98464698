import Foundation
import GRDB
import Segments
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import SampleBuffer

/// A real buffer in a temporary directory.
final class BufferFixture {
    let directory: TemporaryDirectory
    private(set) var buffer: SampleBuffer
    let person = PersonID(high: 1, low: 2)
    var now = BufferTime(boot: 1, milliseconds: 0)
    static let utc: Milliseconds = 1_800_000_000_000

    init(limits: SampleBuffer.Limits = SampleBuffer.Limits()) throws {
        directory = try TemporaryDirectory()
        buffer = try SampleBuffer(directory: directory.url.path, limits: limits)
    }

    init(_ buffer: SampleBuffer, in directory: TemporaryDirectory) { (self.buffer, self.directory) = (buffer, directory) }

    var path: String { directory.url.appendingPathComponent("buffer.sqlite").path }

    func reopen() throws { buffer = try SampleBuffer(directory: directory.url.path, limits: buffer.limits) }

    static func samples(_ time: Milliseconds, count: Int = 3) -> SampleSet {
        SampleSet(heartRates: (0..<count).map { HeartRateSample(time: time + Milliseconds($0), beatsPerMinute: UInt16(60 + $0)) })
    }

    func seal(
        _ samples: SampleSet, to target: SealTarget = .live, lost: GapRecord.Reason? = nil, progress: ReplayProgress? = nil,
        givesUpOldest: Bool = false
    ) throws {
        let part = SealPart(person: person, clock: .recorded, samples: samples, lost: lost)
        try buffer.seal([part], to: target, at: now, progress: progress, givesUpOldest: givesUpOldest)
    }

    /// The file cannot grow, as on a disk without room.
    func stopGrowing() throws {
        try buffer.write { database in
            let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
            try database.execute(sql: "PRAGMA max_page_count = \(pages)")
        }
    }

    /// Seals `count` segments, a second apart, whose samples say which one it is.
    func seal(count: Int, from first: Int = 0) throws {
        for index in first..<first + count {
            now.milliseconds += 1000
            try seal(Self.samples(Milliseconds(index) * 1000))
        }
    }

    func hold(_ samples: SampleSet, in live: inout LiveOutbox, lost: GapRecord.Reason? = nil) {
        live.hold(
            samples, of: person, clock: .boottime(boot: BootID(high: 1, low: 1), counter: 1), since: now.milliseconds, lost: lost)
    }

    func batch(bytesMax: Int = 1 << 20) throws -> OutgoingBatch? { try buffer.nextBatch(bytesMax: bytesMax, at: now) }

    func segments(in batch: OutgoingBatch) throws -> [Segment] {
        try batch.body.withUnsafeBytes { body in
            try SegmentBatch.ranges(in: body).map { try Segment(decoding: UnsafeRawBufferPointer(rebasing: body[$0])) }
        }
    }

    /// Everything that waits.
    func unsent() throws -> [Segment] { try batch(bytesMax: 4 << 20).map(segments) ?? [] }

    func answer(
        _ states: [SyncAnswer.StreamState], hub: UInt64 = 7, utc: Milliseconds = BufferFixture.utc
    ) -> SyncAnswer {
        SyncAnswer(hub: HubIncarnation(high: hub, low: hub), utc: utc, cadence: .interval, streams: states)
    }

    /// The hub takes everything, as often as needed.
    func acknowledgeAll(hub: UInt64 = 7, utc: Milliseconds = BufferFixture.utc) throws {
        while let batch = try batch() {
            let states = batch.sent.sequences.map { stream, sequences in
                SyncAnswer.StreamState(stream: stream, received: [[0, sequences.max() ?? 0]])
            }
            _ = try buffer.apply(answer(states, hub: hub, utc: utc), to: batch.sent)
        }
    }
}

extension SyncAnswer.StreamState {
    init(_ stream: StreamID, _ received: [ClosedRange<UInt64>], complete: Bool = true) {
        self.init(stream: stream, received: received.map { [$0.lowerBound, $0.upperBound] }, complete: complete)
    }
}
