import Foundation
import GRDB
public import Privacy
import Segments
import Synchronization
public import Vitals

extension SeriesStore {
    /// What a person has between two instants (UTC, both included), of the kinds that the grant names.
    /// - Returns: nil when the grant does not hold (any more).
    public func read(_ grant: Grant, from: Milliseconds, to: Milliseconds, now: Milliseconds) throws -> Reading? {
        try accounts.reading(grant, now: now) {
            guard let row = try accounts.row(of: grant.person) else { return Reading() }
            return try read(grant.person, row: row, kinds: grant.kinds, from: from, to: to)
        }
    }

    /// The newest samples: as far back as it takes for `count` heart rates or positions, whichever is filled first.
    /// - Parameter within: no further back than this before the newest sample, in milliseconds.
    /// - Returns: nil when the grant does not hold (any more).
    public func last(_ count: Int, _ grant: Grant, within: Milliseconds = 7_200_000, now: Milliseconds) throws -> Reading? {
        try accounts.reading(grant, now: now) {
            guard let row = try accounts.row(of: grant.person), let newest = try newest(row) else { return Reading() }
            var reading = try read(grant.person, row: row, kinds: grant.kinds, from: max(newest, .min + within) - within, to: newest)
            reading.heartRates = reading.heartRates.suffix(count)
            reading.positions = reading.positions.suffix(count)
            return reading
        }
    }

    /// More merging passes than this do not end during one reading.
    private static let looksMax = 50

    private func newest(_ row: Int64) throws -> Milliseconds? {
        let stored = try series.read {
            try Milliseconds.fetchOne($0, sql: "SELECT max(utc_last) FROM block WHERE person = ? AND kind IN (1, 2)", arguments: [row])
        }
        let pending = try state.withLock { $0.pending[row] ?? [] }.map { try utc($0.last, clock: Int64($0.clock)) }.max()
        return [stored, pending].compactMap { $0 }.max()
    }

    private func utc(_ time: Milliseconds, clock: Int64) throws -> Milliseconds {
        try model(clock: clock).utc(time) ?? time
    }

    private func read(
        _ person: PersonID, row: Int64, kinds: Set<DataKind>, from: Milliseconds, to: Milliseconds
    ) throws -> Reading {
        // Merging may empty the journal between looking and reading: then look again.
        for _ in 0..<Self.looksMax {
            do { return try readOnce(person, row: row, kinds: kinds, from: from, to: to) } catch is JournalMoved { continue }
        }
        throw HubStoreError.database(path: journal.path, reason: "a segment that should wait in it is not there")
    }

    private func readOnce(
        _ person: PersonID, row: Int64, kinds: Set<DataKind>, from: Milliseconds, to: Milliseconds
    ) throws -> Reading {
        // The pending ones first: what is merged after this shows in `merged` and is left out below.
        let (pending, received) = state.withLock { ($0.pending[row] ?? [], $0.received[row]) }
        guard let key = try keys.key(of: person) else { return Reading() }
        var streams: [Int64: StreamReading] = [:]
        let (merged, provenances) = try series.read { db in
            let merged = try Int64.fetchOne(db, sql: "SELECT journal FROM merged WHERE person = ?", arguments: [row]) ?? 0
            var provenances: [Int64: Provenance] = [:]
            let blocks = try Row.fetchCursor(
                db,
                sql: """
                    SELECT block.kind, block.clock, block.hour, block.envelope, clock.stream FROM block JOIN clock ON clock.id = block.clock
                    WHERE person = ? AND utc_last >= ? AND utc_first <= ? AND kind IN (\(kinds.map { String($0.rawValue) }.joined(separator: ",")))
                    """,
                arguments: [row, from, to])
            while let block = try blocks.next() {
                let (kind, clock, hour, stream) = (block[0] as UInt8, block[1] as Int64, block[2] as Int64, block[4] as Int64)
                let place = Envelope.Place(
                    person: person, table: .block, row: (UInt64(kind) << 32 | UInt64(clock), UInt64(bitPattern: hour)))
                let samples = try Self.columns(Envelope.open(block[3] as Data, with: key, at: place))
                streams[stream, default: StreamReading(stream: stream, provenance: .live)].samples
                    .append(try converted(samples, clock: clock, from: from, to: to))
            }
            for stream in Set(streams.keys).union(pending.map { Int64($0.stream) }) {
                let raw = try UInt8.fetchOne(db, sql: "SELECT provenance FROM stream WHERE id = ?", arguments: [stream])
                provenances[stream] = raw.flatMap(Provenance.init) ?? .live
            }
            return (merged, provenances)
        }
        try journal.read { db in
            for segment in pending where segment.journal > merged {
                let clock = Int64(segment.clock), stream = Int64(segment.stream)
                guard try utc(segment.last, clock: clock) >= from, try utc(segment.first, clock: clock) <= to else { continue }
                var samples = try samples(of: segment, person: person, db)
                samples.keep(kinds)
                streams[stream, default: StreamReading(stream: stream, provenance: .live)].samples
                    .append(try converted(samples, clock: clock, from: from, to: to))
            }
        }
        for (stream, provenance) in provenances { streams[stream]?.provenance = provenance }
        var reading = PrimarySource.select(streams.values.sorted { $0.stream < $1.stream })
        reading.received = received
        return reading
    }

    /// Samples in UTC, within the bounds.
    private func converted(_ samples: SampleSet, clock: Int64, from: Milliseconds, to: Milliseconds) throws -> SampleSet {
        let model = try model(clock: clock)
        func convert<Sample>(_ list: [Sample], _ time: WritableKeyPath<Sample, Milliseconds>) -> [Sample] {
            list.compactMap { sample in
                let utc = model.utc(sample[keyPath: time]) ?? sample[keyPath: time]
                guard utc >= from, utc <= to else { return nil }
                var sample = sample
                sample[keyPath: time] = utc
                return sample
            }
        }
        return SampleSet(
            heartRates: convert(samples.heartRates, \.time), positions: convert(samples.positions, \.time),
            events: convert(samples.events, \.time), gaps: convert(samples.gaps, \.time))
    }

    /// A live segment's samples in UTC, as readers would get them.
    public func inUTC(_ samples: SampleSet, clock: Int64) throws -> SampleSet {
        try converted(samples, clock: clock, from: .min, to: .max)
    }
}

extension SampleSet {
    mutating func keep(_ kinds: Set<DataKind>) {
        if !kinds.contains(.heartRate) { heartRates = [] }
        if !kinds.contains(.position) { positions = [] }
        if !kinds.contains(.event) { events = [] }
        if !kinds.contains(.gap) { gaps = [] }
    }
}
