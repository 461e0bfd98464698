import Database
import Foundation
public import Privacy
public import Vitals

extension SeriesReader {
    /// What a person has between two instants (UTC, both included), of the kinds that the grant names.
    /// - Returns: nil when the grant does not hold (any more).
    public func read(_ grant: Grant, from: Milliseconds, to: Milliseconds, now: Milliseconds) throws -> Reading? {
        try reading(grant, now: now) {
            guard let row = try accounts.row(of: grant.person) else { return Reading() }
            return try read(grant.person, row: row, kinds: grant.kinds, from: from, to: to)
        }
    }

    /// As ``read(_:from:to:now:)``, of streams of these provenances alone (design rule 11).
    /// - Parameter kinds: of the granted ones; all of them with nil.
    public func read(
        _ grant: Grant, kinds: Set<DataKind>? = nil, from: Milliseconds, to: Milliseconds, of provenances: Set<Provenance>,
        now: Milliseconds
    ) throws -> Reading? {
        try reading(grant, now: now) {
            let kinds = kinds.map { grant.kinds.intersection($0) } ?? grant.kinds
            guard from <= to, !kinds.isEmpty, let row = try accounts.row(of: grant.person) else { return Reading() }
            let (streams, received, _) = try readStreams(grant.person, row: row, kinds: kinds, from: from, to: to)
            var reading = PrimarySource.select(streams.filter { provenances.contains($0.provenance) })
            reading.received = received
            return reading
        }
    }

    /// A clock may be so far ahead of the hub's, milliseconds. What claims to be later is kept, and is the newest to nobody before its time
    /// has come: it would hide what is true.
    public static let aheadMax: Milliseconds = 60_000

    /// The latest time that counts as come at `now`.
    static func come(at now: Milliseconds) -> Milliseconds { now > .max / 2 ? .max / 2 : now + aheadMax }

    /// The newest samples: as far back as it takes for `count` heart rates or positions, whichever is filled first.
    ///
    /// Of kinds that the grant does not name nothing shows in it, not even that they came.
    /// - Parameter within: no further back than this before the newest sample, in milliseconds.
    /// - Returns: nil when the grant does not hold (any more).
    public func last(_ count: Int, _ grant: Grant, within: Milliseconds = 7_200_000, now: Milliseconds) throws -> Reading? {
        try reading(grant, now: now) {
            guard let row = try accounts.row(of: grant.person), let newest = try newest(grant, row, upTo: Self.come(at: now)) else {
                return Reading()
            }
            var reading = try read(grant.person, row: row, kinds: grant.kinds, from: max(newest, .min + within) - within, to: newest)
            reading.heartRates = reading.heartRates.suffix(count)
            reading.positions = reading.positions.suffix(count)
            reading.scalars = reading.scalars.byKind.flatMap { $0.samples.suffix(count) }
            return reading
        }
    }

    /// Samples of one reading, at most: compressed, a person's space holds thousands of times as many.
    struct Budget {
        /// Out of blocks: a week of heart rates and positions.
        var blocks = 1_500_000
        /// Of what waits to be merged.
        var waiting = SeriesReader.waitingMax
    }

    static let waitingMax = 250_000
    /// Where it is not known, a segment is taken for one of so many: more than a box sends.
    static let waitingUnknown = 4096

    /// More merging passes than this do not end during one reading.
    private static let looksMax = 50

    /// Of heart rate and position, which come all the time; of scalars where there is none of these. Of granted kinds alone.
    private func newest(_ grant: Grant, _ row: Int64, upTo: Milliseconds) throws -> Milliseconds? {
        let steady = grant.kinds.intersection([.heartRate, .position]), scalars = grant.kinds.filter(\.isScalar)
        for _ in 0..<Self.looksMax {
            // Before the blocks: what is merged between the two shows in both.
            let (sent, all) = store.state.withLock { ($0.sent(row, isFirst: false), $0.pending[row] ?? []) }
            let stored = try series.read { db in
                func newest(_ kinds: Set<DataKind>) throws -> Milliseconds? {
                    guard !kinds.isEmpty else { return nil }
                    return try db.fetchOne(
                        Milliseconds.self,
                        sql: """
                            SELECT max(CASE WHEN utc_last < ?2 THEN utc_last ELSE ?2 END) FROM block
                            WHERE person = ?1 AND utc_first <= ?2 AND kind IN (\(kinds.blocks))
                            """,
                        arguments: [row, upTo])
                }
                return (steady: try newest(steady), scalars: try newest(scalars))
            }
            do {
                let found = [stored.steady, try newest(of: steady, in: sent, grant.person, upTo: upTo)].compactMap(\.self).max()
                if let found { return found }
                return [stored.scalars, try newest(of: steady.union(scalars), in: all, grant.person, upTo: upTo)].compactMap(\.self).max()
            } catch is JournalMoved { continue }
        }
        throw HubStoreError.database(path: journal.path, reason: "a segment that should wait in it is not there")
    }

