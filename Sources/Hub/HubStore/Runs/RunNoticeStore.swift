import Database
import Foundation
public import Vitals

/// The recipients of a notice about a run.
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

/// An organiser's message to the enrolled.
public struct RunMessage: Sendable, Hashable {
    public let row: Int64
    /// UTC milliseconds.
    public let time: Milliseconds
    public let text: String
}

/// Notices about runs, and the messages of organisers.
public struct RunNoticeStore: RunSubjectStore {
    let runs: RunsStore
}

extension RunNoticeStore {
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
                    if let run = RunID(bytes: row[1] as Data), try runs.listed(run, db) != nil {
                        runs.tellDamage(.init(kind: .telling, run: run, row: id))
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
        guard let id = RunID(bytes: row[1] as Data), let run = try runs.run(id, db), let kind = NoticeKind(rawValue: row[2]),
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

    // MARK: Messages

    /// Keeps a message and has everybody on the list told. False when there were `daily` of this run within 24 hours.
    public func addMessage(_ text: String, to run: StoredRun, daily: Int, now: Milliseconds) throws -> Bool {
        try pool.write { db in
            let sent = try db.fetchOne(
                Int.self, sql: "SELECT count(*) FROM message WHERE run = ? AND time > ?", arguments: [run.row, now - 86_400_000])
            guard sent ?? 0 < daily else { return false }
            try db.execute(
                sql: "INSERT INTO message(run, time, envelope) VALUES(?, ?, ?)",
                arguments: [run.row, now, try seal(text, of: run.id.sealed, .runMessage)])
            try tell(.runMessage, ["text": text], .runners, about: run, now: now, db)
            return true
        }
    }

    /// The newest first.
    public func messages(to run: StoredRun, count: Int = 100) throws -> [RunMessage] {
        try pool.read { db in
            try db.fetchAll(
                sql: "SELECT id, time, envelope FROM message WHERE run = ? ORDER BY id DESC LIMIT ?", arguments: [run.row, count]
            ).compactMap { row in
                try unlessDamaged(.runMessage, row[0] as Int64) { try open(String.self, row[2], of: run.id.sealed, .runMessage) }
                    .map { RunMessage(row: row[0], time: row[1], text: $0) }
            }
        }
    }
}
