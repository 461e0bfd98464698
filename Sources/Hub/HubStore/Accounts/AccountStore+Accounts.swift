import Accounts
import Crypto
import Database
import Foundation
import Seams
import Synchronization
public import Vitals

extension AccountStore {
    /// The outcome of a sign-up.
    public enum Added: Sendable {
        case added(StoredAccount)
        /// The e-mail address or the identifier belongs to this account already, which is told by mail and not on the form (ACC-4).
        case taken(StoredAccount)
    }

    /// A keyed hash: finds an address or identifier without keeping it in the clear.
    func index(_ kind: String, _ canonical: String) -> Data {
        Data(HMAC<SHA256>.authenticationCode(for: Data("\(kind) \(canonical)".utf8), using: blindIndexKey))
    }

    /// Makes an account that waits for its confirmation, and a link for that. An unconfirmed one with the same address or identifier gives way:
    /// whoever has the mailbox decides. One that somebody opened and that waits for its hand-over gives way to nobody but that one.
    /// - Parameter opener: who opens it for its person; nil for who signs up.
    public func addAccount(
        _ new: NewAccount, linkHash: [UInt8], linkExpires: Milliseconds, opener: AccountID? = nil, now: Milliseconds
    ) throws -> Added {
        let email = index("email", new.canonicalEmail), identifier = new.canonicalIdentifier.map { index("identifier", $0) }
        let id = AccountID(randomness.id(PersonID.self))
        guard let key = try keys.key(of: id.person) else { throw HubStoreError.unknownPerson(id.description) }
        let details = try sealed(new.details, of: id, with: key)
        var replaced: Set<PersonID> = []
        let added: Added = try pool.write { db in
            let gone = try db.fetchAll(
                Data.self,
                sql: """
                    DELETE FROM account WHERE confirmed IS NULL AND (email_index = ? OR identifier_index = ?)
                        AND (NOT EXISTS(SELECT 1 FROM mail_link WHERE account = account.id AND purpose = ? AND expires > ?)
                            OR EXISTS(SELECT 1 FROM opened WHERE account = account.id AND caregiver = ?))
                    RETURNING account
                    """, arguments: [email, identifier, MailLinkPurpose.handOver.rawValue, now, opener.map { Data($0.bytes) }])
            replaced = Set(gone.compactMap { PersonID(bytes: $0) })
            let taken = try db.fetchOne(
                sql: "SELECT * FROM account WHERE email_index = ? OR identifier_index = ?", arguments: [email, identifier])
            if let taken, let account = try stored(taken) { return .taken(account) }
            let row = try db.insert(
                sql: """
                    INSERT INTO account(account, roles, email_index, identifier_index, details, password, language, created)
                    VALUES(?, ?, ?, ?, ?, ?, ?, ?) RETURNING id
                    """,
                arguments: [Data(id.bytes), new.roles.bits, email, identifier, details, new.password, new.language, now])
            for (document, version) in new.accepted {
                try db.execute(
                    sql: "INSERT INTO acceptance(account, document, version, time) VALUES(?, ?, ?, ?)",
                    arguments: [row, document.rawValue, version, now])
            }
            try Self.addLink(linkHash, .confirmation, row, expires: linkExpires, db)
            guard let made = try stored(row: row, db) else { throw HubStoreError.unknownPerson(id.description) }
            return .added(made)
        }
        if case .taken = added { replaced.insert(id.person) }
        // Later: the answer must not take longer where somebody has an account.
        abandonedKeys.withLock { $0.formUnion(replaced) }
        return added
    }

    /// Makes a confirmed account without a form: the first operator, and those whom operators and hospitals make.
    public func addConfirmedAccount(_ new: NewAccount, now: Milliseconds) throws -> Added {
        // The link is used at once. One that had expired would be swept away on a busy hub before it is, and the account never be confirmed.
        let hash = Array(Secret.hash(Secret.make(randomness)))
        let added = try addAccount(new, linkHash: hash, linkExpires: now + 60_000, now: now)
        guard case .added = added, let id = try confirm(linkHash: hash, now: now), let account = try account(id) else { return added }
        return .added(account)
    }

    /// Follows the link of a confirmation mail: the account works from now on, and a person's can receive data. nil for a link that does not
    /// work (any more).
    public func confirm(linkHash: [UInt8], now: Milliseconds) throws -> AccountID? {
        try pool.write { db in
            guard let row = try Self.useLink(linkHash, .confirmation, now: now, db), let account = try stored(row: row, db) else {
                return nil
            }
            try db.execute(sql: "UPDATE account SET confirmed = ? WHERE id = ? AND confirmed IS NULL", arguments: [now, row])
            if account.roles.contains(.person) { try insertPerson(account.id.person, name: account.name, now: now, db) }
            try invitations.meetRequests(of: row, now: now, db)
            return account.id
        }
    }

