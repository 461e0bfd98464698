import Database
import Foundation
import Segments
import Vitals

/// A segment of a person that was received, merged or not.
struct ReceivedSegment: Sendable, Hashable {
    var journal: Int64
    /// UTC milliseconds.
    var received: Milliseconds
    /// Rows of the stream and the clock.
    var stream: Int64
    var clock: Int64
    var sequence: UInt64
    /// In the clock's domain. Of a merged one the first and the last of all that were merged with it of this clock.
    var first: Milliseconds
    var last: Milliseconds
    /// Where it waits to be merged.
    var pending: PendingSegment?
}

/// The segments of one person that one transaction merged, in the order of their arrival: some six bytes for each.
enum MergedSegments {
    private static let version: UInt64 = 1
    /// Above what one transaction merges (``SeriesMerger/sliceSegments`` and the rest of a journal row).
    private static let countMax = 1_000_000

    private struct Source: Hashable {
        var stream: Int64
        var clock: Int64
    }

    /// - Parameter received: when each row of the journal was received.
    static func encode(_ segments: [PendingSegment], received: [Int64: Milliseconds]) -> [UInt8] {
        var numbers: [Source: Int] = [:], sources: [(source: Source, first: Milliseconds, last: Milliseconds)] = []
        for segment in segments {
            let source = Source(stream: Int64(segment.stream), clock: Int64(segment.clock))
            if let number = numbers[source] {
                sources[number].first = min(sources[number].first, segment.first)
                sources[number].last = max(sources[number].last, segment.last)
            } else {
                numbers[source] = sources.count
                sources.append((source, segment.first, segment.last))
            }
        }
        var writer = NumberWriter()
        writer.write(version)
        writer.write(UInt64(sources.count))
        for (source, first, last) in sources {
            writer.write(signed: source.stream)
            writer.write(signed: source.clock)
            writer.write(signed: first)
            writer.write(signed: last)
        }
        writer.write(UInt64(segments.count))
        var next = Array(repeating: 0 as UInt64, count: sources.count), journal: Int64 = 0, time: Milliseconds = 0
        for segment in segments {
            let number = numbers[Source(stream: Int64(segment.stream), clock: Int64(segment.clock))] ?? 0
            if sources.count > 1 { writer.write(UInt64(number)) }
            writer.write(signed: Int64(bitPattern: segment.sequence &- next[number]))
            next[number] = segment.sequence &+ 1
            writer.write(signed: segment.journal - journal)
            if segment.journal != journal {
                let now = received[segment.journal] ?? time
                writer.write(signed: now - time)
                time = now
            }
            journal = segment.journal
        }
        return writer.bytes
    }

    /// nil for anything that ``encode(_:received:)`` did not write.
    static func decode(_ bytes: some Sequence<UInt8>) -> [ReceivedSegment]? {
        var reader = NumberReader(bytes)
        guard reader.number() == version, let sourceCount = reader.count(countMax) else { return nil }
        var sources: [(source: Source, first: Milliseconds, last: Milliseconds)] = []
        for _ in 0..<sourceCount {
            guard let stream = reader.signed(), let clock = reader.signed(), let first = reader.signed(), let last = reader.signed(),
                first <= last
            else { return nil }
            sources.append((Source(stream: stream, clock: clock), first, last))
        }
        guard let count = reader.count(countMax) else { return nil }
        var segments: [ReceivedSegment] = [], next = Array(repeating: 0 as UInt64, count: sources.count)
        var journal: Int64 = 0, time: Milliseconds = 0
        for _ in 0..<count {
            guard let number = sources.count > 1 ? reader.count(sources.count - 1) : 0, number < sources.count,
                let sequence = reader.signed(), let rows = reader.signed()
            else { return nil }
            if rows != 0 {
                guard let later = reader.signed() else { return nil }
                (journal, time) = (journal &+ rows, time &+ later)
            }
            let source = sources[number], own = next[number] &+ UInt64(bitPattern: sequence)
            next[number] = own &+ 1
            segments.append(
                ReceivedSegment(
                    journal: journal, received: time, stream: source.source.stream, clock: source.source.clock, sequence: own,
                    first: source.first, last: source.last))
        }
        return reader.isAtEnd ? segments : nil
    }
}

