import Database
import Foundation
public import Vitals

/// What becomes of workouts when a part of the data behind them is deleted (DATA-10).
extension RunsStore {
    /// Spans in one transaction.
    private static let spansAtOnce = 100

    /// Forgets figures and way of each workout that reaches into one of some spans. What its owner said of it stays. Their days are to be
    /// looked through again: then the figures are those of what is left, or the workout goes.
    /// - Parameters:
    ///   - kinds: that are deleted: what days came to is forgotten for those alone that were made from them.
    ///   - spans: UTC milliseconds, in any order.
    public func clearWorkouts(
        of kinds: Set<DataKind>, in spans: [ClosedRange<Milliseconds>], of person: PersonID, now: Milliseconds
    ) throws {
        var left = spans.joined[...]
        while !left.isEmpty {
            let some = left.prefix(Self.spansAtOnce)
            try pool.write { db in
                guard try !keys.isDeleted(person) else { return }
                var days: Set<Int64> = []
                for span in some {
                    try days.formUnion(workoutRecords.clear(span, of: person, db))
                    try days.formUnion(workoutRecords.clearDays(kinds, span, of: person, db))
                    try workouts.clear(span, of: person, now: now, db)
                }
                if !days.isEmpty { try workoutRecords.forgetScan(of: days, of: person, db) }
            }
            left = left.dropFirst(Self.spansAtOnce)
        }
    }
}

extension WorkoutRecordStore {
    /// The kinds that figures of workouts are made from.
    public static let kinds: Set<DataKind> = [.heartRate, .position, .cadence]

    /// - Returns: the days of those that were cleared, since 1970 (UTC).
    fileprivate func clear(_ span: ClosedRange<Milliseconds>, of person: PersonID, _ db: Connection) throws -> Set<Int64> {
        var days: Set<Int64> = []
        for record in try records(of: person, within: span, db) {
            guard var content = record.content else { continue }
            content.clear(record.span)
            let envelope = try seal(content, of: person, .workoutRecord, (record.id.high, record.id.low))
            try db.execute(
                sql: "UPDATE workout_record SET envelope = ? WHERE record = ? AND person = ?",
                arguments: [envelope, Data(record.id.bytes), Data(person.bytes)])
            days.formUnion(record.span.days)
        }
        return days
    }

    /// Has days looked through again, and any look that goes on meanwhile come to nothing.
    fileprivate func forgetScan(of days: Set<Int64>, of person: PersonID, _ db: Connection) throws {
        var scan = try scan(of: person, db)
        for day in days { scan.days[day] = WorkoutScan.unknown }
        try put(scan, of: person, db)
    }
}

extension WorkoutStore {
    /// Forgets the summaries of those that were begun by hand and are over. They are worked out anew.
    fileprivate func clear(_ span: ClosedRange<Milliseconds>, of person: PersonID, now: Milliseconds, _ db: Connection) throws {
        for workout in try ended(of: person, within: span, db) where workout.content.summary != nil {
            var content = workout.content
            content.summary = nil
            let envelope = try seal(content, of: person, .workout, (workout.id.high, workout.id.low))
            try db.execute(sql: "UPDATE workout SET envelope = ?, due = ? WHERE id = ?", arguments: [envelope, now, workout.row])
        }
    }
}

extension ClosedRange<Milliseconds> {
    /// The days since 1970 (UTC) that it touches.
    public var days: ClosedRange<Int64> { lowerBound / 86_400_000...Swift.max(lowerBound, upperBound) / 86_400_000 }
}

extension [ClosedRange<Milliseconds>] {
    /// In the order of time, those that overlap or lie within an hour of each other as one.
    fileprivate var joined: [ClosedRange<Milliseconds>] {
        sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { joined, span in
            if let last = joined.last, span.lowerBound <= last.upperBound.addingReportingOverflow(3_600_000).partialValue {
                joined[joined.count - 1] = last.lowerBound...Swift.max(last.upperBound, span.upperBound)
            } else {
                joined.append(span)
            }
        }
    }
}
