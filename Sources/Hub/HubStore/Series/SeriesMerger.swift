import Database
import Foundation
import Seams
import Segments
public import Vitals

extension SeriesMerger {
    /// How much is received and not merged, and since when the oldest of it waits.
    public var backlog: (segments: Int, oldest: Milliseconds?) { store.state.withLock { ($0.pendingCount, $0.oldest) } }

    /// The result of a merging pass.
    public struct Report: Sendable, Hashable {
        public var people = 0
        public var segments = 0
        public var blocks = 0
        /// What could not be merged and was set aside in the table `quarantine`, with the reason.
        public var quarantined: [String] = []
    }

    /// One person's segments in one transaction, about.
    static let sliceSegments = 1000
    /// Samples of one slice, about.
    static let sliceSamples = 1_000_000
    /// Fingerprints are kept at least this long: 30 days.
    static let fingerprintLifetime: Milliseconds = 30 * 86_400_000

    /// Merges what the journal holds into hourly blocks, person by person, in slices, and empties the journal behind it. A crash at any
    /// point repeats work and loses nothing. One pass at a time; the caller sees to that.
    @discardableResult
    public func merge(now: Milliseconds) throws -> Report {
        let cutoff = store.state.withLock { $0.lastJournal }
        guard cutoff > 0 else { return Report() }
        var report = Report()
        var work = store.state.withLock { state in state.pending.filter { !$0.value.isEmpty }.map(\.key).sorted() }[...]
        let people = try accounts.people(rows: work), received = try receipts(upTo: cutoff)
        while !work.isEmpty {
            let started = keys.machine.uptime
            var merged: [(row: Int64, upTo: Int64)] = []
            try series.write { db in
                while let row = work.first, merged.isEmpty || keys.machine.uptime - started < SeriesStore.slice {
                    let waiting = store.state.withLock { $0.pending[row] ?? [] }.prefix { $0.journal <= cutoff }
                    let segments = Self.slice(of: waiting)
                    let isLast = segments.count == waiting.count
                    if isLast { work.removeFirst() }
                    guard let last = segments.last else { continue }
                    let upTo = isLast ? cutoff : last.journal
                    try noteArrivals(Array(segments), of: row, received: received, db)
                    // Not within what sets a person's data aside: a key store that cannot be read is no damage of theirs.
                    let gone = try people[row].map { try finishedParts(of: $0, db) } ?? []
                    do {
                        try db.inSavepoint {
                            guard let person = people[row] else { throw HubStoreError.unknownPerson("of row \(row)") }
                            report.blocks += try merge(Array(segments), of: person, but: gone, row: row, upTo: upTo, db)
                            return .commit
                        }
                        report.segments += segments.count
                    } catch {
                        // One person's damaged data must not hold up everybody's; it is kept as it is.
                        try quarantine(Array(segments), of: row, reason: "\(error)", now: now, db)
                        try mark(row, mergedUpTo: upTo, db)
                        report.quarantined.append("\(segments.count) segments of person \(row): \(error)")
                    }
                    merged.append((row, upTo))
                    if isLast { report.people += 1 } else { break }
                }
            }
            store.state.withLock { state in
                for (row, upTo) in merged {
                    let before = state.pending[row]?.count ?? 0
                    state.pending[row]?.removeAll { $0.journal <= upTo }
                    state.pendingCount -= before - (state.pending[row]?.count ?? 0)
                }
            }
        }
        try saveStreams(upTo: cutoff, now: now)
        try emptyJournal(upTo: cutoff)
        let oldest = try journal.read { try $0.fetchOne(Milliseconds.self, sql: "SELECT received FROM journal ORDER BY id LIMIT 1") }
        store.state.withLock { $0.oldest = oldest }
        return report
    }

    /// Somebody's backlog of weeks is merged in parts; a journal row is never split, so that `merged` says what was done.
    private static func slice(of waiting: ArraySlice<PendingSegment>) -> ArraySlice<PendingSegment> {
        let count = Swift.min(sliceSegments, waiting.count(within: sliceSamples, unknown: sliceSamples / 32))
        guard waiting.count > count, let last = waiting.dropFirst(count - 1).first else { return waiting }
        return waiting.prefix { $0.journal <= last.journal }
    }

