import Database
import Foundation
import Privacy
import Seams
import Segments
public import Vitals

/// A part of a person's data that is to be deleted: kinds, and a span of UTC with both ends included.
public struct PartDeletion: Sendable, Hashable {
    /// Names it in the key store's list and in the series' progress.
    public let id: StreamID
    public let person: PersonID
    public let kinds: Set<DataKind>
    public let span: ClosedRange<Milliseconds>
    /// Only what this stream added; nil for all of them.
    public let stream: StreamID?
    public let requested: Milliseconds

    /// How far it has come.
    public struct Progress: Sendable, Hashable {
        /// Samples that were removed so far.
        public let removed: Int
        /// When it was done; nil while it runs, and before.
        public let finished: Milliseconds?
    }
}

extension AccountStore {
    /// Asks for the deletion of a part. It is listed in the key store before anything is removed, so that neither a crash nor a restored
    /// backup of the series forgets it.
    /// - Parameter stream: only what this stream added; nil for all of them.
    /// - Throws: ``HubStoreError/unknownPerson(_:)`` for somebody unknown or deleted.
    public func requestDeletion(
        of kinds: Set<DataKind>, in span: ClosedRange<Milliseconds>, stream: StreamID? = nil, person: PersonID, now: Milliseconds
    ) throws -> PartDeletion {
        guard try row(of: person) != nil, try !keys.isDeleted(person) else { throw HubStoreError.unknownPerson(person.description) }
        let part = PartDeletion(id: randomness.id(), person: person, kinds: kinds, span: span, stream: stream, requested: now)
        try keys.pool.write { db in
            try db.execute(
                sql: "INSERT INTO deleted_part(part, person, kinds, first, last, requested, stream) VALUES(?, ?, ?, ?, ?, ?, ?)",
                arguments: [
                    Data(part.id.bytes), Data(person.bytes), kinds.reduce(0 as Int64) { $0 | 1 << Int64($1.rawValue) }, span.lowerBound,
                    span.upperBound, now, stream.map { Data($0.bytes) },
                ])
        }
        return part
    }

    /// Every part that was ever deleted, the oldest request first.
    /// - Parameter person: of this person alone; nil for everybody.
    public func deletedParts(of person: PersonID? = nil) throws -> [PartDeletion] {
        try keys.pool.read { db in
            let rows =
                try person.map {
                    try db.fetchAll(
                        sql: "SELECT * FROM deleted_part WHERE person = ? ORDER BY requested, part", arguments: [Data($0.bytes)])
                } ?? db.fetchAll(sql: "SELECT * FROM deleted_part ORDER BY requested, part")
            return rows.compactMap { row in
                guard let id = StreamID(bytes: row["part"] as Data), let whose = PersonID(bytes: row["person"] as Data) else { return nil }
                let (bits, first, last) = (row["kinds"] as Int64, row["first"] as Int64, row["last"] as Int64)
                guard first <= last else { return nil }
                return PartDeletion(
                    id: id, person: whose, kinds: Set(DataKind.allCases.filter { bits >> Int64($0.rawValue) & 1 == 1 }),
                    span: first...last, stream: (row["stream"] as Data?).flatMap { StreamID(bytes: $0) }, requested: row["requested"])
            }
        }
    }
}

extension SeriesErasure {
    /// How far the deletion of a part has come; nil before it began.
    public func progress(of part: PartDeletion) throws -> PartDeletion.Progress? {
        try series.read { db in
            try db.fetchOne(sql: "SELECT removed, finished FROM deletion WHERE part = ?", arguments: [Data(part.id.bytes)])
                .map { PartDeletion.Progress(removed: $0[0], finished: $0[1]) }
        }
    }

    /// Parts that were asked for and are not done: the hub stopped in between, or these series come from a backup.
    public func unfinishedDeletions() throws -> [PartDeletion] {
        try accounts.deletedParts().filter { try progress(of: $0)?.finished == nil }
    }

