public import Accounts
import Database
import Foundation
public import Privacy
import Seams
public import Vitals

/// A person's offer to let somebody read (CONS-16), as long as that somebody has not taken it. Whoever has the address may take it within
/// ``OfferStore/offerLifetime``; the person sees no difference between somebody with an account who waits and somebody without one.
public struct ReadingOffer: Sendable, Hashable {
    public enum State: Int64, Sendable, Hashable {
        case open, taken, withdrawn, declined
    }

    /// Becomes the identifier of the consent.
    public let id: ConsentID
    public let person: PersonID
    public let details: Details
    /// UTC milliseconds.
    public let created: Milliseconds
    public let expires: Milliseconds
    public let state: State

    /// The person's word.
    public struct Details: Sendable, Hashable, Codable {
        /// As it was typed.
        public var email: String
        @StoredKinds public var kinds: Set<DataKind>
        public var purpose: String
        public var term: ConsentTerm
        /// The account that offers: the person, or a minor's parent.
        public var by: AccountID

        public init(email: String, kinds: Set<DataKind>, purpose: String, term: ConsentTerm, by: AccountID) {
            (self.email, self.purpose, self.term, self.by) = (email, purpose, term, by)
            _kinds = StoredKinds(wrappedValue: kinds.withWholes)
        }
    }

    /// Whether it can still be taken. One that was declined looks so too: that is the other side's own business.
    public func isWaiting(at now: Milliseconds) -> Bool { (state == .open || state == .declined) && now < expires }
}

extension OfferStore {
    /// An offer waits for so long, milliseconds: 72 hours.
    public static let offerLifetime: Milliseconds = 72 * 3_600_000
    /// Offers of one person within 24 hours, at most: each is a mail to somebody.
    public static let offersDailyMax = 10
    /// What became of an offer is shown for so long, milliseconds: 30 days.
    private static let offerMemory: Milliseconds = 30 * 86_400_000

    /// Puts an offer down. Nobody is looked up here: the answer comes after the same work whoever has the address. Its mail leaves by a
    /// timer: ``reachOffer(_:now:)``.
    /// - Throws: a ``Privacy/ConsentProblem``: `notYours` for who does not decide, and for the person's own address; `alreadyAsked` when
    ///   the same is offered already; `tooManyOpen` beyond ``offersDailyMax``.
    public func offerReading(_ details: ReadingOffer.Details, to email: EmailAddress, of person: PersonID, now: Milliseconds) throws
        -> ConsentID
    {
        let id = randomness.id(ConsentID.self), whom = accounts.index("email", email.canonical)
        let envelope = try seal(details, of: person, .offer, (id.high, id.low))
        return try pool.write { db in
            let decider = try consents.authority(over: person, db).decider(details.by, at: now)
            let own = try db.fetchOne(
                Data.self, sql: "SELECT email_index FROM account WHERE account = ?", arguments: [Data(decider.account.bytes)])
            guard own != whom else { throw ConsentProblem.notYours }
            try db.execute(
                sql: "DELETE FROM offer WHERE person = ? AND expires < ?", arguments: [Data(person.bytes), now - Self.offerMemory])
            let recent = try rows("person = ? AND created > ?", [Data(person.bytes), now - 86_400_000], db)
            guard recent.count < Self.offersDailyMax else { throw ConsentProblem.tooManyOpen }
            if let same = try rows("person = ? AND state IN (0, 3) AND expires > ?", [Data(person.bytes), now], db).first(where: {
                $0.details.email.lowercased() == email.canonical && details.kinds.isSubset(of: $0.details.kinds)
            }) {
                throw ConsentProblem.alreadyAsked(same.id)
            }
            try db.execute(
                sql: "INSERT INTO offer(offer, person, whom, created, expires, state, envelope) VALUES(?, ?, ?, ?, ?, 0, ?)",
                arguments: [Data(id.bytes), Data(person.bytes), whom, now, now + Self.offerLifetime, envelope])
            try timers.setTimer(.offerReach, id.bytes, due: now, db)
            return id
        }
    }

    /// Tells whoever has the address: by the mail of an account, or by an invitation.
    public func reachOffer(_ id: ConsentID, now: Milliseconds) throws {
        try pool.write { db in
            try timers.setTimer(.offerReach, id.bytes, due: nil, db)
            guard let row = try db.fetchOne(sql: "SELECT * FROM offer WHERE offer = ? AND state = 0", arguments: [Data(id.bytes)]),
                let offer = try offer(row), now < offer.expires, let giver = try accounts.account(AccountID(offer.person), db)
            else { return }
            if let reader = try accounts.account(withAddress: row["whom"], db) {
                try notices.addMail("offer.made", ["giver": giver.name], to: reader, now: now, db)
            } else {
                try invitations.invite(
                    offer.details.email, whom: row["whom"], by: giver, "reader", ["giver": InvitationStore.inviterName(giver.name)],
                    now: now, db)
            }
        }
    }