    public func account(_ id: AccountID) throws -> StoredAccount? {
        try pool.read { db in
            try db.fetchOne(sql: "SELECT * FROM account WHERE account = ?", arguments: [Data(id.bytes)]).flatMap(stored)
        }
    }

    func account(_ id: AccountID, _ db: Connection) throws -> StoredAccount? {
        let statement = try db.cachedStatement(sql: "SELECT * FROM account WHERE account = ?")
        return try statement.fetchOne(arguments: [Data(id.bytes)]).flatMap(stored)
    }

    /// The account of an address; an account that was never confirmed has none.
    func account(withAddress whom: Data, _ db: Connection) throws -> StoredAccount? {
        try db.fetchOne(sql: "SELECT * FROM account WHERE email_index = ? AND confirmed IS NOT NULL", arguments: [whom])
            .flatMap(stored)
    }

    /// - Parameter email: ``Accounts/EmailAddress/canonical``.
    public func account(email: String) throws -> StoredAccount? {
        let index = index("email", email)
        return try pool.read { db in
            try db.fetchOne(sql: "SELECT * FROM account WHERE email_index = ?", arguments: [index]).flatMap(stored)
        }
    }

    /// As ``account(email:)``, and as slow where there is none: one account is opened in either case, so that the time does not tell (ACC-6).
    public func account(emailOfLogIn email: String) throws -> StoredAccount? {
        if let account = try account(email: email) { return account }
        _ = try? pool.read { db in
            try db.fetchOne(sql: "SELECT * FROM account WHERE id > 0 ORDER BY id LIMIT 1").flatMap(stored)
        }
        return nil
    }

    /// - Parameter identifier: the canonical tax identifier or VAT number.
    public func account(identifier: String) throws -> StoredAccount? {
        let index = index("identifier", identifier)
        return try pool.read { db in
            try db.fetchOne(sql: "SELECT * FROM account WHERE identifier_index = ?", arguments: [index]).flatMap(stored)
        }
    }

    /// All confirmed accounts, oldest first: for commands, not for a running hub.
    public func confirmedAccounts() throws -> [StoredAccount] {
        try pool.read { try $0.fetchAll(sql: "SELECT * FROM account WHERE confirmed IS NOT NULL ORDER BY id").compactMap(listed) }
    }

    /// The hub's operators with a confirmed account, oldest first.
    public func operators() throws -> [StoredAccount] { try pool.read { try operators($0) } }

    /// The index of operators is found by the very text of this condition; 16 is the bit of the role.
    func operators(_ db: Connection) throws -> [StoredAccount] {
        try db.fetchAll(sql: "SELECT * FROM account WHERE roles & 16 <> 0 AND confirmed IS NOT NULL ORDER BY id").compactMap(listed)
    }

    /// Replaces the fields of a profile; those that are fixed stay (the caller has checked).
    /// - Returns: whether an operator had looked at what changed, and will look again.
    @discardableResult
    public func setDetails(_ details: [String: String], of account: StoredAccount, now: Milliseconds) throws -> Bool {
        guard let key = try keys.key(of: account.id.person) else { return false }
        let bytes = try sealed(details, of: account.id, with: key)
        defer { tellProfileChanged(account.id.person) }
        return try pool.write { db in
            let before = try stored(row: account.row, db)
            try db.execute(sql: "UPDATE account SET details = ? WHERE id = ?", arguments: [bytes, account.row])
            guard let changed = try stored(row: account.row, db) else { return false }
            try timers.owe(profileOf: changed, now: now, db)
            // Readers see the change at once.
            if account.roles.contains(.person) { try renamePerson(account.id.person, name: changed.name, db) }
            guard account.roles.contains(.organisation), before?.checkMark != changed.checkMark else { return false }
            let ofGroups = try consents.groupRequests.forgetApprovals(of: account.row, db)
            return try consents.askers.forgetApprovals(of: OrganisationID(account.id), db) || ofGroups
        }
    }

    // MARK: Passwords and links

    /// A stronger hash of the same password.
    public func upgradePassword(_ password: String, of account: Int64) throws {
        try pool.write { try $0.execute(sql: "UPDATE account SET password = ? WHERE id = ?", arguments: [password, account]) }
    }

    /// Sets another password and ends every session but one.
    public func changePassword(_ password: String, of account: Int64, keeping session: [UInt8]?) throws {
        try pool.write { db in
            try db.execute(sql: "UPDATE account SET password = ? WHERE id = ?", arguments: [password, account])
            try db.execute(
                sql: "DELETE FROM session WHERE account = ? AND hash IS DISTINCT FROM ?", arguments: [account, session.map { Data($0) }])
            try Self.forgetPushDevicesWithoutSession(of: account, db)
            try db.execute(
                sql: "DELETE FROM mail_link WHERE account = ? AND purpose = ?", arguments: [account, MailLinkPurpose.reset.rawValue])
        }
    }

