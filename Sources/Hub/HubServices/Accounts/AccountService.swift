public import Accounts
public import Credentials
import Crypto
public import HubStore
import Privacy
import Synchronization
public import Vitals

/// How an account begins, is confirmed, and gets its password back (ACC-1 to ACC-7). Nothing that these answer tells a stranger whether
/// somebody has an account: a known address and an unknown one take the same way, and only a mail tells them apart.
public struct AccountService: Sendable {
    let accounts: AccountStore
    let hasher: PasswordHasher
    /// Passwords that nobody may choose; nil where the operator has no list of them.
    let breached: BreachedPasswords?
    let attempts: Attempts
    /// How browsers reach the hub, without a slash at the end: for links in mails.
    let url: @Sendable () -> String
    let now: @Sendable () -> Milliseconds
    /// From which age on people own their account, years; nil for ``Accounts/OwnAge/standard(_:)``.
    let ownAge: Int?
    /// Whether what follows an answer waits for ``DeferredWork``.
    let isLater: Bool
    /// The documents that accounts accept on this hub, by version.
    public let documents: Documents

    /// The hub's own documents, by version. A new version goes here, and its text into every language.
    public static let documents = Documents(terms: "2026-11", privacy: "2026-11", dataDuties: "2026-11")
    /// A confirmation link works for a day; then the account is forgotten.
    public static let confirmationLifetime: Milliseconds = 24 * 3_600_000
    /// A link to set a new password works for half an hour.
    public static let resetLifetime: Milliseconds = 30 * 60_000

    /// - Parameter isLater: whether ``DeferredWork`` runs and does what an answer does not wait for. Where nobody measures, it is done at once.
    public init(
        accounts: AccountStore, hasher: PasswordHasher, url: @escaping @Sendable () -> String,
        now: @escaping @Sendable () -> Milliseconds, ownAge: Int? = nil, isLater: Bool = false, breached: BreachedPasswords? = nil,
        documents: Documents = AccountService.documents
    ) {
        (self.accounts, self.hasher, self.url, self.now, self.ownAge, self.isLater) = (accounts, hasher, url, now, ownAge, isLater)
        (self.breached, self.documents) = (breached, documents)
        attempts = Attempts()
    }

    /// The limits on guessing, which all copies of a service share.
    final class Attempts: Sendable {
        let passwords = Mutex(AttemptLimiter())
    }

    // MARK: Signing up

    /// Makes an account that waits for its confirmation, and mails the link. Where the address or identifier has an account already, its owner
    /// is told by mail, and this looks the same.
    /// - Parameter role: one that ``Accounts/Role/signsUp``.
    /// - Throws: `FormErrors` with all that is wrong at once, `PasswordHasher.Busy`, or what the store throws.
    public func signUp(_ role: Role, _ fields: [String: String], language: String) async throws {
        let form = try Self.read(
            role, fields, documents, today: CalendarDate(utc: now()), ownAge: ownAge(country: fields[Field.taxCountry.rawValue] ?? ""))
        let hash = try await hash(ofForm: form.password)
        let new = NewAccount(
            roles: [role], details: form.details, canonicalEmail: form.email.canonical, canonicalIdentifier: form.identifier,
            password: hash, language: language, accepted: form.accepted)
        try afterwards(.signedUp(new, link: SecretToken.random(using: accounts.randomness).text))
    }

    /// The stored data of a person beside the address.
    static let personFields: [Field] = [
        .firstName, .lastName, .taxCountry, .taxIdentifier, .gender, .dateOfBirth, .cityOfBirth, .residence, .phone,
    ]

    private struct Form {
        var email: EmailAddress
        var identifier: String?
        var password: Password
        var accepted: [Field: String]
        var details: [String: String]
    }

    /// - Parameter country: of the tax identifier, as it was typed or is stored.
    func ownAge(country: String) -> Int { ownAge ?? OwnAge.standard(try? Country(country)) }

