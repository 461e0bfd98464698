import Accounts
public import Credentials
public import HubStore
import Synchronization
public import Vitals

extension FactorService {
    /// A claim code works for a day, once.
    public static let claimLifetime: Milliseconds = 24 * 3_600_000
    private static let claimPurpose = "claim"

    /// Makes a code with which whoever runs the hub becomes an operator; one that was made before is void. There is no account from the start.
    /// - Returns: `ABCD-EFGH`, which is kept nowhere.
    public static func makeClaimCode(_ accounts: AccountStore, now: Milliseconds) throws -> String {
        let code = ShortCode.random(using: accounts.randomness)
        try accounts.factors.setClaim(code.hash(purpose: claimPurpose), expires: now + claimLifetime)
        return code.grouped
    }

    /// The outcome of a claim.
    public enum Claim: Sendable {
        case wrongCode
        case wait(seconds: Int)
        /// The address has an account, which stays what it is.
        case taken
        /// A session that is good for setting up a factor, and for nothing else before.
        case session(SecretToken)
    }

    /// Makes the operator's account, confirmed.
    /// - Parameter fields: those of an organiser's form, and `code`.
    /// - Throws: `FormErrors`, `PasswordHasher.Busy`, or what the store throws.
    public func claim(_ fields: [String: String], language: String, _ browser: Browser) async throws -> Claim {
        let time = service.now()
        let attempt = AttemptLimiter.Attempt(account: Self.claimPurpose, source: AttemptSource(address: browser.address))
        if case .wait(let seconds) = guesses.codes.withLock({ $0.begin(attempt, utc: time) }) { return .wait(seconds: seconds) }
        guard let hash = ShortCode(typed: fields["code"] ?? "")?.hash(purpose: Self.claimPurpose),
            try accounts.factors.isClaim(hash, now: time)
        else {
            _ = guesses.codes.withLock { $0.failed(attempt, utc: time) }
            return .wrongCode
        }
        guesses.codes.withLock { $0.succeeded(attempt, utc: time) }
        let form = try OrganiserSignUp(fields, documents: service.documents)
        if let account = try accounts.account(email: form.email.canonical), account.confirmed != nil { return .taken }
        let password = try await service.hash(ofForm: form.password)
        guard try accounts.factors.useClaim(hash, now: time) else { return .wrongCode }
        var details = [Field.email.rawValue: form.email.address]
        for field in [Field.firstName, .lastName, .phone] { details[field.rawValue] = fields[field.rawValue].map(AccountService.trimmed) }
        let new = NewAccount(
            roles: [.operator], details: details, canonicalEmail: form.email.canonical, canonicalIdentifier: nil, password: password,
            language: language, accepted: [.terms: form.terms])
        guard case .added(let account) = try accounts.addConfirmedAccount(new, now: time) else { return .taken }
        let token = SecretToken.random(using: accounts.randomness)
        try accounts.addSession(token.hash, of: account.row, strength: .begun, device: browser.name, now: time)
        return .session(token)
    }
}
