public import Accounts
public import HubStore
public import Privacy
public import Vitals

/// Letting somebody read who did not ask: a doctor, a relative (CONS-16).
extension ConsentService {
    /// Offers reading to an address. What the giver sees of it is the same whether or not somebody has an account with it, until that
    /// somebody takes it.
    /// - Parameter account: who decides for the person.
    @discardableResult
    public func offer(
        to email: EmailAddress, kinds: Set<DataKind>, purpose: String, term: ConsentTerm = .untilRevoked, of person: PersonID,
        by account: AccountID
    ) throws -> ConsentID {
        // What is wrong with it is told now, not when it is taken.
        _ = try ConsentScope(asker: .named(account), kinds: kinds, purpose: purpose, term: term)
        if case .until(let end) = term, end <= time.now { throw ConsentProblem.termOutOfRange }
        let details = ReadingOffer.Details(email: email.address, kinds: kinds, purpose: purpose, term: term, by: account)
        return try accounts.offers.offerReading(details, to: email, of: person, now: time.now)
    }

    /// A person's own offers that nobody has taken, with whether each can still be taken.
    public func offers(of person: PersonID, for account: AccountID) throws -> [(offer: ReadingOffer, isWaiting: Bool)] {
        try checkMayRead(person, account)
        let now = time.now
        return try accounts.offers.offers(of: person, now: now).map { ($0, $0.isWaiting(at: now)) }
    }

    public func withdrawOffer(_ id: ConsentID, of person: PersonID, by account: AccountID) throws {
        try accounts.offers.withdrawOffer(id, of: person, by: account, now: time.now)
    }

    /// Offers of others to this account.
    public func offers(to account: StoredAccount) throws -> [(offer: ReadingOffer, name: String)] {
        try accounts.offers.offers(to: account, now: time.now)
    }

    public func takeOffer(_ id: ConsentID, by account: StoredAccount) throws {
        try done(try accounts.offers.takeOffer(id, by: account, parameters: settings.caregivers, now: time.now))
    }

    public func declineOffer(_ id: ConsentID, by account: StoredAccount) throws {
        try accounts.offers.declineOffer(id, by: account, now: time.now)
    }

    /// Somebody who lets an account read.
    public struct Followed: Sendable {
        public let consent: AskedConsent
        public let grant: Grant
        public let name: String
    }

    /// The people who let this account read, by name.
    public func followed(by account: StoredAccount) throws -> [Followed] {
        try accounts.consents.grants(to: .named(account.id), now: time.now).compactMap { consent, grant in
            guard let person = try accounts.person(grant.person) else { return nil }
            return Followed(consent: consent, grant: grant, name: person.name)
        }.sorted { $0.name < $1.name }
    }

    /// One of them; nil when the consent gives this account nothing (any more).
    public func followed(_ id: ConsentID, by account: StoredAccount) throws -> Followed? {
        guard let grant = try accounts.consents.grant(by: id, to: .named(account.id), now: time.now),
            let consent = try accounts.consents.consent(id, askedBy: .named(account.id), now: time.now),
            let person = try accounts.person(grant.person)
        else { return nil }
        return Followed(consent: consent, grant: grant, name: person.name)
    }
}
