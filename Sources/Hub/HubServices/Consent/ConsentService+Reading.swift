import Accounts
public import HubStore
public import Privacy
public import Vitals

extension ConsentService {
    // MARK: Lists

    /// My Followers: questions, consents that run, and what is over (CONS-7).
    /// - Parameter account: the person's own, or a parent's.
    public func followers(of person: PersonID, for account: AccountID, before: Int64? = nil) throws -> ConsentPage<PersonConsent> {
        try checkMayRead(person, account)
        func look() throws -> ConsentPage<PersonConsent> {
            try before.map { try accounts.consents.consents(of: person, before: $0) } ?? accounts.consents.firstConsents(of: person)
        }
        let page = try look()
        let due = page.items.map(\.consent).filter { $0.isDue(at: time.now) }
        guard !due.isEmpty else { return page }
        // Whoever sees that time is up says so, whenever the timer comes round.
        for consent in due { try pass(consent.id) }
        return try look()
    }

    /// One question or consent, for a receipt; nil for what is another's, or nobody's.
    /// - Parameter account: the person's own, or a parent's.
    public func consent(_ id: ConsentID, of person: PersonID, for account: AccountID) throws -> PersonConsent? {
        try checkMayRead(person, account)
        return try accounts.consents.consent(id, of: person)
    }

    /// The ledger (DATA-12); with `consent` what one follower read.
    public func ledger(
        of person: PersonID, for account: AccountID, consent: ConsentID? = nil, before: Int64? = nil
    ) throws -> LedgerPage {
        try checkMayRead(person, account)
        return try accounts.ledger.ledger(of: person, consent: consent, before: before)
    }

    public func policy(of person: PersonID, for account: AccountID) throws -> AccessPolicy {
        try checkMayRead(person, account)
        return try accounts.consents.policy(of: person)
    }

    public func blockedAskers(of person: PersonID, for account: AccountID) throws -> [ConsentStore.BlockedAsker] {
        try checkMayRead(person, account)
        return try accounts.consents.blockedAskers(of: person)
    }

    /// Somebody who asks, by name.
    public struct Asker: Sendable, Hashable {
        public let reader: Reader
        public let name: String
    }

    /// Accounts that may be set apart in the policy: those that asked or were set apart before, and publishers of services, by name.
    public func knownAskers(of person: PersonID, for account: AccountID) throws -> [Asker] {
        try checkMayRead(person, account)
        let asked = try accounts.consents.consents(of: person).items.map(\.consent.request.scope.asker)
        let publishers = try accounts.services.services().map { Reader.organisation($0.organisation) }
        let apart = try accounts.consents.policy(of: person).exceptions.keys
        return try Set(asked + publishers + apart).compactMap { reader in
            if case .named = reader { return nil }
            return try accounts.account(reader.account).map { Asker(reader: reader, name: $0.name) }
        }.sorted { ($0.name, $0.reader.account) < ($1.name, $1.reader.account) }
    }

    /// The asker's history (CONS-9).
    public func history(of reader: Reader, before: Int64? = nil) throws -> ConsentPage<AskedConsent> {
        try accounts.consents.consents(askedBy: reader, before: before, now: time.now)
    }

    /// Requests for an operator to look at (CONS-11), the oldest first.
    public func waiting(for account: StoredAccount) throws -> [WaitingConsent] {
        guard account.roles.contains(.operator) else { throw ConsentProblem.notYours }
        return try accounts.consents.consentsAwaitingOperator(now: time.now)
    }

    func checkMayRead(_ person: PersonID, _ account: AccountID) throws {
        guard try accounts.consents.authority(over: person).grant(to: account, at: time.now) != nil else { throw ConsentProblem.notYours }
    }

    // MARK: Reading by a consent

    /// Samples between two instants (UTC milliseconds, both included), of the granted kinds; it stands in the ledger before it is read.
    /// - Returns: nil when the consent gives this reader nothing (any more).
    public func read(
        _ id: ConsentID, as reader: Reader, for service: ServiceID? = nil, from: Milliseconds, to: Milliseconds
    ) throws -> Reading? {
        try recorded(id, reader, service) { try series.read($0, from: from, to: to, now: time.now) }
    }

    /// With what the same is read part by part.
    public func grant(_ id: ConsentID, as reader: Reader, for service: ServiceID? = nil) throws -> Grant? {
        try recorded(id, reader, service) { $0 }
    }

    /// The newest samples, as ``HubStore/SeriesReader/last(_:_:within:now:)`` gives them.
    public func last(_ count: Int, _ id: ConsentID, as reader: Reader, for service: ServiceID? = nil) throws -> Reading? {
        try recorded(id, reader, service) { try series.last(count, $0, now: time.now) }
    }

    /// The same, and the newest value of each scalar kind, however old: one read in the ledger.
    public func latest(
        _ count: Int, _ id: ConsentID, as reader: Reader, for service: ServiceID? = nil
    ) throws -> (reading: Reading, scalars: [NewestScalar])? {
        try recorded(id, reader, service) { grant in
            guard let reading = try series.last(count, grant, now: time.now),
                let scalars = try series.newestScalars(grant, now: time.now)
            else { return nil }
            return (reading, scalars)
        }
    }

    private func recorded<Value>(
        _ id: ConsentID, _ reader: Reader, _ service: ServiceID?, _ read: (Grant) throws -> Value?
    ) throws -> Value? {
        guard let grant = try accounts.consents.grant(by: id, to: reader, for: service, now: time.now) else { return nil }
        try accounts.ledger.recordRead(grant, now: time.now)
        return try read(grant)
    }
}
