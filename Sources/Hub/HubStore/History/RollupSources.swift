import Database
import Foundation
import History
import Seams
import Vitals

extension Migration {
    /// Which sources have something in the hours whose raw data was overwritten: `minutes` has a bit for each minute of the hour, from the
    /// first one on. What comes late from another one is not counted beside them. A box that sends live is a source under its number below
    /// 0, whatever its streams; an import, and whatever else there is, by its stream.
    static let rollupSources = Migration(
        name: "9 rollup sources",
        sql: """
            CREATE TABLE rollup_source(person INTEGER NOT NULL, kind INTEGER NOT NULL, hour INTEGER NOT NULL, source INTEGER NOT NULL,
                minutes INTEGER NOT NULL, PRIMARY KEY(person, kind, hour, source)) WITHOUT ROWID;
            """)
}

/// Minutes of one hour.
struct MinutesOfHour: Equatable {
    /// A bit for each, from the first one on.
    private(set) var bits: Int64 = 0

    init(bits: Int64 = 0) { self.bits = bits }

    init(_ slots: some Sequence<Int>) { bits = slots.reduce(0) { $0 | 1 << Int64($1) } }

    /// Those of an hour that a span touches.
    init(of hour: Int64, from: Milliseconds, to: Milliseconds) {
        let begin = hour * RollupHour.length, first = max(from, begin), last = min(to, begin + RollupHour.length - 1)
        self.init(first <= last ? Int((first - begin) / 60_000)..<Int((last - begin) / 60_000) + 1 : 0..<0)
    }

    var isEmpty: Bool { bits == 0 }

    func contains(_ slot: Int) -> Bool { bits >> Int64(slot) & 1 == 1 }
    func subtracting(_ other: MinutesOfHour) -> MinutesOfHour { MinutesOfHour(bits: bits & ~other.bits) }
    func intersection(_ other: MinutesOfHour) -> MinutesOfHour { MinutesOfHour(bits: bits & other.bits) }
    func union(_ other: MinutesOfHour) -> MinutesOfHour { MinutesOfHour(bits: bits | other.bits) }
}

/// Which source counts in a closed hour does not change any more (design rule 13 ends there): a source that has something in a minute may
/// add to it, and every source to a minute that is empty. Where the minutes are gone the same holds for the hour.
extension RollupStore {
    /// Notes the sources of the hours that are about to be closed, while their blocks are there.
    func noteSources(of kind: DataKind, _ hours: Range<Int64>, of person: Int64, _ db: Connection) throws {
        guard !kind.rolledUp.isEmpty else { return }
        let length = RollupHour.length, from = hours.lowerBound == .min ? Milliseconds.min : hours.lowerBound * length
        let to = hours.upperBound * length
        let blocks = try db.fetchAll(
            sql: """
                SELECT clock, utc_first, utc_last FROM block
                WHERE person = ? AND utc_last >= ? AND utc_last < ? AND utc_first < ? AND +kind = ?
                """,
            // A block is of one hour of its clock.
            arguments: [person, from, to + 24 * length, to, kind.rawValue])
        for block in blocks {
            let first: Milliseconds = max(block[1], from), last: Milliseconds = min(block[2], to - 1)
            guard first <= last, let source = try source(clock: block[0], db) else { continue }
            for hour in RollupHour.number(of: first)...RollupHour.number(of: last) {
                try noteSource(source, MinutesOfHour(of: hour, from: first, to: last), at: hour, of: kind, of: person, db)
            }
        }
    }

    /// - Returns: nil for a clock that nobody knows.
    private func source(clock: Int64, _ db: Connection) throws -> Int64? {
        try db.cachedStatement(
            sql: """
                SELECT CASE WHEN stream.provenance = ? THEN -stream.agent ELSE stream.id END
                FROM clock JOIN stream ON stream.id = clock.stream WHERE clock.id = ?
                """
        ).fetchOne(Int64.self, arguments: [Provenance.live.rawValue, clock])
    }

