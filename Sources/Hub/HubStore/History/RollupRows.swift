import Database
import Foundation
import History
import Seams
import Vitals

/// The rows of rollups: one for the minutes of each hour, one for the hours of each day.
extension RollupStore {
    enum Level: UInt8 {
        /// The minutes of an hour.
        case minutes = 0
        /// The hours of a day.
        case hours = 1
        /// The distribution of minutes by their mean, for each hour of a day.
        case means = 2
    }

    /// From which hour on raw data is whole, and from which on minutes are there.
    func kept(_ kind: DataKind, of person: Int64, _ db: Connection) throws -> (whole: Int64, minutes: Int64) {
        let statement = try db.cachedStatement(sql: "SELECT whole, minutes FROM rollup_kept WHERE person = ? AND kind = ?")
        return try statement.fetchOne(arguments: [person, kind.column.rawValue]).map { ($0[0], $0[1]) } ?? (.min, .min)
    }

    static func place(_ kind: DataKind, _ level: Level, _ start: Int64, of person: PersonID) -> Envelope.Place {
        Envelope.Place(
            person: person, table: .rollup, row: (UInt64(kind.rawValue) << 32 | UInt64(level.rawValue), UInt64(bitPattern: start)))
    }

    func row(_ kind: DataKind, _ level: Level, _ start: Int64, of owner: RollupOwner, _ db: Connection) throws -> RollupRow? {
        let statement = try db.cachedStatement(
            sql: "SELECT envelope FROM rollup WHERE person = ? AND kind = ? AND level = ? AND start = ?")
        guard let rule = RollupRule(kind),
            let envelope = try statement.fetchOne(Data.self, arguments: [owner.row, kind.rawValue, level.rawValue, start])
        else { return nil }
        return try open(envelope, kind, level, start, of: owner, by: rule)
    }

    func open(
        _ envelope: Data, _ kind: DataKind, _ level: Level, _ start: Int64, of owner: RollupOwner, by rule: RollupRule
    ) throws -> RollupRow {
        var row = RollupRow()
        try open(envelope, kind, level, start, of: owner, by: rule) { row.slots[$0] = $1 }
        return row
    }

    /// The same slot by slot, in ascending order.
    func open(
        _ envelope: Data, _ kind: DataKind, _ level: Level, _ start: Int64, of owner: RollupOwner, by rule: RollupRule,
        _ take: (Int, Rollup) -> Void
    ) throws {
        let plain = try Envelope.open(envelope, with: owner.key, at: Self.place(kind, level, start, of: owner.person))
        do throws(RollupRow.Malformed) { try RollupRow.read(plain, by: rule, take) } catch {
            throw HubStoreError.database(path: series.path, reason: "a row of rollups of kind \(kind.name) is no such row")
        }
    }

    /// Writes a row; one without anything in it goes.
    private func write(
        _ row: RollupRow, _ kind: DataKind, _ level: Level, _ start: Int64, of owner: RollupOwner, _ db: Connection
    ) throws {
        guard let rule = RollupRule(kind) else { return }
        guard !row.slots.isEmpty else {
            return try db.cachedStatement(sql: "DELETE FROM rollup WHERE person = ? AND kind = ? AND level = ? AND start = ?")
                .execute(arguments: [owner.row, kind.rawValue, level.rawValue, start])
        }
        let envelope = try Envelope.seal(row.encoded(by: rule), with: owner.key, at: Self.place(kind, level, start, of: owner.person))
        try db.cachedStatement(
            sql: """
                INSERT INTO rollup(person, kind, level, start, envelope) VALUES(?, ?, ?, ?, ?)
                ON CONFLICT(person, kind, level, start) DO UPDATE SET envelope = excluded.envelope
                """
        ).execute(arguments: [owner.row, kind.rawValue, level.rawValue, start, Data(envelope)])
    }

    /// Replaces the minutes of hours, and the hours in their days: each day is read and written once.
    func put(_ hours: [Int64: RollupRow], of kind: DataKind, _ owner: RollupOwner, _ db: Connection) throws {
        for (hour, minutes) in hours.sorted(by: { $0.key < $1.key }) { try write(minutes, kind, .minutes, hour, of: owner, db) }
        for (day, hours) in Dictionary(grouping: hours, by: { RollupHour.day(of: $0.key).day }).sorted(by: { $0.key < $1.key }) {
            try change(kind, .hours, day, of: owner, db) { row in
                for (hour, minutes) in hours { row.slots[RollupHour.day(of: hour).slot] = minutes.slots.isEmpty ? nil : minutes.total }
            }
            guard kind.hasMeans else { continue }
            try change(kind, .means, day, of: owner, db) { row in
                for (hour, minutes) in hours { row.slots[RollupHour.day(of: hour).slot] = minutes.slots.isEmpty ? nil : minutes.means }
            }
        }
    }

    private func change(
        _ kind: DataKind, _ level: Level, _ start: Int64, of owner: RollupOwner, _ db: Connection, _ change: (inout RollupRow) -> Void
    ) throws {
        var row = try row(kind, level, start, of: owner, db) ?? RollupRow()
        change(&row)
        try write(row, kind, level, start, of: owner, db)
    }

    // MARK: Where raw data is not whole any more

    /// Adds minutes to a closed hour whose own are gone. Each of them counts beside what is there, among the means as well.
    func add(_ late: RollupRow, toHour hour: Int64, of kind: DataKind, _ owner: RollupOwner, _ db: Connection) throws {
        let (day, slot) = RollupHour.day(of: hour)
        try change(kind, .hours, day, of: owner, db) { $0.slots[slot, default: Rollup()].merge(late.total) }
        guard kind.hasMeans else { return }
        try change(kind, .means, day, of: owner, db) { $0.slots[slot, default: Rollup()].merge(late.means) }
    }

