import Database
import Foundation
public import Vitals

/// Secrets of the calendar feeds in which people subscribe to their runs.
public struct CalendarFeedStore: RunSubjectStore {
    let runs: RunsStore
}

extension CalendarFeedStore {
    /// A person's feed works under this hash from now on, and under none before; nil for none at all.
    public func setFeed(_ hash: [UInt8]?, of person: PersonID, now: Milliseconds) throws {
        try pool.write { db in
            try db.execute(sql: "DELETE FROM feed WHERE person = ?", arguments: [Data(person.bytes)])
            guard let hash else { return }
            try db.execute(
                sql: "INSERT INTO feed(hash, person, created) VALUES(?, ?, ?)", arguments: [Data(hash), Data(person.bytes), now])
        }
    }

    public func hasFeed(_ person: PersonID) throws -> Bool {
        try pool.read { try $0.fetchOne(Bool.self, sql: "SELECT 1 FROM feed WHERE person = ?", arguments: [Data(person.bytes)]) != nil }
    }

    /// The owner of the feed; nil for one that does not work (any more).
    public func person(ofFeed hash: [UInt8]) throws -> PersonID? {
        let person = try pool.read { try $0.fetchOne(Data.self, sql: "SELECT person FROM feed WHERE hash = ?", arguments: [Data(hash)]) }
        guard let person = person.flatMap({ PersonID(bytes: $0) }), try keys.key(of: person) != nil else { return nil }
        return person
    }
}