    /// Parts of a person's data that were deleted to the end, whichever stream had brought them.
    private func finishedParts(of person: PersonID, _ db: Connection) throws -> [PartDeletion] {
        let parts = try accounts.deletedParts(of: person).filter { $0.stream == nil }
        guard !parts.isEmpty else { return [] }
        let finished = try db.cachedStatement(sql: "SELECT 1 FROM deletion WHERE part = ? AND finished IS NOT NULL")
        return try parts.filter { try finished.fetchOne(Int64.self, arguments: [Data($0.id.bytes)]) != nil }
    }

    /// What a sensor had measured before a part was deleted and comes behind that stays out, however long its box was away. What is typed or imported
    /// for the span later was meant to be there.
    private func removeLate(_ samples: inout SampleSet, of segment: PendingSegment, _ gone: [PartDeletion], _ db: Connection) throws {
        guard !gone.isEmpty else { return }
        let stream = try db.cachedStatement(sql: "SELECT provenance FROM stream WHERE id = ?")
        guard try stream.fetchOne(UInt8.self, arguments: [Int64(segment.stream)]) == Provenance.live.rawValue else { return }
        let model = try store.model(clock: Int64(segment.clock))
        for part in gone {
            _ = samples.remove(part.kinds) { time in
                let utc = model.utc(time) ?? time
                return utc <= part.requested && part.span.contains(utc)
            }
        }
    }

    /// Merges one person's segments into the blocks of their hours; returns how many blocks were written.
    /// - Parameter gone: parts of the person's data that were deleted.
    private func merge(
        _ segments: [PendingSegment], of person: PersonID, but gone: [PartDeletion], row: Int64, upTo cutoff: Int64, _ db: Connection
    ) throws -> Int {
        // Nobody can read a deleted person's segments any more: they go with their rows of the journal.
        guard try keys.key(of: person) != nil else {
            try mark(row, mergedUpTo: cutoff, db)
            return 0
        }
        var blocks = AddedSamples()
        let marked = try db.cachedStatement(sql: "SELECT journal FROM merged WHERE person = ?")
        let done = try marked.fetchOne(Int64.self, arguments: [row]) ?? 0
        try journal.read { journal in
            for segment in segments where segment.journal > done {
                var samples = try store.samples(of: segment, person: person, journal)
                try removeLate(&samples, of: segment, gone, db)
                blocks.add(samples, clock: Int64(segment.clock), sequence: segment.sequence)
            }
        }
        // The older stream first: in a closed hour it is the one that counts.
        for (place, added) in blocks.inOrder { try write(added, to: place, of: person, row: row, db) }
        try mark(row, mergedUpTo: cutoff, db)
        return blocks.count
    }

    private func mark(_ row: Int64, mergedUpTo cutoff: Int64, _ db: Connection) throws {
        try db.cachedStatement(
            sql:
                """
                INSERT INTO merged(person, journal) VALUES(?, ?)
                ON CONFLICT(person) DO UPDATE SET journal = excluded.journal WHERE merged.journal < excluded.journal
                """
        ).execute(arguments: [row, cutoff])
    }

    private func quarantine(
        _ segments: [PendingSegment], of row: Int64, reason: String, now: Milliseconds, _ db: Connection
    ) throws {
        try journal.read { journal in
            for segment in segments {
                let envelope = try journal.fetchOne(
                    Data.self, sql: "SELECT substr(frames, ?, ?) FROM journal WHERE id = ?",
                    arguments: [segment.offset + 1, segment.count, segment.journal])
                try db.execute(
                    sql: """
                        INSERT INTO quarantine(person, stream, sequence, clock, noticed, reason, envelope)
                        VALUES(?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
                        """,
                    arguments: [
                        row, segment.stream, Int64(bitPattern: segment.sequence), segment.clock, now, reason, envelope ?? Data(),
                    ])
            }
        }
    }