    /// Raw data of a kind is not whole any more before an hour: what is there of it stays as it is.
    /// - Parameter kind: a column, whose blocks are there still.
    func close(_ kind: DataKind, before hour: Int64, of person: Int64, _ db: Connection) throws {
        let whole = try kept(kind, of: person, db).whole
        guard whole < hour else { return }
        try noteSources(of: kind, whole..<hour, of: person, db)
        try db.cachedStatement(
            sql: """
                INSERT INTO rollup_kept(person, kind, whole, minutes) VALUES(?, ?, ?, ?)
                ON CONFLICT(person, kind) DO UPDATE SET whole = excluded.whole WHERE rollup_kept.whole < excluded.whole
                """
        ).execute(arguments: [person, kind.rawValue, hour, Int64.min])
    }

    /// Takes out a part of what is closed, in slices: whole minutes, or the hour where its minutes are gone. What is not closed is due, and
    /// worked out from the samples that are left.
    func remove(_ part: PartDeletion, of owner: RollupOwner) throws {
        for kind in part.rolledUpColumns.flatMap({ part.rolledUp($0) }) {
            let hours = try series.read { try closedHours(of: kind, in: part.span, owner, $0) }
            try inSlices(hours) { try cut($0, of: kind, part.span, owner, $1) }
        }
    }

    private func cut(
        _ hour: Int64, of kind: DataKind, _ span: ClosedRange<Milliseconds>, _ owner: RollupOwner, _ db: Connection
    ) throws {
        let hasMinutes = try hour >= kept(kind, of: owner.row, db).minutes
        let taken = hasMinutes ? MinutesOfHour(of: hour, from: span.lowerBound, to: span.upperBound) : MinutesOfHour(0..<60)
        try takeOut(taken, at: hour, of: kind, hasMinutes: hasMinutes, owner, db)
        if kind == kind.column { try forgetSources(taken, at: hour, of: kind, owner, db) }
    }

    /// Takes minutes out of a closed hour, or all of it where its minutes are gone.
    func takeOut(
        _ minutes: MinutesOfHour, at hour: Int64, of kind: DataKind, hasMinutes: Bool, _ owner: RollupOwner, _ db: Connection
    ) throws {
        guard hasMinutes, var row = try row(kind, .minutes, hour, of: owner, db) else {
            return try put([hour: RollupRow()], of: kind, owner, db)
        }
        row.slots = row.slots.filter { slot, _ in !minutes.contains(slot) }
        try put([hour: row], of: kind, owner, db)
    }

    /// The hours of which there is a rollup, of those that a span touches.
    private func closedHours(
        of kind: DataKind, in span: ClosedRange<Milliseconds>, _ owner: RollupOwner, _ db: Connection
    ) throws -> [Int64] {
        let whole = try kept(kind, of: owner.row, db).whole
        guard whole > .min else { return [] }
        let first = RollupHour.number(of: span.lowerBound), last = min(RollupHour.number(of: span.upperBound), whole - 1)
        guard first <= last else { return [] }
        let days = try db.fetchAll(
            Int64.self, sql: "SELECT start FROM rollup WHERE person = ? AND kind = ? AND level = 1 AND start BETWEEN ? AND ?",
            arguments: [owner.row, kind.rawValue, RollupHour.day(of: first).day, RollupHour.day(of: last).day])
        return try days.flatMap { day in
            try row(kind, .hours, day, of: owner, db)?.slots.keys.map { day * 24 + Int64($0) } ?? []
        }.filter { (first...last).contains($0) }.sorted()
    }

    /// Overwrites minutes, the oldest hours first. The hours themselves stay.
    /// - Returns: how many sealed bytes went.
    func overwriteMinutes(_ wanted: Int, of person: Int64) throws -> Int {
        var bytes = 0, isEmpty = false
        while bytes < wanted, !isEmpty {
            try series.write { db in
                let oldest = try db.fetchAll(
                    sql: "SELECT kind, start FROM rollup WHERE person = ? AND level = 0 ORDER BY start LIMIT 100",
                    arguments: [person])
                isEmpty = oldest.isEmpty
                for row in oldest where bytes < wanted {
                    let number: UInt8 = row[0], hour: Int64 = row[1], kind = DataKind(rawValue: number)?.column
                    // With the parts of the kind: of an hour all minutes go, or none. Those of a kind that a later version knows go, too.
                    for part in Set(kind?.rolledUp.map(\.rawValue) ?? []).union([number]) {
                        bytes += try db.fetchAll(
                            Int.self,
                            sql: """
                                DELETE FROM rollup WHERE person = ? AND kind = ? AND level = 0 AND start = ? RETURNING length(envelope)
                                """,
                            arguments: [person, part, hour]
                        ).reduce(0, +)
                    }
                    guard let kind else { continue }
                    try close(kind, before: hour + 1, of: person, db)
                    try db.execute(
                        sql: "UPDATE rollup_kept SET minutes = ? WHERE person = ? AND kind = ? AND minutes < ?",
                        arguments: [hour + 1, person, kind.rawValue, hour + 1])
                }
            }
        }
        return bytes
    }
}

extension PartDeletion {
    /// The columns of its kinds that have rollups.
    var rolledUpColumns: [DataKind] {
        Set(kinds.map(\.column)).filter { !$0.rolledUp.isEmpty }.sorted { $0.rawValue < $1.rawValue }
    }

    /// The kinds of a column whose rollups it takes away: all of them with the column itself.
    func rolledUp(_ column: DataKind) -> [DataKind] { column.rolledUp.filter { kinds.contains($0) || kinds.contains(column) } }
}
