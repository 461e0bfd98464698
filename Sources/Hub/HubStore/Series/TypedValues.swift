import Database
import Foundation
public import Privacy
public import Vitals

/// What somebody typed, on a page of the hub or at a box (DATA-2).
extension SeriesReader {
    /// No block of typed values is longer in UTC, unless a clock jumped by more.
    private static let longest: Milliseconds = 24 * SeriesStore.hour

    /// The newest typed values by their times, the newest first, whatever else a sensor says of that time.
    /// - Parameter count: of values, at most; of a time with many of them some may be left out.
    /// - Returns: nil when the grant does not hold (any more).
    public func typedScalars(_ grant: Grant, count: Int, now: Milliseconds) throws -> [ScalarSample]? {
        try reading(grant, now: now) {
            let kinds = grant.kinds.filter(\.isScalar)
            guard !kinds.isEmpty, let row = try accounts.row(of: grant.person) else { return [] }
            // Before the blocks: what is merged between the two shows in both.
            var spans = try waitingTyped(row).map { $0.span }
            spans += try series.read { db in
                try db.fetchAll(
                    sql: """
                        SELECT block.utc_first, block.utc_last FROM block
                        JOIN clock ON clock.id = block.clock JOIN stream ON stream.id = clock.stream
                        WHERE block.person = ? AND block.kind IN (\(kinds.blocks)) AND stream.provenance = ?
                        ORDER BY +block.utc_last DESC LIMIT ?
                        """,
                    arguments: [row, Provenance.manual.rawValue, count]
                ).map { row in
                    let first: Milliseconds = row[0], last: Milliseconds = row[1]
                    return first...max(first, last)
                }
            }
            let hours = Set(spans.flatMap { [$0.lowerBound, $0.upperBound].map { $0.flooredQuotient(by: SeriesStore.hour) } })
            var found: [ScalarSample] = []
            for hour in hours.sorted(by: >) where found.count < count {
                let from = hour * SeriesStore.hour
                let streams = try readStreams(
                    grant.person, row: row, kinds: kinds, from: from, to: from + SeriesStore.hour - 1, longest: Self.longest
                ).streams
                found += streams.filter { $0.provenance == .manual }.flatMap(\.samples.scalars).filter { kinds.contains($0.kind) }
            }
            return Array(found.sorted { ($0.time, $0.kind.rawValue) > ($1.time, $1.kind.rawValue) }.prefix(count))
        }
    }

    /// The streams in which somebody typed values of a kind at a time: of the hub's page, and of boxes.
    public func typedStreams(of person: PersonID, kind: DataKind, at time: Milliseconds) throws -> [StreamID] {
        guard let row = try accounts.row(of: person) else { return [] }
        let waiting = try waitingTyped(row).filter { $0.span.contains(time) }.map { $0.stream }
        let merged = try series.read { db in
            try db.fetchAll(
                Int64.self,
                sql: """
                    SELECT DISTINCT clock.stream FROM block JOIN clock ON clock.id = block.clock
                    WHERE block.person = ? AND block.utc_last >= ? AND block.utc_last <= ? AND block.utc_first <= ? AND +block.kind = ?
                    """,
                arguments: [row, time, min(time, .max - Self.longest) + Self.longest, time, kind.rawValue])
        }
        return try Set(waiting + merged).sorted().compactMap { number in
            try typed(number)
        }
    }

    /// - Returns: nil for a stream of anything else.
    private func typed(_ number: Int64) throws -> StreamID? {
        try series.read { db in
            try db.cachedStatement(sql: "SELECT stream, provenance FROM stream WHERE id = ?").fetchOne(arguments: [number]).flatMap { row in
                let provenance: UInt8 = row[1]
                return provenance == Provenance.manual.rawValue ? StreamID(bytes: row[0] as Data) : nil
            }
        }
    }

    /// Segments of typed values that wait for merging: under the number of their stream, when they were measured, UTC.
    private func waitingTyped(_ row: Int64) throws -> [(stream: Int64, span: ClosedRange<Milliseconds>)] {
        let pending = store.state.withLock { $0.pending[row] ?? [] }
        let typed = try Set(pending.map { Int64($0.stream) }).filter { try self.typed($0) != nil }
        return try pending.filter { typed.contains(Int64($0.stream)) }.map { segment in
            let model = try store.model(clock: Int64(segment.clock)), first = model.utc(segment.first) ?? segment.first
            return (Int64(segment.stream), first...max(first, model.utc(segment.last) ?? segment.last))
        }
    }
}
