public import Accounts
import Credentials
public import HubStore
public import Vitals

/// The users of an organisation (ACC-20): invited by mail, each with a log-in and a second factor of their own, and with rights that it sets.
public struct OrganisationUsers: Sendable {
    private let service: AccountService
    private let audit: AuditLog

    /// What is wrong with what an organisation or somebody invited wants.
    public enum Problem: Error, Sendable, Hashable {
        /// The account is no organisation, or the user is another's.
        case notYours
        case address(FieldError)
        /// It has ``HubStore/OrganisationUserStore/usersMax`` users, or too many invitations wait.
        case tooMany
        /// The link does not work (any more).
        case over
        /// The invitation went to another address than that of who is logged in.
        case otherAddress
        /// The address has an account: its owner logs in first.
        case hasAccount
        /// The account is an organisation, runs the hub, or acts for another organisation.
        case cannotJoin
    }

    public init(_ service: AccountService, audit: AuditLog) { (self.service, self.audit) = (service, audit) }

    private var accounts: AccountStore { service.accounts }
    private var store: OrganisationUserStore { OrganisationUserStore(accounts) }

    // MARK: The organisation

    public func users(of organisation: StoredAccount) throws -> [OrganisationUser] { try store.users(of: try checked(organisation)) }

    /// Invitations that wait, the first to expire first.
    public func invitations(of organisation: StoredAccount) throws -> [UserInvitation] {
        try store.invitations(of: try checked(organisation), now: service.now())
    }

    /// - Throws: ``Problem``.
    public func invite(_ typed: String, _ rights: Membership.Rights, to organisation: StoredAccount) throws {
        let organisation = try checked(organisation), address: EmailAddress, time = service.now()
        do { address = try EmailAddress(typed) } catch { throw Problem.address(error) }
        let link = SecretToken.random(using: accounts.randomness)
        guard try store.invite(address, rights, to: organisation, link: (link.text, link.hash), now: time) else { throw Problem.tooMany }
        try audit.append(.userInvited, by: organisation.id, on: nil, now: time)
    }

    /// - Parameter id: of ``id(of:)``.
    /// - Throws: ``Problem/notYours``.
    public func withdraw(_ id: String, of organisation: StoredAccount) throws {
        let organisation = try checked(organisation)
        guard let known = try store.invitations(of: organisation, now: service.now()).first(where: { Self.id(of: $0) == id }),
            try store.withdrawInvitation(known.hash, of: organisation)
        else { throw Problem.notYours }
    }

    /// Names an invitation on a page; it opens nothing.
    public static func id(of invitation: UserInvitation) -> String { Hexadecimal.string(invitation.hash.prefix(8)) }

    /// - Throws: ``Problem/notYours``.
    public func set(_ rights: Membership.Rights, of user: AccountID, in organisation: StoredAccount) throws {
        let organisation = try checked(organisation)
        guard try store.setRights(rights, of: user, in: organisation) else { throw Problem.notYours }
        try audit.append(.userChanged, by: organisation.id, on: user, now: service.now())
    }

    /// Takes a user out: their sessions end.
    /// - Throws: ``Problem/notYours``.
    public func remove(_ user: AccountID, from organisation: StoredAccount) throws {
        let organisation = try checked(organisation), time = service.now()
        guard try store.remove(user, from: organisation, now: time) else { throw Problem.notYours }
        try audit.append(.userRemoved, by: organisation.id, on: user, now: time)
    }

    private func checked(_ account: StoredAccount) throws -> StoredAccount {
        guard account.confirmed != nil, account.roles.contains(.organisation) else { throw Problem.notYours }
        return account
    }

    // MARK: The user

    /// What a link offers; nil when it does not work (any more).
    public func invitation(_ link: String) throws -> UserInvitation? {
        try SecretToken(link).flatMap { try store.invitation($0.hash, now: service.now()) }
    }

    /// Somebody with an account takes an invitation to its address.
    /// - Throws: ``Problem``.
    public func join(_ link: String, by account: StoredAccount) throws {
        guard let offer = try invitation(link) else { throw Problem.over }
        guard (try? EmailAddress(account.email).canonical) == (try? EmailAddress(offer.address).canonical) else {
            throw Problem.otherAddress
        }
        try take(offer, account)
    }

    private func take(_ offer: UserInvitation, _ account: StoredAccount) throws {
        let time = service.now()
        guard try store.join(offer.hash, account, now: time) else { throw Problem.cannotJoin }
        try audit.append(.userJoined, by: account.id, on: offer.organisation.id, now: time)
    }

    /// Makes the account of somebody invited who has none: the link came to the address, so that is confirmed.
    /// - Parameter fields: those of an organiser's form; the address is the invitation's.
    /// - Throws: ``Problem``, `FormErrors`, `PasswordHasher.Busy`, or what the store throws.
    public func signUp(_ link: String, _ fields: [String: String], language: String) async throws {
        guard let offer = try invitation(link) else { throw Problem.over }
        var fields = fields
        fields[Field.email.rawValue] = offer.address
        let form = try OrganiserSignUp(fields, documents: service.documents)
        if let known = try accounts.account(email: form.email.canonical), known.confirmed != nil { throw Problem.hasAccount }
        let password = try await service.hash(ofForm: form.password)
        var details = [Field.email.rawValue: form.email.address]
        for field in [Field.firstName, .lastName, .phone] { details[field.rawValue] = fields[field.rawValue].map(AccountService.trimmed) }
        let new = NewAccount(
            roles: [.member], details: details, canonicalEmail: form.email.canonical, canonicalIdentifier: nil, password: password,
            language: language, accepted: [.terms: form.terms])
        guard case .added(let account) = try accounts.addConfirmedAccount(new, now: service.now()) else { throw Problem.hasAccount }
        try take(offer, account)
    }
}
