import Database
import Foundation
public import Runs
public import Vitals

extension RunsStore {
    /// The next who are enrolled and were not asked to check in for the run's times as they are now.
    public func toAsk(_ run: StoredRun, count: Int) throws -> [StoredEnrolment] {
        try pool.read { db in
            try first(
                count, db, "\(Self.enrolments) WHERE run.id = ? AND \(Self.isToAsk) ORDER BY enrolment.id", [run.row, run.schedule])
        }
    }

    /// Whose consents for other times have not ended yet is asked behind that.
    static let isToAsk = "enrolment.state = 0 AND asked <> ? AND check_in IS NULL AND public_heart_rate IS NULL"

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
                // Whoever withdrew meanwhile stays away.
                let rows = try some.map(\.enrolment).filter { old in
                    try db.fetchOne(Int64.self, sql: "SELECT state FROM enrolment WHERE id = ?", arguments: [old.row]) == old.state.rawValue
                }
                try set(state, of: rows.map(\.row), db)
                for enrolment in rows {
                    switch (enrolment.state, state) {
                    case (_, .notCheckedIn), (_, .noPosition):
                        try tell(
                            .runTakenOff, ["reason": state == .noPosition ? "position" : "checkIn"], .one, person: enrolment.person,
                            about: run, now: now, db)
                    case (.noPosition, .checkedIn): try tell(.runBack, [:], .one, person: enrolment.person, about: run, now: now, db)
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
                    try tell(.runTakenOff, ["reason": "unreadable"], .one, person: person, about: run, now: now, db)
                }
            }
            try set(.noPosition, of: damaged, db)
            return damaged.count
        }
    }

    /// What the organiser says of somebody: gave up, was disqualified, did not start. False for nobody with this number.
    public func setEntry(_ entry: EntryStatus, bib: Int, in run: StoredRun) throws -> Bool {
        try pool.write { db in
            try db.execute(
                sql: "UPDATE enrolment SET entry = ? WHERE run = ? AND bib = ?", arguments: [entry.rawValue, run.row, bib])
            return db.changesCount == 1
        }
    }

    // MARK: Invitations

    /// An invitation: by mail for one, or a link for some.
    public struct Invitation: Sendable, Hashable, Codable {
        /// To whom it was mailed; nil for a link that the organiser hands on.
        public var email: String?

        public init(email: String?) { self.email = email }
    }

    /// An invitation that can still be taken, for its organiser's list.
    public struct WaitingInvitation: Sendable, Hashable {
        /// Among those of its run.
        public let number: Int
        public let invitation: Invitation
        /// So many can take it.
        public let left: Int
        /// UTC milliseconds.
        public let expires: Milliseconds
    }

    /// Keeps one. False when the organiser made `daily` within 24 hours.
    public func addInvitation(
        _ invitation: Invitation, hash: [UInt8], uses: Int, expires: Milliseconds, to run: StoredRun, daily: Int, now: Milliseconds
    ) throws -> Bool {
        try pool.write { db in
            let made = try db.fetchOne(
                Int.self,
                sql: """
                    SELECT count(*) FROM invitation JOIN run ON run.id = invitation.run
                    WHERE organiser = (SELECT organiser FROM run WHERE id = ?) AND invitation.created > ?
                    """, arguments: [run.row, now - 86_400_000])
            guard made ?? 0 < daily else { return false }
            let number = (try db.fetchOne(Int.self, sql: "SELECT max(number) FROM invitation WHERE run = ?", arguments: [run.row]) ?? 0) + 1
            let sealed = try seal(invitation, of: run.id.sealed, .runInvitation, (UInt64(number), 0))
            try db.execute(
                sql: "INSERT INTO invitation(hash, run, number, uses, created, expires, envelope) VALUES(?, ?, ?, ?, ?, ?, ?)",
                arguments: [Data(hash), run.row, number, uses, now, expires, sealed])
            return true
        }
    }

    /// The run that a link leads to; nil when it does not work (any more).
    public func run(invitedBy hash: [UInt8], now: Milliseconds) throws -> StoredRun? {
        try pool.read { db in
            try db.fetchOne(
                sql: """
                    SELECT \(Self.columns) FROM run JOIN invitation ON invitation.run = run.id WHERE hash = ? AND uses > 0 AND expires > ?
                    """, arguments: [Data(hash), now]
            ).flatMap(stored)
        }
    }

    /// Lets a person in by a link. Who was let in before uses up nothing. nil when the link does not work (any more).
    public func redeem(_ hash: [UInt8], for person: PersonID, now: Milliseconds) throws -> StoredRun? {
        try pool.write { db in
            let row = try db.fetchOne(
                sql: "SELECT \(Self.columns), hash FROM run JOIN invitation ON invitation.run = run.id WHERE hash = ? AND expires > ?",
                arguments: [Data(hash), now])
            guard let run = try row.flatMap(stored) else { return nil }
            if try isInvited(run.row, Data(person.bytes), db) { return run }
            try db.execute(sql: "UPDATE invitation SET uses = uses - 1 WHERE hash = ? AND uses > 0", arguments: [Data(hash)])
            guard db.changesCount == 1 else { return nil }
            try db.execute(
                sql: "INSERT INTO invited(run, person, time) VALUES(?, ?, ?)", arguments: [run.row, Data(person.bytes), now])
            return run
        }
    }

    public func invitations(to run: StoredRun, now: Milliseconds) throws -> [WaitingInvitation] {
        try pool.read { db in
            let rows = try db.fetchAll(
                sql: "SELECT number, uses, expires, envelope FROM invitation WHERE run = ? AND uses > 0 AND expires > ? ORDER BY number",
                arguments: [run.row, now])
            return try rows.compactMap { row in
                let number: Int = row[0]
                return try unlessDamaged(.runInvitation, "\(run.code) \(number)") {
                    try open(Invitation.self, row[3], of: run.id.sealed, .runInvitation, (UInt64(number), 0))
                }.map { WaitingInvitation(number: number, invitation: $0, left: row[1], expires: row[2]) }
            }
        }
    }

    /// Its link works no more; who took it stays invited.
    public func revokeInvitation(_ number: Int, to run: StoredRun) throws {
        try pool.write {
            try $0.execute(sql: "UPDATE invitation SET uses = 0 WHERE run = ? AND number = ?", arguments: [run.row, number])
        }
    }
}
