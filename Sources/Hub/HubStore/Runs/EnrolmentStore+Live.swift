import Database
import Foundation
import Vitals

/// A run's enrolments as somebody saw them: opened once for each change, since they are looked at each second.
public struct EnrolmentsSeen: Sendable {
    fileprivate struct Fields: Hashable, Sendable {
        var state: Int64, entry: String, asked: Int64
        var checkIn: Data?, publicHeartRate: Data?
        var envelope: Data
    }

    fileprivate var known: [Int64: (fields: Fields, enrolment: StoredEnrolment)] = [:]
    /// Rows that do not open any more, of who neither withdrew nor was without a check-in: their organiser is told that somebody is missing.
    public fileprivate(set) var damaged: Set<Int64> = []

    public init() {}
}

extension EnrolmentStore {
    /// A run's enrolments, in the order in which people enrolled; only those that changed are opened.
    public func enrolments(in run: RunID, _ seen: inout EnrolmentsSeen) throws -> [StoredEnrolment] {
        let before = seen.known
        let (list, now, damaged) = try pool.read { db in
            let statement = try db.cachedStatement(sql: "\(Self.enrolments) WHERE run.run = ? ORDER BY enrolment.id")
            var list: [StoredEnrolment] = [], now: [Int64: (fields: EnrolmentsSeen.Fields, enrolment: StoredEnrolment)] = [:]
            var damaged: Set<Int64> = []
            let rows = try statement.fetchCursor(arguments: [Data(run.bytes)])
            while let row = try rows.next() {
                let id: Int64 = row[0]
                let fields = EnrolmentsSeen.Fields(
                    state: row[4], entry: row[9], asked: row[10], checkIn: row[5], publicHeartRate: row[6], envelope: row[8])
                if let known = before[id], known.fields == fields {
                    now[id] = known
                    list.append(known.enrolment)
                } else if let enrolment = try opened(row, &damaged) {
                    now[id] = (fields, enrolment)
                    list.append(enrolment)
                }
            }
            return (list, now, damaged)
        }
        (seen.known, seen.damaged) = (now, damaged)
        return list
    }
}
