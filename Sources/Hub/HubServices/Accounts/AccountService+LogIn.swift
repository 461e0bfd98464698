import Accounts
public import Credentials
import Crypto
import Foundation
public import HubStore
import Synchronization
import Vitals

extension AccountService {
    /// The outcome of a try to log in.
    public enum LogIn: Sendable {
        /// Name or password: which of them, is not said (ACC-6).
        case wrong
        /// Too many tries: after so many seconds.
        case wait(seconds: Int)
        /// The password is right, but the mailed link was not followed yet.
        case unconfirmed
        /// The password is right, and an operator has locked the account.
        case locked
        /// A session, by the secret for the browser's cookie, and what lets the browser be known again; nil before the second step is done.
        case session(SecretToken, StoredSession.Strength, device: String?)
    }

    /// Checks a password, which takes the same time for a name that nobody has.
    /// - Parameters:
    ///   - address: where the try comes from.
    ///   - device: the browser, as it calls itself.
    ///   - knownDevice: what ``LogIn/session(_:_:device:)`` gave this browser before; nil without that.
    /// - Throws: `PasswordHasher.Busy`, or what the store throws.
    public func logIn(email typed: String, password: String, address: String, device: String, knownDevice: String?) async throws -> LogIn {
        let name = (try? EmailAddress(typed))?.canonical ?? Self.trimmed(typed).lowercased()
        let attempt = AttemptLimiter.Attempt(
            account: name, source: AttemptSource(address: address), knownDevice: knownDevice.flatMap { isKnown($0, name) ? $0 : nil })
        if case .wait(let seconds) = attempts.passwords.withLock({ $0.begin(attempt, utc: now()) }) { return .wait(seconds: seconds) }
        let account = try accounts.account(emailOfLogIn: name)
        let verdict: PasswordHasher.Verdict
        do {
            let text = Password(attempt: password).map { String(decoding: $0.bytes, as: UTF8.self) } ?? ""
            if let account {
                verdict = try await hasher.verify(text, against: account.password)
            } else {
                verdict = try await hasher.verifyAgainstNothing(text)
            }
        } catch {
            attempts.passwords.withLock { $0.abandoned(attempt, utc: now()) }
            throw error
        }
        guard case .matches(let needsRehash) = verdict, let account else {
            let effects = attempts.passwords.withLock { $0.failed(attempt, utc: now()) }
            if !effects.isEmpty { try afterwards(.wrongTries(name: String(name.prefix(300)))) }
            return .wrong
        }
        let strength = try strengthOfPassword(account)
        attempts.passwords.withLock { strength == .full ? $0.succeeded(attempt, utc: now()) : $0.abandoned(attempt, utc: now()) }
        guard account.confirmed != nil else { return .unconfirmed }
        guard try LogInHelpStore(accounts).lockedSince(account) == nil else { return .locked }
        if needsRehash, let typed = Password(attempt: password),
            let stronger = try? await hasher.hash(String(decoding: typed.bytes, as: UTF8.self))
        {
            try accounts.upgradePassword(stronger, of: account.row)
        }
        let token = SecretToken.random(using: accounts.randomness)
        try accounts.addSession(token.hash, of: account.row, strength: strength, device: device, now: now())
        guard strength == .full else { return .session(token, strength, device: nil) }
        try tellOfNewBrowser(account, .init(address: address, name: device, knownDevice: knownDevice))
        return .session(token, strength, device: deviceText(for: account))
    }

    /// The strength of a session that began with a password alone. Who has set up a second factor is asked for it, whatever the role.
    private func strengthOfPassword(_ account: StoredAccount) throws -> StoredSession.Strength {
        if account.roles.contains(where: \.needsSecondFactor) { return .begun }
        return try accounts.factors.factors(of: account).isEmpty ? .full : .begun
    }

    /// The second step is done too: wrong passwords before it were the owner's.
    func secondStepDone(_ account: StoredAccount, _ browser: FactorService.Browser) throws {
        let attempt = AttemptLimiter.Attempt(
            account: Self.logInName(account), source: AttemptSource(address: browser.address),
            knownDevice: browser.knownDevice.flatMap { isKnown($0, account) ? $0 : nil })
        attempts.passwords.withLock { $0.succeeded(attempt, utc: now()) }
        try tellOfNewBrowser(account, browser)
    }