    /// Which kinds a segment holds is known when it is opened: the latest first, until none of the rest can be newer, or as much was opened as
    /// one reading may take.
    private func newest(
        of kinds: Set<DataKind>, in segments: [PendingSegment], _ person: PersonID, upTo: Milliseconds
    ) throws -> Milliseconds? {
        guard !kinds.isEmpty, !segments.isEmpty, try keys.key(of: person) != nil else { return nil }
        let timed = try segments.map { (segment: $0, last: try utc($0.last, clock: Int64($0.clock))) }.sorted { $0.last > $1.last }
        var newest: Milliseconds?, count = 0
        return try journal.read { db in
            for (segment, last) in timed where try utc(segment.first, clock: Int64(segment.clock)) <= upTo {
                if let newest, last <= newest { break }
                let opened = try unlessDamaged(.segment, segment) { try store.samples(of: segment, person: person, db) }
                guard var samples = opened else { continue }
                count += samples.count
                guard newest == nil || count <= Self.waitingMax else { break }
                samples.keep(kinds)
                (samples.events, samples.gaps) = ([], [])
                let times =
                    samples.heartRates.map(\.time) + samples.positions.map(\.time) + samples.scalars.map(\.time)
                for time in times {
                    let time = try utc(time, clock: Int64(segment.clock))
                    if time <= upTo { newest = max(newest ?? time, time) }
                }
            }
            return newest
        }
    }

    private func utc(_ time: Milliseconds, clock: Int64) throws -> Milliseconds {
        try store.model(clock: clock).utc(time) ?? time
    }

    private func read(
        _ person: PersonID, row: Int64, kinds: Set<DataKind>, from: Milliseconds, to: Milliseconds
    ) throws -> Reading {
        let (streams, received, _) = try readStreams(person, row: row, kinds: kinds, from: from, to: to)
        var reading = PrimarySource.select(streams)
        reading.received = received
        return reading
    }

    /// The samples of each stream, in UTC, and the time when the hub last received something for the person. Blocks and segments that do not open are left
    /// out, and told. Of more samples than the budget it is the newest ones, in whole blocks and segments.
    /// - Parameters:
    ///   - longest: no block is longer than this in UTC, so that those that end later than so long after `to` are not looked at; nil where that is
    ///     not known.
    ///   - isMerged: only what stands in blocks, and not what waits to be merged.
    func readStreams(
        _ person: PersonID, row: Int64, kinds: Set<DataKind>, from: Milliseconds, to: Milliseconds, longest: Milliseconds? = nil,
        isMerged: Bool = false, budget: Budget = Budget()
    ) throws -> (streams: [StreamReading], received: Milliseconds?, isCut: Bool) {
        let end = longest.map { to + min($0, .max - max(to, 0)) } ?? .max
        var newest: Set<Int64>?
        // Merging may empty the journal between looking and reading: then look again.
        for _ in 0..<Self.looksMax {
            do {
                let read = try readOnce(
                    person, row: row, kinds: kinds, from: from, to: to, end: end, isMerged: isMerged, budget, only: newest)
                return (read.streams, read.received, newest != nil || read.isCut)
            } catch is JournalMoved {
                continue
            } catch is TooMuch {
                newest = try newestBlocks(of: row, kinds, from: from, to: to, end: end, atMost: budget.blocks)
            }
        }
        throw HubStoreError.database(path: journal.path, reason: "a segment that should wait in it is not there")
    }

    /// There is more than one reading may take.
    private struct TooMuch: Error {}

