public import Accounts
import Database
import Foundation
public import Privacy
public import Vitals

/// A person's offer to a caregiver (ACC-11): it counts from the moment in which the invited one takes it.
public struct CareInvitation: Sendable, Hashable, Codable {
    public let person: PersonID
    /// The account that offered it: the person, or a minor's parent.
    public let by: AccountID
    /// To which address it went.
    public let email: String
    @StoredKinds public private(set) var kinds: Set<DataKind>
    /// Its purpose, in the person's words.
    public let purpose: String
    /// It is no view: whoever takes it decides for the minor as well, as a parent. nil: no.
    public let isParent: Bool?

    public init(person: PersonID, by: AccountID, email: String, kinds: Set<DataKind>, purpose: String, isParent: Bool = false) {
        (self.person, self.by, self.email, self.purpose) = (person, by, email, purpose)
        self.isParent = isParent ? true : nil
        _kinds = StoredKinds(wrappedValue: kinds.withWholes)
    }
}

extension CareStore {
    // MARK: Accounts that somebody else opens

    /// Makes an account that waits for its person, and the link that hands it over.
    public func openAccount(
        _ new: NewAccount, by caregiver: AccountID, linkHash: [UInt8], linkExpires: Milliseconds, now: Milliseconds
    ) throws -> AccountStore.Added {
        let added = try accounts.addAccount(
            new, linkHash: Array(Secret.hash(Secret.make(randomness))), linkExpires: now, opener: caregiver, now: now)
        guard case .added(let account) = added else { return added }
        try pool.write { db in
            try db.execute(sql: "INSERT INTO opened(account, caregiver) VALUES(?, ?)", arguments: [account.row, Data(caregiver.bytes)])
            try AccountStore.addLink(linkHash, .handOver, account.row, expires: linkExpires, db)
        }
        return added
    }

    /// The account behind the link of a hand-over, and who opened it; nil when the link does not work (any more).
    public func handOver(_ linkHash: [UInt8], now: Milliseconds) throws -> (account: StoredAccount, caregiver: StoredAccount?)? {
        guard let account = try accounts.account(ofLink: linkHash, .handOver, now: now) else { return nil }
        let caregiver = try pool.read {
            try $0.fetchOne(Data.self, sql: "SELECT caregiver FROM opened WHERE account = ?", arguments: [account.row])
        }
        return (account, try caregiver.flatMap { AccountID(bytes: $0) }.flatMap { try accounts.account($0) })
    }

    /// The account that opened one that waits for its hand-over; nil for every other account.
    public func opener(of account: StoredAccount) throws -> StoredAccount? {
        guard account.confirmed == nil else { return nil }
        return try pool.read { db in
            try db.fetchOne(Data.self, sql: "SELECT caregiver FROM opened WHERE account = ?", arguments: [account.row])
                .flatMap { AccountID(bytes: $0) }.flatMap { try accounts.account($0, db) }
        }
    }

    /// The person takes the account over: it works from now on. nil when the link does not work (any more).
    public func takeOver(
        _ linkHash: [UInt8], password: String, accepted: [Field: String], now: Milliseconds
    ) throws -> StoredAccount? {
        try pool.write { db in
            guard let row = try AccountStore.useLink(linkHash, .handOver, now: now, db) else { return nil }
            try db.execute(sql: "UPDATE account SET password = ?, confirmed = ? WHERE id = ?", arguments: [password, now, row])
            try invitations.meetRequests(of: row, now: now, db)
            try db.execute(sql: "DELETE FROM opened WHERE account = ?", arguments: [row])
            try db.execute(
                sql: "DELETE FROM mail_link WHERE account = ? AND purpose = ?", arguments: [row, MailLinkPurpose.handOver.rawValue])
            for (document, version) in accepted {
                try db.execute(
                    sql: "INSERT INTO acceptance(account, document, version, time) VALUES(?, ?, ?, ?) ON CONFLICT DO NOTHING",
                    arguments: [row, document.rawValue, version, now])
            }
            guard let account = try accounts.stored(row: row, db) else { return nil }
            try accounts.insertPerson(account.id.person, name: account.name, now: now, db)
            return account
        }
    }

    /// Keeps a link for a new password, in the place of those before: an old paper is worth nothing.
    public func setPrintedResetLink(_ linkHash: [UInt8], of account: StoredAccount, expires: Milliseconds) throws {
        try pool.write { db in
            try db.execute(
                sql: "DELETE FROM mail_link WHERE account = ? AND purpose = ?", arguments: [account.row, MailLinkPurpose.reset.rawValue])
            try AccountStore.addLink(linkHash, .reset, account.row, expires: expires, db)
        }
    }

    // MARK: Minors

