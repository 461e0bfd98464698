import Database
import Foundation
public import Privacy
public import Vitals

/// A place in the order of arrival at this hub. It is good for one person's data in one hub's database.
public struct ArrivalCursor: Sendable, Hashable {
    /// The journal row up to which everything is known.
    public let journal: Int64
    /// The number of the person's segments in the next row with any that are known too.
    public let part: Int
    /// When what is known was received, UTC milliseconds.
    public let received: Milliseconds

    public init(journal: Int64, part: Int = 0, received: Milliseconds) {
        (self.journal, self.part, self.received) = (journal, part, received)
    }
}

/// The samples of one segment, of the granted kinds, in UTC.
public struct Arrival: Sendable, Hashable {
    /// The place behind this.
    public let cursor: ArrivalCursor
    /// Tells the streams of one person apart: two boxes may have sent the same minute.
    public let stream: Int64
    public let provenance: Provenance
    /// UTC milliseconds.
    public let received: Milliseconds
    public let samples: SampleSet
}

/// The arrivals for a person after a place.
public enum Arrivals: Sendable, Hashable {
    /// All that arrived behind the cursor, or the first of it; in the order of arrival. `upTo` is the place up to
    /// which this is all, also where nothing of it was for this reader; nil when nothing came.
    case items([Arrival], upTo: ArrivalCursor?)
    /// Something that came behind the cursor was merged and has no order of arrival any more. All that was missed was sampled at `from`
    /// (UTC milliseconds) or later: read again from there, then go on behind `cursor`.
    case startOver(from: Milliseconds, cursor: ArrivalCursor)
}

extension ArrivalReader {
    /// What was merged is told apart by arrival for so long, milliseconds: 30 days.
    public static let lifetime: Milliseconds = 30 * 86_400_000

    /// The arrivals for the grant's person, in their order (DATA-14).
    ///
    /// Exact as long as it waits in the journal (ten minutes at least). For what was merged meanwhile the answer is
    /// ``Arrivals/startOver(from:cursor:)``, which is never left out when something was missed.
    /// - Parameters:
    ///   - cursor: nil begins with what was received at `since`.
    ///   - since: only what was received at this instant or later (UTC milliseconds): the begin of the access.
    ///   - segmentsMax: so many segments.
    /// - Returns: nil when the grant does not hold (any more).
    public func read(
        _ grant: Grant, after cursor: ArrivalCursor?, since: Milliseconds, segmentsMax: Int = 200, now: Milliseconds
    ) throws -> Arrivals? {
        try reading(grant, now: now) {
            guard let row = try accounts.row(of: grant.person) else { return .items([], upTo: nil) }
            for _ in 0..<Self.looksMax {
                do {
                    return try arrivals(grant, row: row, after: cursor, since: since, segmentsMax: segmentsMax, now: now)
                } catch is JournalMoved { continue }
            }
            throw HubStoreError.database(path: journal.path, reason: "a segment that should wait in it is not there")
        }
    }

    private static let looksMax = 50

    private func arrivals(
        _ grant: Grant, row: Int64, after cursor: ArrivalCursor?, since: Milliseconds, segmentsMax: Int, now: Milliseconds
    ) throws -> Arrivals {
        // What waits first: what is merged after this look stands in both, and in none what is behind neither.
        let (waiting, last) = store.state.withLock { state in
            let pending = state.pending[row] ?? []
            let first = pending.firstIndex(behind: cursor?.journal ?? 0) + (cursor?.part ?? 0)
            return (pending[min(first, pending.endIndex)...], state.lastJournal)
        }
        if let missed = try missed(row, after: cursor, since: since, waiting: waiting, last: last, now: now) { return missed }
        guard !waiting.isEmpty else { return .items([], upTo: nil) }
        let provenances = try provenances(of: Set(waiting.map { Int64($0.stream) }))
        return try journal.read { db in
            let receivedAt = try db.cachedStatement(sql: "SELECT received FROM journal WHERE id = ?")
            var items: [Arrival] = []
            var at = waiting.startIndex, part = cursor?.part ?? 0
            var upTo: ArrivalCursor?
            let most = waiting.count(within: SeriesReader.waitingMax, unknown: SeriesReader.waitingUnknown)
            let end = waiting.startIndex + min(segmentsMax, most)
            while at < end {
                let segment = waiting[at], id = segment.journal
                guard let received = try receivedAt.fetchOne(Milliseconds.self, arguments: [id]) else { throw JournalMoved() }
                at += 1
                part += 1
                if at == waiting.endIndex || waiting[at].journal != id {
                    upTo = ArrivalCursor(journal: id, received: received)
                    part = 0
                } else {
                    upTo = ArrivalCursor(journal: id - 1, part: part, received: received)
                }
                // Arrivals before the consent are no part of it.
                guard let upTo, received >= since else { continue }
                var samples = try store.samples(of: segment, person: grant.person, db)
                samples.keep(grant.kinds)
                (samples.clocks, samples.unknown) = ([], [])
                guard !samples.isEmpty else { continue }
                items.append(
                    Arrival(
                        cursor: upTo, stream: Int64(segment.stream), provenance: provenances[Int64(segment.stream)] ?? .live,
                        received: received, samples: try store.inUTC(samples, clock: Int64(segment.clock))))
            }
            return .items(items, upTo: upTo)
        }
    }