    // MARK: Known browsers

    /// Only a browser on which this account was logged in has such a text: a stranger cannot make one to get another try.
    func deviceText(for account: StoredAccount) -> String {
        deviceText(nonce: SecretToken.random(using: accounts.randomness).text, Self.logInName(account))
    }

    func isKnown(_ device: String, _ account: StoredAccount) -> Bool { isKnown(device, Self.logInName(account)) }

    private static func logInName(_ account: StoredAccount) -> String { (try? EmailAddress(account.email))?.canonical ?? account.email }

    private func deviceText(nonce: String, _ name: String) -> String {
        let key = SymmetricKey(data: accounts.derivedKey("known device"))
        let mac = HMAC<SHA256>.authenticationCode(for: Data("\(nonce) \(name)".utf8), using: key)
        return "\(nonce).\(Hexadecimal.string(mac))"
    }

    private func isKnown(_ device: String, _ name: String) -> Bool {
        guard device.utf8.count <= 200, let nonce = device.split(separator: ".", maxSplits: 1).first else { return false }
        return deviceText(nonce: String(nonce), name) == device
    }

    /// After the confirmation a person logs in on one browser and another: so long no mail is sent of that.
    private static let firstBrowsers: Milliseconds = 3_600_000

    /// Tells the owner of a log-in on a browser that was never logged in before.
    func tellOfNewBrowser(_ account: StoredAccount, _ browser: FactorService.Browser) throws {
        if let device = browser.knownDevice, isKnown(device, account) { return }
        guard now() - (account.confirmed ?? 0) >= Self.firstBrowsers else { return }
        try accounts.notices.addMail(
            "account.newBrowser", ["browser": FactorDevice.name(browser.name), "address": browser.address, "link": url() + "/security"],
            to: account, now: now())
    }

    // MARK: Asked again

    public enum PasswordCheck: Sendable, Hashable {
        case right
        case wrong
        case wait(seconds: Int)
    }

    /// Compares the password of somebody who is logged in. Tries count by the session: whoever guesses from elsewhere does not slow it down.
    func checkPassword(_ typed: String, of session: StoredSession) async throws -> PasswordCheck {
        let attempt = AttemptLimiter.Attempt(
            account: Self.logInName(session.account), source: AttemptSource(address: ""),
            knownDevice: "session \(Hexadecimal.string(session.hash))")
        if case .wait(let seconds) = attempts.passwords.withLock({ $0.begin(attempt, utc: now()) }) { return .wait(seconds: seconds) }
        do {
            if let password = Password(attempt: typed),
                case .matches = try await hasher.verify(String(decoding: password.bytes, as: UTF8.self), against: session.account.password)
            {
                attempts.passwords.withLock { $0.succeeded(attempt, utc: now()) }
                return .right
            }
        } catch {
            attempts.passwords.withLock { $0.abandoned(attempt, utc: now()) }
            throw error
        }
        let effects = attempts.passwords.withLock { $0.failed(attempt, utc: now()) }
        if !effects.isEmpty {
            try accounts.notices.addMail("account.wrongTries", ["link": url() + "/forgotten"], to: session.account, now: now())
        }
        return .wrong
    }

    /// The session of a browser's cookie; nil when it ended.
    public func session(_ cookie: String) throws -> StoredSession? {
        guard let token = SecretToken(cookie) else { return nil }
        return try accounts.session(token.hash, now: now())
    }

    /// Ends the session of a browser's cookie, and with it the notices that are pushed to that browser.
    public func logOut(_ cookie: String) throws {
        if let token = SecretToken(cookie) { try accounts.endSession(token.hash) }
    }

    /// A browser logged in again: the session that its cookie named before is over. Nobody finds it in the list who thinks they have logged out.
    public func replaceSession(_ cookie: String, by secret: SecretToken) throws {
        if let old = SecretToken(cookie) { try accounts.replaceSession(old.hash, by: secret.hash) }
    }
}
