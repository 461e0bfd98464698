import Accounts
public import HubStore
public import Logging
public import Privacy
public import Vitals

/// Asking, answering and ending consents: behaviour without HTTP. The rules are `Privacy`'s, the transactions the store's; here stands
/// who may do what, what time it is, and that open streams hear of it.
///
/// All functions throw a ``Privacy/ConsentProblem`` for what was not done, and the store's errors for what went wrong.
public struct ConsentService: Sendable {
    /// The settings of CONS-3 and CONS-10.
    public struct Settings: Sendable {
        /// For organisations.
        public var organisations = ConsentParameters.data4Help
        /// For relatives, and for what a person gives unasked.
        public var caregivers = ConsentParameters.caregiver

        public init() {}
    }

    let accounts: AccountStore
    let series: SeriesReader
    let strips: ECGStore
    let time: MonotonicUTC
    let bus: LiveBus
    let settings: Settings
    private let logger: Logger
    public let ends = ServiceEnds()

    /// UTC milliseconds, never going back.
    public var now: Milliseconds { time.now }

    /// - Parameter bus: whoever watches through it looks at its grant again as soon as access ends.
    public init(
        accounts: AccountStore, series: SeriesReader, strips: ECGStore, bus: LiveBus, settings: Settings = Settings(), time: MonotonicUTC,
        logger: Logger = Logger(label: "trackme.consents")
    ) {
        (self.accounts, self.series, self.strips) = (accounts, series, strips)
        (self.bus, self.settings, self.time, self.logger) = (bus, settings, time, logger)
    }

    // MARK: The asker

    /// An organisation asks a person for data (CONS-1). The answer depends on what the asker did before, and on nothing else.
    public func ask(
        _ address: ConsentAddress, by account: StoredAccount, kinds: Set<DataKind>, purpose: String, term: ConsentTerm
    ) throws -> AskedConsent {
        guard account.confirmed != nil, account.roles.contains(.organisation) else { throw ConsentProblem.notYours }
        return try ask(
            address, as: .organisation(OrganisationID(account.id)), kinds: kinds, purpose: purpose, term: term,
            parameters: settings.organisations)
    }

    /// A relative asks to look after somebody (ACC-11).
    public func askAsCaregiver(
        _ address: ConsentAddress, by account: StoredAccount, kinds: Set<DataKind>, purpose: String
    ) throws -> AskedConsent {
        guard account.confirmed != nil else { throw ConsentProblem.notYours }
        return try ask(
            address, as: .caregiver(account.id), kinds: kinds, purpose: purpose, term: .untilRevoked, parameters: settings.caregivers)
    }

    private func ask(
        _ address: ConsentAddress, as reader: Reader, kinds: Set<DataKind>, purpose: String, term: ConsentTerm,
        parameters: ConsentParameters
    ) throws -> AskedConsent {
        let now = time.now
        let scope = try ConsentScope(asker: reader, kinds: kinds, purpose: purpose, term: term)
        let request = ConsentRequest(whom: address.whom(in: accounts), scope: scope, created: now)
        let consent = try accounts.consents.ask(request, label: address.label, parameters: parameters).consent
        return AskedConsent(consent, label: address.label, now: now)
    }

    /// The asker takes a question back, or reads no more (CONS-6).
    public func end(_ id: ConsentID, by reader: Reader) throws {
        guard let outcome = try accounts.consents.endConsent(id, by: reader, now: time.now) else { throw ConsentProblem.notYours }
        try done(outcome)
    }

    /// The asker says that it deleted what the person took back.
    /// - Throws: ``Privacy/ConsentProblem/notYours`` for what is another's, or was not taken back.
    public func confirmDeletion(_ id: ConsentID, by reader: Reader) throws {
        guard try accounts.consents.deletions.confirm(id, by: reader, now: time.now) else { throw ConsentProblem.notYours }
    }

    /// Before an asker's account is deleted: every question is taken back, and nothing is read any more.
    public func endAll(by reader: Reader) throws {
        var next: Int64?
        repeat {
            let page = try accounts.consents.consents(askedBy: reader, before: next, now: time.now)
            for consent in page.items {
                if case .over = consent.shown { continue }
                try end(consent.id, by: reader)
            }
            next = page.next
        } while next != nil
    }

    /// The asker has all of what it asked for once.
    public func delivered(_ id: ConsentID, to reader: Reader) throws {
        guard try accounts.consents.consent(id, askedBy: reader, now: time.now) != nil else { throw ConsentProblem.notYours }
        if let outcome = try accounts.consents.deliveredConsent(id, now: time.now) { try done(outcome) }
    }

    // MARK: The operator

    /// Lets a request leave, and all others of its kind, now and later (CONS-11).
    /// - Parameter seen: the ``HubStore/StoredAccount/checkMark`` of the organisation that the operator looked at.
    /// - Throws: `AskerChanged` when the organisation is another one by now than was looked at.
    public func approve(_ id: ConsentID, seen: String? = nil, by account: StoredAccount) throws {
        guard account.roles.contains(.operator) else { throw ConsentProblem.notYours }
        if let outcome = try accounts.consents.approveConsent(id, seen: seen, now: time.now) { try done(outcome) }
    }

