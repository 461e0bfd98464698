import Database
import Foundation
public import Runs
import Seams
public import Vitals

extension RunsStore {
    /// Runs of one organiser that are not over, at most.
    public static let openRunsMax = 50

    public enum Added: Sendable, Hashable {
        case added(StoredRun)
        /// Somebody has the code: take another one.
        case codeTaken
        /// The organiser has ``RunsStore/openRunsMax`` that are not over.
        case tooMany
    }

    /// Makes a draft.
    /// - Parameter search: the folded text in which strangers look, see ``RunsStore/search(_:now:count:)``.
    public func add(
        _ plan: RunPlan, course: CoursePlan, area: RunArea, search: String, code: String, by organiser: AccountID, now: Milliseconds
    ) throws -> Added {
        let id = randomness.id(RunID.self)
        return try pool.write { db in
            let open = try db.fetchOne(
                Int.self, sql: "SELECT count(*) FROM run WHERE organiser = ? AND state < ? AND ends > ?",
                arguments: [Data(organiser.bytes), RunState.finished.rawValue, now])
            guard open ?? 0 < Self.openRunsMax else { return .tooMany }
            guard try db.fetchOne(Bool.self, sql: "SELECT 1 FROM run WHERE code = ?", arguments: [code]) == nil else { return .codeTaken }
            let row = try db.insert(
                sql: """
                    INSERT INTO run(run, code, organiser, state, is_public, starts, ends, closes, most, revision, schedule, south, west, north,
                        east, created, search, envelope) VALUES(?, ?, ?, 0, ?, ?, ?, ?, ?, 1, 1, ?, ?, ?, ?, ?, ?, ?)
                    RETURNING id
                    """,
                arguments: [
                    Data(id.bytes), code, Data(organiser.bytes), plan.isPublic, plan.starts, plan.ends, plan.closes, plan.most, area.south,
                    area.west, area.north, area.east, now, plan.isPublic ? search : "", try seal(plan, of: id.sealed, .run),
                ])
            try db.execute(
                sql: "INSERT INTO course(run, envelope) VALUES(?, ?)",
                arguments: [row, try seal(course, of: id.sealed, .runCourse)])
            return try run(id, db).map { .added($0) } ?? .codeTaken
        }
    }

    /// Changes a run that has not begun, and what follows from it, with one commit.
    /// - Parameters:
    ///   - revision: what the organiser saw; another one by now means that somebody else changed it meanwhile.
    ///   - told: what everybody enrolled is told of, as names of what changed; none for nothing that matters to them.
    /// - Returns: nil when it has begun, is over, or was changed meanwhile.
    public func change(
        _ id: RunID, revision: Int, to plan: RunPlan, course: CoursePlan?, area: RunArea, search: String, told: [String: String],
        now: Milliseconds
    ) throws -> StoredRun? {
        try pool.write { db in
            guard let old = try run(id, db), old.revision == revision, [.draft, .scheduled].contains(old.state(at: now)) else { return nil }
            let isMoved = plan.starts != old.plan.starts || plan.ends != old.plan.ends
            try db.execute(
                sql: """
                    UPDATE run SET is_public = ?, starts = ?, ends = ?, closes = ?, most = ?, revision = revision + 1,
                        schedule = schedule + ?, south = ?, west = ?, north = ?, east = ?, search = ?, envelope = ? WHERE id = ?
                    """,
                arguments: [
                    plan.isPublic, plan.starts, plan.ends, plan.closes, plan.most, isMoved ? 1 : 0, area.south, area.west, area.north,
                    area.east, plan.isPublic ? search : "", try seal(plan, of: id.sealed, .run), old.row,
                ])
            if let course {
                try db.execute(
                    sql: "UPDATE course SET envelope = ? WHERE run = ?",
                    arguments: [try seal(course, of: id.sealed, .runCourse), old.row])
            }
            guard let new = try run(id, db) else { return nil }
            if old.state == .scheduled {
                if isMoved { try timers.setTimers(of: new, db) }
                if !told.isEmpty { try notices.tell(.runChanged, told, .onList, about: new, now: now, db) }
                let isElsewhere = new.area != old.area || new.plan.starts != old.plan.starts || new.plan.isPublic != old.plan.isPublic
                if isElsewhere { try nearby.announce(new, now: now, db) }
            }
            return new
        }
    }

