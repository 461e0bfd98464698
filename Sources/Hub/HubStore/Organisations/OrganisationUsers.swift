public import Accounts
import Database
import Foundation
import Seams
public import Vitals

extension OrganisationUserStore {
    /// Users of organisations: each is an account of its own, whose sessions act for the organisation's. An invitation's envelope holds the address,
    /// sealed with the organisation's key.
    static let migration = Migration(
        name: "31 users of organisations",
        sql: """
            CREATE TABLE member(account INTEGER PRIMARY KEY REFERENCES account ON DELETE CASCADE,
                organisation INTEGER NOT NULL REFERENCES account ON DELETE CASCADE, rights INTEGER NOT NULL, since INTEGER NOT NULL);
            CREATE INDEX member_organisation ON member(organisation);
            CREATE TABLE member_invitation(hash BLOB PRIMARY KEY, organisation INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
                rights INTEGER NOT NULL, expires INTEGER NOT NULL, envelope BLOB NOT NULL) WITHOUT ROWID;
            CREATE INDEX member_invitation_organisation ON member_invitation(organisation);
            """)
}

/// For which organisation a user acts, and what they may do there (ACC-20). The organisation's own account may do everything.
public struct Membership: Sendable, Hashable {
    public enum Rights: Int64, Sendable, Hashable, CaseIterable {
        /// Sees what people consented to, and the history.
        case reads = 1
        /// Asks people and about groups as well, and takes requests back.
        case asks = 2
    }

    public let organisation: StoredAccount
    public let rights: Rights
}

/// A user of an organisation, as it sees them.
public struct OrganisationUser: Sendable, Hashable {
    public let account: StoredAccount
    public let rights: Membership.Rights
    /// UTC milliseconds.
    public let since: Milliseconds
}

/// Somebody who is invited to be a user of an organisation.
public struct UserInvitation: Sendable, Hashable {
    /// Of its link.
    public let hash: [UInt8]
    public let organisation: StoredAccount
    public let address: String
    public let rights: Membership.Rights
    /// UTC milliseconds.
    public let expires: Milliseconds
}

/// Who reads: a user of an organisation, for the ledger of whoever is read. It goes with the task that answers a request.
public struct ReadingUser: Sendable, Hashable, Codable {
    public let account: AccountID
    /// At that time.
    public let name: String

    /// nil for everybody who reads for themselves, for an organisation's own account and for programs.
    @TaskLocal public static var current: ReadingUser?

    public init(_ account: StoredAccount) { (self.account, name) = (account.id, account.name) }
}

extension StoredSession {
    /// The same session in the organisation's name: its account is the organisation's, and ``user`` is who is logged in. nil for whoever belongs
    /// to none.
    public func acting() -> StoredSession? {
        guard let membership else { return nil }
        return StoredSession(
            hash: hash, account: membership.organisation, strength: strength, created: created, seen: seen, expires: expires,
            proved: proved, device: device, membership: membership, actor: account)
    }

    /// Who is logged in.
    public var user: StoredAccount { actor ?? account }
}

/// Users of organisations, with a log-in and a second factor of their own (ACC-20).
public struct OrganisationUserStore: SubjectStore {
    let accounts: AccountStore

    /// Users of one organisation, at most, and invitations that wait.
    public static let usersMax = 200, invitationsMax = 50
    /// How long an invitation works, milliseconds: 7 days.
    public static let invitationLifetime: Milliseconds = 7 * 86_400_000

    public init(_ accounts: AccountStore) { self.accounts = accounts }

    /// For whom an account acts; nil for nobody, and where the organisation is gone.
    func membership(_ account: StoredAccount, _ db: Connection) throws -> Membership? {
        guard account.roles.contains(.member) else { return nil }
        let row = try db.cachedStatement(sql: "SELECT organisation, rights FROM member WHERE account = ?").fetchOne(arguments: [account.row]
        )
        guard let row, let organisation = try accounts.stored(row: row[0], db), organisation.confirmed != nil,
            organisation.roles.contains(.organisation), let rights = Membership.Rights(rawValue: row[1])
        else { return nil }
        return Membership(organisation: organisation, rights: rights)
    }