    private func write(_ added: AddedSamples.Block, to bucket: AddedSamples.Place, of person: PersonID, row: Int64, _ db: Connection) throws
    {
        guard let key = try keys.key(of: person) else { return }
        let place = Envelope.Place(
            person: person, table: .block,
            row: (UInt64(bucket.kind.rawValue) << 32 | UInt64(bucket.clock), UInt64(bitPattern: bucket.hour)))
        var samples = SampleSet(), sequences: BlockSequences? = BlockSequences()
        let found = try db.cachedStatement(
            sql: "SELECT id, envelope, sequences FROM block WHERE person = ? AND kind = ? AND clock = ? AND hour = ?")
        if let old = try found.fetchOne(arguments: [row, bucket.kind.rawValue, bucket.clock, bucket.hour]) {
            samples = try SeriesStore.columns(Envelope.open(old[1] as Data, with: key, at: place))
            sequences = BlockSequences.open(old[2], of: samples, with: key, beside: place)
            // A block always goes to the end of the table: pages stay full, and whole pages become free.
            try db.cachedStatement(sql: "DELETE FROM block WHERE id = ?").execute(arguments: [old[0] as Int64])
        }
        let owner = RollupOwner(person: person, row: row, key: key)
        try store.rollups.addLate(added.samples, of: bucket.kind, clock: bucket.clock, owner, db)
        samples.append(added.samples)
        sequences?.append(added.sequences)
        guard samples.count <= SeriesStore.blockSamplesMax else {
            let reason = "more than \(SeriesStore.blockSamplesMax) samples of a kind in one hour"
            throw HubStoreError.database(path: series.path, reason: reason)
        }
        sequences?.sort(by: samples.timesInOrder)
        samples.sortByTime()
        guard let times = samples.timeRange ?? (samples.isEmpty ? nil : 0...0) else { return }
        let model = try store.model(clock: bucket.clock)
        var columns: [UInt8] = []
        SampleColumns.encode(samples, into: &columns)
        try db.cachedStatement(
            sql: """
                INSERT INTO block(person, kind, clock, hour, first, last, utc_first, utc_last, count, envelope, sequences)
                VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            row, bucket.kind.rawValue, bucket.clock, bucket.hour, times.lowerBound, times.upperBound,
            model.utc(times.lowerBound) ?? times.lowerBound, model.utc(times.upperBound) ?? times.upperBound, samples.count,
            Data(try Envelope.seal(columns, with: key, at: place)),
            try BlockSequences.sealed(sequences, of: samples, with: key, beside: place),
        ])
    }

    /// Stores ranges, fingerprints and clocks of what is merged, so that the journal's rows may go.
    private func saveStreams(upTo cutoff: Int64, now: Milliseconds) throws {
        let (unsaved, gaps, clocks) = store.state.withLock { state in
            (
                state.unsaved.mapValues { $0.filter { $0.journal <= cutoff } }.filter { !$0.value.isEmpty },
                state.gaps.mapValues { $0.filter { $0.journal <= cutoff } },
                state.clocks
            )
        }
        try inSlices(Array(unsaved)) { unsaved, db in
            let stream = unsaved.key, entries = unsaved.value.sorted { $0.sequence < $1.sequence }
            try saveFingerprints(entries.map { ($0.sequence, $0.fingerprint) }, of: stream, now: now, db)
            let json = try db.cachedStatement(sql: "SELECT received FROM stream WHERE id = ?").fetchOne(
                String.self, arguments: [stream])
            var (received, isWhole) = try SeriesStore.received(json ?? "[]", of: stream, db)
            if !isWhole { try JournalFrame.setAside(stream: stream, json ?? "", now: now, db) }
            for entry in entries { received.insert(entry.sequence) }
            for gap in gaps[stream] ?? [] { received.insert(gap.range) }
            try db.cachedStatement(sql: "UPDATE stream SET received = ? WHERE id = ?").execute(
                arguments: [SeriesStore.json(received), stream])
        }
        try inSlices(Array(clocks)) { try save($0.value, clock: $0.key, $1) }
        try series.write { db in
            try db.execute(sql: "DELETE FROM fingerprint WHERE created < ?", arguments: [now - Self.fingerprintLifetime])
        }
        store.state.withLock { state in
            for stream in unsaved.keys {
                state.unsaved[stream]?.removeAll { $0.journal <= cutoff }
                state.gaps[stream]?.removeAll { $0.journal <= cutoff }
            }
        }
    }

    /// - Parameter entries: in ascending order.
    private func saveFingerprints(
        _ entries: [(sequence: UInt64, fingerprint: UInt64)], of stream: Int64, now: Milliseconds, _ db: Connection
    ) throws {
        var run: (first: UInt64, hashes: [UInt8]) = (0, [])
        func flush() throws {
            guard !run.hashes.isEmpty else { return }
            try db.cachedStatement(
                sql: """
                    INSERT INTO fingerprint(stream, first, created, hashes) VALUES(?, ?, ?, ?)
                    ON CONFLICT(stream, first) DO UPDATE SET created = excluded.created, hashes = excluded.hashes
                    """
            ).execute(arguments: [stream, Int64(bitPattern: run.first), now, Data(run.hashes)])
            run.hashes = []
        }
        for entry in entries {
            if run.hashes.isEmpty || entry.sequence != run.first + UInt64(run.hashes.count / SeriesStore.fingerprintBytes) {
                try flush()
                run.first = entry.sequence
            }
            for byte in 0..<SeriesStore.fingerprintBytes {
                run.hashes.append(UInt8(truncatingIfNeeded: entry.fingerprint >> (8 * UInt64(byte))))
            }
        }
        try flush()
    }

    /// Stores a clock's records and, where they changed, indexes its blocks again (design rule 5).
    private func save(_ model: ClockModel, clock: Int64, _ db: Connection) throws {
        let domain = try db.cachedStatement(sql: "SELECT domain FROM clock WHERE id = ?").fetchOne(Int.self, arguments: [clock])
        guard domain == 2 else { return }
        let stored = try db.cachedStatement(sql: "SELECT time, utc, uncertainty, source FROM clock_record WHERE clock = ? ORDER BY time")
            .fetchAll(
                arguments: [clock]
            ).map { ClockRecord(time: $0[0], utc: $0[1], uncertainty: $0[2], source: ClockRecord.Source(rawValue: $0[3]) ?? .wall) }
        guard stored != model.records else { return }
        try db.execute(sql: "DELETE FROM clock_record WHERE clock = ?", arguments: [clock])
        for record in model.records {
            try db.execute(
                sql: "INSERT INTO clock_record(clock, time, utc, uncertainty, source) VALUES(?, ?, ?, ?, ?)",
                arguments: [clock, record.time, record.utc, record.uncertainty, record.source.rawValue])
        }
        for row in try db.fetchAll(sql: "SELECT id, first, last FROM block WHERE clock = ?", arguments: [clock]) {
            let first: Milliseconds = row[1], last: Milliseconds = row[2]
            try db.execute(
                sql: "UPDATE block SET utc_first = ?, utc_last = ? WHERE id = ?",
                arguments: [model.utc(first) ?? first, model.utc(last) ?? last, row[0] as Int64])
        }
    }

    private func emptyJournal(upTo cutoff: Int64) throws {
        var left = true
        while left {
            try journal.write { db in
                try db.execute(
                    sql: "DELETE FROM journal WHERE id IN (SELECT id FROM journal WHERE id <= ? ORDER BY id LIMIT 200)",
                    arguments: [cutoff])
                left = db.changesCount > 0
            }
        }
        for pool in [journal, series] {
            while try pool.shrink(pages: 500) {}
        }
    }
}

extension SampleSet {
    /// Puts each kind in the order of time; equal times keep the order in which they came.
    mutating func sortByTime() {
        var edit = SortByTime()
        self.edit(&edit)
    }
}

private struct SortByTime: SampleEdit {
    func edit<Sample: TimedSample>(_ samples: inout [Sample]) { samples.sortIfNeeded { $0.time } }
}

extension Array {
    mutating func sortIfNeeded(by time: (Element) -> Milliseconds) {
        for index in indices.dropFirst() where time(self[index - 1]) > time(self[index]) {
            self = enumerated().sorted { (time($0.element), $0.offset) < (time($1.element), $1.offset) }.map(\.element)
            return
        }
    }
}
