import Database
import Foundation
public import Vitals

/// What is due about a run (design rule 9): a row with due time and lease.
public struct RunTimer: Sendable, Hashable {
    public enum Kind: Int64, Sendable, Hashable, CaseIterable {
        /// Asks those who were not asked yet to check in.
        case checkIn = 1
        case start = 2
        case finish = 3
        /// Ends the consents of a run that ended before its time, of one that was cancelled, and of an old schedule.
        case endConsents = 4
        /// Looks whether positions came of those who were taken off the list for want of them.
        case bringBack = 5
    }

    public let run: RunID
    public let kind: Kind
    /// UTC milliseconds.
    public let due: Milliseconds
}

/// Who is told something about a run.
public enum RunAudience: Int64, Sendable, Hashable {
    /// The organiser, and everybody who was on the list, or is off it for want of a position alone.
    case onList = 0
    /// One person, as it was decided.
    case one = 1
    /// The same without the organiser.
    case runners = 2
}

/// Something of which a part of its audience is to be told.
public struct RunAnnouncement: Sendable, Hashable {
    let row: Int64
    public let run: StoredRun
    public let kind: NoticeKind
    public let arguments: [String: String]
    /// The next of them.
    public let people: [PersonID]
    /// It is the first part of one that its organiser is told of.
    public let isForOrganiser: Bool
    /// The place behind these; nil when they are the last.
    let next: Int64?
}

extension RunsStore {
    // MARK: Timers

    func setTimers(of run: StoredRun, _ db: Connection) throws {
        try setTimer(.checkIn, of: run, due: run.checkInOpens, db)
        try setTimer(.start, of: run, due: run.plan.starts, db)
        try setTimer(.finish, of: run, due: run.plan.ends, db)
        if run.schedule > 1 { try setTimer(.endConsents, of: run, due: 0, db) }
    }

    func setTimer(_ kind: RunTimer.Kind, of run: StoredRun, due: Milliseconds?, _ db: Connection) throws {
        guard let due else {
            try db.execute(sql: "DELETE FROM timer WHERE run = ? AND kind = ?", arguments: [run.row, kind.rawValue])
            return
        }
        try db.execute(
            sql: "INSERT INTO timer(run, kind, due) VALUES(?, ?, ?) ON CONFLICT(run, kind) DO UPDATE SET due = excluded.due, lease = 0",
            arguments: [run.row, kind.rawValue, due])
    }

    /// One timer of a kind and run: a new instant replaces the old one, nil removes it.
    public func setTimer(_ kind: RunTimer.Kind, of run: StoredRun, due: Milliseconds?) throws {
        try pool.write { try setTimer(kind, of: run, due: due, $0) }
    }

    /// Removes the timer of the check-in, unless somebody is still to be asked. False when it stays, due at `again`.
    public func endAsking(_ run: StoredRun, again: Milliseconds) throws -> Bool {
        try pool.write { db in
            let isLeft = try db.fetchOne(
                Bool.self, sql: "SELECT 1 FROM enrolment WHERE run = ? AND \(Self.isToAsk) LIMIT 1", arguments: [run.row, run.schedule])
            try setTimer(.checkIn, of: run, due: isLeft == nil ? nil : again, db)
            return isLeft == nil
        }
    }

    /// Timers that are due, the oldest first. They come again after `lease` milliseconds as long as nobody removes or moves them.
    public func dueTimers(_ count: Int, lease: Milliseconds, now: Milliseconds) throws -> [RunTimer] {
        let isAny = try pool.read { db in
            let statement = try db.cachedStatement(sql: "SELECT 1 FROM timer WHERE due <= ? AND lease <= ? LIMIT 1")
            return try statement.fetchOne(Bool.self, arguments: [now, now]) != nil
        }
        guard isAny else { return [] }
        return try pool.write { db in
            let rows = try db.fetchAll(
                sql: """
                    SELECT timer.run, kind, due, run.run FROM timer JOIN run ON run.id = timer.run WHERE due <= ? AND lease <= ?
                    ORDER BY due, kind LIMIT ?
                    """, arguments: [now, now, count])
            return try rows.compactMap { row in
                try db.execute(
                    sql: "UPDATE timer SET lease = ? WHERE run = ? AND kind = ?",
                    arguments: [now + lease, row[0] as Int64, row[1] as Int64])
                guard let kind = RunTimer.Kind(rawValue: row[1]), let run = RunID(bytes: row[3] as Data) else { return nil }
                return RunTimer(run: run, kind: kind, due: row[2])
            }
        }
    }

    /// Nobody works at a timer any more: for the start of a hub, which is alone in its directory.
    public func releaseTimers() throws { try pool.write { try $0.execute(sql: "UPDATE timer SET lease = 0 WHERE lease <> 0") } }

