import Database
import Foundation
public import Vitals

/// Whether these databases are those on which the hub ran a moment ago, or may be an older copy of them: what was drawn about groups since then was told,
/// and must not be drawn again.
///
/// A copy cannot tell that it is one. It can tell when the hub last ran on it: whatever a hub closed that was lost, it closed after that.
public struct GroupWatch: SubjectStore {
    let accounts: AccountStore

    /// A hub that was away no longer than this, in milliseconds, was not put back to a copy.
    public static let absenceMax: Milliseconds = 15 * 60_000
    /// How often that the hub runs is written down, in milliseconds.
    public static let pause: Milliseconds = 60_000

    private static let seen = "groups.seen", doubt = "groups.doubt"

    /// Notes that the hub runs, where groups are, or once were, turned on: with each start, and each minute. Where it did not run for longer than
    /// ``absenceMax``, or the clock was set ahead by so much, what closed by now is in doubt.
    /// - Parameter now: UTC.
    /// - Returns: whether doubt arose just now.
    public func note(isEnabled: Bool, now: Milliseconds) throws -> Bool {
        let known = try pool.read { try (seen: value(Self.seen, $0), doubt: value(Self.doubt, $0)) }
        guard known.seen != nil || isEnabled else { return false }
        let away = known.seen.map { now - $0 } ?? Self.pause
        guard away >= Self.pause || away < 0 || known.doubt.map({ $0 > now }) ?? false else { return false }
        return try pool.write { db in
            let isDoubtful = try value(Self.seen, db).map { now - $0 > Self.absenceMax } ?? false
            // A time that lies ahead was a wrong clock's: a hub that was lost ran before now.
            if try isDoubtful || value(Self.doubt, db).map({ $0 > now }) ?? false { try set(Self.doubt, now, db) }
            try set(Self.seen, now, db)
            return isDoubtful
        }
    }

    /// What closed by then and is not known here may have been told already, UTC; nil where nothing is in doubt.
    public func doubt() throws -> Milliseconds? { try pool.read { try value(Self.doubt, $0) } }

    /// The operator says that the hub was off, and was not put back to a copy.
    /// - Returns: whether anything was in doubt.
    public func wasOff(now: Milliseconds) throws -> Bool {
        try pool.write { db in
            try db.execute(sql: "DELETE FROM meta WHERE key = ?", arguments: [Self.doubt])
            let wasDoubtful = db.changesCount > 0
            let isAway = try value(Self.seen, db).map { now - $0 > Self.absenceMax } ?? false
            if try value(Self.seen, db) != nil { try set(Self.seen, now, db) }
            return wasDoubtful || isAway
        }
    }

    private func value(_ name: String, _ db: Connection) throws -> Milliseconds? {
        try db.fetchOne(Data.self, sql: "SELECT value FROM meta WHERE key = ?", arguments: [name])
            .flatMap { Milliseconds(String(decoding: $0, as: UTF8.self)) }
    }

    private func set(_ name: String, _ value: Milliseconds, _ db: Connection) throws {
        try db.execute(
            sql: "INSERT INTO meta(key, value) VALUES(?, ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value",
            arguments: [name, Data("\(value)".utf8)])
    }
}

extension ConsentStore {
    public var groupWatch: GroupWatch { GroupWatch(accounts: accounts) }
}
