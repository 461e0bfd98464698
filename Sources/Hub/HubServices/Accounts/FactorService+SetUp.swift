import Accounts
import Credentials
public import HubStore
import Synchronization
import Vitals

extension FactorService {
    // MARK: One-time codes

    /// The secret that a person types or follows to set up one-time codes.
    public struct OneTimeSetUp: Sendable {
        /// 32 characters.
        public let secret: String
        /// `otpauth://…`
        public let address: String
    }

    /// The secret that waits for its first code; nil when codes are set up already. The caller has asked ``mayAdd(_:)``.
    public func setUpOneTime(_ session: StoredSession) throws -> OneTimeSetUp? {
        guard let secret = try waiting(session) else { return nil }
        return OneTimeSetUp(
            secret: secret.base32, address: secret.address(issuer: Self.siteName, account: session.account.email))
    }

    private func waiting(_ session: StoredSession) throws -> OneTimeSecret? {
        try accounts.factors.waitingOneTime(OneTimeSecret.random(using: accounts.randomness).bytes, for: session, now: service.now())
            .flatMap {
                OneTimeSecret(bytes: $0.secret)
            }
    }

    /// The first code sets one-time codes up; the session becomes a full one under a new secret.
    public func confirmOneTime(_ session: StoredSession, code typed: String, _ browser: Browser) throws -> Outcome {
        let time = service.now(), attempt = attempt(session.account, browser)
        guard try mayAdd(session), let secret = try waiting(session) else { return .wrong }
        if case .wait(let seconds) = guesses.codes.withLock({ $0.begin(attempt, utc: time) }) { return .wait(seconds: seconds) }
        // A person who mistypes here knows the secret: this is no guessing, and nobody gets a mail of it.
        guard case .accepted(let step) = OneTimeCode.check(typed, secret: secret, lastStep: nil, utc: time),
            try accounts.factors.confirmOneTime(step: step, for: session, now: time)
        else { return .wrong }
        guesses.codes.withLock { $0.succeeded(attempt, utc: time) }
        return try added("account.oneTimeAdded", session, browser) ?? .wrong
    }

    /// The owner is told, other sessions end that began without the new factor, and this one is full from now on.
    func added(_ kind: String, _ session: StoredSession, _ browser: Browser) throws -> Outcome? {
        try tell(kind, session.account)
        try accounts.factors.endSessions(of: session.account.row, keeping: session.hash)
        return try strengthen(session, by: .password, browser)
    }

    // MARK: Recovery codes

    /// Makes ten recovery codes in the place of those before; they are shown once. Empty without a factor that they could stand in for.
    public func makeRecoveryCodes(_ session: StoredSession) throws -> [String] {
        let (codes, texts) = RecoveryCodes.make(using: accounts.randomness)
        guard try accounts.factors.setRecovery(codes.hashes, of: session.account.row) else { return [] }
        return texts
    }

    // MARK: Taking away

    /// Takes a factor away, and tells the owner. The caller has asked ``isProved(_:)``.
    public func remove(_ factor: FactorStore.RemovedFactor, of session: StoredSession) throws -> FactorStore.Removal {
        let account = session.account
        let needsOne = account.roles.contains(where: \.needsSecondFactor)
        let removal = try accounts.factors.removeFactor(factor, of: account.row, needsOne: needsOne)
        guard removal == .removed else { return removal }
        try tell(factor == .oneTime ? "account.oneTimeRemoved" : "account.passkeyRemoved", account)
        return removal
    }

    public func rename(_ passkey: Int64, _ name: String, of session: StoredSession) throws {
        let name = AccountService.trimmed(String(name.filter { !$0.isNewline }))
        if !name.isEmpty { try accounts.factors.renamePasskey(passkey, name: name, of: session.account) }
    }
}