    /// Removes a part: what waits is merged first, then the blocks are written again without it, in slices. Goes on where it stopped, however
    /// it did. What a sensor measured before and sends after this has finished stays out with its merge. Not beside ``SeriesMerger/merge(now:)``: the caller
    /// sees to that.
    public func delete(_ part: PartDeletion, now: Milliseconds) throws {
        try store.merger.merge(now: now)
        let grant = Grant.system(.deletion, of: part.person)
        guard grant.kinds.isSuperset(of: part.kinds), let row = try accounts.row(of: part.person) else { return }
        let id = Data(part.id.bytes)
        try series.write { db in
            try db.execute(sql: "INSERT INTO deletion(part) VALUES(?) ON CONFLICT DO NOTHING", arguments: [id])
            // Whatever could not be read when it was merged: of which time it is, nobody can tell.
            guard let stream = part.stream else {
                return try db.execute(sql: "DELETE FROM quarantine WHERE person = ?", arguments: [row])
            }
            try db.execute(
                sql: "DELETE FROM quarantine WHERE person = ? AND stream IN (SELECT id FROM stream WHERE stream = ?)",
                arguments: [row, Data(stream.bytes)])
        }
        if let key = try keys.key(of: part.person) {
            let owner = RollupOwner(person: part.person, row: row, key: key)
            if let stream = part.stream {
                try store.rollups.remove(stream, part, of: owner)
            } else {
                try store.rollups.remove(part, of: owner)
            }
        }
        var isDone = false
        while !isDone {
            let after =
                try series.read { try $0.fetchOne(Int64.self, sql: "SELECT block FROM deletion WHERE part = ?", arguments: [id]) } ?? 0
            var blocks = try self.blocks(of: part, row: row, after: after)[...]
            isDone = blocks.isEmpty
            repeat {
                try series.write { db in
                    let started = keys.machine.uptime
                    var removed = 0, last = after
                    while let block = blocks.first, keys.machine.uptime - started < SeriesStore.slice {
                        removed += try cut(block, part, row: row, db)
                        last = block
                        blocks.removeFirst()
                    }
                    try db.execute(
                        sql: "UPDATE deletion SET block = ?, removed = removed + ?, finished = ? WHERE part = ?",
                        arguments: [last, removed, isDone ? now : nil, id])
                }
            } while !blocks.isEmpty
        }
    }

    /// When samples are that a part takes away and figures of workouts may be made from, UTC milliseconds. What waits to be merged is left out
    /// where the part is of one stream.
    public func workoutSpans(of part: PartDeletion) throws -> [ClosedRange<Milliseconds>] {
        let kinds = part.kinds.intersection(WorkoutRecordStore.kinds)
        guard !kinds.isEmpty, let stream = part.stream else { return kinds.isEmpty ? [] : [part.span] }
        guard let row = try accounts.row(of: part.person) else { return [] }
        return try series.read { db in
            try db.fetchAll(
                sql: """
                    SELECT utc_first, utc_last FROM block
                    WHERE person = ? AND utc_last >= ? AND utc_first <= ? AND +kind IN (\(kinds.blocks))
                    AND clock IN (SELECT clock.id FROM clock JOIN stream ON stream.id = clock.stream WHERE stream.stream = ?)
                    """,
                arguments: [row, part.span.lowerBound, part.span.upperBound, Data(stream.bytes)]
            ).map { row in
                let first: Milliseconds = row[0], last: Milliseconds = row[1]
                return first...max(first, last)
            }
        }
    }

    /// Blocks that touch the part. Those that are written again go to the end of the table and are looked at once more, in vain.
    private func blocks(of part: PartDeletion, row: Int64, after: Int64) throws -> [Int64] {
        let stream = part.stream.map { Data($0.bytes) }
        let ofStream =
            stream == nil ? "" : "AND clock IN (SELECT clock.id FROM clock JOIN stream ON stream.id = clock.stream WHERE stream.stream = ?)"
        return try series.read { db in
            try db.fetchAll(
                Int64.self,
                sql: """
                    SELECT id FROM block
                    WHERE person = ? AND utc_last >= ? AND utc_first <= ? AND +kind IN (\(part.kinds.blocks)) AND +id > ?
                    \(ofStream) ORDER BY +id LIMIT 500
                    """,
                arguments: stream.map { [row, part.span.lowerBound, part.span.upperBound, after, $0] }
                    ?? [row, part.span.lowerBound, part.span.upperBound, after])
        }
    }