    private func missed(
        _ row: Int64, after cursor: ArrivalCursor?, since: Milliseconds, waiting: ArraySlice<PendingSegment>, last: Int64, now: Milliseconds
    ) throws -> Arrivals? {
        let end = ArrivalCursor(journal: last, received: now)
        // From another life of this database, or older than what is told apart.
        if let cursor, cursor.journal > last { return .startOver(from: 0, cursor: end) }
        if cursor?.received ?? since < now - Self.lifetime { return .startOver(from: 0, cursor: end) }
        let merged = try series.read { db in
            let statement = try db.cachedStatement(
                sql: "SELECT journal, first FROM arrival WHERE person = ? AND journal > ? AND received >= ? ORDER BY journal")
            return try statement.fetchAll(arguments: [row, cursor?.journal ?? 0, since])
        }
        // A merging takes its segments away together: whoever still has its last one has them all.
        let gone = merged.filter { entry in !waiting.contains { $0.journal == entry[0] as Int64 } }
        guard let from = gone.map({ $0[1] as Milliseconds }).min(), let upTo = gone.last else { return nil }
        return .startOver(from: from, cursor: ArrivalCursor(journal: upTo[0], received: now))
    }

    private func provenances(of streams: Set<Int64>) throws -> [Int64: Provenance] {
        try series.read { db in
            let statement = try db.cachedStatement(sql: "SELECT provenance FROM stream WHERE id = ?")
            return try streams.reduce(into: [:]) { found, stream in
                found[stream] = try statement.fetchOne(UInt8.self, arguments: [stream]).flatMap(Provenance.init) ?? .live
            }
        }
    }
}

extension SeriesMerger {
    /// Remembers that these segments leave the order of arrival, in the transaction that merges them.
    func noteArrivals(_ segments: [PendingSegment], of row: Int64, _ db: Connection) throws {
        guard let last = segments.last else { return }
        let received = try journal.read {
            try $0.cachedStatement(sql: "SELECT received FROM journal WHERE id = ?").fetchOne(Milliseconds.self, arguments: [last.journal])
        }
        guard let received else { return }
        let first = try segments.map { try store.model(clock: Int64($0.clock)).utc($0.first) ?? $0.first }.min() ?? 0
        try db.cachedStatement(sql: "INSERT INTO arrival(person, journal, received, first) VALUES(?, ?, ?, ?) ON CONFLICT DO NOTHING")
            .execute(arguments: [row, last.journal, received, first])
        try db.cachedStatement(
            sql: """
                DELETE FROM arrival WHERE person = ?1 AND received < ?2
                AND journal IN (SELECT journal FROM arrival WHERE person = ?1 ORDER BY journal LIMIT 2)
                """
        ).execute(arguments: [row, received - ArrivalReader.lifetime - 86_400_000])
    }
}

extension [PendingSegment] {
    /// The first that came with a later journal row; they stand in that order.
    fileprivate func firstIndex(behind journal: Int64) -> Int {
        var low = startIndex, high = endIndex
        while low < high {
            let middle = (low + high) / 2
            if self[middle].journal <= journal { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