extension ArrivalReader {
    /// Which segments each merge took, and which samples of a block came with which: NULL where a hub up to release 0.3 merged.
    static let migration = Migration(
        name: "11 sequences of arrivals and blocks",
        sql: """
            ALTER TABLE arrival ADD COLUMN segments BLOB;
            ALTER TABLE block ADD COLUMN sequences BLOB;
            """)

    /// What one merge took of a person.
    struct Merge {
        /// The last of its rows of the journal.
        var journal: Int64
        var received: Milliseconds
        /// The first time of it, UTC milliseconds.
        var first: Milliseconds
        /// nil where it is not known.
        var segments: [ReceivedSegment]?
    }

    /// What was merged of a person behind a row of the journal, or was received at an instant or later; the earliest merge first. All of it belongs to one
    /// state of the database.
    /// - Returns: beside it the last row of the journal of which anything was merged; 0 for nothing.
    func merges(of row: Int64, behind journal: Int64, orSince since: Milliseconds) throws -> (merges: [Merge], last: Int64) {
        try series.read { db in
            let statement = try db.cachedStatement(
                sql: "SELECT journal, received, first, segments FROM arrival WHERE person = ? ORDER BY journal DESC")
            let rows = try statement.fetchCursor(arguments: [row])
            var merges: [Merge] = [], last: Int64 = 0
            while let row = try rows.next() {
                let number: Int64 = row[0], received: Milliseconds = row[1]
                last = max(last, number)
                guard number > journal || received >= since else { break }
                let segments = (row[3] as Data?).flatMap { MergedSegments.decode($0) }
                merges.append(Merge(journal: number, received: received, first: row[2], segments: segments))
            }
            return (merges.reversed(), last)
        }
    }

    /// The last row of the journal of which anything of a person was merged; 0 for nothing.
    func lastMerged(of row: Int64) throws -> Int64 {
        try series.read { db in
            try db.cachedStatement(sql: "SELECT journal FROM arrival WHERE person = ? ORDER BY journal DESC LIMIT 1")
                .fetchOne(Int64.self, arguments: [row]) ?? 0
        }
    }
}

extension SeriesMerger {
    /// When each waiting row of the journal was received.
    func receipts(upTo cutoff: Int64) throws -> [Int64: Milliseconds] {
        try journal.read { db in
            let rows = try db.fetchAll(sql: "SELECT id, received FROM journal WHERE id <= ?", arguments: [cutoff])
            return Dictionary(rows.map { ($0[0] as Int64, $0[1] as Milliseconds) }) { first, _ in first }
        }
    }

    /// Remembers that these segments leave the journal, in the transaction that merges them.
    /// - Parameter received: when each row of the journal was received.
    func noteArrivals(_ segments: [PendingSegment], of row: Int64, received: [Int64: Milliseconds], _ db: Connection) throws {
        guard let last = segments.last, let time = received[last.journal] else { return }
        let first = try segments.map { try store.model(clock: Int64($0.clock)).utc($0.first) ?? $0.first }.min() ?? 0
        try db.cachedStatement(
            sql: "INSERT INTO arrival(person, journal, received, first, segments) VALUES(?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
        ).execute(arguments: [row, last.journal, time, first, Data(MergedSegments.encode(segments, received: received))])
        try db.cachedStatement(
            sql: """
                DELETE FROM arrival WHERE person = ?1 AND received < ?2
                AND journal IN (SELECT journal FROM arrival WHERE person = ?1 ORDER BY journal LIMIT 2)
                """
        ).execute(arguments: [row, time - ArrivalReader.lifetime - 86_400_000])
    }
}