    /// Makes a minor's account, confirmed, in the hands of a parent (ACC-17), and the timer for the day on which that ends.
    /// - Parameter adultFrom: UTC milliseconds.
    public func openMinor(_ new: NewAccount, guardian: AccountID, adultFrom: Milliseconds, now: Milliseconds) throws -> AccountStore.Added {
        let added = try accounts.addAccount(
            new, linkHash: Array(Secret.hash(Secret.make(randomness))), linkExpires: now, opener: guardian, now: now)
        guard case .added(let account) = added else { return added }
        // Before it works: never is there a minor without a parent.
        try consents.setGuardians([guardian], of: account.id.person, adultFrom: adultFrom)
        return try pool.write { db in
            try timers.setTimer(.majority, account.id.person.bytes, due: adultFrom, db)
            // Nobody proved whose address or identifier it is: requests that wait for those do not come here.
            try db.execute(sql: "UPDATE account SET confirmed = ? WHERE id = ?", arguments: [now, account.row])
            try accounts.insertPerson(account.id.person, name: account.name, now: now, db)
            if let parent = try accounts.account(guardian, db) { try makeCaregiver(parent, db) }
            return try accounts.stored(row: account.row, db).map { .added($0) } ?? added
        }
    }

    /// The minors for whom an account decides at `now`.
    public func wards(of guardian: AccountID, now: Milliseconds) throws -> [PersonID] {
        try pool.read { db in
            try db.fetchAll(
                Data.self,
                sql: """
                    SELECT person FROM guardian JOIN minor USING(person) JOIN account ON account.account = person
                    WHERE guardian.account = ? AND adult_from > ? AND confirmed IS NOT NULL ORDER BY account.id
                    """,
                arguments: [Data(guardian.bytes), now]
            ).compactMap { PersonID(bytes: $0) }
        }
    }

    /// Whether somebody is, or was, a minor here: their date of birth stays what the parent gave.
    public func hasBeenMinor(_ person: PersonID) throws -> Bool {
        try pool.read { try $0.fetchOne(Bool.self, sql: "SELECT 1 FROM minor WHERE person = ?", arguments: [Data(person.bytes)]) != nil }
    }

    /// A minor's birthday has come: whoever decided is told that it is over, and the person gets a link for a password of their own. Who has no
    /// mailbox gets it by the parents. nil when the day has not come.
    public func comeOfAge(
        _ person: PersonID, linkHash: [UInt8], link: String, linkExpires: Milliseconds, now: Milliseconds
    ) throws -> StoredAccount? {
        try pool.write { db in
            let authority = try consents.authority(over: person, db)
            guard !authority.isMinor(at: now) else {
                try timers.setTimer(.majority, person.bytes, due: authority.adultFrom, db)
                return nil
            }
            try timers.setTimer(.majority, person.bytes, due: nil, db)
            guard let own = authority.account, let account = try accounts.account(own, db) else { return nil }
            try AccountStore.addLink(linkHash, .reset, account.row, expires: linkExpires, db)
            try notices.addMail("care.ownNow", ["link": link], to: account, now: now, db)
            for guardian in authority.guardians.sorted() {
                guard let parent = try accounts.account(guardian, db) else { continue }
                var arguments = ["person": account.name, "user": account.email]
                if !account.hasMail { arguments["link"] = link }
                try notices.addMail(account.hasMail ? "care.viewEnded" : "care.viewEndedLink", arguments, to: parent, now: now, db)
            }
            return account
        }
    }

    // MARK: Caregivers

    /// Invitations of one person that wait, at most.
    public static let invitationsMax = 20

    /// Keeps an offer and mails it, to whoever has the address; false when the person has ``invitationsMax`` that wait.
    public func invite(
        _ invitation: CareInvitation, linkHash: [UInt8], link: String, stop: String, expires: Milliseconds, now: Milliseconds
    ) throws -> Bool {
        let person = invitation.person
        return try pool.write { db in
            _ = try consents.authority(over: person, db).decider(invitation.by, at: now)
            try db.execute(sql: "DELETE FROM invitation WHERE expires <= ?", arguments: [now])
            // The new one counts in the place of one that waits for the same address.
            let address = try? EmailAddress(invitation.email).canonical
            for old in try waitingInvitations(of: person, now: now, db) where (try? EmailAddress(old.offer.email).canonical) == address {
                try db.execute(sql: "DELETE FROM invitation WHERE hash = ?", arguments: [Data(old.hash)])
            }
            let waiting = try db.fetchOne(
                Int.self, sql: "SELECT count(*) FROM invitation WHERE person = ?", arguments: [Data(person.bytes)])
            guard waiting ?? 0 < Self.invitationsMax, let inviter = try accounts.account(invitation.by, db) else { return false }
            try db.execute(
                sql: "INSERT INTO invitation(hash, person, expires, envelope) VALUES(?, ?, ?, ?)",
                arguments: [Data(linkHash), Data(person.bytes), expires, try seal(invitation, of: person, .invitation, Self.row(linkHash))])
            let name = try accounts.account(AccountID(person), db)?.name ?? inviter.name
            // Nobody learns who refuses letters; one's own account has its own choices.
            if let address {
                let whom = accounts.index("email", address)
                if try deferredWork.refusesLetters(whom, db), try accounts.account(withAddress: whom, db) == nil { return true }
            }
            try notices.addMail(
                "care.invited",
                ["person": InvitationStore.inviterName(name), "link": link, "stop": stop, NoticeStore.deliverTo: invitation.email],
                to: inviter, now: now,
                db)
            return true
        }
    }

