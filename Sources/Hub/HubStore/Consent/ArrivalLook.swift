import Database
import Foundation
import Privacy
import Vitals

/// One look at what a reader has not had of a person.
struct ArrivalLook {
    /// The segments hold more samples together than one look may take.
    struct TooMuch: Error {}
    /// What is in a block cannot be told apart by segment.
    struct Untold: Error {}

    let reader: ArrivalReader
    let grant: Grant
    let row: Int64
    let key: PersonKey
    let since: Milliseconds
    let now: Milliseconds

    private var store: SeriesStore { reader.store }

    /// What a person has, as one look sees it.
    private struct Seen {
        /// The earliest first.
        var segments: [ReceivedSegment] = []
        /// Merges of which the segments are not known.
        var untold: [ArrivalReader.Merge] = []
        /// The last row of the journal that this look may have seen.
        var last: Int64
        /// The first 64 bits of the streams' identifiers, and the provenances, by row.
        var streams: [Int64: (name: UInt64, provenance: Provenance)] = [:]

        func name(_ segment: ReceivedSegment) -> UInt64 { streams[segment.stream]?.name ?? 0 }
    }

    private enum Start {
        /// - Parameter skip: so many segments behind its journal row are known too.
        case order(ReceivedPlace, skip: Int)
        case ranges(ReceivedPlace)
        /// Of another hub, or of nobody.
        case unknown

        /// nil where nothing is known.
        var place: ReceivedPlace? {
            switch self {
            case .order(let place, _), .ranges(let place): place
            case .unknown: nil
            }
        }
    }

    func arrivals(after cursor: SubscriptionCursor?, most: Int) throws -> Arrivals {
        let start = start(cursor)
        let seen = try look(from: start.place ?? ReceivedPlace(made: now, journal: .max))
        guard var place = start.place, place.journal <= seen.last || !isOrder(start), place.made >= now - ArrivalReader.lifetime else {
            return .startOver(from: 0, cursor: try whole(ReceivedPlace(made: now, journal: seen.last), seen))
        }
        if let gone = try untold(behind: place, seen) { return gone }
        let ordered = ordered(start, seen.segments)
        let waiting = seen.segments[ordered...].filter { $0.received >= since && !isKnown($0, place, seen) }
        // What the order says is known must be so for the ranges too.
        for segment in seen.segments[..<ordered] {
            place.insert(segment.sequence, of: seen.name(segment), received: segment.received)
        }
        guard !waiting.isEmpty else {
            let isPast = seen.segments.contains { $0.journal > place.journal }
            return .items([], upTo: isPast ? try moved(place, seen).sealed(with: key, person: grant.person) : nil)
        }
        guard !place.isCut else { return try startOver(waiting, place, seen) }
        do {
            return try items(waiting, of: seen, after: place, most: most)
        } catch is Untold { return try startOver(waiting, place, seen) }
    }

    // MARK: What is there

    private func start(_ cursor: SubscriptionCursor?) -> Start {
        switch cursor {
        case nil: .order(ReceivedPlace(made: since, journal: 0), skip: 0)
        case .order(let place, let hub):
            // Without the hub's journal its order says nothing.
            hub == reader.accounts.incarnation
                ? .order(ReceivedPlace(made: place.received, journal: place.journal), skip: place.part) : .unknown
        case .sequences(let sealed): ReceivedPlace.open(sealed, with: key, person: grant.person).map(Start.ranges) ?? .unknown
        }
    }

    private func isOrder(_ start: Start) -> Bool { if case .order = start { true } else { false } }

    private func look(from place: ReceivedPlace) throws -> Seen {
        // What waits first: what is merged after this stands in both, and in none what was merged before.
        let (pending, last) = store.state.withLock { ($0.pending[row] ?? [], $0.lastJournal) }
        // From the beginning on only the time bounds it.
        let isFirst = place.journal == 0, from = isFirst ? min(place.made, since) : place.made
        let (merges, merged) = try reader.merges(
            of: row, behind: isFirst ? .max : place.journal, orSince: max(from, .min + ArrivalReader.margin) - ArrivalReader.margin)
        var seen = Seen(last: max(last, merged))
        seen.untold = merges.filter { $0.segments == nil }
        seen.segments = merges.flatMap { $0.segments ?? [] }
        seen.segments += try received(pending.filter { $0.journal > merged })
        try reader.series.read { db in
            let statement = try db.cachedStatement(sql: "SELECT stream, provenance FROM stream WHERE id = ?")
            for stream in Set(seen.segments.map(\.stream)) {
                guard let found = try statement.fetchOne(arguments: [stream]), let id = StreamID(bytes: found[0] as Data) else { continue }
                seen.streams[stream] = (id.high, Provenance(rawValue: found[1]) ?? .live)
            }
        }
        return seen
    }