    /// - Parameters:
    ///   - end: no block that ends later is looked at.
    ///   - only: the blocks to read; all of them with nil.
    private func readOnce(
        _ person: PersonID, row: Int64, kinds: Set<DataKind>, from: Milliseconds, to: Milliseconds, end: Milliseconds, isMerged: Bool,
        _ budget: Budget, only: Set<Int64>?
    ) throws -> (streams: [StreamReading], received: Milliseconds?, isCut: Bool) {
        // The pending ones first: what is merged after this shows in `merged` and is left out below.
        let (pending, received) = store.state.withLock { (isMerged ? [] : $0.pending[row] ?? [], $0.received[row]) }
        guard let key = try keys.key(of: person) else { return ([], received, false) }
        var readings: [Int64: StreamReading] = [:], sources = Sources()
        func add(_ samples: SampleSet, clock: Int64) throws {
            readings[sources[clock], default: StreamReading(stream: sources[clock], provenance: sources.provenances[clock] ?? .live)]
                .samples.append(try store.converted(samples, clock: clock, from: from, to: to))
        }
        let merged = try series.read { db in
            // An export reads a day in 24 of these: what does not vary is parsed once.
            let merged =
                try db.cachedStatement(sql: "SELECT journal FROM merged WHERE person = ?")
                .fetchOne(Int64.self, arguments: [row]) ?? 0
            let clocks = try db.cachedStatement(
                sql: "SELECT DISTINCT clock FROM block WHERE person = ? AND utc_last >= ? AND utc_last <= ? AND utc_first <= ?"
            ).fetchAll(Int64.self, arguments: [row, from, end, to])
            for clock in Set(clocks).union(pending.map { Int64($0.clock) }).sorted() { try sources.learn(clock, db) }
            let blocks = try blocks(of: row, kinds, from: from, to: to, end: end, db)
            var count = 0
            while let block = try blocks.next() {
                if let only {
                    guard only.contains(block[0]) else { continue }
                } else {
                    // Told before anything is decoded of it.
                    count += block[5] as Int
                    guard count <= budget.blocks else { throw TooMuch() }
                }
                guard var samples = try samples(of: block, person: person, key: key) else { continue }
                // What an older hub could not read lies among its events, and may be of a kind that this reader may not see.
                samples.keep(kinds)
                try add(samples, clock: block[2])
            }
            return merged
        }
        let waiting = pending.filter { $0.journal > merged }
        guard !waiting.isEmpty else { return (readings.values.sorted { $0.stream < $1.stream }, received, false) }
        let found = try waiting.filter {
            try utc($0.last, clock: Int64($0.clock)) >= from && utc($0.first, clock: Int64($0.clock)) <= to
        }
        let isCut = try openNewest(found, of: person, atMost: budget.waiting) { segment, samples in
            var samples = samples
            samples.keep(kinds)
            try add(samples, clock: Int64(segment.clock))
        }
        return (readings.values.sorted { $0.stream < $1.stream }, received, isCut)
    }

    /// Opens what waits, in its order; of too many samples the newest segments.
    /// - Returns: whether there were more.
    private func openNewest(
        _ segments: [PendingSegment], of person: PersonID, atMost most: Int, _ take: (PendingSegment, SampleSet) throws -> Void
    ) throws -> Bool {
        try journal.read { db in
            func opened(_ segment: PendingSegment) throws -> SampleSet? {
                try unlessDamaged(.segment, segment) { try store.samples(of: segment, person: person, db) }
            }
            if let count = segments.samples, count <= most {
                for segment in segments { if let samples = try opened(segment) { try take(segment, samples) } }
                return false
            }
            let ends = try segments.map { try utc($0.last, clock: Int64($0.clock)) }
            var taken: [Int: SampleSet] = [:], count = 0, isCut = false
            for index in segments.indices.sorted(by: { (ends[$0], $0) > (ends[$1], $1) }) {
                guard let samples = try opened(segments[index]) else { continue }
                count += samples.count
                isCut = count > most && !taken.isEmpty
                if isCut { break }
                taken[index] = samples
            }
            for (index, samples) in taken.sorted(by: { $0.key < $1.key }) { try take(segments[index], samples) }
            return isCut
        }
    }

    /// The newest blocks that hold as many samples together as one reading may take.
    private func newestBlocks(
        of row: Int64, _ kinds: Set<DataKind>, from: Milliseconds, to: Milliseconds, end: Milliseconds, atMost most: Int
    ) throws -> Set<Int64> {
        try series.read { db in
            let blocks = try db.fetchCursor(
                sql: """
                    SELECT id, count FROM block
                    WHERE person = ? AND utc_last >= ? AND utc_last <= ? AND utc_first <= ? AND +kind IN (\(kinds.blocks))
                    ORDER BY utc_last DESC, id DESC
                    """,
                arguments: [row, from, end, to])
            var newest: Set<Int64> = [], count = 0
            while let block = try blocks.next() {
                count += block[1] as Int
                guard count <= most || newest.isEmpty else { break }
                newest.insert(block[0])
            }
            return newest
        }
    }

