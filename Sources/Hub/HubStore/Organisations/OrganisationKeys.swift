import Accounts
import Database
import Foundation
public import Vitals

/// A public key with which an organisation's program signs its requests for tokens.
public struct OrganisationKey: Sendable, Hashable {
    public let row: Int64
    /// RFC 7638, base64url: names the key in a list and in the header of an assertion (`kid`).
    public let thumbprint: String
    /// SEC 1 uncompressed point on P-256.
    public let publicKey: [UInt8]
    /// The organisation's name for it.
    public let name: String
    public let created: Milliseconds
    /// When a token was last asked for with it.
    public let used: Milliseconds?
    public let revoked: Milliseconds?
}

extension OrganisationStore {
    /// Keys of one organisation that are not revoked, at most.
    public static let organisationKeysMax = 5
    /// Tokens of one key that are valid at once, at most: the oldest go.
    public static let organisationTokensMax = 100
    /// Assertions of one organisation that are remembered, at most: they expire in minutes.
    static let organisationAssertionsMax = 10_000

    public enum KeyAdded: Sendable, Hashable {
        case added(OrganisationKey)
        /// This account has, or had, this key.
        case known
        /// ``organisationKeysMax`` are in use.
        case tooMany
        /// The account is no confirmed organisation.
        case notAnOrganisation
    }

    /// Registers a key; its owner is told by mail.
    public func addOrganisationKey(
        _ publicKey: [UInt8], thumbprint: String, name: String, to account: AccountID, now: Milliseconds
    ) throws -> KeyAdded {
        try pool.write { db in
            guard let row = try Self.organisation(account, db) else { return .notAnOrganisation }
            let count = try db.fetchOne(
                Int.self, sql: "SELECT count(*) FROM organisation_key WHERE account = ? AND revoked IS NULL", arguments: [row])
            guard (count ?? 0) < Self.organisationKeysMax else { return .tooMany }
            let made = try db.fetchOne(
                sql: """
                    INSERT INTO organisation_key(account, thumbprint, public_key, name, created) VALUES(?, ?, ?, ?, ?)
                    ON CONFLICT DO NOTHING RETURNING *
                    """,
                arguments: [row, thumbprint, Data(publicKey), try sealed(name, .key, of: Array(thumbprint.utf8)), now])
            guard let made else { return .known }
            try tellOwner("organisation.keyAdded", ["key": name], of: row, now: now, db)
            return .added(organisationKey(made))
        }
    }

    /// An organisation's keys, the oldest first, revoked ones included. Empty for an account that is no confirmed organisation.
    public func organisationKeys(of account: AccountID) throws -> [OrganisationKey] {
        try pool.read { db in
            guard let row = try Self.organisation(account, db) else { return [] }
            return try db.fetchAll(sql: "SELECT * FROM organisation_key WHERE account = ? ORDER BY id", arguments: [row])
                .map(organisationKey)
        }
    }

    /// Revokes a key, and with it every token that was given for it; its owner is told by mail. False when there is none to revoke.
    public func revokeOrganisationKey(_ key: Int64, of account: AccountID, now: Milliseconds) throws -> Bool {
        try pool.write { db in
            guard let row = try Self.organisation(account, db) else { return false }
            try db.execute(
                sql: "UPDATE organisation_key SET revoked = ? WHERE id = ? AND account = ? AND revoked IS NULL", arguments: [now, key, row])
            guard db.changesCount == 1 else { return false }
            try db.execute(sql: "DELETE FROM organisation_token WHERE key = ?", arguments: [key])
            let made = try db.fetchOne(sql: "SELECT * FROM organisation_key WHERE id = ?", arguments: [key]).map(organisationKey)
            try tellOwner("organisation.keyRevoked", ["key": made?.name ?? ""], of: row, now: now, db)
            return true
        }
    }

    /// The outcome of a request for a token whose signature is right.
    public enum OrganisationTokenAdded: Sendable, Hashable {
        case added
        /// The assertion was used before (RFC 7523, section 3, 7).
        case replayed
        /// More assertions in a few minutes than a program needs.
        case tooMany
        /// The key was revoked meanwhile or is another account's, or the account is no confirmed organisation any more.
        case refused
    }