    private func received(_ pending: [PendingSegment]) throws -> [ReceivedSegment] {
        guard !pending.isEmpty else { return [] }
        var times: [Int64: Milliseconds] = [:]
        return try reader.journal.read { db in
            let statement = try db.cachedStatement(sql: "SELECT received FROM journal WHERE id = ?")
            return try pending.map { segment in
                guard let time = try times[segment.journal] ?? statement.fetchOne(Milliseconds.self, arguments: [segment.journal]) else {
                    throw JournalMoved()
                }
                times[segment.journal] = time
                return ReceivedSegment(
                    journal: segment.journal, received: time, stream: Int64(segment.stream), clock: Int64(segment.clock),
                    sequence: segment.sequence, first: segment.first, last: segment.last, pending: segment)
            }
        }
    }

    /// The number of segments, from the first on, that a place in the order of arrival knows.
    private func ordered(_ start: Start, _ segments: [ReceivedSegment]) -> Int {
        guard case .order(let place, let skip) = start else { return 0 }
        let behind = segments.firstIndex { $0.journal > place.journal } ?? segments.endIndex
        return min(behind + skip, segments.endIndex)
    }

    private func isKnown(_ segment: ReceivedSegment, _ place: ReceivedPlace, _ seen: Seen) -> Bool {
        // Without its ranges a place says no more than where it was made, and when.
        if place.isCut { return segment.journal <= place.journal && segment.received <= place.made }
        return place.contains(segment.sequence, of: seen.name(segment))
    }

    // MARK: What cannot be told apart

    /// Set when a hub of an older version merged something that the place lacks.
    private func untold(behind place: ReceivedPlace, _ seen: Seen) throws -> Arrivals? {
        let gone = seen.untold.filter { $0.journal > place.journal && $0.received >= since }
        guard let from = gone.map(\.first).min(), let last = gone.last else { return nil }
        var next = place
        (next.made, next.journal) = (last.received, last.journal)
        for segment in seen.segments where segment.journal <= last.journal {
            next.insert(segment.sequence, of: seen.name(segment), received: segment.received)
        }
        return .startOver(from: from, cursor: try next.sealed(with: key, person: grant.person))
    }

    private func startOver(_ waiting: [ReceivedSegment], _ place: ReceivedPlace, _ seen: Seen) throws -> Arrivals {
        let from = try waiting.map { try store.model(clock: $0.clock).utc($0.first) ?? $0.first }.min() ?? 0
        return .startOver(from: from, cursor: try whole(place, seen))
    }

    /// The place behind everything that is there.
    private func whole(_ place: ReceivedPlace, _ seen: Seen) throws -> SubscriptionCursor {
        var place = place
        place.isCut = false
        for segment in seen.segments { place.insert(segment.sequence, of: seen.name(segment), received: segment.received) }
        return try moved(place, seen).sealed(with: key, person: grant.person)
    }

    private func moved(_ place: ReceivedPlace, _ seen: Seen) -> ReceivedPlace {
        var place = place
        (place.made, place.journal) = (now, seen.last)
        return place
    }

    // MARK: What comes

    private func items(_ waiting: [ReceivedSegment], of seen: Seen, after start: ReceivedPlace, most: Int) throws -> Arrivals {
        let pending = waiting.compactMap(\.pending)
        let pendingMax = pending.count(within: SeriesReader.waitingMax, unknown: SeriesReader.waitingUnknown)
        // Those that wait to be merged are the last.
        let taken = Array(waiting.prefix(min(most, waiting.count - pending.count + pendingMax)))
        let received = try received(of: Set(taken.map(\.stream)), upTo: seen.last)
        let samples = try samples(of: taken)
        let rest = Rest(waiting)
        var place = start, items: [Arrival] = [], upTo: SubscriptionCursor?
        for (index, segment) in taken.enumerated() {
            let stream = seen.name(segment)
            place.insert(segment.sequence, of: stream, received: segment.received)
            if let all = received[segment.stream] { place.fill(stream, with: all, below: rest.lowest[index]) }
            if index + 1 < waiting.count {
                (place.journal, place.made) = (waiting[index + 1].journal - 1, min(now, rest.received[index]))
            } else {
                place = moved(place, seen)
            }
            var found = samples[index]
            found.keep(grant.kinds)
            (found.clocks, found.unknown) = ([], [])
            guard !found.isEmpty else {
                upTo = nil
                continue
            }
            let cursor = try place.sealed(with: key, person: grant.person)
            upTo = cursor
            items.append(
                Arrival(
                    cursor: cursor, stream: segment.stream,
                    provenance: seen.streams[segment.stream]?.provenance ?? .live, received: segment.received,
                    samples: try store.inUTC(found, clock: segment.clock)))
        }
        return .items(items, upTo: try upTo ?? place.sealed(with: key, person: grant.person))
    }