    /// A draft becomes a run that people find, and its timers are set. nil when it is no draft any more, or would have begun.
    public func publish(_ id: RunID, now: Milliseconds) throws -> StoredRun? {
        try pool.write { db in
            guard let draft = try run(id, db), draft.state == .draft, draft.plan.starts > now else { return nil }
            try db.execute(
                sql: "UPDATE run SET state = ?, revision = revision + 1 WHERE id = ?",
                arguments: [RunState.scheduled.rawValue, draft.row])
            guard let new = try run(id, db) else { return nil }
            try timers.setTimers(of: new, db)
            try nearby.announce(new, now: now, db)
            return new
        }
    }

    /// Moves a run on, tells everybody concerned, and sets what is due, with one commit. From `cancelled` and `finished` nothing leaves.
    /// - Parameter arguments: what stands in the notice.
    /// - Returns: nil when it is there already, or beyond.
    public func move(_ id: RunID, to state: RunState, _ arguments: [String: String] = [:], now: Milliseconds) throws -> StoredRun? {
        try pool.write { db in
            guard let old = try run(id, db), !old.state.isOver, state.rawValue > old.state.rawValue else { return nil }
            if old.state == .draft, state != .cancelled { return nil }
            let began = state == .live ? now : old.began ?? (state == .finished ? old.plan.starts : nil)
            try db.execute(
                sql: "UPDATE run SET state = ?, began = ?, ended = ?, revision = revision + 1 WHERE id = ?",
                arguments: [state.rawValue, began, state.isOver ? now : nil, old.row])
            guard let new = try run(id, db) else { return nil }
            switch state {
            case .draft, .scheduled: break
            case .live:
                try timers.setTimer(.checkIn, of: new, due: nil, db)
                try timers.setTimer(.start, of: new, due: nil, db)
                try notices.tell(.runStarted, arguments, .onList, about: new, now: now, db)
            case .finished, .cancelled:
                for kind in [RunTimer.Kind.checkIn, .start, .finish] { try timers.setTimer(kind, of: new, due: nil, db) }
                try timers.setTimer(.endConsents, of: new, due: now, db)
                if old.state != .draft {
                    try notices.tell(state == .finished ? .runFinished : .runCancelled, arguments, .onList, about: new, now: now, db)
                }
            }
            return new
        }
    }

    /// Makes a run that was started too early one that starts as planned: who was taken off its list is on it again, and everybody is told.
    /// - Parameter told: what stands in the notice.
    /// - Returns: nil when it does not go on, or would have begun by itself.
    public func takeBackStart(of id: RunID, told: [String: String], now: Milliseconds) throws -> StoredRun? {
        try pool.write { db in
            guard let old = try run(id, db), old.state == .live, now < old.plan.starts else { return nil }
            try db.execute(
                sql: "UPDATE enrolment SET state = ? WHERE run = ? AND state <> ?",
                arguments: [EnrolmentState.enrolled.rawValue, old.row, EnrolmentState.withdrawn.rawValue])
            try db.execute(
                sql: """
                    UPDATE run SET enrolled = (SELECT count(*) FROM enrolment WHERE enrolment.run = run.id AND enrolment.state < 2),
                        state = ?, began = NULL, revision = revision + 1 WHERE id = ?
                    """, arguments: [RunState.scheduled.rawValue, old.row])
            guard let new = try run(id, db) else { return nil }
            try timers.setTimers(of: new, db)
            try timers.setTimer(.bringBack, of: new, due: nil, db)
            try notices.tell(.runChanged, told, .onList, about: new, now: now, db)
            return new
        }
    }

    // MARK: Finding