    /// A person's offers that were not taken, the newest first.
    public func offers(of person: PersonID, now: Milliseconds) throws -> [ReadingOffer] {
        try pool.read { try rows("person = ? AND state <> 1", [Data(person.bytes)], $0) }
    }

    /// Offers of others to the address of this account.
    public func offers(to account: StoredAccount, now: Milliseconds) throws -> [(offer: ReadingOffer, name: String)] {
        try pool.read { db in
            guard let whom = try addressIndex(of: account, db) else { return [] }
            return try rows("whom = ? AND state = 0 AND expires > ?", [whom, now], db).map {
                ($0, try accounts.listedName(of: AccountID($0.person), db))
            }
        }
    }

    /// Takes an offer: from this commit on the consent runs. Whoever offered must still decide for the person.
    /// - Throws: ``Privacy/ConsentProblem/notYours`` for an offer to somebody else, one that is over, and one that does not exist.
    public func takeOffer(_ id: ConsentID, by account: StoredAccount, parameters: ConsentParameters, now: Milliseconds) throws
        -> ConsentOutcome
    {
        try pool.write { db in
            let offer = try move(id, to: .taken, by: account, now: now, db)
            let details = offer.details
            let scope = try ConsentScope(
                asker: .named(account.id), kinds: details.kinds, purpose: details.purpose, term: details.term)
            let decider = try consents.authority(over: offer.person, db).decider(details.by, at: now)
            let (consent, effects) = try Consent.give(scope, id: id, by: decider, parameters: parameters, at: now)
            let stored = StoredConsent(consent: consent, label: "")
            try consents.save(stored, db)
            return try consents.run(effects, of: stored, now: now, db)
        }
    }

    /// The reader does not want it. The person is not told.
    public func declineOffer(_ id: ConsentID, by account: StoredAccount, now: Milliseconds) throws {
        try pool.write { _ = try move(id, to: .declined, by: account, now: now, $0) }
    }

    private func move(_ id: ConsentID, to state: ReadingOffer.State, by account: StoredAccount, now: Milliseconds, _ db: Connection) throws
        -> ReadingOffer
    {
        guard account.confirmed != nil, let whom = try addressIndex(of: account, db),
            let row = try db.fetchOne(
                sql: "SELECT * FROM offer WHERE offer = ? AND whom = ? AND state = 0 AND expires > ?",
                arguments: [Data(id.bytes), whom, now]),
            let offer = try offer(row)
        else { throw ConsentProblem.notYours }
        try db.execute(sql: "UPDATE offer SET state = ? WHERE offer = ?", arguments: [state.rawValue, Data(id.bytes)])
        return offer
    }

    /// The person takes an offer back that nobody has taken.
    public func withdrawOffer(_ id: ConsentID, of person: PersonID, by account: AccountID, now: Milliseconds) throws {
        try pool.write { db in
            _ = try consents.authority(over: person, db).decider(account, at: now)
            try db.execute(
                sql: "UPDATE offer SET state = 2 WHERE offer = ? AND person = ? AND state IN (0, 3)",
                arguments: [Data(id.bytes), Data(person.bytes)])
            guard db.changesCount == 1 else { throw ConsentProblem.notYours }
        }
    }

    // MARK: Rows

    private func addressIndex(of account: StoredAccount, _ db: Connection) throws -> Data? {
        try db.fetchOne(Data.self, sql: "SELECT email_index FROM account WHERE id = ? AND confirmed IS NOT NULL", arguments: [account.row])
    }

    private func rows(_ condition: String, _ arguments: Arguments, _ db: Connection) throws -> [ReadingOffer] {
        try db.fetchAll(sql: "SELECT * FROM offer WHERE \(condition) ORDER BY id DESC LIMIT 200", arguments: arguments).compactMap { row in
            try unlessDamaged(.offer, row["id"] as Int64) { try offer(row) }
        }
    }

    /// nil when the person's key was destroyed.
    private func offer(_ row: Row) throws -> ReadingOffer? {
        guard let id = ConsentID(bytes: row["offer"] as Data), let person = PersonID(bytes: row["person"] as Data),
            let details = try open(ReadingOffer.Details.self, row["envelope"] as Data, of: person, .offer, (id.high, id.low)),
            let state = ReadingOffer.State(rawValue: row["state"])
        else { return nil }
        return ReadingOffer(
            id: id, person: person, details: details, created: row["created"], expires: row["expires"], state: state)
    }
}