    /// Writes one block again without the part; returns how many samples it lost. A block that does not open goes whole: nobody can say what
    /// of it was to stay, and the person asked for it to go.
    private func cut(_ id: Int64, _ part: PartDeletion, row: Int64, _ db: Connection) throws -> Int {
        let found = try db.fetchOne(sql: "SELECT kind, clock, hour, count, envelope, sequences FROM block WHERE id = ?", arguments: [id])
        guard let block = found, let key = try keys.key(of: part.person) else { return 0 }
        let (kind, clock, hour) = (block[0] as UInt8, block[1] as Int64, block[2] as Int64)
        let place = Envelope.Place(
            person: part.person, table: .block, row: (UInt64(kind) << 32 | UInt64(clock), UInt64(bitPattern: hour)))
        guard var samples = try? SeriesStore.columns(Envelope.open(block[4] as Data, with: key, at: place)) else {
            try db.execute(sql: "DELETE FROM block WHERE id = ?", arguments: [id])
            return block[3]
        }
        let model = try store.model(clock: clock), whole = samples
        let removed = samples.remove(part.kinds) { part.span.contains(model.utc($0) ?? $0) }
        guard removed > 0 else { return 0 }
        let sequences = try (block[5] as Data?).map { envelope in
            var sequences = BlockSequences.open(envelope, of: whole, with: key, beside: place)
            sequences?.remove(where: whole.gone(part.kinds) { part.span.contains(model.utc($0) ?? $0) })
            return try BlockSequences.sealed(sequences, of: samples, with: key, beside: place)
        }
        try db.execute(sql: "DELETE FROM block WHERE id = ?", arguments: [id])
        try insert(samples, sequences, kind: kind, clock: clock, hour: hour, person: row, key: key, place: place, db)
        return removed
    }

    private func insert(
        _ samples: SampleSet, _ sequences: Data?, kind: UInt8, clock: Int64, hour: Int64, person: Int64, key: PersonKey,
        place: Envelope.Place, _ db: Connection
    ) throws {
        guard let times = samples.timeRange else { return }
        let model = try store.model(clock: clock)
        var columns: [UInt8] = []
        SampleColumns.encode(samples, into: &columns)
        try db.execute(
            sql: """
                INSERT INTO block(person, kind, clock, hour, first, last, utc_first, utc_last, count, envelope, sequences)
                VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                person, kind, clock, hour, times.lowerBound, times.upperBound, model.utc(times.lowerBound) ?? times.lowerBound,
                model.utc(times.upperBound) ?? times.upperBound, samples.count, Data(try Envelope.seal(columns, with: key, at: place)),
                sequences,
            ])
    }
}

extension SampleSet {
    /// Removes the samples of some kinds, and parts of samples, at times for which `isGone` holds. A sample goes with its parts. Columns that
    /// nobody can read have no times: they go when anything goes.
    /// - Returns: how many samples went or lost a part.
    mutating func remove(_ kinds: Set<DataKind>, where isGone: (Milliseconds) -> Bool) -> Int {
        let before = count
        var cut = 0
        if kinds.contains(.heartRate) { heartRates.removeAll { isGone($0.time) } }
        for index in heartRates.indices where !kinds.isDisjoint(with: [.rrIntervals, .energyExpended]) && isGone(heartRates[index].time) {
            let whole = heartRates[index]
            if kinds.contains(.rrIntervals) { heartRates[index].rrIntervals = [] }
            if kinds.contains(.energyExpended) { heartRates[index].energyKilojoules = nil }
            if heartRates[index] != whole { cut += 1 }
        }
        if kinds.contains(.position) { positions.removeAll { isGone($0.time) } }
        if kinds.contains(.event) { events.removeAll { isGone($0.time) } }
        if kinds.contains(.flaggedEvent) { events.removeAll { $0.code.isFlag && isGone($0.time) } }
        if kinds.contains(.gap) { gaps.removeAll { isGone($0.time) } }
        if kinds.contains(.clock) { clocks.removeAll { isGone($0.time) } }
        scalars.removeAll { kinds.contains($0.kind) && isGone($0.time) }
        if count < before { unknown = [] }
        return before - count + cut
    }
}