    private func noteSource(
        _ source: Int64, _ minutes: MinutesOfHour, at hour: Int64, of kind: DataKind, of person: Int64, _ db: Connection
    ) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO rollup_source(person, kind, hour, source, minutes) VALUES(?, ?, ?, ?, ?)
                ON CONFLICT(person, kind, hour, source) DO UPDATE SET minutes = rollup_source.minutes | excluded.minutes
                """
        ).execute(arguments: [person, kind.rawValue, hour, source, minutes.bits])
    }

    /// The sources of a closed hour.
    private func sources(of kind: DataKind, at hour: Int64, of owner: RollupOwner, _ db: Connection) throws -> [Int64: MinutesOfHour] {
        let rows = try db.cachedStatement(sql: "SELECT source, minutes FROM rollup_source WHERE person = ? AND kind = ? AND hour = ?")
            .fetchAll(arguments: [owner.row, kind.rawValue, hour])
        return Dictionary(uniqueKeysWithValues: rows.map { ($0[0], MinutesOfHour(bits: $0[1])) })
    }

    /// Adds samples that came late, to hours whose raw data was overwritten. What is not closed is due, and worked out by
    /// ``build(before:)``.
    /// - Parameter samples: of one block, in the time of its clock.
    func addLate(_ samples: SampleSet, of kind: DataKind, clock: Int64, _ owner: RollupOwner, _ db: Connection) throws {
        let kept = try kept(kind, of: owner.row, db)
        guard kept.whole > .min, !kind.rolledUp.isEmpty else { return }
        var samples = try store.inUTC(samples, clock: clock)
        guard let first = samples.timeRange?.lowerBound, RollupHour.number(of: first) < kept.whole,
            let source = try source(clock: clock, db)
        else { return }
        // Intervals that follow each other are told by their order.
        samples.sortByTime()
        let parts = kind.rolledUp.map { (kind: $0, minutes: samples.rollups(of: $0)) }
        let hours = parts.reduce(into: Set<Int64>()) { $0.formUnion($1.minutes.keys.map { RollupHour.number(of: $0 * 60_000) }) }
        for hour in hours.sorted() where hour < kept.whole {
            let late = parts.map { (kind: $0.kind, row: RollupHour.row(hour, of: $0.minutes)) }
            let own = try sources(of: kind, at: hour, of: owner, db)[source] ?? MinutesOfHour()
            let added =
                try hour >= kept.minutes ? addToMinutes(late, own, at: hour, owner, db) : addToHour(late, own, at: hour, owner, db)
            if !added.isEmpty { try noteSource(source, added, at: hour, of: kind, of: owner.row, db) }
        }
    }

    /// A source's rollups of one hour, by kind.
    private typealias Late = [(kind: DataKind, row: RollupRow)]

    /// Adds to a closed hour whose minutes are there.
    /// - Parameter own: minutes in which the source has something already.
    /// - Returns: the minutes that were added.
    private func addToMinutes(
        _ late: Late, _ own: MinutesOfHour, at hour: Int64, _ owner: RollupOwner, _ db: Connection
    ) throws -> MinutesOfHour {
        let stored = try late.map { try row($0.kind, .minutes, hour, of: owner, db) ?? RollupRow() }
        let added = late.map(\.row).minutes.subtracting(stored.minutes.subtracting(own))
        for ((kind, row), stored) in zip(late, stored) {
            let new = row.slots.filter { added.contains($0.key) }
            guard !new.isEmpty else { continue }
            var all = stored
            for (slot, rollup) in new { all.slots[slot, default: Rollup()].merge(rollup) }
            try put([hour: all], of: kind, owner, db)
        }
        return added
    }

    /// Adds to a closed hour whose minutes are gone: all, or nothing where it is filled by others.
    private func addToHour(
        _ late: Late, _ own: MinutesOfHour, at hour: Int64, _ owner: RollupOwner, _ db: Connection
    ) throws -> MinutesOfHour {
        let (day, slot) = RollupHour.day(of: hour)
        if own.isEmpty, try late.contains(where: { try row($0.kind, .hours, day, of: owner, db)?.slots[slot] != nil }) {
            return MinutesOfHour()
        }
        for (kind, row) in late where !row.slots.isEmpty { try add(row, toHour: hour, of: kind, owner, db) }
        return late.map(\.row).minutes
    }

    /// Takes out what one stream that is not live added to closed hours, where nothing else is in the same minutes, or in the same hour
    /// where minutes are gone. What it shares with others stays: a rollup does not tell who added what.
    func remove(_ stream: StreamID, _ part: PartDeletion, of owner: RollupOwner) throws {
        let number = try series.read { db in
            try db.fetchOne(
                Int64.self, sql: "SELECT id FROM stream WHERE stream = ? AND provenance <> ?",
                arguments: [Data(stream.bytes), Provenance.live.rawValue])
        }
        guard let number else { return }
        for kind in part.rolledUpColumns {
            let hours = try series.read { db in
                try db.fetchAll(
                    Int64.self, sql: "SELECT hour FROM rollup_source WHERE person = ? AND kind = ? AND source = ? ORDER BY hour",
                    arguments: [owner.row, kind.rawValue, number])
            }
            try inSlices(hours) { try remove(number, at: $0, of: kind, part, owner, $1) }
        }
    }

    private func remove(
        _ source: Int64, at hour: Int64, of kind: DataKind, _ part: PartDeletion, _ owner: RollupOwner, _ db: Connection
    ) throws {
        let kept = try kept(kind, of: owner.row, db), sources = try sources(of: kind, at: hour, of: owner, db)
        guard hour < kept.whole, let own = sources[source] else { return }
        let others = sources.filter { $0.key != source }.values.reduce(MinutesOfHour()) { $0.union($1) }
        let span = MinutesOfHour(of: hour, from: part.span.lowerBound, to: part.span.upperBound)
        let taken = own.subtracting(others).intersection(span), hasMinutes = hour >= kept.minutes
        // Of an hour without minutes nothing but all of it can be taken.
        guard hasMinutes || (others.isEmpty && own.subtracting(span).isEmpty), !taken.isEmpty else { return }
        for kind in part.rolledUp(kind) { try takeOut(taken, at: hour, of: kind, hasMinutes: hasMinutes, owner, db) }
        if part.kinds.contains(kind) { try forgetSources(taken, at: hour, of: kind, owner, db) }
    }

    /// Whoever had something in minutes that were taken out has nothing there any more.
    func forgetSources(_ minutes: MinutesOfHour, at hour: Int64, of kind: DataKind, _ owner: RollupOwner, _ db: Connection) throws {
        for (source, own) in try sources(of: kind, at: hour, of: owner, db) {
            let left = own.subtracting(minutes)
            if left.isEmpty {
                try db.cachedStatement(sql: "DELETE FROM rollup_source WHERE person = ? AND kind = ? AND hour = ? AND source = ?")
                    .execute(arguments: [owner.row, kind.rawValue, hour, source])
            } else if left != own {
                try db.cachedStatement(
                    sql: "UPDATE rollup_source SET minutes = ? WHERE person = ? AND kind = ? AND hour = ? AND source = ?"
                ).execute(arguments: [left.bits, owner.row, kind.rawValue, hour, source])
            }
        }
    }
}

extension [RollupRow] {
    /// In which minutes one of them has something.
    fileprivate var minutes: MinutesOfHour { reduce(MinutesOfHour()) { $0.union(MinutesOfHour($1.slots.keys)) } }
}
