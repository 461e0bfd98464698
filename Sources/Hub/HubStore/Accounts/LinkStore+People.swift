import Database
import Foundation
import Seams
public import Vitals

extension Migration {
    /// Links to the live page of somebody with an account wait for a yes. `asked`: when the person was asked, nothing where nobody is;
    /// `allowed`: when they said so.
    static let askedLinks = Migration(
        name: "26 links that people are asked about",
        sql: """
            ALTER TABLE link ADD COLUMN asked INTEGER;
            ALTER TABLE link ADD COLUMN allowed INTEGER;
            CREATE INDEX link_person ON link(person);
            CREATE INDEX link_session_person ON link_session(person);
            """)
}

/// A link to a person's live page, as the person sees it.
public struct PersonLink: Sendable, Hashable {
    public enum State: Sendable, Hashable {
        /// It opens nothing before the person says yes.
        case asked
        /// It works, and nobody has opened it.
        case unopened
        /// Somebody has opened it, and can read.
        case open
    }

    /// Names it on the person's page; its secret cannot be made out from it.
    public let id: String
    public let state: State
    /// UTC milliseconds.
    public let until: Milliseconds
}

extension LinkStore {
    /// Links and sessions of one person that are listed, at most: those that end last.
    public static let listMax = 200

    /// Links that open a person's live page now, or waits for the person's yes.
    public func links(of person: PersonID, now: Milliseconds) throws -> [PersonLink] {
        guard let row = try accounts.row(of: person) else { return [] }
        return try pool.read { db in
            let links = try db.fetchAll(
                sql: """
                    SELECT hash, expires, asked IS NOT NULL AND allowed IS NULL FROM link
                    WHERE person = ? AND expires > ? AND redeemed IS NULL ORDER BY expires DESC LIMIT ?
                    """, arguments: [row, now, Self.listMax]
            ).map { PersonLink(id: Hexadecimal.string($0[0] as Data), state: $0[2] ? .asked : .unopened, until: $0[1]) }
            let sessions = try db.fetchAll(
                sql: """
                    SELECT hash, expires FROM link_session WHERE person = ? AND expires > ? AND revoked IS NULL
                    ORDER BY expires DESC LIMIT ?
                    """, arguments: [row, now, Self.listMax]
            ).map { PersonLink(id: Hexadecimal.string($0[0] as Data), state: .open, until: $0[1]) }
            return links + sessions
        }
    }

    /// Lets a link open the page, once. False when there is none of this person's that waits.
    public func allowLink(_ id: String, of person: PersonID, by account: AccountID, now: Milliseconds) throws -> Bool {
        guard let row = try accounts.row(of: person), let hash = Hexadecimal.bytes(id) else { return false }
        return try pool.write { db in
            try db.execute(
                sql: """
                    UPDATE link SET allowed = ? WHERE hash = ? AND person = ? AND asked IS NOT NULL AND allowed IS NULL AND redeemed IS NULL
                        AND expires > ?
                    """, arguments: [now, Data(hash), row, now])
            guard db.changesCount == 1 else { return false }
            try ledger.record(.link(.allowed), of: person, by: account, at: now, db)
            return true
        }
    }

    /// Ends a link, and what was opened by it: streams close, and nothing is read any more. False when there is none of this person's.
    public func endLink(_ id: String, of person: PersonID, by account: AccountID, now: Milliseconds) throws -> Bool {
        guard let row = try accounts.row(of: person), let hash = Hexadecimal.bytes(id) else { return false }
        return try pool.write { db in
            try db.execute(
                sql: "UPDATE link_session SET revoked = ? WHERE hash = ? AND person = ? AND revoked IS NULL AND expires > ?",
                arguments: [now, Data(hash), row, now])
            var isEnded = db.changesCount == 1
            try db.execute(
                sql: "DELETE FROM link WHERE hash = ? AND person = ? AND redeemed IS NULL AND expires > ?",
                arguments: [Data(hash), row, now])
            isEnded = isEnded || db.changesCount == 1
            guard isEnded else { return false }
            try ledger.record(.link(.ended), of: person, by: account, at: now, db)
            return true
        }
    }
}
