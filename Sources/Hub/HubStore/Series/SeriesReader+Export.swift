import Database
public import Privacy
public import Vitals

/// Samples of one provenance, each kind in the order of time.
public struct ExportPiece: Sendable {
    public let provenance: Provenance
    public let samples: SampleSet
}

extension SeriesReader {
    /// The hours (since 1970, UTC) in which a person has something, as ranges in order: what an export goes through.
    /// - Parameter kinds: of the granted ones; all of them with nil.
    /// - Returns: nil when the grant does not hold (any more).
    public func hours(
        _ grant: Grant, of kinds: Set<DataKind>? = nil, in span: ClosedRange<Milliseconds>, now: Milliseconds
    ) throws -> [ClosedRange<Int64>]? {
        try reading(grant, now: now) {
            guard let row = try accounts.row(of: grant.person) else { return [] }
            // Blocks after the pending ones: what is merged in between shows in both.
            let waiting = try store.waiting(row)
            var hours = SequenceSet()
            func take(_ first: Milliseconds, _ last: Milliseconds) {
                let first = max(first, span.lowerBound, 0) / SeriesStore.hour, last = min(last, span.upperBound) / SeriesStore.hour
                if first <= last { hours.insert(UInt64(first)...UInt64(last)) }
            }
            for segment in waiting { take(segment.lowerBound, segment.upperBound) }
            let kinds = (kinds.map { grant.kinds.intersection($0.withParts) } ?? grant.kinds).blocks
            guard !kinds.isEmpty else { return [] }
            try series.read { db in
                let blocks = try db.fetchCursor(
                    sql: """
                        SELECT utc_first, utc_last FROM block
                        WHERE person = ? AND utc_last >= ? AND utc_first <= ? AND +kind IN (\(kinds))
                        """,
                    arguments: [row, span.lowerBound, span.upperBound])
                while let block = try blocks.next() { take(block[0], block[1]) }
            }
            return hours.ranges.map { Int64($0.lowerBound)...Int64($0.upperBound) }
        }
    }

    /// Whether a person has any scalar that the grant names: formats that write them otherwise stay as they were without.
    /// - Returns: nil when the grant does not hold (any more).
    public func holdsScalars(_ grant: Grant, in span: ClosedRange<Milliseconds>, now: Milliseconds) throws -> Bool? {
        try reading(grant, now: now) {
            let kinds = grant.kinds.filter(\.isScalar)
            guard !kinds.isEmpty, let row = try accounts.row(of: grant.person) else { return false }
            let isMerged = try series.read { db in
                try db.fetchOne(
                    Bool.self,
                    sql: """
                        SELECT EXISTS(SELECT 1 FROM block
                        WHERE person = ? AND utc_last >= ? AND utc_first <= ? AND +kind IN (\(kinds.blocks)))
                        """,
                    arguments: [row, span.lowerBound, span.upperBound])
            }
            guard isMerged != true, store.state.withLock({ $0.pending[row]?.isEmpty == false }) else { return isMerged == true }
            return try readStreams(grant.person, row: row, kinds: kinds, from: span.lowerBound, to: span.upperBound).streams
                .contains { !$0.samples.scalars.isEmpty }
        }
    }

    /// How long a person's blocks are in UTC at most, milliseconds. One is of an hour of its clock, which may be days where that clock was corrected
    /// meanwhile. Two hours at least, for blocks that grow while they are read.
    ///
    /// Whoever goes through many hours asks once: the index goes by the ends of blocks, so that each hour would go through all that came after it.
    /// - Returns: nil when the grant does not hold (any more).
    public func longestBlock(_ grant: Grant, now: Milliseconds) throws -> Milliseconds? {
        try reading(grant, now: now) {
            let least = 2 * SeriesStore.hour
            guard let row = try accounts.row(of: grant.person) else { return least }
            let longest = try series.read { db in
                try db.fetchOne(Milliseconds.self, sql: "SELECT max(utc_last - utc_first) FROM block WHERE person = ?", arguments: [row])
            }
            return max(least, longest ?? 0)
        }
    }

    /// One hour of a person, of the kinds that both the grant and the caller name, with those parts of them that are granted: pieces in the
    /// order of time. The grant is checked, and the read transaction ends, with each call.
    /// - Parameter longest: ``longestBlock(_:now:)``; nil to look through all later blocks.
    /// - Returns: nil when the grant does not hold (any more).
    public func pieces(
        _ grant: Grant, kinds: [DataKind], hour: Int64, in span: ClosedRange<Milliseconds>, longest: Milliseconds? = nil, now: Milliseconds
    ) throws -> [ExportPiece]? {
        try reading(grant, now: now) {
            let begin = hour * SeriesStore.hour
            let from = max(begin, span.lowerBound), to = min(begin + SeriesStore.hour - 1, span.upperBound)
            let kinds = grant.kinds.intersection(Set(kinds).withParts)
            guard from <= to, !kinds.isEmpty, let row = try accounts.row(of: grant.person) else { return [] }
            return PrimarySource.pieces(
                try readStreams(grant.person, row: row, kinds: kinds, from: from, to: to, longest: longest).streams)
        }
    }
}

extension PrimarySource {
    /// What counts of several streams, cut where its provenance changes.
    static func pieces(_ streams: [StreamReading]) -> [ExportPiece] {
        let filled = streams.filter { !$0.samples.isEmpty }
        guard let first = filled.first else { return [] }
        guard filled.contains(where: { $0.provenance != first.provenance }) else {
            return [ExportPiece(provenance: first.provenance, samples: select(filled).samples)]
        }
        return mixed(filled)
    }

    /// Two provenances within an hour are rare, so that this may take its time.
    private static func mixed(_ streams: [StreamReading]) -> [ExportPiece] {
        var items: [(time: Milliseconds, provenance: Provenance, add: (inout SampleSet) -> Void)] = []
        func take<Sample>(
            _ samples: (StreamReading) -> [Sample], _ list: WritableKeyPath<SampleSet, [Sample]>, _ time: (Sample) -> Milliseconds,
            of streams: [StreamReading], all: Bool = false
        ) {
            let filled = streams.filter { !samples($0).isEmpty }
            let lists = all ? filled.map(samples) : chosen(filled, samples, time)
            for (stream, kept) in zip(filled, lists) {
                items += kept.map { sample in (time(sample), stream.provenance, { $0[keyPath: list].append(sample) }) }
            }
        }
        take(\.samples.heartRates, \.heartRates, \.time, of: streams)
        take(\.samples.positions, \.positions, \.time, of: streams)
        take(\.samples.events, \.events, \.time, of: streams, all: true)
        take(\.samples.gaps, \.gaps, \.time, of: streams, all: true)
        for part in scalars(streams) { take(\.samples.scalars, \.scalars, \.time, of: part) }
        let order = items.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
        var pieces: [(provenance: Provenance, samples: SampleSet)] = []
        for item in order {
            if pieces.last?.provenance != item.provenance { pieces.append((item.provenance, SampleSet())) }
            item.add(&pieces[pieces.count - 1].samples)
        }
        return pieces.map { ExportPiece(provenance: $0.provenance, samples: $0.samples) }
    }
}