    private static func read(
        _ role: Role, _ fields: [String: String], _ documents: Documents, today: CalendarDate, ownAge: Int
    ) throws(FormErrors) -> Form {
        var form: Form
        let kept: [Field]
        switch role {
        case .organisation:
            let read = try OrganisationSignUp(fields, documents: documents)
            form = Form(
                email: read.email, identifier: read.vatNumber?.canonical, password: read.password,
                accepted: [.terms: read.terms, .dataDuties: read.dataDuties], details: [:])
            kept = [.organisationKind, .organisationName, .vatCountry, .vatNumber, .proof, .purpose]
        case .organiser, .responder, .caregiver, .member:
            let read = try OrganiserSignUp(fields, documents: documents)
            form = Form(email: read.email, identifier: nil, password: read.password, accepted: [.terms: read.terms], details: [:])
            kept = [.firstName, .lastName, .phone]
        case .person, .operator:
            let read = try PersonSignUp(fields, documents: documents, today: today, ownAge: ownAge)
            form = Form(
                email: read.email, identifier: read.taxIdentifier.canonical, password: read.password,
                accepted: [.terms: read.terms, .privacy: read.privacy], details: [:])
            kept = Self.personFields
        }
        for field in kept { form.details[field.rawValue] = fields[field.rawValue].map(Self.trimmed) }
        form.details[Field.email.rawValue] = form.email.address
        return form
    }

    static func trimmed(_ text: String) -> String {
        String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }

    /// Whether a link of a confirmation mail works.
    public func isConfirmation(_ link: String) throws -> Bool {
        guard let token = SecretToken(link) else { return false }
        return try accounts.account(ofLink: token.hash, .confirmation, now: now()) != nil
    }

    /// The outcome of a confirmation.
    public enum Confirmation: Sendable {
        case confirmed
        /// Not the password with which the account was made: somebody else may have made it with this address.
        case wrong
        case wait(seconds: Int)
        /// The link does not work (any more).
        case used
    }

    /// Follows the link. It takes the password too: having the mailbox must not confirm what somebody else signed up for.
    /// - Throws: `PasswordHasher.Busy`, or what the store throws.
    public func confirm(_ link: String, password: String, address: String) async throws -> Confirmation {
        guard let token = SecretToken(link), let account = try accounts.account(ofLink: token.hash, .confirmation, now: now()) else {
            return .used
        }
        let attempt = AttemptLimiter.Attempt(account: "confirm \(account.id)", source: AttemptSource(address: address))
        if case .wait(let seconds) = attempts.passwords.withLock({ $0.begin(attempt, utc: now()) }) { return .wait(seconds: seconds) }
        let text = Password(attempt: password).map { String(decoding: $0.bytes, as: UTF8.self) } ?? ""
        guard case .matches = try await hasher.verify(text, against: account.password) else {
            _ = attempts.passwords.withLock { $0.failed(attempt, utc: now()) }
            return .wrong
        }
        attempts.passwords.withLock { $0.succeeded(attempt, utc: now()) }
        return try accounts.confirm(linkHash: token.hash, now: now()) == nil ? .used : .confirmed
    }

    // MARK: Forgotten passwords

    /// Mails a link to whoever has the address. The caller answers the same whether that is somebody.
    public func forgot(email typed: String) throws { try afterwards(.forgotten(email: String(typed.prefix(300)))) }

    /// Whether a link of such a mail works.
    public func isReset(_ link: String) throws -> Bool {
        guard let token = SecretToken(link) else { return false }
        return try accounts.account(ofLink: token.hash, .reset, now: now()) != nil
    }

    /// Sets the new password, once; every session ends, and the owner is told. A second factor stays what it is.
    /// - Returns: false when the link does not work (any more).
    /// - Throws: ``Accounts/FieldError`` about the password.
    public func reset(_ link: String, password typed: String) async throws -> Bool {
        guard let token = SecretToken(link), let account = try accounts.account(ofLink: token.hash, .reset, now: now()) else {
            return false
        }
        let password = try PasswordPolicy().check(typed, about: [account.email, account.name])
        let hash = try await hash(new: password)
        guard let changed = try accounts.resetPassword(hash, linkHash: token.hash, now: now()) else { return false }
        try accounts.notices.addMail("account.passwordChanged", ["link": url() + "/forgotten"], to: changed, now: now())
        return true
    }