    /// How many timers, tellings and announcements are late by more than `late` milliseconds: for the operator.
    public func lateTimers(by late: Milliseconds, now: Milliseconds) throws -> Int {
        try pool.read { db in
            try db.fetchOne(
                Int.self,
                sql: """
                    SELECT (SELECT count(*) FROM timer WHERE due <= ?1) + (SELECT count(*) FROM telling WHERE due <= ?1)
                        + (SELECT count(*) FROM announcing WHERE due <= ?1)
                    """,
                arguments: [now - late]) ?? 0
        }
    }

    // MARK: Telling

    /// What happened and that people are to be told of it are stored together. Who is told is who is enrolled now.
    func tell(
        _ kind: NoticeKind, _ arguments: [String: String], _ audience: RunAudience, person: PersonID? = nil, about run: StoredRun,
        now: Milliseconds, _ db: Connection
    ) throws {
        let upto = try db.fetchOne(Int64.self, sql: "SELECT max(id) FROM enrolment WHERE run = ?", arguments: [run.row]) ?? 0
        try db.execute(
            sql: "INSERT INTO telling(run, kind, audience, person, upto, due, envelope) VALUES(?, ?, ?, ?, ?, ?, ?)",
            arguments: [
                run.row, kind.rawValue, audience.rawValue, person.map { Data($0.bytes) }, upto, now,
                try seal(arguments, of: run.id.sealed, .runTelling),
            ])
    }

    /// The next part of what is to be told, the oldest first; it comes again after `lease` when nobody says that it was.
    public func dueTelling(_ count: Int, lease: Milliseconds, now: Milliseconds) throws -> RunAnnouncement? {
        let isAny = try pool.read {
            try $0.fetchOne(Bool.self, sql: "SELECT 1 FROM telling WHERE due <= ? LIMIT 1", arguments: [now]) != nil
        }
        guard isAny else { return nil }
        return try pool.write { db in
            while let row = try db.fetchOne(
                sql: """
                    SELECT telling.id, run.run, kind, audience, person, after, upto, telling.envelope, telling.run FROM telling
                    JOIN run ON run.id = telling.run WHERE due <= ? ORDER BY telling.id LIMIT 1
                    """, arguments: [now])
            {
                let id: Int64 = row[0]
                do {
                    if let telling = try telling(row, count, db) {
                        try db.execute(sql: "UPDATE telling SET due = ? WHERE id = ?", arguments: [now + lease, id])
                        return telling
                    }
                    // Of another version of the hub, or of a run whose key is gone.
                    try db.execute(sql: "DELETE FROM telling WHERE id = ?", arguments: [id])
                } catch let error where HubStoreError.isDamage(error) {
                    // The others do not wait for what may come back from the backup.
                    if let run = RunID(bytes: row[1] as Data), try listed(run, db) != nil {
                        tellDamage(.init(kind: .telling, run: run, row: id))
                        try db.execute(sql: "UPDATE telling SET due = ? WHERE id = ?", arguments: [now + lease, id])
                    } else {
                        // A run that does not open is told as one, and none of its own can be told.
                        try db.execute(
                            sql: "UPDATE telling SET due = ?1 WHERE run = ?2 AND due <= ?3", arguments: [now + lease, row[8] as Int64, now])
                    }
                }
            }
            return nil
        }
    }

    private func telling(_ row: Row, _ count: Int, _ db: Connection) throws -> RunAnnouncement? {
        guard let id = RunID(bytes: row[1] as Data), let run = try run(id, db), let kind = NoticeKind(rawValue: row[2]),
            let audience = RunAudience(rawValue: row[3]),
            let arguments = try open([String: String].self, row[7], of: id.sealed, .runTelling)
        else { return nil }
        let after: Int64 = row[5]
        if audience == .one {
            let person = (row[4] as Data?).flatMap { PersonID(bytes: $0) }
            return RunAnnouncement(
                row: row[0], run: run, kind: kind, arguments: arguments, people: person.map { [$0] } ?? [], isForOrganiser: false, next: nil
            )
        }
        // Who withdrew, or did not check in, is not concerned any more. Who is off the list for want of a position alone (4) checked in, may be
        // out there, and comes back with the first one; that it has started was told with that.
        let rows = try db.fetchAll(
            sql: """
                SELECT id, person FROM enrolment WHERE run = ? AND id > ? AND id <= ? AND (state < 2 OR (state = 4 AND ?))
                ORDER BY id LIMIT ?
                """, arguments: [run.row, after, row[6] as Int64, kind != .runStarted, count])
        return RunAnnouncement(
            row: row[0], run: run, kind: kind, arguments: arguments, people: rows.compactMap { PersonID(bytes: $0[1] as Data) },
            isForOrganiser: after == 0 && audience == .onList, next: rows.count < count ? nil : rows.last?[0])
    }

    /// These were told; the next part is due at once.
    public func told(_ telling: RunAnnouncement, now: Milliseconds) throws {
        try pool.write { db in
            if let next = telling.next {
                try db.execute(sql: "UPDATE telling SET after = ?, due = ? WHERE id = ?", arguments: [next, now, telling.row])
            } else {
                try db.execute(sql: "DELETE FROM telling WHERE id = ?", arguments: [telling.row])
            }
        }
    }
}
