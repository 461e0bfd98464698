public import Accounts
import Database
import Foundation
import Privacy
import Seams
import Synchronization
public import Vitals

extension AddressChangeStore {
    /// Addresses that an operator replaces: at most one for each account. The envelope holds the new address and the proof that was seen, sealed with
    /// the account's key; the hashes are those of the links to the new and to the old mailbox.
    static let migration = Migration(
        name: "30 lost addresses",
        sql: """
            CREATE TABLE address_change(account INTEGER PRIMARY KEY REFERENCES account ON DELETE CASCADE, confirmation BLOB NOT NULL UNIQUE,
                stop BLOB NOT NULL UNIQUE, asked INTEGER NOT NULL, due INTEGER NOT NULL, confirmed INTEGER, envelope BLOB NOT NULL);
            """)
}

/// An address that is being replaced (ACC-8).
public struct AddressChange: Sendable, Hashable {
    public let account: StoredAccount
    /// As mail goes to it.
    public let address: String
    /// What the operator saw.
    public let proof: String
    /// UTC milliseconds.
    public let asked: Milliseconds
    /// Not before this, UTC milliseconds.
    public let due: Milliseconds
    /// When the link to the new mailbox was followed, UTC milliseconds; nil for not yet: nothing changes before that.
    public let confirmed: Milliseconds?
}

/// Why an address is not replaced.
public enum AddressChangeProblem: Error, Sendable, Hashable {
    /// No account that works has the address.
    case unknown
    /// The new address has an account.
    case taken
    /// One of this account waits already.
    case waits
}

/// Lost e-mail addresses, which an operator replaces with proof, after a wait, and with word to both mailboxes (ACC-8).
public struct AddressChangeStore: SubjectStore {
    let accounts: AccountStore

    /// Milliseconds from the operator's word to the change: 7 days.
    public static let wait: Milliseconds = 7 * 86_400_000
    /// What nobody confirmed at the new mailbox for so long is forgotten, milliseconds from the operator's word: 30 days.
    public static let lifetime: Milliseconds = 30 * 86_400_000

    public init(_ accounts: AccountStore) { self.accounts = accounts }

    private struct Sealed: Codable {
        var address: String
        var proof: String
        var `operator`: AccountID
    }

    // MARK: Asking

    /// Begins a change. Both mailboxes are written to, the person's boxes and pages say it, and whoever looks after the person is told.
    /// - Parameters:
    ///   - proof: what the operator saw.
    ///   - confirmation: the link to the new mailbox, and `stop` the one to the old: text and hash.
    /// - Throws: ``AddressChangeProblem``.
    public func ask(
        _ address: EmailAddress, for account: StoredAccount, proof: String, by operator: AccountID,
        confirmation: (text: String, hash: [UInt8]), stop: (text: String, hash: [UInt8]), now: Milliseconds
    ) throws {
        let carers = try carers(of: account, now: now)
        try pool.write { db in
            guard account.confirmed != nil else { throw AddressChangeProblem.unknown }
            guard try !isTaken(address, db) else { throw AddressChangeProblem.taken }
            guard try change(of: account.row, db) == nil else { throw AddressChangeProblem.waits }
            let due = now + Self.wait
            let envelope = try seal(
                Sealed(address: address.address, proof: proof, operator: `operator`), of: account.id.person, .addressChange, (0, 0))
            try db.execute(
                sql: "INSERT INTO address_change(account, confirmation, stop, asked, due, envelope) VALUES(?, ?, ?, ?, ?, ?)",
                arguments: [account.row, Data(confirmation.hash), Data(stop.hash), now, due, envelope])
            try timers.setTimer(.addressChange, account.id.bytes, due: due, db)
            try notices.addNotice(.addressAsked, ["end": String(due)], to: account, now: now, db)
            // The old mailbox is written to whatever its owner chose.
            if account.hasMail {
                try notices.addMail(
                    NoticeKind.addressAsked.rawValue, ["end": String(due), "stop": stop.text], to: account, now: now, db)
            }
            try notices.addMail(
                "address.confirm", ["end": String(due), "link": confirmation.text, NoticeStore.deliverTo: address.address], to: account,
                now: now, db)
            for carer in carers {
                try notices.addNotice(.addressWard, ["person": account.name, "end": String(due)], to: carer, now: now, db)
            }
        }
    }

    /// Parents and caregivers of a person; nobody for every other account.
    func carers(of account: StoredAccount, now: Milliseconds) throws -> [StoredAccount] {
        guard account.roles.contains(.person) else { return [] }
        let person = account.id.person, authority = try accounts.consents.authority(over: person)
        let readers = try accounts.consents.running(of: person).compactMap { item -> AccountID? in
            if case .caregiver(let carer) = item.consent.request.scope.asker, item.consent.access(at: now) != nil { carer } else { nil }
        }
        return try Set(readers + (authority.isMinor(at: now) ? Array(authority.guardians) : [])).sorted().compactMap {
            try accounts.account($0)
        }
    }

    private func isTaken(_ address: EmailAddress, _ db: Connection) throws -> Bool {
        try accounts.account(withAddress: accounts.index("email", address.canonical), db) != nil
    }

    // MARK: Links and looks

    /// The link to the new mailbox was followed.
    /// - Returns: false for one that does not work (any more).
    public func confirm(_ hash: [UInt8], now: Milliseconds) throws -> Bool {
        try pool.write { db in
            let row = try db.fetchOne(sql: "SELECT account, asked, due FROM address_change WHERE confirmation = ?", arguments: [Data(hash)])
            guard let row, let account = try accounts.stored(row: row[0], db) else { return false }
            let asked: Milliseconds = row[1], due: Milliseconds = row[2]
            guard now < asked + Self.lifetime else { return false }
            try db.execute(
                sql: "UPDATE address_change SET confirmed = coalesce(confirmed, ?) WHERE account = ?", arguments: [now, account.row])
            try timers.setTimer(.addressChange, account.id.bytes, due: max(now, due), db)
            return true
        }
    }