    public func refuse(_ id: ConsentID, by account: StoredAccount) throws {
        guard account.roles.contains(.operator) else { throw ConsentProblem.notYours }
        if let outcome = try accounts.consents.refuseConsent(id, now: time.now) { try done(outcome) }
    }

    // MARK: The person

    /// Accepts, denies or revokes (CONS-2, CONS-6). A revocation holds from its commit on; open streams end at once.
    /// - Parameters:
    ///   - part: what of the question an acceptance is about; nil for all of it.
    ///   - account: the person's, or a parent's.
    public func answer(_ id: ConsentID, _ answer: ConsentAnswer, part: ConsentPart? = nil, by account: AccountID) throws {
        try done(try accounts.consents.answerConsent(id, answer, part: part, by: account, now: time.now), by: account)
    }

    func give(_ scope: ConsentScope, of person: PersonID, by account: AccountID) throws -> ConsentID {
        let outcome = try accounts.consents.giveConsent(scope, of: person, by: account, parameters: settings.caregivers, now: time.now)
        try done(outcome)
        return outcome.consent.id
    }

    /// The kinds that may ever be asked for (CONS-13).
    public func setPolicy(_ policy: AccessPolicy, of person: PersonID, by account: AccountID) throws {
        try accounts.consents.setPolicy(policy, of: person, by: account, now: time.now)
    }

    /// Lets an asker that was denied too often ask again.
    public func liftBlock(of asker: Reader, with person: PersonID, by account: AccountID) throws {
        try accounts.consents.liftBlock(of: asker, with: person, by: account, now: time.now)
    }

    /// Before an account is deleted: every question is denied, and every consent ends with its commit.
    public func endAll(of person: PersonID, by account: AccountID) throws {
        var next: Int64?
        repeat {
            let page = try accounts.consents.consents(of: person, before: next)
            for consent in page.items.map(\.consent) {
                // Also of what can be downloaded again: that it went away without a revocation would tell that the account is gone.
                let isRepeated = consent.repeated(at: time.now) != nil
                guard isRepeated || !consent.isOver(at: time.now) else { continue }
                var answer = isRepeated ? ConsentAnswer.revoke : .deny
                if case .accepted = consent.state { answer = .revoke }
                try self.answer(consent.id, answer, by: account)
            }
            next = page.next
        } while next != nil
    }

    // MARK: Time

    /// Handlers of the timers of consents.
    public var timers: [TimerKind: TimerService.Handler] {
        [
            .consentDeadline: { timer in
                guard let id = ConsentID(bytes: timer.subject) else { return }
                try pass(id)
            },
            .consentReach: { timer in
                guard let id = ConsentID(bytes: timer.subject) else { return }
                try accounts.consents.reachConsent(id, now: time.now)
            },
            .consentReminder: { timer in
                guard let id = ConsentID(bytes: timer.subject) else { return }
                try accounts.consents.reminders.remind(of: id, now: time.now)
            },
            .offerReach: { timer in
                guard let id = ConsentID(bytes: timer.subject) else { return }
                try accounts.offers.reachOffer(id, now: time.now)
            },
        ]
    }

    func pass(_ id: ConsentID) throws {
        if let outcome = try accounts.consents.passTime(id, now: time.now) { try done(outcome) }
    }

    /// An organisation learns behind the yes, and not before it, that nothing exists of what it asked for (CONS-4). The yes holds whatever
    /// becomes of this.
    private func tellIfEmpty(_ consent: Consent) {
        let now = time.now, scope = consent.request.scope
        guard case .organisation = scope.asker, let grant = consent.grant(to: scope.asker, for: scope.service, at: now) else { return }
        do {
            guard try series.hours(grant, in: 0...max(0, now), now: now)?.isEmpty == true,
                try strips.strips(grant, in: 0...max(0, now), now: now)?.isEmpty != false
            else { return }
            try accounts.webhooks.tellNoData(consent, now: now)
        } catch {
            logger.error("whether anything exists of what was granted cannot be read: no program is told", metadata: ["error": "\(error)"])
        }
    }

    /// After the commit: streams hear of the end first, then whoever acted hears of a refusal.
    /// - Parameter account: who decided for the person, where somebody did.
    func done(_ outcome: ConsentOutcome, by account: AccountID? = nil) throws {
        if outcome.cut, let person = outcome.consent.person {
            bus.recheck(person)
            if let service = outcome.consent.request.scope.service.flatMap({ BuiltInService($0) }) {
                ends.ended(service, of: person, by: account ?? AccountID(person))
            }
        }
        if outcome.opened { tellIfEmpty(outcome.consent) }
        if let problem = outcome.refused { throw problem }
    }
}