    public func run(_ id: RunID) throws -> StoredRun? { try pool.read { try run(id, $0) } }

    /// For who has to do with many: nil also for one that does not open any more, which is told.
    public func readable(_ id: RunID) throws -> StoredRun? { try pool.read { try listed(id, $0) } }

    /// The link that people hand out; also of a run that does not open any more.
    public func code(of run: RunID) throws -> String? {
        try pool.read { try $0.fetchOne(String.self, sql: "SELECT code FROM run WHERE run = ?", arguments: [Data(run.bytes)]) }
    }

    public func run(code: String) throws -> StoredRun? {
        try pool.read { db in
            try db.fetchOne(sql: "SELECT \(Self.columns) FROM run WHERE code = ?", arguments: [code]).flatMap(stored)
        }
    }

    public func course(of run: RunID) throws -> CoursePlan? {
        try pool.read { db in
            let sealed = try db.fetchOne(
                Data.self, sql: "SELECT course.envelope FROM course JOIN run ON run.id = course.run WHERE run.run = ?",
                arguments: [Data(run.bytes)])
            return try sealed.flatMap { try open(CoursePlan.self, $0, of: run.sealed, .runCourse) }
        }
    }

    /// An organiser's own, the newest start first.
    public func runs(of organiser: AccountID, before: Milliseconds = .max, count: Int = 100) throws -> [StoredRun] {
        try pool.read { db in
            try db.fetchAll(
                sql: "SELECT \(Self.columns) FROM run WHERE organiser = ? AND starts < ? ORDER BY starts DESC, id DESC LIMIT ?",
                arguments: [Data(organiser.bytes), before, count]
            ).compactMap { try listed($0) }
        }
    }

    /// The runs that strangers may see: published, for everybody.
    private static let shown = "is_public = 1 AND state BETWEEN 1 AND 4"

    /// Public runs that are not over, the next first.
    public func upcoming(from time: Milliseconds, count: Int = 100) throws -> [StoredRun] {
        try pool.read { db in
            try db.fetchAll(
                sql: """
                    SELECT \(Self.columns) FROM run WHERE \(Self.shown) AND state < 3 AND starts > ? AND ends > ? ORDER BY starts, id LIMIT ?
                    """,
                // No run is longer than a week (``RunsStore/durationMax``), so the index on the start does.
                arguments: [time - Self.durationMax, time, count]
            ).compactMap { try listed($0) }
        }
    }

    /// A run's longest duration, milliseconds: 7 days.
    public static let durationMax: Milliseconds = 7 * 86_400_000

    /// Public runs in whose name or place all words stand; those to come first, then the newest. Words are folded by the caller.
    public func search(_ words: [String], now: Milliseconds, count: Int = 50) throws -> [StoredRun] {
        let patterns = words.map { word in
            "%" + word.reduce(into: "") { $0 += "%_\\".contains($1) ? "\\\($1)" : "\($1)" } + "%"
        }
        guard !patterns.isEmpty else { return [] }
        return try pool.read { db in
            let condition = patterns.map { _ in "search LIKE ? ESCAPE '\\'" }.joined(separator: " AND ")
            return try db.fetchAll(
                sql: """
                    SELECT \(Self.columns) FROM run WHERE \(Self.shown) AND \(condition)
                    ORDER BY ends <= ?, CASE WHEN ends > ? THEN starts ELSE -starts END, id LIMIT ?
                    """,
                arguments: Arguments(patterns) + [now, now, count]
            ).compactMap { try listed($0) }
        }
    }

    /// A course comes into an area where each begins west of the other's end. With one of them across 180° (west > east) one of the two is
    /// enough, and two across it meet there.
    private static let comesIn = """
        south <= ? AND north >= ? AND CASE WHEN west <= ? THEN 1 ELSE 0 END + CASE WHEN east >= ? THEN 1 ELSE 0 END
            + CASE WHEN west > east THEN 1 ELSE 0 END >= ?
        """

