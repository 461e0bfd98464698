import Database
import Foundation
public import Vitals

/// Friends, and the links by which people become friends.
public struct FriendStore: RunSubjectStore {
    let runs: RunsStore
}

/// Friends by mutual consent (RUN-19): one makes a link, the other one takes it, and either ends it.
extension FriendStore {
    /// Friends of one person, at most, and links of theirs that wait.
    public static let friendsMax = 1000, friendLinksMax = 20

    /// Keeps a link; the oldest that waits gives way.
    public func addFriendLink(_ hash: [UInt8], of person: PersonID, expires: Milliseconds, now: Milliseconds) throws {
        try pool.write { db in
            let key = Data(person.bytes)
            try db.execute(sql: "DELETE FROM friend_link WHERE expires <= ?", arguments: [now])
            try db.execute(
                sql: """
                    DELETE FROM friend_link WHERE hash IN
                        (SELECT hash FROM friend_link WHERE person = ? ORDER BY expires DESC LIMIT 9223372036854775807 OFFSET ?)
                    """, arguments: [key, Self.friendLinksMax - 1])
            try db.execute(sql: "INSERT INTO friend_link(hash, person, expires) VALUES(?, ?, ?)", arguments: [Data(hash), key, expires])
        }
    }

    /// The maker of a link; nil when it does not work (any more).
    public func person(ofFriendLink hash: [UInt8], now: Milliseconds) throws -> PersonID? {
        try pool.read { try person(ofFriendLink: hash, now: now, $0) }
    }

    private func person(ofFriendLink hash: [UInt8], now: Milliseconds, _ db: Connection) throws -> PersonID? {
        let found = try db.fetchOne(
            Data.self, sql: "SELECT person FROM friend_link WHERE hash = ? AND expires > ?", arguments: [Data(hash), now])
        guard let person = found.flatMap({ PersonID(bytes: $0) }), try !keys.isDeleted(person) else { return nil }
        return person
    }

    /// Makes two people friends, by a link that works once. nil when it does not work (any more), is one's own, or one of them has
    /// ``friendsMax``.
    public func befriend(_ hash: [UInt8], _ person: PersonID, now: Milliseconds) throws -> PersonID? {
        try pool.write { db in
            guard let other = try self.person(ofFriendLink: hash, now: now, db), other != person else { return nil }
            for one in [person, other] {
                let count = try db.fetchOne(Int.self, sql: "SELECT count(*) FROM friend WHERE person = ?", arguments: [Data(one.bytes)])
                guard count ?? 0 < Self.friendsMax else { return nil }
            }
            try db.execute(sql: "DELETE FROM friend_link WHERE hash = ?", arguments: [Data(hash)])
            for (one, friend) in [(person, other), (other, person)] {
                try db.execute(
                    sql: "INSERT INTO friend(person, other, since) VALUES(?, ?, ?) ON CONFLICT DO NOTHING",
                    arguments: [Data(one.bytes), Data(friend.bytes), now])
            }
            return other
        }
    }

    public func friends(of person: PersonID) throws -> [PersonID] {
        try pool.read { db in
            try db.fetchAll(Data.self, sql: "SELECT other FROM friend WHERE person = ? ORDER BY since", arguments: [Data(person.bytes)])
                .compactMap { PersonID(bytes: $0) }.filter { try !keys.isDeleted($0) }
        }
    }

    /// Ends it for both.
    public func endFriendship(_ person: PersonID, _ other: PersonID) throws {
        try pool.write { db in
            try db.execute(
                sql: "DELETE FROM friend WHERE (person = ?1 AND other = ?2) OR (person = ?2 AND other = ?1)",
                arguments: [Data(person.bytes), Data(other.bytes)])
        }
    }
}
