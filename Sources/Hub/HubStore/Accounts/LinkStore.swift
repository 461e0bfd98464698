import Database
import Foundation
public import Privacy
public import Vitals

extension LinkStore {
    /// Makes a link to a person's live page and returns its secret. Only the secret's hash is kept.
    /// - Parameter asked: who is told of it, and has to say yes before it opens; nil for nobody.
    public func makeLink(to person: PersonID, asking asked: StoredAccount? = nil, now: Milliseconds) throws -> String {
        guard let row = try accounts.row(of: person) else { throw HubStoreError.unknownPerson(person.description) }
        let secret = Secret.make(randomness)
        try pool.write { db in
            try db.execute(
                sql: "INSERT INTO link(hash, person, expires, asked) VALUES(?, ?, ?, ?)",
                arguments: [Secret.hash(secret), row, now + LinkSession.linkLifetime, asked.map { _ in now }])
            try ledger.record(.link(.made), of: person, by: nil, at: now, db)
            if let asked { try accounts.notices.addNotice(.linkAsked, [:], to: asked, now: now, db) }
        }
        return secret
    }

    /// The condition of a link that opens its page.
    private static let opens = "hash = ? AND expires > ? AND redeemed IS NULL AND (asked IS NULL OR allowed IS NOT NULL)"

    /// The person whose page a link opens; nil when it is unknown, expired or redeemed, or waits for the person's yes.
    public func personOfLink(_ secret: String, now: Milliseconds) throws -> PersonID? {
        try pool.read { db in
            try db.fetchOne(
                Data.self,
                sql: "SELECT person.person FROM link JOIN person ON person.id = link.person WHERE \(Self.opens)",
                arguments: [Secret.hash(secret), now]
            ).flatMap { PersonID(bytes: $0) }
        }
    }

    /// Redeems a link once, atomically, and returns the person and the secret of the new session; nil when it cannot be redeemed.
    public func redeemLink(_ secret: String, now: Milliseconds) throws -> (person: PersonID, session: String)? {
        let session = Secret.make(randomness)
        return try pool.write { db in
            let hash = Secret.hash(secret)
            try db.execute(
                sql: "UPDATE link SET redeemed = ? WHERE \(Self.opens)", arguments: [now, hash, now])
            guard db.changesCount == 1,
                let row = try db.fetchOne(
                    sql: "SELECT person.id, person.person FROM link JOIN person ON person.id = link.person WHERE hash = ?",
                    arguments: [hash]),
                let person = PersonID(bytes: row[1] as Data)
            else { return nil }
            try db.execute(
                sql: "INSERT INTO link_session(hash, person, expires) VALUES(?, ?, ?)",
                arguments: [Secret.hash(session), row[0] as Int64, now + LinkSession.sessionLifetime])
            return (person, session)
        }
    }

    /// The session that a browser's cookie names; nil for an unknown one.
    public func linkSession(_ secret: String) throws -> LinkSession? {
        try pool.read { try Self.linkSession(hash: Secret.hash(secret), $0) }
    }

    /// Ends a session: its streams close, and nothing is read with it any more.
    public func revokeLinkSession(_ hash: LinkSession.Hash, now: Milliseconds) throws {
        try pool.write {
            try $0.execute(sql: "UPDATE link_session SET revoked = ? WHERE hash = ? AND revoked IS NULL", arguments: [now, Data(hash)])
        }
    }

    static func linkSession(hash: Data, _ db: Connection) throws -> LinkSession? {
        // Asked for each event of each reader.
        let statement = try db.cachedStatement(
            sql: """
                SELECT person.person, expires, revoked FROM link_session JOIN person ON person.id = link_session.person WHERE hash = ?
                """)
        guard let row = try statement.fetchOne(arguments: [hash]), let person = PersonID(bytes: row[0] as Data) else { return nil }
        return LinkSession(hash: Array(hash), person: person, expires: row[1], revoked: (row[2] as Int64?) != nil)
    }
}
