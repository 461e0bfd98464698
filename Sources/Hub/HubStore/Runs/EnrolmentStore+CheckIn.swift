import Database
import Foundation
public import Runs
public import Vitals

extension EnrolmentStore {
    /// The next who are enrolled and were not asked to check in for the run's times as they are now.
    public func toAsk(_ run: StoredRun, count: Int) throws -> [StoredEnrolment] {
        try pool.read { db in
            try first(
                count, db, "\(Self.enrolments) WHERE run.id = ? AND \(Self.isToAsk) ORDER BY enrolment.id", [run.row, run.schedule])
        }
    }

    /// Whose consents for other times have not ended yet is asked behind that.
    private static let isToAsk = "enrolment.state = 0 AND asked <> ? AND check_in IS NULL AND public_heart_rate IS NULL"

    /// Somebody was asked by these consents, or gave them; nil where nothing was.
    public func asked(_ enrolment: StoredEnrolment, checkIn: ConsentID?, publicHeartRate: ConsentID?, for run: StoredRun) throws {
        try pool.write { db in
            try db.execute(
                sql: "UPDATE enrolment SET asked = ?, check_in = ?, public_heart_rate = ? WHERE id = ?",
                arguments: [
                    run.schedule, checkIn.map { Data($0.bytes) }, publicHeartRate.map { Data($0.bytes) }, enrolment.row,
                ])
        }
    }

    /// Removes the timer of the check-in, unless somebody is still to be asked. False when it stays, due at `again`.
    public func endAsking(_ run: StoredRun, again: Milliseconds) throws -> Bool {
        try pool.write { db in
            let isLeft = try db.fetchOne(
                Bool.self, sql: "SELECT 1 FROM enrolment WHERE run = ? AND \(Self.isToAsk) LIMIT 1", arguments: [run.row, run.schedule])
            try runs.timers.setTimer(.checkIn, of: run, due: isLeft == nil ? nil : again, db)
            return isLeft == nil
        }
    }

    /// The next whose consents are to be ended: all of a run that is over, and else those that were asked for other times.
    public func toEnd(_ run: StoredRun, count: Int) throws -> [StoredEnrolment] {
        try pool.read { db in
            try first(
                count, db,
                """
                \(Self.enrolments) WHERE run.id = ? AND (check_in IS NOT NULL OR public_heart_rate IS NOT NULL) AND asked >= 0
                AND (? OR asked <> ?) ORDER BY enrolment.id
                """, [run.row, run.state.isOver, run.schedule])
        }
    }

    /// Their consents ended. Those of a run that is over still say what may be read of it.
    public func consentsEnded(_ enrolments: [StoredEnrolment], of run: StoredRun) throws {
        try pool.write { db in
            let sql =
                run.state.isOver
                ? "UPDATE enrolment SET asked = -1 WHERE id = ?"
                : "UPDATE enrolment SET asked = 0, check_in = NULL, public_heart_rate = NULL WHERE id = ?"
            for enrolment in enrolments { try db.execute(sql: sql, arguments: [enrolment.row]) }
        }
    }

    /// Writes down who is on the list and who is not, and has them told, with one commit.
    public func decide(_ decisions: [(enrolment: StoredEnrolment, state: EnrolmentState)], in run: StoredRun, now: Milliseconds) throws {
        try pool.write { db in
            for (state, some) in Dictionary(grouping: decisions, by: \.state) {
                // A runner who withdrew meanwhile stays away.
                let rows = try some.map(\.enrolment).filter { old in
                    try db.fetchOne(Int64.self, sql: "SELECT state FROM enrolment WHERE id = ?", arguments: [old.row]) == old.state.rawValue
                }
                try set(state, of: rows.map(\.row), db)
                for enrolment in rows {
                    switch (enrolment.state, state) {
                    case (_, .notCheckedIn), (_, .noPosition):
                        try runs.notices.tell(
                            .runTakenOff, ["reason": state == .noPosition ? "position" : "checkIn"], .one, person: enrolment.person,
                            about: run, now: now, db)
                    case (.noPosition, .checkedIn):
                        try runs.notices.tell(.runBack, [:], .one, person: enrolment.person, about: run, now: now, db)
                    default: break
                    }
                }
            }
        }
    }

    /// Takes those off the list whose rows do not open, as who has no position, and has them told: nobody sees them. Returns how many.
    public func dropUnreadable(of run: StoredRun, now: Milliseconds) throws -> Int {
        try pool.write { db in
            let rows = try db.fetchAll(sql: "\(Self.enrolments) WHERE run.id = ? AND enrolment.state = 0", arguments: [run.row])
            var damaged: [Int64] = []
            for row in rows {
                do { _ = try sound(row) } catch let error where HubStoreError.isDamage(error) {
                    damaged.append(row[0])
                    guard let person = PersonID(bytes: row[2] as Data) else { continue }
                    try runs.notices.tell(.runTakenOff, ["reason": "unreadable"], .one, person: person, about: run, now: now, db)
                }
            }
            try set(.noPosition, of: damaged, db)
            return damaged.count
        }
    }

    /// The organiser's word about somebody: gave up, was disqualified, did not start. False for nobody with this number.
    public func setEntry(_ entry: EntryStatus, bib: Int, in run: StoredRun) throws -> Bool {
        try pool.write { db in
            try db.execute(
                sql: "UPDATE enrolment SET entry = ? WHERE run = ? AND bib = ?", arguments: [entry.rawValue, run.row, bib])
            return db.changesCount == 1
        }
    }

    /// Whose check-in a consent is; nil for none of this person's, and when other times made it void.
    public func enrolment(of person: PersonID, checkIn: ConsentID) throws -> (enrolment: StoredEnrolment, run: StoredRun)? {
        try pool.read { db in
            let statement = try db.cachedStatement(sql: "\(Self.enrolments) WHERE person = ? AND check_in = ?")
            guard let found = try statement.fetchOne(arguments: [Data(person.bytes), Data(checkIn.bytes)]).flatMap(enrolment),
                let run = try runs.run(found.run, db), found.isAsked(for: run)
            else { return nil }
            return (found, run)
        }
    }
}
