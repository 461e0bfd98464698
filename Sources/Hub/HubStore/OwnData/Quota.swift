import Database
import Foundation
import Seams
public import Vitals

/// The data overwritten to keep a person within their space.
public struct Overwritten: Sendable, Hashable {
    public let person: PersonID
    /// Sealed bytes that went.
    public let bytes: Int
    /// Raw data before this, UTC, is not complete any more.
    public let until: Milliseconds
}

extension SpaceStore {
    /// The sealed bytes of a person's series: blocks, what waits for merging, rollups of minutes (DATA-8). ECG strips have a space of their own.
    public func bytes(of person: PersonID) throws -> Int {
        guard let row = try accounts.row(of: person) else { return 0 }
        return try blockBytes(row) + pendingBytes()[row, default: 0]
    }

    private func blockBytes(_ row: Int64) throws -> Int {
        try series.read { db in
            try db.fetchOne(Int.self, sql: "SELECT bytes + rolled FROM space WHERE person = ?", arguments: [row]) ?? 0
        }
    }

    private func pendingBytes() -> [Int64: Int] {
        store.state.withLock { $0.pending }.mapValues { $0.reduce(0) { $0 + Int($1.count) } }
    }

    /// Overwrites the oldest raw blocks of everybody who has more than their space, in slices, and then the oldest rollups of minutes.
    /// Rollups of hours stay for ever, and so do gaps and clocks: they small, and say what is missing and when things were. SOS records
    /// and results of runs have tables of their own: nothing here touches them.
    /// - Parameters:
    ///   - bytesMax: the space of a person.
    ///   - others: people who have another one, and how much.
    public func keepWithin(_ bytesMax: Int, others: (people: Set<PersonID>, bytesMax: Int) = ([], 0)) throws -> [Overwritten] {
        // What waits to be merged shrinks several times by that: it counts ten minutes later.
        let over = try series.read { db in
            try db.fetchAll(sql: "SELECT person, bytes, rolled FROM space").filter { Self.excess($0, over: bytesMax) > 0 }
        }.map { $0[0] as Int64 }
        let people = try accounts.people(rows: over)
        return try over.compactMap { row in
            try people[row].flatMap {
                try overwrite($0, row: row, within: others.people.contains($0) ? max(bytesMax, others.bytesMax) : bytesMax)
            }
        }
    }

    /// The bytes of a row of `space` beyond the space.
    private static func excess(_ row: Row, over bytesMax: Int) -> Int { (row[1] as Int) + (row[2] as Int) - bytesMax }

    private func excess(of person: Int64, over bytesMax: Int) throws -> Int {
        try series.read { db in
            try db.fetchOne(sql: "SELECT person, bytes, rolled FROM space WHERE person = ?", arguments: [person])
                .map { Self.excess($0, over: bytesMax) } ?? 0
        }
    }

    private static let overwritten = Set(DataKind.allCases).subtracting([.gap, .clock]).blocks

    private func overwrite(_ person: PersonID, row: Int64, within bytesMax: Int) throws -> Overwritten? {
        var bytes = 0, until = Milliseconds.min
        while try excess(of: row, over: bytesMax) > 0 {
            let oldest = try series.read { db in
                try db.fetchAll(
                    sql: """
                        SELECT id, length(envelope), utc_last, kind FROM block
                        WHERE person = ? AND +kind IN (\(Self.overwritten)) ORDER BY utc_last LIMIT 100
                        """,
                    arguments: [row])
            }
            guard let last = oldest.last else { break }
            // What is due is worked out while the samples are there. It takes space, too.
            try store.rollups.build(row, upTo: RollupHour.number(of: last[2]))
            let wanted = bytes + (try excess(of: row, over: bytesMax))
            try series.write { db in
                let started = keys.machine.uptime
                for block in oldest where bytes < wanted && keys.machine.uptime - started < SeriesStore.slice {
                    let isThere = try db.fetchOne(
                        Bool.self, sql: "SELECT EXISTS(SELECT 1 FROM block WHERE id = ?)", arguments: [block[0] as Int64])
                    guard isThere == true else { continue }
                    // Before it goes: it is one of the sources of its hour.
                    if let kind = DataKind(rawValue: block[3]) {
                        try store.rollups.close(kind, before: RollupHour.number(of: block[2]) + 1, of: row, db)
                    }
                    try db.execute(sql: "DELETE FROM block WHERE id = ?", arguments: [block[0] as Int64])
                    bytes += block[1] as Int
                    until = max(until, block[2])
                }
            }
        }
        // Where all samples of an hour were deleted, no block tells that it is due: its minutes go by that, and not as what stays.
        if try excess(of: row, over: bytesMax) > 0 { try store.rollups.build(row, upTo: .max) }
        let left = try excess(of: row, over: bytesMax)
        if left > 0 { bytes += try store.rollups.overwriteMinutes(left, of: row) }
        return bytes > 0 ? Overwritten(person: person, bytes: bytes, until: until) : nil
    }
}

extension AccountStore {
    /// Until when a person's raw data was overwritten for want of space, UTC; nil when it is complete.
    public func overwritten(of person: PersonID) throws -> Milliseconds? {
        guard let row = try row(of: person) else { return nil }
        return try pool.read {
            try $0.fetchOne(Milliseconds.self, sql: "SELECT overwritten FROM quota_notice WHERE person = ?", arguments: [row])
        }
    }

    /// Remembers what was overwritten, for the person's pages.
    /// - Returns: whether a mail is due: at most one in `pause`.
    public func noteOverwritten(_ overwritten: Overwritten, pause: Milliseconds, now: Milliseconds) throws -> Bool {
        guard let row = try row(of: overwritten.person) else { return false }
        return try pool.write { db in
            let told = try db.fetchOne(Milliseconds.self, sql: "SELECT told FROM quota_notice WHERE person = ?", arguments: [row])
            let isDue = told.map { now - $0 >= pause } ?? true
            try db.execute(
                sql: """
                    INSERT INTO quota_notice(person, overwritten, told) VALUES(?, ?, ?)
                    ON CONFLICT(person) DO UPDATE SET told = excluded.told,
                        overwritten = CASE WHEN quota_notice.overwritten > excluded.overwritten THEN quota_notice.overwritten
                            ELSE excluded.overwritten END
                    """,
                arguments: [row, overwritten.until, isDue ? now : told])
            return isDue
        }
    }
}
