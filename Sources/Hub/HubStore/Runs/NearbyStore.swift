import Database
import Foundation
public import Runs
public import Vitals

/// Around where somebody wants to be told of public runs (RUN-12).
public struct NearbyWish: Sendable, Hashable, Codable {
    public var place: CoursePoint
    /// Metres.
    public var radius: Int

    public init(place: CoursePoint, radius: Int) { (self.place, self.radius) = (place, radius) }

    /// Metres: 1 to 100 km.
    public static let radii = 1000...100_000

    /// Whether what a course covers comes into it.
    func reaches(_ area: RunArea) -> Bool { area.distance(to: place) <= Double(radius) }
}

/// A run of which the next of those who asked are to be told.
public struct RunAnnouncing: Sendable {
    public let run: StoredRun
    /// Those of this part who are near and were not told yet.
    public let people: [PersonID]
    /// The place behind this part; nil when it is the last.
    let next: Int64?
}

/// Wishes to be told of public runs near a place, and the runs of which those people are to be told.
public struct NearbyStore: RunSubjectStore {
    let runs: RunsStore
}

/// Notice of public runs near one's place. Places are sealed, so a run is held against each of them: in parts, behind the commit that published it,
/// by a row that says how far that is.
extension NearbyStore {
    // MARK: What people asked for

    /// - Throws: ``HubStoreError/unknownPerson(_:)`` for somebody who was deleted.
    public func setNearby(_ wish: NearbyWish, of person: PersonID, now: Milliseconds) throws {
        try pool.write { db in
            try db.execute(
                sql: """
                    INSERT INTO nearby(person, created, envelope) VALUES(?, ?, ?)
                    ON CONFLICT(person) DO UPDATE SET envelope = excluded.envelope
                    """, arguments: [Data(person.bytes), now, try seal(wish, of: person, .nearby)])
        }
    }

    public func nearby(of person: PersonID) throws -> NearbyWish? {
        try pool.read { db in
            try db.fetchOne(sql: "SELECT id, envelope FROM nearby WHERE person = ?", arguments: [Data(person.bytes)]).flatMap { row in
                try sound(row) { try open(NearbyWish.self, row[1], of: person, .nearby) }
            }
        }
    }

    /// nil also for a wish that does not open any more, which is told: by it nobody is told of anything, and others do not wait for it.
    private func sound<Value>(_ row: Row, _ read: () throws -> Value?) throws -> Value? {
        do { return try read() } catch let error where HubStoreError.isDamage(error) {
            runs.tellDamage(.init(kind: .nearby, run: nil, row: row[0]))
            return nil
        }
    }

    public func endNearby(of person: PersonID) throws {
        try pool.write { try $0.execute(sql: "DELETE FROM nearby WHERE person = ?", arguments: [Data(person.bytes)]) }
    }

    // MARK: What is to be told

    /// Everybody who asked until now is to be told of a run. Nobody is of one by invitation.
    func announce(_ run: StoredRun, now: Milliseconds, _ db: Connection) throws {
        guard run.plan.isPublic, run.state == .scheduled, let upto = try db.fetchOne(Int64.self, sql: "SELECT max(id) FROM nearby") else {
            try db.execute(sql: "DELETE FROM announcing WHERE run = ?", arguments: [run.row])
            return
        }
        try db.execute(
            sql: """
                INSERT INTO announcing(run, upto, due) VALUES(?, ?, ?)
                ON CONFLICT(run) DO UPDATE SET after = 0, upto = excluded.upto, due = excluded.due
                """, arguments: [run.row, upto, now])
    }