    /// Sets another password for somebody who knows the present one; other sessions end, and the owner is told.
    /// - Returns: false when `current` is not the password.
    /// - Throws: ``Accounts/FieldError`` about the new one.
    public func changePassword(of session: StoredSession, from current: String, to typed: String) async throws -> Bool {
        let account = session.account
        guard let known = Password(attempt: current),
            case .matches = try await hasher.verify(String(decoding: known.bytes, as: UTF8.self), against: account.password)
        else { return false }
        let password = try PasswordPolicy().check(typed, about: [account.email, account.name])
        let hash = try await hash(new: password)
        try accounts.changePassword(hash, of: account.row, keeping: session.hash)
        try accounts.notices.addMail("account.passwordChanged", ["link": url() + "/forgotten"], to: account, now: now())
        return true
    }

    /// Of a password that somebody chose.
    /// - Throws: ``Accounts/FieldError`` for one that was breached, and what ``Credentials/PasswordHasher`` throws.
    func hash(new password: Password) async throws -> String {
        let text = String(decoding: password.bytes, as: UTF8.self)
        guard breached?.contains(text) != true else { throw FieldError(.passwordCommon) }
        return try await hasher.hash(text)
    }

    /// The same of a form's field.
    /// - Throws: `FormErrors` for one that was breached.
    func hash(ofForm password: Password) async throws -> String {
        do { return try await hash(new: password) } catch let error as FieldError { throw FormErrors(FieldProblem(.password, error)) }
    }

    // MARK: Profiles

    /// Changes a profile. Fixed fields are those that the account has, whatever was sent.
    /// - Returns: whether an operator had looked at what changed, and will look again before anything more is asked (CONS-11).
    /// - Throws: `FormErrors`.
    @discardableResult
    public func edit(_ account: StoredAccount, _ fields: [String: String]) throws -> Bool {
        let editable: [Field]
        var details = account.details
        if account.roles.contains(.organisation) {
            var fields = fields
            fields[Field.organisationKind.rawValue] = account[.organisationKind]
            let name = fields[Field.organisationName.rawValue].map(Self.trimmed) ?? account.waitingName ?? account[.organisationName]
            fields[Field.organisationName.rawValue] = name
            _ = try OrganisationProfile(edited: fields)
            editable = [.proof, .purpose]
            // People accepted the present name, and an operator looked at it: another one waits for an operator.
            details[StoredAccount.waitingNameKey] = name == account[.organisationName] ? nil : name
        } else if account.roles.contains(.person) {
            var fields = fields
            // A minor's day is what the parent gave: with it the account becomes their own.
            if try accounts.care.hasBeenMinor(account.id.person) { fields[Field.dateOfBirth.rawValue] = account[.dateOfBirth] }
            let isMinor = try accounts.consents.authority(over: account.id.person).isMinor(at: now())
            _ = try PersonProfile(
                edited: fields, today: CalendarDate(utc: now()), byGuardian: isMinor, ownAge: ownAge(country: account[.taxCountry]))
            editable = [.firstName, .lastName, .gender, .dateOfBirth, .cityOfBirth, .residence, .phone, .weight]
        } else {
            _ = try OrganiserProfile(edited: fields)
            editable = [.firstName, .lastName, .phone]
        }
        let isFixed = try account.roles.contains(.person) && accounts.care.hasBeenMinor(account.id.person)
        for field in editable where !(isFixed && field == .dateOfBirth) {
            details[field.rawValue] = fields[field.rawValue].map(Self.trimmed)
        }
        let isCheckedAgain = try accounts.setDetails(details, of: account, now: now())
        if let name = details[StoredAccount.waitingNameKey], name != account.waitingName {
            try accounts.notices.tellOperators(.nameCheck, ["asker": account.name], now: now())
        }
        return isCheckedAgain
    }
}
