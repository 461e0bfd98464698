import Database
import Foundation
import Segments
public import Vitals

/// What the stores of several subjects do with segments and blocks.
extension SeriesStore {
    /// Milliseconds of an hour: what a block holds, and what an export reads at once.
    public static let hour: Milliseconds = 3_600_000

    /// No writer transaction is longer than about this (design rule 9).
    static let slice = Duration.milliseconds(40)

    func samples(of segment: PendingSegment, person: PersonID, _ journal: Connection) throws -> SampleSet {
        let statement = try journal.cachedStatement(sql: "SELECT substr(frames, ?, ?) FROM journal WHERE id = ?")
        guard let envelope = try statement.fetchOne(Data.self, arguments: [segment.offset + 1, segment.count, segment.journal]) else {
            throw JournalMoved()
        }
        return try open(envelope, of: person, stream: Int64(segment.stream), sequence: segment.sequence).samples
    }

    /// When what waits to be merged was measured, segment by segment, UTC.
    func waiting(_ row: Int64) throws -> [ClosedRange<Milliseconds>] {
        try state.withLock { $0.pending[row] ?? [] }.map { segment in
            let model = try model(clock: Int64(segment.clock)), first = model.utc(segment.first) ?? segment.first
            return first...max(first, model.utc(segment.last) ?? segment.last)
        }
    }

    static func columns(_ plain: [UInt8]) throws -> SampleSet {
        try plain.withUnsafeBytes { try SampleColumns.decode($0, samplesMax: blockSamplesMax) }
    }

    /// One kind's samples in an hour, at most: 1 kHz.
    static let blockSamplesMax = 3_600_000

    /// Samples in UTC, within the bounds.
    func converted(_ samples: SampleSet, clock: Int64, from: Milliseconds, to: Milliseconds) throws -> SampleSet {
        var samples = samples
        (samples.clocks, samples.unknown) = ([], [])
        var edit = ToUTC(model: try model(clock: clock), from: from, to: to)
        samples.edit(&edit)
        return samples
    }

    private struct ToUTC: SampleEdit {
        let model: ClockModel
        let from, to: Milliseconds

        func edit<Sample: TimedSample>(_ samples: inout [Sample]) {
            // In place: readers get whole hours almost always, of clocks that are UTC as they stand.
            var isCut = false
            for index in samples.indices {
                let time = samples[index].time, utc = model.utc(time) ?? time
                if utc < from || utc > to { isCut = true }
                if utc != time { samples[index].move(to: utc) }
            }
            if isCut { samples.removeAll { $0.time < from || $0.time > to } }
        }
    }

    /// A live segment's samples in UTC, as readers would get them.
    public func inUTC(_ samples: SampleSet, clock: Int64) throws -> SampleSet {
        try converted(samples, clock: clock, from: .min, to: .max)
    }
}

/// The journal row of a pending segment is gone: it was merged meanwhile, and the reader must start again.
struct JournalMoved: Error {}
