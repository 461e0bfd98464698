import Database
import Foundation
import History
import Seams
public import Vitals

/// Rolls people's samples up into minutes and hours, which stay when the samples go (DATA-8).
///
/// While raw data is whole, a rollup is what the samples come to: changed blocks make their hours due, and ``build(before:)`` works these
/// out anew. Where raw data was overwritten, late samples are added, and nothing is worked out anew any more.
public struct RollupStore: SeriesSubjectStore {
    let store: SeriesStore

    /// Rows of `rollup_due` that are looked at in one go.
    private static let dueAtOnce = 500
    /// The hours that are read at once.
    private static let hoursAtOnce: Int64 = 48

    struct Due: Hashable {
        let person: Int64
        let kind: UInt8
        let first: Int64, last: Int64
        let changes: Int64

        init(_ row: Row) { (person, kind, first, last, changes) = (row[0], row[1], row[2], row[3], row[4]) }
    }

    /// Works out what is due, the oldest hours first: a part of it, so that merging need not wait for all of it.
    /// - Parameter time: only hours that ended before it; a present hour changes with each merging pass.
    /// - Parameter tell: is told whose hours are worked out, and which, since 1970.
    /// - Returns: how many changes were settled; 0 when nothing is due, or what is due changed meanwhile.
    @discardableResult
    public func build(before time: Milliseconds, tell: (PersonID, ClosedRange<Int64>) -> Void = { _, _ in }) throws -> Int {
        let due = try series.read { db in
            try db.fetchAll(
                sql: "SELECT person, kind, first, last, changes FROM rollup_due WHERE last < ? ORDER BY last LIMIT ?",
                arguments: [RollupHour.number(of: time), Self.dueAtOnce]
            ).map { Due($0) }
        }
        return try settle(due, tell)
    }

    /// Works out what is due of one person, before raw data of theirs goes.
    func build(_ person: Int64, upTo hour: Int64) throws {
        let due = try series.read { db in
            try db.fetchAll(
                sql: "SELECT person, kind, first, last, changes FROM rollup_due WHERE person = ? AND first <= ?", arguments: [person, hour]
            ).map { Due($0) }
        }
        _ = try settle(due)
    }

    private func settle(_ due: [Due], _ tell: (PersonID, ClosedRange<Int64>) -> Void = { _, _ in }) throws -> Int {
        let people = try accounts.people(rows: Set(due.map(\.person)))
        let groups = Dictionary(grouping: due) { $0.person }.sorted { $0.key < $1.key }
        return try groups.reduce(0) { settled, group in
            guard let person = people[group.key], let key = try keys.key(of: person) else { return try settled + forget(group.value) }
            let owner = RollupOwner(person: person, row: group.key, key: key)
            for due in group.value { tell(person, due.first...max(due.first, due.last)) }
            let kinds = Dictionary(grouping: group.value) { $0.kind }.sorted { $0.key < $1.key }
            return try kinds.reduce(settled) { try $0 + settle($1.value, of: owner) }
        }
    }

    /// Of somebody who was deleted.
    private func forget(_ due: [Due]) throws -> Int {
        try series.write { db in
            for one in due { _ = try isSettled(one, db) }
            return due.count
        }
    }

    /// One kind of one person. Each window of hours is read once.
    private func settle(_ due: [Due], of owner: RollupOwner) throws -> Int {
        var left = due.sorted { ($0.first, $0.last) < ($1.first, $1.last) }[...], settled = 0
        while let first = left.first {
            var window = first.first...first.last, taken: [Due] = []
            while let next = left.first, next.last < first.first + Self.hoursAtOnce || taken.isEmpty {
                window = window.lowerBound...max(window.upperBound, next.last)
                taken.append(left.removeFirst())
            }
            settled += try settle(taken, window, of: owner)
        }
        return settled
    }

    private func settle(_ due: [Due], _ window: ClosedRange<Int64>, of owner: RollupOwner) throws -> Int {
        guard let kind = due.first.flatMap({ DataKind(rawValue: $0.kind) }) else { return try forget(due) }
        let hours = due.reduce(into: Set<Int64>()) { $0.formUnion($1.first...$1.last) }
        let minutes = try kind.rolledUp.map { ($0, try rawMinutes($0, window, of: owner, isMerged: true)) }
        return try series.write { db in
            let settled = try due.filter { try isSettled($0, db) }
            let unsettled = due.filter { !settled.contains($0) }.reduce(into: Set<Int64>()) { $0.formUnion($1.first...$1.last) }
            for (kind, minutes) in minutes {
                let whole = try kept(kind, of: owner.row, db).whole
                let now = hours.subtracting(unsettled).filter { $0 >= whole }
                try put(Dictionary(uniqueKeysWithValues: now.map { ($0, RollupHour.row($0, of: minutes)) }), of: kind, owner, db)
            }
            return settled.count
        }
    }

    /// Takes the row away, unless there were changes meanwhile.
    private func isSettled(_ due: Due, _ db: Connection) throws -> Bool {
        try db.cachedStatement(
            sql: "DELETE FROM rollup_due WHERE person = ? AND kind = ? AND first = ? AND last = ? AND changes = ?"
        ).execute(arguments: [due.person, due.kind, due.first, due.last, due.changes])
        return db.changesCount > 0
    }

    /// The rollups of the samples of these hours.
    /// - Parameter isMerged: of those in blocks alone. What waits makes its hours due once more when it is merged, or is added to them.
    func rawMinutes(
        _ kind: DataKind, _ hours: ClosedRange<Int64>, of owner: RollupOwner, isMerged: Bool
    ) throws -> [Int64: Rollup] {
        let from = hours.lowerBound * RollupHour.length, to = (hours.upperBound + 1) * RollupHour.length - 1
        let read = try store.reader.readStreams(
            owner.person, row: owner.row, kinds: [kind.column, kind], from: from, to: to, isMerged: isMerged)
        // Too many samples for one reading: hour by hour.
        if read.isCut, hours.count > 1 {
            return try hours.reduce(into: [:]) { minutes, hour in
                minutes.merge(try rawMinutes(kind, hour...hour, of: owner, isMerged: isMerged)) { $1 }
            }
        }
        return PrimarySource.select(read.streams).samples.rollups(of: kind)
    }
}

/// The person whose rollups are read or written.
struct RollupOwner {
    let person: PersonID
    let row: Int64
    let key: PersonKey
}

/// Hours since 1970, UTC, as rows of rollups are numbered by.
enum RollupHour {
    static let length: Milliseconds = 3_600_000

    static func number(of time: Milliseconds) -> Int64 { time.flooredQuotient(by: length) }

    /// The minutes of an hour.
    static func row(_ hour: Int64, of minutes: [Int64: Rollup]) -> RollupRow {
        RollupRow(Dictionary(uniqueKeysWithValues: (0..<60).compactMap { slot in minutes[hour * 60 + Int64(slot)].map { (slot, $0) } }))
    }

    /// The day of an hour and its place in it.
    static func day(of hour: Int64) -> (day: Int64, slot: Int) {
        let day = hour.flooredQuotient(by: 24)
        return (day, Int(hour - day * 24))
    }
}

extension DataKind {
    /// Whether means of minutes are kept: for the resting heart rate and zones of spans whose minutes are too many, or gone.
    var hasMeans: Bool { self == .heartRate }

    /// The kinds that are rolled up when a block of this one changes: its own and its parts.
    var rolledUp: [DataKind] { ([self] + parts.sorted { $0.rawValue < $1.rawValue }).filter { RollupRule($0) != nil } }
}