    /// Whose change a link of one of the two mailboxes belongs to; nil for one that does not work (any more).
    public func account(ofConfirmation hash: [UInt8]) throws -> StoredAccount? {
        try pool.read { db in
            try db.fetchOne(Int64.self, sql: "SELECT account FROM address_change WHERE confirmation = ?", arguments: [Data(hash)])
                .flatMap { try accounts.stored(row: $0, db) }
        }
    }

    public func account(ofStop hash: [UInt8]) throws -> StoredAccount? {
        try pool.read { db in
            try db.fetchOne(Int64.self, sql: "SELECT account FROM address_change WHERE stop = ?", arguments: [Data(hash)])
                .flatMap { try accounts.stored(row: $0, db) }
        }
    }

    /// What waits for an account; nil for nothing.
    public func change(of account: StoredAccount) throws -> AddressChange? { try pool.read { try change(of: account.row, $0) } }

    private func change(of account: Int64, _ db: Connection) throws -> AddressChange? {
        try db.fetchOne(sql: "SELECT * FROM address_change WHERE account = ?", arguments: [account]).flatMap { try stored($0, db) }
    }

    /// All that wait, the first to come first.
    public func changes() throws -> [AddressChange] {
        try pool.read { db in
            try db.fetchAll(sql: "SELECT * FROM address_change ORDER BY due, account").compactMap { row in
                try unlessDamaged(.account, row["account"] as Int64) { try stored(row, db) }
            }
        }
    }

    /// nil where the account was deleted.
    private func stored(_ row: Row, _ db: Connection) throws -> AddressChange? {
        guard let account = try accounts.stored(row: row["account"], db),
            let sealed = try open(Sealed.self, row["envelope"] as Data, of: account.id.person, .addressChange, (0, 0))
        else { return nil }
        return AddressChange(
            account: account, address: sealed.address, proof: sealed.proof, asked: row["asked"], due: row["due"],
            confirmed: row["confirmed"])
    }

    // MARK: The end

    /// Its owner, or an operator, lets it be. Both mailboxes hear of it.
    /// - Returns: false where nothing waits.
    public func stop(_ id: AccountID, now: Milliseconds) throws -> Bool {
        try pool.write { db in
            guard let account = try accounts.account(id, db), let change = try change(of: account.row, db) else { return false }
            try forget(account, db)
            try notices.addMail("address.stopped", [:], to: account, now: now, db)
            try notices.addMail("address.stopped", [NoticeStore.deliverTo: change.address], to: account, now: now, db)
            return true
        }
    }

    private func forget(_ account: StoredAccount, _ db: Connection) throws {
        try db.execute(sql: "DELETE FROM address_change WHERE account = ?", arguments: [account.row])
        try timers.setTimer(.addressChange, account.id.bytes, due: nil, db)
    }

    /// Does what is due: the account has the new address from this commit on, and all of its sessions end. Its password and its second factor stay
    /// what they are. What nobody confirmed waits, and is forgotten after ``lifetime``.
    /// - Returns: whether the address was replaced.
    public func pass(_ id: AccountID, now: Milliseconds) throws -> Bool {
        let person = id.person
        let isDone = try pool.write { db in
            guard let account = try accounts.account(id, db), let change = try change(of: account.row, db) else {
                try timers.setTimer(.addressChange, id.bytes, due: nil, db)
                return false
            }
            guard now < change.asked + Self.lifetime, let address = try? EmailAddress(change.address), try !isTaken(address, db) else {
                try forget(account, db)
                try notices.addMail("address.stopped", [:], to: account, now: now, db)
                return false
            }
            guard change.confirmed != nil, now >= change.due else {
                let next = change.confirmed == nil && now >= change.due ? change.asked + Self.lifetime : change.due
                try timers.setTimer(.addressChange, id.bytes, due: next, db)
                return false
            }
            try replace(address, of: account, now: now, db)
            return true
        }
        if isDone { accounts.tellProfileChanged(person) }
        return isDone
    }

    private func replace(_ address: EmailAddress, of account: StoredAccount, now: Milliseconds, _ db: Connection) throws {
        guard let key = try keys.key(of: account.id.person) else { return }
        let index = accounts.index("email", address.canonical)
        // Whoever signs up with an address and never confirms it holds it for nobody.
        let gone = try db.fetchAll(
            Data.self, sql: "DELETE FROM account WHERE confirmed IS NULL AND email_index = ? RETURNING account", arguments: [index])
        accounts.abandonedKeys.withLock { $0.formUnion(gone.compactMap { PersonID(bytes: $0) }) }
        var details = account.details
        details[Field.email.rawValue] = address.address
        try db.execute(
            sql: "UPDATE account SET email_index = ?, details = ? WHERE id = ?",
            arguments: [index, try accounts.sealed(details, of: account.id, with: key), account.row])
        try db.execute(sql: "DELETE FROM session WHERE account = ?", arguments: [account.row])
        try AccountStore.forgetPushDevicesWithoutSession(of: account.row, db)
        try db.execute(
            sql: "DELETE FROM mail_link WHERE account = ? AND purpose = ?", arguments: [account.row, MailLinkPurpose.reset.rawValue])
        try forget(account, db)
        try accounts.invitations.meetRequests(of: account.row, now: now, db)
        if account.hasMail { try notices.addMail("address.changed", [NoticeStore.deliverTo: account.email], to: account, now: now, db) }
        if let changed = try accounts.account(account.id, db) { try notices.addMail("address.changed", [:], to: changed, now: now, db) }
    }
}