    /// The next part of a run that is to be told of; it comes again after `lease` when nobody says that it was told.
    /// - Parameters:
    ///   - look: so many who asked are looked at.
    ///   - count: and so many of them are told at most.
    public func dueAnnouncing(look: Int, count: Int, lease: Milliseconds, now: Milliseconds) throws -> RunAnnouncing? {
        // All at one instant: an edit in between would begin anew.
        let (found, runs) = try pool.read { db -> (RunAnnouncing?, [Int64]) in
            let statement = try db.cachedStatement(
                sql: "SELECT run.run, after, upto, run.id FROM announcing JOIN run ON run.id = announcing.run WHERE due <= ? ORDER BY due")
            var runs: [Int64] = []
            for row in try statement.fetchAll(arguments: [now]) {
                runs.append(row[3])
                // One that does not open holds up none behind it.
                guard let id = RunID(bytes: row[0] as Data), let run = try self.runs.listed(id, db) else { continue }
                guard run.plan.isPublic, run.state(at: now) == .scheduled else {
                    return (RunAnnouncing(run: run, people: [], next: nil), runs)
                }
                return (try part(of: run, after: row[1], upto: row[2], look: look, count: count, db), runs)
            }
            return (nil, runs)
        }
        guard !runs.isEmpty else { return nil }
        try pool.write { db in
            for run in runs { try db.execute(sql: "UPDATE announcing SET due = ? WHERE run = ?", arguments: [now + lease, run]) }
        }
        return found
    }

    private func part(of run: StoredRun, after: Int64, upto: Int64, look: Int, count: Int, _ db: Connection) throws -> RunAnnouncing {
        let rows = try db.cachedStatement(sql: "SELECT id, person, envelope, told FROM nearby WHERE id > ? AND id <= ? ORDER BY id LIMIT ?")
            .fetchAll(
                arguments: [after, upto, look])
        var people: [PersonID] = [], last = after
        for row in rows {
            guard people.count < count else { return RunAnnouncing(run: run, people: people, next: last) }
            last = row[0]
            let person = try sound(row) { () -> PersonID? in
                guard let person = PersonID(bytes: row[1] as Data), let wish = try open(NearbyWish.self, row[2], of: person, .nearby),
                    wish.reaches(run.area), try !told(row[3], of: person).contains(run.row)
                else { return nil }
                return person
            }
            if let person { people.append(person) }
        }
        return RunAnnouncing(run: run, people: people, next: rows.count < look ? nil : last)
    }

    /// Runs of which somebody was told.
    private func told(_ envelope: Data?, of person: PersonID) throws -> [Int64] {
        try envelope.flatMap { try open([Int64].self, $0, of: person, .nearby, (1, 0)) } ?? []
    }

    /// Of so many runs is known that somebody was told.
    private static let toldMax = 100

    /// These were told; the next part is due at once. A run that was changed meanwhile begins anew, and leaves out whom it was told.
    public func announced(_ part: RunAnnouncing, now: Milliseconds) throws {
        try pool.write { db in
            for person in part.people {
                let key = Data(person.bytes)
                // Who withdrew meanwhile is nobody to write down.
                guard let row = try db.fetchOne(sql: "SELECT id, told FROM nearby WHERE person = ?", arguments: [key]),
                    try !keys.isDeleted(person)
                else { continue }
                let told = try (told(row[1], of: person) + [part.run.row]).suffix(Self.toldMax)
                try db.execute(
                    sql: "UPDATE nearby SET told = ? WHERE id = ?",
                    arguments: [try seal(Array(told), of: person, .nearby, (1, 0)), row[0] as Int64])
            }
            // Another revision means that the run was announced anew, from the first one on.
            guard try runs.run(part.run.id, db)?.revision == part.run.revision else {
                try db.execute(sql: "UPDATE announcing SET due = ? WHERE run = ?", arguments: [now, part.run.row])
                return
            }
            if let next = part.next {
                try db.execute(sql: "UPDATE announcing SET after = ?, due = ? WHERE run = ?", arguments: [next, now, part.run.row])
            } else {
                try db.execute(sql: "DELETE FROM announcing WHERE run = ?", arguments: [part.run.row])
            }
        }
    }
}