    /// What waits behind each segment.
    private struct Rest {
        /// The lowest sequence of the same stream; nil for none.
        var lowest: [UInt64?]
        /// When the oldest was received; `.max` behind the last.
        var received: [Milliseconds]

        init(_ waiting: [ReceivedSegment]) {
            lowest = Array(repeating: nil, count: waiting.count)
            received = Array(repeating: .max, count: waiting.count)
            var lowestOf: [Int64: UInt64] = [:], oldest = Milliseconds.max
            for index in waiting.indices.reversed() {
                let segment = waiting[index]
                (lowest[index], received[index]) = (lowestOf[segment.stream], oldest)
                lowestOf[segment.stream] = min(lowestOf[segment.stream] ?? .max, segment.sequence)
                oldest = min(oldest, segment.received)
            }
        }
    }

    /// What the hub has of streams, whosoever it is, that came with a row of the journal or before it.
    private func received(of streams: Set<Int64>, upTo last: Int64) throws -> [Int64: SequenceSet] {
        let stored = try reader.series.read { db in
            let statement = try db.cachedStatement(sql: "SELECT received FROM stream WHERE id = ?")
            return try streams.reduce(into: [Int64: SequenceSet]()) { found, stream in
                let text = try statement.fetchOne(String.self, arguments: [stream])
                found[stream] = text.flatMap { try? SeriesStore.ranges($0) }
            }
        }
        let all = store.state.withLock { state in
            stored.reduce(into: [Int64: SequenceSet]()) { all, stream in
                var set = stream.value
                for entry in state.unsaved[stream.key] ?? [] where entry.journal <= last { set.insert(entry.sequence) }
                for gap in state.gaps[stream.key] ?? [] where gap.journal <= last { set.insert(gap.range) }
                all[stream.key] = set
            }
        }
        // What came behind this look and was merged at once stands in these sets too.
        guard try reader.lastMerged(of: row) <= last else { throw JournalMoved() }
        return all
    }

    /// The samples of each, as their boxes counted the time.
    private func samples(of segments: [ReceivedSegment]) throws -> [SampleSet] {
        let merged = try merged(segments.filter { $0.pending == nil })
        return try reader.journal.read { db in
            try segments.map { segment in
                guard let pending = segment.pending else { return merged[segment.clock]?[segment.sequence] ?? SampleSet() }
                return try reader.unlessDamaged(.segment, pending) { try store.samples(of: pending, person: grant.person, db) }
                    ?? SampleSet()
            }
        }
    }

    /// Hours of one clock, and what is wanted of them.
    private struct Span: Hashable {
        var clock: Int64
        var first: Milliseconds
        var last: Milliseconds
    }

    /// Out of blocks, by clock and sequence.
    private func merged(_ segments: [ReceivedSegment]) throws -> [Int64: [UInt64: SampleSet]] {
        guard !segments.isEmpty, !grant.kinds.isEmpty else { return [:] }
        let spans = Dictionary(grouping: segments) { Span(clock: $0.clock, first: $0.first, last: $0.last) }
        var found: [Int64: [UInt64: SampleSet]] = [:], count = 0
        try reader.series.read { db in
            let sql = """
                SELECT id, kind, hour, envelope, sequences, count FROM block
                WHERE person = ? AND kind IN (\(grant.kinds.blocks)) AND clock = ? AND hour BETWEEN ? AND ?
                """
            for (span, wanted) in spans {
                let sequences = Set(wanted.map(\.sequence))
                let blocks = try db.fetchCursor(
                    sql: sql, arguments: [row, span.clock, AddedSamples.hour(span.first), AddedSamples.hour(span.last)])
                while let block = try blocks.next() {
                    count += block[5] as Int
                    guard count <= SeriesReader.Budget().blocks else {
                        // Told before anything more is decoded.
                        if segments.count > 1 { throw TooMuch() } else { throw Untold() }
                    }
                    for (sequence, part) in try parts(of: block, clock: span.clock, sequences) {
                        found[span.clock, default: [:]][sequence, default: SampleSet()].append(part)
                    }
                }
            }
        }
        return found
    }

    private func parts(of block: Row, clock: Int64, _ wanted: Set<UInt64>) throws -> [UInt64: SampleSet] {
        // An older hub wrote it, so nothing of these is in it.
        guard let envelope = block[4] as Data? else { return [:] }
        let (kind, hour) = (block[1] as UInt8, block[2] as Int64)
        let place = Envelope.Place(
            person: grant.person, table: .block, row: (UInt64(kind) << 32 | UInt64(clock), UInt64(bitPattern: hour)))
        let opened = try reader.unlessDamaged(.block, block[0] as Int64) {
            try SeriesStore.columns(Envelope.open(block[3] as Data, with: key, at: place))
        }
        guard let samples = opened else { return [:] }
        guard let sequences = BlockSequences.open(envelope, of: samples, with: key, beside: place) else { throw Untold() }
        return sequences.parts(of: samples, in: wanted)
    }
}
