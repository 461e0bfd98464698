import Database
import Foundation
public import Vitals

extension RunsStore {
    /// People whose key was destroyed and of whom rows are left, or runs that they organised.
    public func deletedWithRows() throws -> [PersonID] {
        let deleted = try keys.deleted().keys
        guard !deleted.isEmpty else { return [] }
        return try pool.read { db in
            try Self.people.reduce(into: Set<PersonID>()) { found, statement in
                for row in try db.fetchAll(Data.self, sql: statement) {
                    if let person = PersonID(bytes: row), deleted.contains(person) { found.insert(person) }
                }
            }.sorted()
        }
    }

    /// Everybody of whom something is kept.
    private static let people = [
        "SELECT DISTINCT person FROM enrolment WHERE person IS NOT NULL",
        "SELECT DISTINCT person FROM invited WHERE person IS NOT NULL",
        "SELECT DISTINCT person FROM feed WHERE person IS NOT NULL",
        "SELECT DISTINCT person FROM telling WHERE person IS NOT NULL",
        "SELECT DISTINCT person FROM result WHERE person IS NOT NULL",
        "SELECT DISTINCT organiser FROM run WHERE organiser IS NOT NULL",
        "SELECT DISTINCT person FROM friend",
        "SELECT DISTINCT other FROM friend",
        "SELECT DISTINCT person FROM friend_link",
        "SELECT DISTINCT person FROM nearby",
        "SELECT DISTINCT person FROM workout",
        "SELECT DISTINCT person FROM workout_record",
        "SELECT person FROM workout_scan",
        "SELECT DISTINCT person FROM day_record",
    ]

    /// Removes what is left of a deleted person: enrolments go, results become nobody's, and what they organised is cancelled (everybody enrolled is
    /// told) or, when it is over, stays without an organiser.
    public func erase(_ person: PersonID, now: Milliseconds) throws {
        guard try keys.isDeleted(person) else { return }
        let key = Data(person.bytes)
        let open = try pool.read { db in
            try db.fetchAll(Data.self, sql: "SELECT run FROM run WHERE organiser = ? AND state < 3", arguments: [key]).compactMap {
                RunID(bytes: $0)
            }
        }
        for run in open {
            // One that does not open cannot be called off: it stays, without an organiser, on no list.
            guard let stored = try readable(run) else { continue }
            // What went its way to the end is over, and was not called off.
            _ = try move(run, to: stored.state(at: now) == .finished ? .finished : .cancelled, ["reason": ""], now: now)
        }
        try pool.write { db in
            let runs = try db.fetchAll(Int64.self, sql: "SELECT DISTINCT run FROM enrolment WHERE person = ?", arguments: [key])
            for table in [
                "enrolment", "invited", "feed", "telling", "friend", "friend_link", "nearby", "workout", "workout_record", "workout_scan",
                "day_record",
            ] {
                try db.execute(sql: "DELETE FROM \(table) WHERE person = ?", arguments: [key])
            }
            try db.execute(sql: "DELETE FROM friend WHERE other = ?", arguments: [key])
            for run in runs {
                try db.execute(
                    sql: "UPDATE run SET enrolled = (SELECT count(*) FROM enrolment WHERE run = ?1 AND state < 2) WHERE id = ?1",
                    arguments: [run])
            }
            try db.execute(sql: "UPDATE result SET person = NULL, envelope = NULL WHERE person = ?", arguments: [key])
            // The document names who applied for it.
            try db.execute(sql: "DELETE FROM document WHERE run IN (SELECT id FROM run WHERE organiser = ?)", arguments: [key])
            try db.execute(sql: "UPDATE run SET organiser = NULL WHERE organiser = ?", arguments: [key])
        }
    }
}
