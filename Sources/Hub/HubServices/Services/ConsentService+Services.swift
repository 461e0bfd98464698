import Accounts
public import HubStore
public import Privacy
public import Vitals

/// Services: published by organisations, checked by operators, added by people (CONS-8).
extension ConsentService {
    // MARK: The person

    /// A service as one person sees it.
    public struct ServiceUse: Sendable {
        /// The consent by which it works now.
        public let running: Consent?
        /// It worked before.
        public let isKnown: Bool
        public let results: [StoredResult]
        /// An operator suspended whoever gives it: it reads nothing at present, and sends nothing back (ACC-20).
        public let isSuspended: Bool
    }

    /// Adds a service: a consent that counts for it alone. Removing it is ``answer(_:_:by:)`` with `.revoke`.
    /// - Parameter language: in which the person read what it is for.
    /// - Returns: nil when there is no such service (any more), or it has no such action.
    @discardableResult
    public func add(
        _ id: ServiceID, _ action: PublishedService.Action, language: String, of person: PersonID, by account: AccountID
    ) throws -> ConsentID? {
        guard let service = try accounts.services.service(id), !service.isWithdrawn, let shown = service.shown,
            shown.actions.contains(action), try !accounts.organisations.isSuspended(service.organisation)
        else { return nil }
        return try add(
            service.organisation, id, shown.kinds, purpose: shown.words(language).purpose, action == .once ? .once : .untilRevoked,
            of: person, by: account)
    }

    /// Adds one of the hub's own services.
    /// - Parameter purpose: what it is for, as the person read it.
    @discardableResult
    public func add(_ service: BuiltInService, purpose: String, of person: PersonID, by account: AccountID) throws -> ConsentID {
        try add(.hub, service.id, service.kinds, purpose: purpose, .untilRevoked, of: person, by: account)
    }

    private func add(
        _ organisation: OrganisationID, _ service: ServiceID, _ kinds: Set<DataKind>, purpose: String, _ term: ConsentTerm,
        of person: PersonID, by account: AccountID
    ) throws -> ConsentID {
        let scope = try ConsentScope(
            asker: .organisation(organisation), service: service, kinds: kinds, purpose: purpose, term: term)
        return try give(scope, of: person, by: account)
    }

    /// Which services work for a person now.
    /// - Parameter account: the person's own, or a parent's.
    public func services(of person: PersonID, for account: AccountID) throws -> Set<ServiceID> {
        try checkMayRead(person, account)
        let now = time.now
        return Set(
            try accounts.consents.consents(of: person, for: nil).filter { $0.access(at: now) != nil }.compactMap(\.request.scope.service))
    }

    public func use(of service: ServiceID, by person: PersonID, for account: AccountID) throws -> ServiceUse {
        try checkMayRead(person, account)
        let consents = try accounts.consents.consents(of: person, for: service)
        return ServiceUse(
            running: consents.first { $0.access(at: time.now) != nil }, isKnown: !consents.isEmpty,
            results: try accounts.services.results(of: person, from: service),
            isSuspended: try accounts.services.service(service).map { try accounts.organisations.isSuspended($0.organisation) } ?? false)
    }

    /// Removes a service: the consent is revoked. What it sent stays with the person.
    public func remove(_ service: ServiceID, of person: PersonID, by account: AccountID) throws {
        try checkMayRead(person, account)
        // Where one does not open this throws: what may still run is not called removed.
        while let consent = try accounts.consents.running(service, of: person, now: time.now) {
            try answer(consent.id, .revoke, by: account)
        }
    }

    /// The service by its identifier: for lists that name it.
    public func service(_ id: ServiceID) throws -> PublishedService? { try accounts.services.service(id) }

    /// Services that a person can add: none of an organisation that is suspended.
    public func services() throws -> [PublishedService] {
        try accounts.services.services().filter { try !accounts.organisations.isSuspended($0.organisation) }
    }

    // MARK: The organisation

    public enum PublishProblem: Error, Sendable, Hashable {
        /// All that is missing or too long.
        case lacks([PublishedService.Description.MissingField])
        /// The organisation has ``HubStore/AccountStore/servicesMax`` already.
        case tooMany
        case unknown
    }

    public func services(of account: StoredAccount) throws -> [PublishedService] {
        try accounts.services.services(of: try publisher(account))
    }

    /// - Throws: ``PublishProblem``.
    public func publish(_ description: PublishedService.Description, by account: StoredAccount) throws -> ServiceID {
        let organisation = try publisher(account)
        guard description.lacks.isEmpty else { throw PublishProblem.lacks(description.lacks) }
        guard let id = try accounts.services.publishService(description, by: organisation, now: time.now) else {
            throw PublishProblem.tooMany
        }
        return id
    }

    /// - Throws: ``PublishProblem``.
    public func change(_ id: ServiceID, _ description: PublishedService.Description, by account: StoredAccount) throws {
        let organisation = try publisher(account)
        guard let known = try accounts.services.service(id), known.organisation == organisation else { throw PublishProblem.unknown }
        // What people consented to stays, whatever was sent.
        let lacks = description.lacks.filter { lack in
            known.shown == nil || ![.kinds, .purposeEnglish, .purposeItalian].contains(lack)
        }
        guard lacks.isEmpty else { throw PublishProblem.lacks(lacks) }
        guard try accounts.services.changeService(id, description, by: organisation, now: time.now) else { throw PublishProblem.unknown }
    }

    /// - Throws: ``PublishProblem/unknown``.
    public func withdraw(_ id: ServiceID, by account: StoredAccount) throws {
        guard try accounts.services.withdrawService(id, by: try publisher(account), now: time.now) else { throw PublishProblem.unknown }
    }

    private func publisher(_ account: StoredAccount) throws -> OrganisationID {
        guard account.confirmed != nil, account.roles.contains(.organisation) else { throw ConsentProblem.notYours }
        return OrganisationID(account.id)
    }

    /// A service sends back what it found out.
    /// - Throws: ``HubStore/ServiceResult/Fault``.
    public func take(_ result: ServiceResult, for id: ConsentID, by reader: Reader) throws -> ResultOutcome {
        try result.check()
        return try accounts.services.addResult(result, to: id, by: reader, now: time.now)
    }

    public func servicesToCheck(for account: StoredAccount) throws -> [PublishedService] {
        guard account.roles.contains(.operator) else { throw ConsentProblem.notYours }
        // Whoever looks here has seen the notices: what is changed from now on is news.
        try accounts.notices.noticesSeen(.serviceCheck, of: account, now: time.now)
        return try accounts.services.servicesAwaitingOperator()
    }

    /// - Parameter version: of what the operator saw.
    /// - Returns: false when there is something else by now.
    public func check(_ id: ServiceID, version: Int64, isApproved: Bool, by account: StoredAccount) throws -> Bool {
        guard account.roles.contains(.operator) else { throw ConsentProblem.notYours }
        return try accounts.services.checkService(id, version: version, isApproved: isApproved, now: time.now)
    }
}
