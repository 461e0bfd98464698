import Database
public import Vitals

extension Migration {
    /// `sender` is the row of an agent; below zero, that of a device.
    static let thinned = Migration(
        name: "thinned samples",
        sql: """
            CREATE TABLE thinned(sender INTEGER NOT NULL, person INTEGER NOT NULL REFERENCES person ON DELETE CASCADE,
                samples INTEGER NOT NULL, last INTEGER NOT NULL, PRIMARY KEY(person, sender)) WITHOUT ROWID;
            """)
}

/// The number of samples of a sender that were left out because they were too dense.
public struct ThinnedCount: Sendable, Hashable {
    /// Samples since the sender was connected.
    public let samples: Int
    /// When this last happened, UTC.
    public let last: Milliseconds
}

extension ThinnedStore {
    /// Adds to what was left out. Nothing happens for a person who was deleted meanwhile.
    /// - Parameters:
    ///   - sender: the row of ``Agent``, which of a device is below zero.
    ///   - person: the person's row.
    public func noteThinned(_ samples: Int, from sender: Int64, of person: Int64, now: Milliseconds) throws {
        try pool.write { db in
            try db.execute(
                sql: """
                    INSERT INTO thinned(sender, person, samples, last) SELECT ?, id, ?, ? FROM person WHERE id = ?
                    ON CONFLICT(person, sender) DO UPDATE SET samples = thinned.samples + excluded.samples,
                        last = CASE WHEN thinned.last > excluded.last THEN thinned.last ELSE excluded.last END
                    """,
                arguments: [sender, samples, now, person])
        }
    }

    /// The samples left out of a person's data, by the row of the sender.
    public func thinned(of person: PersonID) throws -> [Int64: ThinnedCount] {
        guard let row = try accounts.row(of: person) else { return [:] }
        return try pool.read { db in
            let rows = try db.fetchAll(sql: "SELECT sender, samples, last FROM thinned WHERE person = ?", arguments: [row])
            return Dictionary(uniqueKeysWithValues: rows.map { ($0[0] as Int64, ThinnedCount(samples: $0[1], last: $0[2])) })
        }
    }

    /// The samples left out of everybody's data, by the row of the sender.
    public func thinned() throws -> [Int64: ThinnedCount] {
        try pool.read { db in
            let rows = try db.fetchAll(sql: "SELECT sender, sum(samples), max(last) FROM thinned GROUP BY sender")
            return Dictionary(uniqueKeysWithValues: rows.map { ($0[0] as Int64, ThinnedCount(samples: $0[1], last: $0[2])) })
        }
    }
}