    // MARK: The organisation

    /// Its users, in the order in which they came.
    public func users(of organisation: StoredAccount) throws -> [OrganisationUser] {
        try pool.read { db in
            try db.fetchAll(
                sql: """
                    SELECT account.*, member.rights AS rights, member.since AS since FROM member JOIN account ON account.id = member.account
                    WHERE member.organisation = ? ORDER BY member.since, member.account
                    """, arguments: [organisation.row]
            ).compactMap { row in
                guard let account = try accounts.listed(row), let rights = Membership.Rights(rawValue: row["rights"]) else { return nil }
                return OrganisationUser(account: account, rights: rights, since: row["since"])
            }
        }
    }

    /// Invites somebody by mail; one who is invited already gets another link.
    /// - Parameter link: the text and hash of the invitation's link.
    /// - Returns: false where the organisation has ``usersMax``, or ``invitationsMax`` wait.
    public func invite(
        _ address: EmailAddress, _ rights: Membership.Rights, to organisation: StoredAccount, link: (text: String, hash: [UInt8]),
        now: Milliseconds
    ) throws -> Bool {
        try pool.write { db in
            guard organisation.roles.contains(.organisation) else { return false }
            try db.execute(
                sql: "DELETE FROM member_invitation WHERE organisation = ? AND expires <= ?", arguments: [organisation.row, now])
            for earlier in try invitations(of: organisation, db) where earlier.address.lowercased() == address.canonical {
                try db.execute(sql: "DELETE FROM member_invitation WHERE hash = ?", arguments: [Data(earlier.hash)])
            }
            let counts = try db.fetchOne(
                sql: """
                    SELECT (SELECT count(*) FROM member WHERE organisation = ?1), (SELECT count(*) FROM member_invitation WHERE organisation = ?1)
                    """, arguments: [organisation.row])
            let users: Int = counts?[0] ?? 0, waiting: Int = counts?[1] ?? 0
            guard users < Self.usersMax, waiting < Self.invitationsMax else { return false }
            let envelope = try seal([address.address], of: organisation.id.person, .userInvitation, Self.place(link.hash))
            try db.execute(
                sql: "INSERT INTO member_invitation(hash, organisation, rights, expires, envelope) VALUES(?, ?, ?, ?, ?)",
                arguments: [Data(link.hash), organisation.row, rights.rawValue, now + Self.invitationLifetime, envelope])
            // Who wants no letters of us gets none: the organisation sees an invitation that nobody takes.
            guard try !deferredWork.refusesLetters(Data(deferredWork.addressMark(address.canonical)), db) else { return true }
            try notices.addMail(
                "user.invited",
                [
                    "organisation": InvitationStore.inviterName(organisation.name), "link": link.text,
                    NoticeStore.deliverTo: address.address,
                ],
                to: organisation, now: now, db)
            return true
        }
    }

    /// Invitations that wait, the first to expire first.
    public func invitations(of organisation: StoredAccount, now: Milliseconds) throws -> [UserInvitation] {
        try pool.read { db in try invitations(of: organisation, db).filter { $0.expires > now } }
    }

    private func invitations(of organisation: StoredAccount, _ db: Connection) throws -> [UserInvitation] {
        try db.fetchAll(
            sql: "SELECT * FROM member_invitation WHERE organisation = ? ORDER BY expires, hash", arguments: [organisation.row]
        ).compactMap { try invitation($0, db) }
    }

    /// - Returns: false for another organisation's.
    public func withdrawInvitation(_ hash: [UInt8], of organisation: StoredAccount) throws -> Bool {
        try pool.write { db in
            try db.execute(
                sql: "DELETE FROM member_invitation WHERE hash = ? AND organisation = ?", arguments: [Data(hash), organisation.row])
            return db.changesCount > 0
        }
    }

    /// - Returns: false for who is no user of this organisation.
    public func setRights(_ rights: Membership.Rights, of user: AccountID, in organisation: StoredAccount) throws -> Bool {
        try pool.write { db in
            guard let account = try accounts.account(user, db) else { return false }
            try db.execute(
                sql: "UPDATE member SET rights = ? WHERE account = ? AND organisation = ?",
                arguments: [rights.rawValue, account.row, organisation.row])
            return db.changesCount > 0
        }
    }

