import Database
import Foundation
public import Vitals

/// Why somebody is not enrolled (RUN-4), or not withdrawn.
public enum EnrolmentRefusal: Error, Sendable, Hashable {
    /// No such run, or none that this person may see.
    case unknown
    case full
    /// Enrolment closed then, UTC milliseconds.
    case closed(at: Milliseconds)
    case started
    case finished
    case cancelled
    /// Enrolled in another run at the same time: its code.
    case overlaps(code: String)
    case notInvited
    case alreadyEnrolled
    case notEnrolled
    /// Another account decides for this person.
    case notYours
    /// Below so many years of age on the day.
    case tooYoung(years: Int)
    /// What was chosen is not possible.
    case choices(ChoiceFault)

    public enum ChoiceFault: Sendable, Hashable {
        case nameTooLong
        /// An e-mail address, a tax identifier or a telephone number is no public name (RUN-8).
        case nameTellsTooMuch
        case noSuchWave
        case delay
        case homeRadius
    }
}

/// The participants of runs: the list, the choices of each, the check-in.
public struct EnrolmentStore: RunSubjectStore {
    let runs: RunsStore
}

extension EnrolmentStore {
    /// One person's wish to take part.
    public struct Enrolling: Sendable {
        public var run: RunID
        public var person: PersonID
        public var choices: EnrolmentChoices

        public init(run: RunID, person: PersonID, choices: EnrolmentChoices) {
            (self.run, self.person, self.choices) = (run, person, choices)
        }
    }

    /// Enrols many with one commit, in their order. Each is checked behind the one before, so that a run is never fuller than full.
    public func enrol(_ wishes: [Enrolling], now: Milliseconds) throws -> [Result<StoredEnrolment, EnrolmentRefusal>] {
        try pool.write { db in
            try wishes.map { wish in
                if let refusal = try refusal(wish, now: now, db) { return .failure(refusal) }
                guard let made = try insert(wish, now: now, db) else { return .failure(.unknown) }
                return .success(made)
            }
        }
    }

    /// Why a person cannot enrol now; nil when they can.
    public func refusal(_ wish: Enrolling, now: Milliseconds) throws -> EnrolmentRefusal? {
        try pool.read { try refusal(wish, now: now, $0) }
    }

    private func refusal(_ wish: Enrolling, now: Milliseconds, _ db: Connection) throws -> EnrolmentRefusal? {
        // Read for each of thousands: what matters, without opening the envelope.
        let statement = try db.cachedStatement(
            sql: "SELECT id, state, starts, ends, closes, most, enrolled, is_public FROM run WHERE run = ?")
        guard let row = try statement.fetchOne(arguments: [Data(wish.run.bytes)]), let state = RunState(rawValue: row[1]),
            state != .draft, try !keys.isDeleted(wish.person)
        else { return .unknown }
        let run: Int64 = row[0], starts: Milliseconds = row[2], ends: Milliseconds = row[3], closes: Milliseconds = row[4]
        if state == .cancelled { return .cancelled }
        if state == .finished || now >= ends { return .finished }
        if state == .live || now >= starts { return .started }
        let person = Data(wish.person.bytes)
        let known = try db.cachedStatement(sql: "SELECT state FROM enrolment WHERE run = ? AND person = ?").fetchOne(
            Int64.self, arguments: [run, person])
        if known.flatMap(EnrolmentState.init)?.isOnList == true { return .alreadyEnrolled }
        // Somebody who is not invited does not learn how full it is.
        if !(row[7] as Bool), try !runs.invitations.isInvited(run, person, db) { return .notInvited }
        if now >= closes { return .closed(at: closes) }
        let other = try db.cachedStatement(
            sql: """
                SELECT code FROM enrolment JOIN run ON run.id = enrolment.run WHERE person = ? AND run.id <> ? AND enrolment.state < 2
                    AND run.state IN (1, 2) AND starts < ? AND ends > ? LIMIT 1
                """
        ).fetchOne(
            String.self, arguments: [person, run, ends, starts])
        if let other { return .overlaps(code: other) }
        return (row[6] as Int) >= (row[5] as Int) ? .full : nil
    }

    private func insert(_ wish: Enrolling, now: Milliseconds, _ db: Connection) throws -> StoredEnrolment? {
        let sealed = try seal(wish.choices, of: wish.person, .enrolment, (wish.run.high, wish.run.low))
        let (run, person) = (Data(wish.run.bytes), Data(wish.person.bytes))
        // A runner who comes back has the number of before: it may be on a shirt.
        try db.cachedStatement(
            sql: """
                UPDATE enrolment SET state = 0, asked = 0, check_in = NULL, public_heart_rate = NULL, envelope = ?
                WHERE run = (SELECT id FROM run WHERE run = ?) AND person = ?
                """
        ).execute(arguments: [sealed, run, person])
        let isBack = db.changesCount == 1
        try db.cachedStatement(sql: "UPDATE run SET enrolled = enrolled + 1, last_bib = last_bib + ? WHERE run = ?")
            .execute(arguments: [isBack ? 0 : 1, run])
        if !isBack {
            try db.cachedStatement(
                sql: """
                    INSERT INTO enrolment(run, person, bib, state, created, envelope)
                    SELECT id, ?, last_bib, 0, ?, ? FROM run WHERE run = ?
                    """
            ).execute(arguments: [person, now, sealed, run])
        }
        try askLate(wish.run, now: now, db)
        return try enrolment(wish.run, wish.person, db)
    }

