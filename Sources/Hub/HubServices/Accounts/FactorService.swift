import Accounts
public import Credentials
public import HubStore
public import Seams
import Synchronization
public import Vitals

/// The second proof of who somebody is: one-time codes, passkeys, recovery codes (ACC-9), and asking for one again before something dangerous.
public struct FactorService: Sendable {
    let service: AccountService
    let guesses: FailedAttemptLimiter
    /// The name that programs and browsers show beside a code or passkey.
    static let siteName = "TrackMe"
    /// For so long after a proof nothing is asked again, milliseconds.
    public static let provedLifetime: Milliseconds = 5 * 60_000

    var accounts: AccountStore { service.accounts }
    public var randomness: Randomness { accounts.randomness }

    public init(_ service: AccountService) { (self.service, guesses) = (service, FailedAttemptLimiter()) }

    /// Which all copies share. Codes have limits apart from those of passwords: who guesses one kind does not slow down the other.
    final class FailedAttemptLimiter: Sendable {
        let codes = Mutex(AttemptLimiter())
        let challenges = Mutex(PasskeyChallenges())
    }

    /// The browser that asks.
    public struct Browser: Sendable {
        /// Where it comes from.
        public var address: String
        /// As it calls itself.
        public var name: String
        /// Its key from an earlier log-in of the account there; nil without that.
        public var knownDevice: String?

        public init(address: String, name: String, knownDevice: String?) {
            (self.address, self.name, self.knownDevice) = (address, name, knownDevice)
        }
    }

    /// The outcome of a try to prove something.
    public enum Outcome: Sendable {
        case wrong
        /// The code was right, but taken before: the next one counts.
        case used
        case wait(seconds: Int)
        /// The session goes on under this secret, fully logged in. `device` lets the browser be known again.
        case proved(SecretToken, device: String)
    }

    public func factors(of account: StoredAccount) throws -> StoredFactors { try accounts.factors.factors(of: account) }

    /// Whether the session's holder proved who they are within the last minutes.
    /// - Parameter lifetime: for how long a proof counts, milliseconds.
    public func isProved(_ session: StoredSession, within lifetime: Milliseconds = Self.provedLifetime) -> Bool {
        session.strength == .full && service.now() - session.proved < lifetime
    }

    /// Whether the session may add a factor: a full one that was proved lately, or one that began with the password of an account that has
    /// none yet and needs one.
    public func mayAdd(_ session: StoredSession) throws -> Bool {
        if session.strength == .full { return isProved(session) }
        return try factors(of: session.account).isEmpty
    }

    // MARK: Giving a factor

    /// Takes a one-time code or a recovery code: after the password, and for step-up.
    public func prove(_ session: StoredSession, code typed: String, _ browser: Browser) throws -> Outcome {
        let account = session.account, time = service.now(), attempt = attempt(account, browser)
        if case .wait(let seconds) = guesses.codes.withLock({ $0.begin(attempt, utc: time) }) { return .wait(seconds: seconds) }
        let factors = try factors(of: account)
        var proof: FactorProof?
        if let oneTime = factors.oneTime, let secret = OneTimeSecret(bytes: oneTime.secret) {
            switch OneTimeCode.check(typed, secret: secret, lastStep: oneTime.lastStep, utc: time) {
            case .accepted(let step): proof = .oneTime(step: step)
            case .used:
                guesses.codes.withLock { $0.abandoned(attempt, utc: time) }
                return .used
            case .wrong: break
            }
        }
        if proof == nil { proof = Self.recovery(typed, factors.recovery) }
        guard let proof, let outcome = try strengthen(session, by: proof, browser) else { return try failed(attempt, account) }
        guesses.codes.withLock { $0.succeeded(attempt, utc: time) }
        if case .recovery = proof {
            try tell("account.recoveryUsed", account, ["left": String(factors.recovery.count - 1)])
        }
        return outcome
    }

    /// Takes the password once more, for step-up of a full session. Where there is a second factor it alone counts.
    /// - Throws: `PasswordHasher.Busy`, or what the store throws.
    public func prove(_ session: StoredSession, password: String, _ browser: Browser) async throws -> Outcome {
        guard session.strength == .full, try factors(of: session.account).isEmpty else { return .wrong }
        switch try await service.checkPassword(password, of: session) {
        case .wait(let seconds): return .wait(seconds: seconds)
        case .wrong: return .wrong
        case .right: return try strengthen(session, by: .password, browser) ?? .wrong
        }
    }

    /// Sets another password; the present one is asked for, and guesses at it are limited.
    /// - Returns: as for a proof, without a new secret.
    /// - Throws: ``Accounts/FieldError`` about the new one, `PasswordHasher.Busy`.
    public func changePassword(of session: StoredSession, from current: String, to typed: String) async throws
        -> AccountService.PasswordCheck
    {
        let check = try await service.checkPassword(current, of: session)
        guard case .right = check else { return check }
        return try await service.changePassword(of: session, from: current, to: typed) ? .right : .wrong
    }

    /// nil when the proof was used up meanwhile, or the session ended.
    func strengthen(_ session: StoredSession, by proof: FactorProof, _ browser: Browser) throws -> Outcome? {
        let token = SecretToken.random(using: accounts.randomness)
        guard try accounts.factors.proveSession(session, newHash: token.hash, by: proof, strength: .full, now: service.now()) else {
            return nil
        }
        if session.strength == .begun { try service.secondStepDone(session.account, browser) }
        return .proved(token, device: service.deviceText(for: session.account))
    }

    func attempt(_ account: StoredAccount, _ browser: Browser) -> AttemptLimiter.Attempt {
        .init(
            account: account.id.description, source: AttemptSource(address: browser.address),
            knownDevice: browser.knownDevice.flatMap { service.isKnown($0, account) ? $0 : nil })
    }

    private func failed(_ attempt: AttemptLimiter.Attempt, _ account: StoredAccount) throws -> Outcome {
        let effects = guesses.codes.withLock { $0.failed(attempt, utc: service.now()) }
        if !effects.isEmpty { try tell("account.wrongCodes", account, ["link": service.url() + "/forgotten"]) }
        return .wrong
    }

    static func recovery(_ typed: String, _ hashes: [[UInt8]]) -> FactorProof? {
        var codes = RecoveryCodes(hashes: hashes)
        guard codes.redeem(typed), let used = Set(hashes).subtracting(codes.hashes).first else { return nil }
        return .recovery(hash: used)
    }

    func tell(_ kind: String, _ account: StoredAccount, _ arguments: [String: String] = [:]) throws {
        let link = ["link": service.url() + "/security"]
        try accounts.notices.addMail(kind, link.merging(arguments) { _, own in own }, to: account, now: service.now())
    }

    // MARK: Sessions

    public func sessions(of session: StoredSession) throws -> [StoredSession] {
        try accounts.sessions(of: session.account.row, now: service.now())
    }

    /// Ends another session of the account by ``sessionName(_:)``; false when there is no such.
    public func endSession(named name: String, of session: StoredSession) throws -> Bool {
        guard let other = try sessions(of: session).first(where: { Self.sessionName($0) == name }) else { return false }
        return try accounts.endSession(other.hash, of: session.account.row)
    }

    public func replaceSession(_ cookie: String, by secret: SecretToken) throws { try service.replaceSession(cookie, by: secret) }

    public func endOtherSessions(of session: StoredSession) throws {
        try accounts.factors.endSessions(of: session.account.row, keeping: session.hash)
    }

    /// Names a session on its owner's page: the hash of its secret, of which nobody gets back to the secret.
    public static func sessionName(_ session: StoredSession) -> String { Hexadecimal.string(session.hash) }
}