    /// The invitations of one person that nobody has taken, by the hashes of their links.
    public func waitingInvitations(of person: PersonID, now: Milliseconds) throws -> [(hash: [UInt8], offer: CareInvitation)] {
        try pool.read { try waitingInvitations(of: person, now: now, $0) }
    }

    private func waitingInvitations(
        of person: PersonID, now: Milliseconds, _ db: Connection
    ) throws -> [(hash: [UInt8], offer: CareInvitation)] {
        let hashes = try db.fetchAll(
            Data.self, sql: "SELECT hash FROM invitation WHERE person = ? AND expires > ? ORDER BY expires",
            arguments: [Data(person.bytes), now])
        return try hashes.compactMap { hash in
            try unlessDamaged(.invitation, Hexadecimal.string(hash.prefix(8))) {
                try invitation(Array(hash), now: now, db)
            }.map { (Array(hash), $0) }
        }
    }

    /// Takes an invitation back before somebody has taken it. False when it is not this person's, or is gone.
    public func withdrawInvitation(_ hash: [UInt8], of person: PersonID) throws -> Bool {
        try pool.write { db in
            try db.execute(
                sql: "DELETE FROM invitation WHERE hash = ? AND person = ?", arguments: [Data(hash), Data(person.bytes)])
            return db.changesCount > 0
        }
    }

    /// The offer of a link; nil when it does not work (any more).
    public func invitation(_ linkHash: [UInt8], now: Milliseconds) throws -> CareInvitation? {
        try pool.read { try invitation(linkHash, now: now, $0) }
    }

    func invitation(_ linkHash: [UInt8], now: Milliseconds, _ db: Connection) throws -> CareInvitation? {
        let row = try db.fetchOne(
            sql: "SELECT person, envelope FROM invitation WHERE hash = ? AND expires > ?", arguments: [Data(linkHash), now])
        guard let row, let person = PersonID(bytes: row[0] as Data) else { return nil }
        return try open(CareInvitation.self, row[1] as Data, of: person, .invitation, Self.row(linkHash))
    }

    /// A caregiver takes an offer, once: the consent that it stands for is given by whoever offered it, if they still may. The link is used up
    /// first: a crash in between costs another invitation, and never lets two in. nil when the link does not work (any more).
    public func takeInvitation(
        _ linkHash: [UInt8], by caregiver: StoredAccount, parameters: ConsentParameters, now: Milliseconds
    ) throws -> ConsentOutcome? {
        let offer = try pool.write { db -> CareInvitation? in
            guard let offer = try invitation(linkHash, now: now, db), offer.isParent != true else { return nil }
            guard caregiver.confirmed != nil, caregiver.id.person != offer.person else { throw ConsentProblem.notYours }
            try db.execute(sql: "DELETE FROM invitation WHERE hash = ?", arguments: [Data(linkHash)])
            return offer
        }
        guard let offer else { return nil }
        let scope = try ConsentScope(asker: .caregiver(caregiver.id), kinds: offer.kinds, purpose: offer.purpose, term: .untilRevoked)
        let outcome = try consents.giveConsent(scope, of: offer.person, by: offer.by, parameters: parameters, now: now)
        if let inviter = try accounts.account(offer.by) {
            try notices.addNotice(.careTaken, ["caregiver": caregiver.name], to: inviter, now: now)
        }
        return outcome
    }

    /// A caregiver has the role and its notices, whichever way it began.
    func makeCaregiver(_ account: StoredAccount, _ db: Connection) throws {
        guard !account.roles.contains(.caregiver) else { return }
        let roles = account.roles.union([.caregiver])
        try db.execute(sql: "UPDATE account SET roles = ? WHERE id = ?", arguments: [roles.bits, account.row])
    }

    private static func row(_ hash: [UInt8]) -> (UInt64, UInt64) {
        let words = hash.prefix(16).reduce(into: (UInt64(0), UInt64(0))) { $0 = ($0.0 << 8 | $0.1 >> 56, $0.1 << 8 | UInt64($1)) }
        return words
    }
}