    public func addLink(_ hash: [UInt8], _ purpose: MailLinkPurpose, of account: Int64, expires: Milliseconds) throws {
        try pool.write { try Self.addLink(hash, purpose, account, expires: expires, $0) }
    }

    /// Whether an account has a link that was made after `time`.
    public func hasLink(
        _ purpose: MailLinkPurpose, of account: Int64, madeAfter time: Milliseconds, lifetime: Milliseconds
    ) throws -> Bool {
        try pool.read { db in
            try db.fetchOne(
                Bool.self, sql: "SELECT EXISTS (SELECT 1 FROM mail_link WHERE account = ? AND purpose = ? AND expires > ?)",
                arguments: [account, purpose.rawValue, time + lifetime]) ?? false
        }
    }

    /// The account of a link, if it works.
    public func account(ofLink hash: [UInt8], _ purpose: MailLinkPurpose, now: Milliseconds) throws -> StoredAccount? {
        try pool.read { db in
            try db.fetchOne(
                sql: """
                    SELECT account.* FROM mail_link JOIN account ON account.id = mail_link.account
                    WHERE hash = ? AND purpose = ? AND expires > ?
                    """,
                arguments: [Data(hash), purpose.rawValue, now]
            ).flatMap(stored)
        }
    }

    /// Sets a forgotten password by a mailed link, once, and ends all sessions; nil when the link does not work (any more).
    public func resetPassword(_ password: String, linkHash: [UInt8], now: Milliseconds) throws -> StoredAccount? {
        try pool.write { db in
            guard let row = try Self.useLink(linkHash, .reset, now: now, db) else { return nil }
            try db.execute(
                sql: "UPDATE account SET password = ?, confirmed = coalesce(confirmed, ?) WHERE id = ?", arguments: [password, now, row])
            try db.execute(sql: "DELETE FROM session WHERE account = ?", arguments: [row])
            try Self.forgetPushDevicesWithoutSession(of: row, db)
            try db.execute(
                sql: "DELETE FROM mail_link WHERE account = ? AND purpose = ?", arguments: [row, MailLinkPurpose.reset.rawValue])
            guard let account = try stored(row: row, db) else { return nil }
            // Whoever has the mailbox has confirmed it with this.
            if account.roles.contains(.person) { try insertPerson(account.id.person, name: account.name, now: now, db) }
            try invitations.meetRequests(of: row, now: now, db)
            return account
        }
    }

    static func addLink(
        _ hash: [UInt8], _ purpose: MailLinkPurpose, _ account: Int64, expires: Milliseconds, _ db: Connection
    ) throws {
        try db.execute(
            sql: "INSERT INTO mail_link(hash, account, purpose, expires) VALUES(?, ?, ?, ?)",
            arguments: [Data(hash), account, purpose.rawValue, expires])
    }

    static func useLink(_ hash: [UInt8], _ purpose: MailLinkPurpose, now: Milliseconds, _ db: Connection) throws -> Int64? {
        try db.fetchOne(
            Int64.self, sql: "DELETE FROM mail_link WHERE hash = ? AND purpose = ? AND expires > ? RETURNING account",
            arguments: [Data(hash), purpose.rawValue, now])
    }

    func stored(row: Int64, _ db: Connection) throws -> StoredAccount? {
        try db.fetchOne(sql: "SELECT * FROM account WHERE id = ?", arguments: [row]).flatMap(stored)
    }

    /// nil for an account whose key was destroyed.
    func stored(_ row: Row) throws -> StoredAccount? {
        guard let id = AccountID(bytes: row["account"] as Data), let key = try keys.key(of: id.person) else { return nil }
        let bytes = try Envelope.open(row["details"] as Data, with: key, at: Self.detailsPlace(id))
        let details = try JSONDecoder().decode([String: String].self, from: Data(bytes))
        return StoredAccount(
            row: row["id"], id: id, roles: Set<Role>(bits: row["roles"]), details: details, password: row["password"],
            language: row["language"], created: row["created"], confirmed: row["confirmed"])
    }

    /// For lists: nil also for one that does not open, which is told.
    func listed(_ row: Row) throws -> StoredAccount? { try unlessDamaged(.account, row["id"] as Int64) { try stored(row) } }

    /// The account's name, for lists that tell who somebody is; empty where nobody can say.
    func listedName(of id: AccountID, _ db: Connection) throws -> String {
        try unlessDamaged(.account, id) { try account(id, db) }?.name ?? ""
    }

    func sealed(_ details: [String: String], of id: AccountID, with key: PersonKey) throws -> Data {
        Data(try Envelope.seal(Array(JSONEncoder().encode(details)), with: key, at: Self.detailsPlace(id)))
    }

    private static func detailsPlace(_ id: AccountID) -> Envelope.Place { .init(person: id.person, table: .account, row: (0, 0)) }
}
