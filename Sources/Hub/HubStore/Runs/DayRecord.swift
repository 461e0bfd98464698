import Database
import Foundation
public import Runs
public import Vitals

/// What was worked out of somebody's samples day by day: `day` counts days since 1970, UTC.
enum DayRecordSchema {
    static let migration = Migration(
        name: "6 what days came to",
        sql: """
            CREATE TABLE day_record(person BLOB NOT NULL, day INTEGER NOT NULL, envelope BLOB NOT NULL, PRIMARY KEY(person, day))
                WITHOUT ROWID;
            """)
}

/// What a day's samples came to, sealed: it stays when they are overwritten (DATA-4, DATA-7).
public struct DayRecordContent: Sendable, Hashable, Codable {
    /// By the names of kinds: 24 amounts in the kind's resolution with a space between two, one for each hour. As text, so that whoever
    /// wants one kind of ten years reads no other.
    private var lists: [String: String] = [:]
    /// The ways outside of workouts in few points, each stretch without a gap by itself.
    public var sketch: [[CoursePoint]] = []
    /// Metres of these ways.
    public var metres = 0.0

    /// The kinds that are worked out, each with those that it is made from.
    public static let sources: [DataKind: Set<DataKind>] = [
        .distance: [.position], .steps: [.cadence], .activeEnergy: [.heartRate], .restingEnergy: [],
    ]
    static let hours = 24

    public init() {}

    public var isEmpty: Bool { lists.isEmpty && sketch.isEmpty }

    /// The amounts of a kind by the hour of the day; none with 0.
    public func amounts(of kind: DataKind) -> [Int: Int64] {
        guard let text = lists[kind.name] else { return [:] }
        let values = text.split(separator: " ").prefix(Self.hours).map { Int64($0) ?? 0 }
        return Dictionary(uniqueKeysWithValues: values.enumerated().filter { $0.element > 0 }.map { ($0.offset, $0.element) })
    }

    /// - Parameter values: by the hour of the day; others are left out.
    public mutating func set(_ values: [Int: Int64], of kind: DataKind) {
        let isAny = values.contains { (0..<Self.hours).contains($0.key) && $0.value > 0 }
        lists[kind.name] = isAny ? (0..<Self.hours).map { "\(max(0, values[$0] ?? 0))" }.joined(separator: " ") : nil
    }

    /// Forgets what was made from kinds in a part of the day: whole hours, and all of the ways.
    /// - Parameter span: UTC milliseconds.
    mutating func clear(_ kinds: Set<DataKind>, in span: ClosedRange<Milliseconds>, day: Int64) {
        let begin = day * 86_400_000
        for (kind, sources) in Self.sources where !sources.isDisjoint(with: kinds) {
            set(
                amounts(of: kind).filter { hour, _ in
                    let from = begin + Milliseconds(hour) * 3_600_000
                    return !span.overlaps(from...from + 3_599_999)
                }, of: kind)
        }
        // What rests needs to be known of at all.
        if lists.keys.elementsEqual([DataKind.restingEnergy.name]) { lists = [:] }
        if kinds.contains(.position) { (sketch, metres) = ([], 0) }
    }
}

extension WorkoutRecordStore {
    /// Goes through somebody's days in the order of time.
    /// - Parameter days: since 1970, UTC.
    public func days(of person: PersonID, in days: ClosedRange<Int64>) throws -> [(day: Int64, content: DayRecordContent)] {
        try pool.read { db in
            try db.cachedStatement(sql: "SELECT day, envelope FROM day_record WHERE person = ? AND day BETWEEN ? AND ? ORDER BY day")
                .fetchAll(arguments: [Data(person.bytes), days.lowerBound, days.upperBound]).compactMap { row in
                    let day: Int64 = row[0]
                    return try unlessDamaged(.dayRecord, day) { try content(row[1], day, of: person) }.map { (day: day, content: $0) }
                }
        }
    }

    private func content(_ envelope: Data, _ day: Int64, of person: PersonID) throws -> DayRecordContent? {
        try open(DayRecordContent.self, envelope, of: person, .dayRecord, (0, UInt64(bitPattern: day)))
    }

    /// Replaces what a day came to; one without anything goes.
    func put(_ content: DayRecordContent, _ day: Int64, of person: PersonID, _ db: Connection) throws {
        guard !content.isEmpty else {
            return try db.execute(sql: "DELETE FROM day_record WHERE person = ? AND day = ?", arguments: [Data(person.bytes), day])
        }
        try db.execute(
            sql: """
                INSERT INTO day_record(person, day, envelope) VALUES(?, ?, ?)
                ON CONFLICT(person, day) DO UPDATE SET envelope = excluded.envelope
                """,
            arguments: [Data(person.bytes), day, try seal(content, of: person, .dayRecord, (0, UInt64(bitPattern: day)))])
    }

    /// Forgets what days came to of kinds that are deleted.
    /// - Returns: the days that lost something.
    func clearDays(_ kinds: Set<DataKind>, _ span: ClosedRange<Milliseconds>, of person: PersonID, _ db: Connection) throws -> Set<Int64> {
        let days = span.days
        let rows = try db.fetchAll(
            sql: "SELECT day, envelope FROM day_record WHERE person = ? AND day BETWEEN ? AND ?",
            arguments: [Data(person.bytes), days.lowerBound, days.upperBound])
        var cleared: Set<Int64> = []
        for row in rows {
            let day: Int64 = row[0]
            // One that does not open goes: nobody can say what of it was to stay.
            let old = try unlessDamaged(.dayRecord, day) { try content(row[1], day, of: person) } ?? DayRecordContent()
            var left = old
            left.clear(kinds, in: span, day: day)
            guard left != old || old.isEmpty else { continue }
            try put(left, day, of: person, db)
            cleared.insert(day)
        }
        return cleared
    }
}