    /// Public runs that are not over and whose course comes into an area.
    public func runs(in area: RunArea, from time: Milliseconds, count: Int = 200) throws -> [StoredRun] {
        try pool.read { db in
            try db.fetchAll(
                sql: """
                    SELECT \(Self.columns) FROM run WHERE \(Self.shown) AND state < 3 AND starts > ? AND ends > ? AND \(Self.comesIn)
                    ORDER BY starts, id LIMIT ?
                    """,
                arguments: [
                    time - Self.durationMax, time, area.north, area.south, area.east, area.west, area.isAcross ? 1 : 2, count,
                ]
            ).compactMap { try listed($0) }
        }
    }

    /// Published runs, public or not, of an area and a time: for the warning about conflicts (RUN-2).
    public func conflicts(with area: RunArea, from: Milliseconds, to: Milliseconds, but run: RunID?, count: Int = 20) throws -> [StoredRun]
    {
        try pool.read { db in
            try db.fetchAll(
                sql: """
                    SELECT \(Self.columns) FROM run WHERE state IN (1, 2) AND starts < ? AND ends > ? AND starts > ? AND \(Self.comesIn)
                        AND run IS DISTINCT FROM ? ORDER BY starts LIMIT ?
                    """,
                arguments: [
                    to, from, from - Self.durationMax, area.north, area.south, area.east, area.west, area.isAcross ? 1 : 2,
                    run.map { Data($0.bytes) }, count,
                ]
            ).compactMap { try listed($0) }
        }
    }

    /// Runs that go on at `now`, and those that ended no longer ago than `late` milliseconds: data of them comes late.
    public func current(now: Milliseconds, late: Milliseconds) throws -> [StoredRun] {
        try pool.read { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT \(Self.columns) FROM run WHERE starts > ?1 AND (state = 2 OR (state = 1 AND starts <= ?2) OR state = 3)
                    AND coalesce(ended, ends) > ?3 ORDER BY +run.id
                    """)
            return try statement.fetchAll(arguments: [now - Self.durationMax - late, now, now - late]).compactMap { try listed($0) }
        }
    }

    /// Whether a run is called off by now: looked up each time somebody reads, without opening anything.
    public func isCalledOff(_ run: RunID) throws -> Bool {
        try pool.read { db in
            let statement = try db.cachedStatement(sql: "SELECT state = ? FROM run WHERE run = ?")
            return try statement.fetchOne(Bool.self, arguments: [RunState.cancelled.rawValue, Data(run.bytes)]) ?? false
        }
    }

    // MARK: The permission document

    /// A file that an authority gave the organiser.
    public struct Document: Sendable, Hashable, Codable {
        public var name: String
        /// A media type.
        public var type: String
        public var bytes: [UInt8]

        public init(name: String, type: String, bytes: [UInt8]) { (self.name, self.type, self.bytes) = (name, type, bytes) }
    }

    private struct SealedDocument: Codable {
        var name: String
        var bytes: Data
    }

    /// Keeps it in the place of the one before; nil removes that.
    public func setDocument(_ document: Document?, of run: StoredRun) throws {
        try pool.write { db in
            try db.execute(sql: "DELETE FROM document WHERE run = ?", arguments: [run.row])
            try RunCheckStore.withdraw(run.row, db)
            guard let document else { return }
            let sealed = SealedDocument(name: document.name, bytes: Data(document.bytes))
            try db.execute(
                sql: "INSERT INTO document(run, type, envelope) VALUES(?, ?, ?)",
                arguments: [run.row, document.type, try seal(sealed, of: run.id.sealed, .runDocument)])
        }
    }

    public func document(of run: StoredRun) throws -> Document? {
        try pool.read { db in
            guard let row = try db.fetchOne(sql: "SELECT type, envelope FROM document WHERE run = ?", arguments: [run.row]),
                let sealed = try open(SealedDocument.self, row[1], of: run.id.sealed, .runDocument)
            else { return nil }
            return Document(name: sealed.name, type: row[0], bytes: Array(sealed.bytes))
        }
    }
}