    /// A runner who enrols when check-in has begun is asked at once.
    private func askLate(_ run: RunID, now: Milliseconds, _ db: Connection) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO timer(run, kind, due)
                SELECT id, ?1, CASE WHEN starts - ?2 > ?3 THEN starts - ?2 ELSE ?3 END FROM run WHERE run = ?4
                ON CONFLICT(run, kind) DO UPDATE SET due = excluded.due WHERE timer.due > excluded.due
                """
        ).execute(arguments: [RunTimer.Kind.checkIn.rawValue, StoredRun.checkInLead, now, Data(run.bytes)])
    }

    /// Off the list by the person's own wish: before the start, or dropped out.
    /// - Returns: how they stood before.
    public func withdraw(_ person: PersonID, from run: RunID, now: Milliseconds) throws -> Result<StoredEnrolment, EnrolmentRefusal> {
        try pool.write { db in
            guard let stored = try runs.run(run, db), let old = try enrolment(run, person, db) else { return .failure(.notEnrolled) }
            switch stored.state(at: now) {
            case .finished: return .failure(.finished)
            case .cancelled: return .failure(.cancelled)
            case .draft, .scheduled, .live: break
            }
            guard old.state.isOnList else { return .failure(.notEnrolled) }
            try set(.withdrawn, of: [old.row], db)
            return .success(old)
        }
    }

    /// Changes what a runner chose. The wave and the name are fixed when it has begun, what is hidden and published never is.
    /// - Returns: nil for somebody who is not enrolled.
    public func setChoices(_ choices: EnrolmentChoices, of person: PersonID, in run: RunID) throws -> StoredEnrolment? {
        try pool.write { db in
            guard let old = try enrolment(run, person, db) else { return nil }
            try db.execute(
                sql: "UPDATE enrolment SET envelope = ? WHERE id = ?",
                arguments: [try seal(choices, of: person, .enrolment, (run.high, run.low)), old.row])
            return try enrolment(run, person, db)
        }
    }

    /// Sets states, and with them how many are on the list.
    func set(_ state: EnrolmentState, of rows: [Int64], _ db: Connection) throws {
        let update = try db.cachedStatement(sql: "UPDATE enrolment SET state = ? WHERE id = ? AND state <> ?")
        for row in rows { try update.execute(arguments: [state.rawValue, row, state.rawValue]) }
        guard let first = rows.first else { return }
        try db.execute(
            sql: """
                UPDATE run SET enrolled = (SELECT count(*) FROM enrolment WHERE enrolment.run = run.id AND enrolment.state < 2)
                WHERE id = (SELECT run FROM enrolment WHERE id = ?)
                """,
            arguments: [first])
    }

    // MARK: Lists

    public func enrolment(of person: PersonID, in run: RunID) throws -> StoredEnrolment? {
        try pool.read { try enrolment(run, person, $0) }
    }

    /// A run's enrolments behind a row, in the order in which people enrolled.
    /// - Parameter states: nil for all.
    public func enrolments(
        in run: RunID, _ states: Set<EnrolmentState>? = nil, after row: Int64 = 0, count: Int = .max
    ) throws -> [StoredEnrolment] {
        try pool.read { db in
            try first(
                count, db,
                """
                \(Self.enrolments) WHERE run.run = ? AND enrolment.id > ? AND (? OR enrolment.state IN (\(Self.list(states ?? []))))
                ORDER BY enrolment.id
                """, [Data(run.bytes), row, states == nil])
        }
    }

    private static func list(_ states: Set<EnrolmentState>) -> String {
        states.map { String($0.rawValue) }.sorted().joined(separator: ", ")
    }

    /// The runs in which a person is or was enrolled, the newest start first.
    public func enrolments(of person: PersonID, count: Int = 200) throws -> [(enrolment: StoredEnrolment, run: StoredRun)] {
        try pool.read { db in
            let rows = try db.fetchAll(
                sql: "\(Self.enrolments) WHERE person = ? ORDER BY starts DESC, enrolment.id DESC LIMIT ?",
                arguments: [Data(person.bytes), count])
            return try rows.compactMap(enrolment).compactMap { enrolment in
                try runs.listed(enrolment.run, db).map { (enrolment, $0) }
            }
        }
    }
}
