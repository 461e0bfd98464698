import Database
import Foundation
public import Privacy
public import Vitals

extension ConsentStore {
    /// Which kinds may ever be asked for, and by whom (CONS-13).
    public func policy(of person: PersonID) throws -> AccessPolicy { try pool.read { try policy(of: person, $0) } }

    func policy(of person: PersonID, _ db: Connection) throws -> AccessPolicy {
        let envelope = try db.fetchOne(Data.self, sql: "SELECT envelope FROM policy WHERE person = ?", arguments: [Data(person.bytes)])
        return try envelope.flatMap { try open(AccessPolicy.self, $0, of: person, .policy, (0, 0)) } ?? AccessPolicy()
    }

    /// - Throws: ``Privacy/ConsentProblem/notYours`` when the account does not decide for the person.
    public func setPolicy(_ policy: AccessPolicy, of person: PersonID, by account: AccountID, now: Milliseconds) throws {
        let envelope = try seal(policy, of: person, .policy, (0, 0))
        try pool.write { db in
            _ = try authority(over: person, db).decider(account, at: now)
            try db.execute(
                sql: "INSERT INTO policy(person, envelope) VALUES(?, ?) ON CONFLICT(person) DO UPDATE SET envelope = excluded.envelope",
                arguments: [Data(person.bytes), envelope])
        }
    }

    /// An asker that was denied too often (CONS-10), as the person's page shows it.
    public struct BlockedAsker: Sendable, Hashable {
        public let reader: Reader
        public let name: String
        /// Tells this asker from others of the same name.
        public var key: String { Hexadecimal.string(reader.key) }
    }

    /// Askers who cannot ask this person any more.
    public func blockedAskers(of person: PersonID) throws -> [BlockedAsker] {
        try pool.read { db in
            let rows = try db.fetchAll(sql: "SELECT asker, envelope FROM standing WHERE person = ?", arguments: [Data(person.bytes)])
            return try rows.compactMap { row in
                guard let reader = Reader(key: row[0] as Data), try askers.standing(row[1], of: reader, with: person)?.isBlocked == true
                else {
                    return nil
                }
                return BlockedAsker(reader: reader, name: try accounts.listedName(of: reader.account, db))
            }
        }
    }

    /// The person lets an asker ask again.
    public func liftBlock(of asker: Reader, with person: PersonID, by account: AccountID, now: Milliseconds) throws {
        try pool.write { db in
            _ = try authority(over: person, db).decider(account, at: now)
            var standing = try askers.standing(of: asker, with: person, db)
            standing.lift()
            try askers.setStanding(standing, of: asker, with: person, db)
        }
    }
}