    /// Uses an assertion up and keeps the token that is given for it, in one transaction.
    public func addOrganisationToken(
        _ hash: [UInt8], key: Int64, of account: AccountID, jti: String, jtiExpires: Milliseconds, expires: Milliseconds, now: Milliseconds
    ) throws -> OrganisationTokenAdded {
        try pool.write { db in
            guard let row = try Self.organisation(account, db) else { return .refused }
            let valid = try db.fetchOne(
                Bool.self, sql: "SELECT revoked IS NULL FROM organisation_key WHERE id = ? AND account = ?", arguments: [key, row])
            guard valid == true else { return .refused }
            try db.execute(sql: "DELETE FROM organisation_assertion WHERE account = ? AND expires <= ?", arguments: [row, now])
            let count = try db.fetchOne(Int.self, sql: "SELECT count(*) FROM organisation_assertion WHERE account = ?", arguments: [row])
            guard (count ?? 0) < Self.organisationAssertionsMax else { return .tooMany }
            try db.execute(
                sql: "INSERT INTO organisation_assertion(account, jti, expires) VALUES(?, ?, ?) ON CONFLICT DO NOTHING",
                arguments: [row, jti, jtiExpires])
            guard db.changesCount == 1 else { return .replayed }
            try db.execute(
                sql: """
                    DELETE FROM organisation_token WHERE key = ?1 AND (expires <= ?2 OR hash IN (
                        SELECT hash FROM organisation_token WHERE key = ?1 ORDER BY expires DESC LIMIT 9223372036854775807 OFFSET ?3))
                    """,
                arguments: [key, now, Self.organisationTokensMax - 1])
            try db.execute(
                sql: "INSERT INTO organisation_token(hash, key, expires) VALUES(?, ?, ?)", arguments: [Data(hash), key, expires])
            try db.execute(sql: "UPDATE organisation_key SET used = ? WHERE id = ?", arguments: [now, key])
            return .added
        }
    }

    /// The confirmed organisation to which a token was given, and when the token expires; nil once its key is revoked. One row is read, so
    /// that a revocation counts with its commit, whichever process made it.
    public func organisation(tokenHash: [UInt8]) throws -> (organisation: OrganisationID, expires: Milliseconds)? {
        try pool.read { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT account.account, organisation_token.expires FROM organisation_token
                    JOIN organisation_key ON organisation_key.id = organisation_token.key
                    JOIN account ON account.id = organisation_key.account
                    WHERE hash = ? AND revoked IS NULL AND confirmed IS NOT NULL AND roles & ? <> 0
                    """)
            guard let row = try statement.fetchOne(arguments: [Data(tokenHash), Set([Role.organisation]).bits]),
                let account = AccountID(bytes: row[0] as Data)
            else { return nil }
            return (OrganisationID(account), row[1])
        }
    }

    /// The row of a confirmed organisation's account; nil for any other account.
    static func organisation(_ account: AccountID, _ db: Connection) throws -> Int64? {
        try db.fetchOne(
            Int64.self, sql: "SELECT id FROM account WHERE account = ? AND confirmed IS NOT NULL AND roles & ? <> 0",
            arguments: [Data(account.bytes), Set([Role.organisation]).bits])
    }

    func tellOwner(_ kind: String, _ arguments: [String: String], of row: Int64, now: Milliseconds, _ db: Connection) throws {
        guard let account = try accounts.stored(row: row, db) else { return }
        try notices.addMail(kind, arguments, to: account, now: now, db)
    }

    private func organisationKey(_ row: Row) -> OrganisationKey {
        let thumbprint: String = row["thumbprint"]
        return OrganisationKey(
            row: row["id"], thumbprint: thumbprint, publicKey: Array(row["public_key"] as Data),
            name: opened(row["name"], .key, of: Array(thumbprint.utf8)), created: row["created"], used: row["used"], revoked: row["revoked"]
        )
    }
}