    /// Those that have something of the kinds between two instants, and end at a third one at the latest.
    private func blocks(
        of row: Int64, _ kinds: Set<DataKind>, from: Milliseconds, to: Milliseconds, end: Milliseconds, _ db: Connection
    ) throws -> RowCursor {
        let numbers = Set(kinds.map(\.column.rawValue))
        guard numbers.count == 1, let number = numbers.first else {
            return try db.fetchCursor(
                sql: """
                    SELECT id, kind, clock, hour, envelope, count FROM block
                    WHERE person = ? AND utc_last >= ? AND utc_last <= ? AND utc_first <= ? AND +kind IN (\(kinds.blocks))
                    """,
                arguments: [row, from, end, to])
        }
        return try db.cachedStatement(
            sql: """
                SELECT id, kind, clock, hour, envelope, count FROM block
                WHERE person = ? AND utc_last >= ? AND utc_last <= ? AND utc_first <= ? AND +kind = ?
                """
        ).fetchCursor(arguments: [row, from, end, to, number])
    }

    /// nil for a block that does not open: the operator is told, and the others are read.
    private func samples(of block: Row, person: PersonID, key: PersonKey) throws -> SampleSet? {
        let (kind, clock, hour) = (block[1] as UInt8, block[2] as Int64, block[3] as Int64)
        let place = Envelope.Place(
            person: person, table: .block, row: (UInt64(kind) << 32 | UInt64(clock), UInt64(bitPattern: hour)))
        return try unlessDamaged(kind == DataKind.position.rawValue ? .positionBlock : .block, block[0] as Int64) {
            try SeriesStore.columns(Envelope.open(block[4] as Data, with: key, at: place))
        }
    }
}

/// Which clocks are of one source (design rule 13): a box sends under several streams, by turns, but collects each sample once. So what an
/// agent sent in one boot is one source, under whatever streams; a copy of its card runs in another boot. Where no boot is known it is the stream.
private struct Sources {
    private struct Boot: Hashable {
        var agent: Int64
        var boot: Data
        var provenance: UInt8
    }

    /// The first stream of each source.
    private var streams: [Boot: Int64] = [:]
    private var clocks: [Int64: Int64] = [:]
    private(set) var provenances: [Int64: Provenance] = [:]

    subscript(_ clock: Int64) -> Int64 { clocks[clock] ?? -clock }

    mutating func learn(_ clock: Int64, _ db: Connection) throws {
        let statement = try db.cachedStatement(
            sql: "SELECT clock.stream, boot, agent, provenance FROM clock JOIN stream ON stream.id = clock.stream WHERE clock.id = ?")
        guard let row = try statement.fetchOne(arguments: [clock]) else { return }
        let stream: Int64 = row[0]
        provenances[clock] = Provenance(rawValue: row[3]) ?? .live
        guard let bytes = row[1] as Data?, !bytes.isEmpty else {
            clocks[clock] = stream
            return
        }
        let boot = Boot(agent: row[2], boot: bytes, provenance: row[3])
        let first = streams[boot] ?? stream
        streams[boot] = first
        clocks[clock] = first
    }
}

extension SampleSet {
    /// Takes out what is of other kinds than these, and parts of samples that are. What is no kind of its own to anybody (clocks, unknown
    /// columns) stays.
    public mutating func keep(_ kinds: Set<DataKind>) {
        if !kinds.contains(.heartRate) { heartRates = [] }
        if !kinds.contains(.rrIntervals) {
            for index in heartRates.indices where !heartRates[index].rrIntervals.isEmpty { heartRates[index].rrIntervals = [] }
        }
        if !kinds.contains(.energyExpended) {
            for index in heartRates.indices where heartRates[index].energyKilojoules != nil { heartRates[index].energyKilojoules = nil }
        }
        if !kinds.contains(.position) { positions = [] }
        if !kinds.contains(.event) { events = [] }
        if !kinds.contains(.flaggedEvent), events.contains(where: \.code.isFlag) { events.removeAll(where: \.code.isFlag) }
        if !kinds.contains(.gap) { gaps = [] }
        if !scalars.isEmpty { scalars.removeAll { !kinds.contains($0.kind) } }
    }
}

extension Set<DataKind> {
    /// These with all their parts.
    var withParts: Set<DataKind> { reduce(into: self) { $0.formUnion($1.parts) } }

    /// The numbers of the blocks in which they stand, for `IN (…)`.
    var blocks: String { Set<UInt8>(map(\.column.rawValue)).sorted().map(String.init).joined(separator: ",") }
}