    /// Takes a user out: all of their sessions end with this commit, and they are told by mail. Their account stays theirs.
    /// - Returns: false for who is no user of this organisation.
    public func remove(_ user: AccountID, from organisation: StoredAccount, now: Milliseconds) throws -> Bool {
        try pool.write { db in
            guard let account = try accounts.account(user, db) else { return false }
            try db.execute(
                sql: "DELETE FROM member WHERE account = ? AND organisation = ?", arguments: [account.row, organisation.row])
            guard db.changesCount > 0 else { return false }
            try db.execute(sql: "DELETE FROM session WHERE account = ?", arguments: [account.row])
            try AccountStore.forgetPushDevicesWithoutSession(of: account.row, db)
            try notices.addMail("user.removed", ["organisation": organisation.name], to: account, now: now, db)
            return true
        }
    }

    // MARK: The user

    /// What a link offers; nil for one that does not work (any more).
    public func invitation(_ hash: [UInt8], now: Milliseconds) throws -> UserInvitation? {
        try pool.read { try invitation(hash, now: now, $0) }
    }

    private func invitation(_ hash: [UInt8], now: Milliseconds, _ db: Connection) throws -> UserInvitation? {
        try db.fetchOne(sql: "SELECT * FROM member_invitation WHERE hash = ? AND expires > ?", arguments: [Data(hash), now])
            .flatMap { try invitation($0, db) }
    }

    private func invitation(_ row: Row, _ db: Connection) throws -> UserInvitation? {
        let hash = Array(row["hash"] as Data)
        guard let organisation = try accounts.stored(row: row["organisation"], db), let rights = Membership.Rights(rawValue: row["rights"])
        else { return nil }
        return try unlessDamaged(.invitation, row["expires"] as Int64) {
            try open([String].self, row["envelope"] as Data, of: organisation.id.person, .userInvitation, Self.place(hash))?.first
        }.map { UserInvitation(hash: hash, organisation: organisation, address: $0, rights: rights, expires: row["expires"]) }
    }

    /// Somebody takes an invitation, once. The link came to the account's address, which the caller has checked.
    /// - Returns: false when the link does not work (any more), and for an account that is an organisation or acts for another one.
    public func join(_ hash: [UInt8], _ account: StoredAccount, now: Milliseconds) throws -> Bool {
        try pool.write { db in
            guard let offer = try invitation(hash, now: now, db), account.confirmed != nil,
                account.roles.isDisjoint(with: [.organisation, .operator]), offer.organisation.roles.contains(.organisation)
            else { return false }
            try db.execute(
                sql: "INSERT INTO member(account, organisation, rights, since) VALUES(?, ?, ?, ?) ON CONFLICT DO NOTHING",
                arguments: [account.row, offer.organisation.row, offer.rights.rawValue, now])
            guard db.changesCount == 1 else { return false }
            try db.execute(sql: "DELETE FROM member_invitation WHERE hash = ?", arguments: [Data(hash)])
            guard !account.roles.contains(.member) else { return true }
            try db.execute(
                sql: "UPDATE account SET roles = ? WHERE id = ?", arguments: [account.roles.union([.member]).bits, account.row])
            // What logged in without a factor acts for nobody (ACC-9): the next page asks for one.
            try db.execute(
                sql: """
                    UPDATE session SET strength = ?1 WHERE account = ?2
                        AND NOT EXISTS (SELECT 1 FROM passkey WHERE account = ?2)
                        AND NOT EXISTS (SELECT 1 FROM one_time WHERE account = ?2 AND confirmed IS NOT NULL)
                    """,
                arguments: [StoredSession.Strength.begun.rawValue, account.row])
            return true
        }
    }

    private static func place(_ hash: [UInt8]) -> (UInt64, UInt64) {
        func number(_ part: ArraySlice<UInt8>) -> UInt64 { part.reduce(0) { $0 << 8 | UInt64($1) } }
        return (number(hash.prefix(8)), number(hash.dropFirst(8).prefix(8)))
    }
}
