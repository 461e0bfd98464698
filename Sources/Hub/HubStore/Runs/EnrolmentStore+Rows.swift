import Database
import Foundation
import Runs
import Vitals

extension EnrolmentStore {
    static let enrolmentColumns = """
        enrolment.id, run.run, person, bib, enrolment.state, check_in, public_heart_rate, enrolment.created, enrolment.envelope, entry, asked
        """
    static let enrolments = "SELECT \(enrolmentColumns) FROM enrolment JOIN run ON run.id = enrolment.run"

    /// nil for a deleted person, and for a row that does not open any more, which is told: nothing about a run fails by one person's.
    func enrolment(_ row: Row) throws -> StoredEnrolment? {
        var damaged: Set<Int64> = []
        return try opened(row, &damaged)
    }

    /// - Parameter damaged: gets those that do not open, but for who withdrew or had no check-in: nobody waits for them.
    func opened(_ row: Row, _ damaged: inout Set<Int64>) throws -> StoredEnrolment? {
        do { return try sound(row) } catch let error where HubStoreError.isDamage(error) {
            runs.tellDamage(.init(kind: .enrolment, run: RunID(bytes: row[1] as Data), row: row[0]))
            let state = EnrolmentState(rawValue: row[4])
            if state != .withdrawn, state != .notCheckedIn { damaged.insert(row[0]) }
            return nil
        }
    }

    /// The first `count` of a list of enrolments that open: those that do not take nobody's turn.
    func first(_ count: Int, _ db: Connection, _ sql: String, _ arguments: Arguments) throws -> [StoredEnrolment] {
        let rows = try db.fetchCursor(sql: sql, arguments: arguments)
        var list: [StoredEnrolment] = []
        while list.count < count, let row = try rows.next() {
            if let enrolment = try enrolment(row) { list.append(enrolment) }
        }
        return list
    }

    /// nil for a deleted person.
    func sound(_ row: Row) throws -> StoredEnrolment? {
        guard let run = RunID(bytes: row[1] as Data), let person = PersonID(bytes: row[2] as Data),
            let state = EnrolmentState(rawValue: row[4])
        else { throw HubStoreError.wrongKey(what: "Enrolment \(row[0] as Int64)") }
        guard let choices = try open(EnrolmentChoices.self, row[8], of: person, .enrolment, (run.high, run.low)) else { return nil }
        return StoredEnrolment(
            row: row[0], run: run, person: person, bib: row[3], state: state, entry: EntryStatus(rawValue: row[9]) ?? .entered,
            choices: choices,
            checkIn: (row[5] as Data?).flatMap { ConsentID(bytes: $0) },
            publicHeartRate: (row[6] as Data?).flatMap { ConsentID(bytes: $0) }, created: row[7], asked: row[10])
    }

    func enrolment(_ run: RunID, _ person: PersonID, _ db: Connection) throws -> StoredEnrolment? {
        try db.cachedStatement(sql: "\(Self.enrolments) WHERE run.run = ? AND person = ?").fetchOne(
            arguments: [Data(run.bytes), Data(person.bytes)]
        ).flatMap(enrolment)
    }
}
