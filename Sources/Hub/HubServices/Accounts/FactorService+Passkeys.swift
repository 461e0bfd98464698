import Accounts
public import Credentials
import Foundation
public import HubStore
import Synchronization
import Vitals

extension FactorService {
    /// The hub as passkeys know it, by its address.
    /// - Throws: when it has no name that browsers keep passkeys for.
    public func relyingParty() throws(RelyingParty.Impossible) -> RelyingParty {
        let url = URLComponents(string: service.url())
        return try RelyingParty(host: url?.host ?? "", port: url?.port ?? 443)
    }

    /// The outcome of an answer of a browser's authenticator.
    public enum PasskeyOutcome: Sendable {
        /// For the log. The person is told that it did not work.
        case refused(PasskeyRefusal)
        /// The passkey is not known here, or not this account's; in a registration: it is known already, or there are too many.
        case unknown
        case session(SecretToken, device: String)
    }

    // MARK: Registration

    /// JSON for `navigator.credentials.create()`. The caller has asked ``mayAdd(_:)``.
    public func registrationOptions(_ session: StoredSession) throws -> String {
        let party = try relyingParty(), account = session.account
        let existing = try factors(of: account).passkeys.map(Passkey.init)
        return try PasskeyOptions.creation(
            challenge(.registration, Self.sessionName(session)), relyingParty: party, siteName: Self.siteName,
            user: .init(handle: account.id.bytes, name: account.email, displayName: account.name), existing: existing,
            requiresVerification: true)
    }

    /// Stores the new passkey; the session becomes a full one under a new secret.
    public func register(_ session: StoredSession, json: [UInt8], name: String, _ browser: Browser) throws -> PasskeyOutcome {
        do {
            let party = try relyingParty()
            let challenge = try take(.registration, Self.sessionName(session))
            let passkey = try PasskeyRegistration(json: json).passkey(challenge: challenge, relyingParty: party, requiresVerification: true)
            let new = NewPasskey(
                credential: passkey.credentialID, publicKey: passkey.publicKey, aaguid: passkey.aaguid, transports: passkey.transports,
                isBackupEligible: passkey.isBackupEligible, isBackedUp: passkey.isBackedUp, counter: passkey.signCount, name: name)
            guard try mayAdd(session), try accounts.factors.addPasskey(new, to: session.account, now: service.now()),
                case .proved(let token, let device) = try added("account.passkeyAdded", session, browser)
            else { return .unknown }
            return .session(token, device: device)
        } catch let refusal as PasskeyRefusal {
            return .refused(refusal)
        }
    }

    // MARK: Log-in

    /// JSON for `navigator.credentials.get()`, of a browser that is not logged in: any passkey that it has for this hub.
    /// - Parameter browser: what names it in a cookie of its own.
    public func logInOptions(browser: SecretToken) throws -> String {
        try PasskeyOptions.request(
            challenge(.assertion, Hexadecimal.string(browser.hash)), relyingParty: relyingParty(), requiresVerification: true)
    }

    /// The same for somebody who gave the password, or is asked again.
    public func proofOptions(_ session: StoredSession) throws -> String {
        let passkeys = try factors(of: session.account).passkeys.map(Passkey.init)
        return try PasskeyOptions.request(
            challenge(.assertion, Self.sessionName(session)), relyingParty: relyingParty(), allowed: passkeys, requiresVerification: true)
    }

    /// Logs somebody in with a passkey alone, which has checked finger, face or PIN: two factors in one.
    public func logIn(json: [UInt8], token: SecretToken, _ browser: Browser) throws -> PasskeyOutcome {
        try answered(json: json, challengeOf: Hexadecimal.string(token.hash), session: nil) { account, proof in
            let secret = SecretToken.random(using: accounts.randomness)
            guard account.confirmed != nil,
                try accounts.factors.addSession(secret.hash, of: account, by: proof, device: browser.name, now: service.now())
            else { return .unknown }
            try service.tellOfNewBrowser(account, browser)
            return .session(secret, device: service.deviceText(for: account))
        }
    }

    /// Takes a passkey of the session's account: after the password, and for step-up.
    public func prove(_ session: StoredSession, json: [UInt8], _ browser: Browser) throws -> PasskeyOutcome {
        try answered(json: json, challengeOf: Self.sessionName(session), session: session) { _, proof in
            guard case .proved(let token, let device) = try strengthen(session, by: proof, browser) else { return .unknown }
            return .session(token, device: device)
        }
    }

    private func answered(
        json: [UInt8], challengeOf name: String, session: StoredSession?,
        _ body: (StoredAccount, FactorProof) throws -> PasskeyOutcome
    ) throws -> PasskeyOutcome {
        do {
            let party = try relyingParty(), challenge = try take(.assertion, name)
            let assertion = try PasskeyAssertion(json: json)
            guard let (stored, account) = try accounts.factors.passkey(credential: assertion.credentialID),
                session.map({ $0.account.row == account.row }) ?? true
            else { return .unknown }
            let owner = PasskeyAssertion.Owner(userHandle: account.id.bytes, wasNamed: session != nil)
            do {
                let used = try assertion.check(
                    Passkey(stored), of: owner, challenge: challenge, relyingParty: party, requiresVerification: true)
                return try body(
                    account, .passkey(row: stored.row, from: stored.counter, to: used.signCount, isBackedUp: used.isBackedUp))
            } catch let refusal as PasskeyRefusal where refusal.code == .cloned {
                try tell("account.passkeyCloned", account, ["passkey": stored.name])
                return .refused(refusal)
            }
        } catch let refusal as PasskeyRefusal {
            return .refused(refusal)
        }
    }

    private func challenge(_ purpose: PasskeyChallenge.Purpose, _ name: String) -> PasskeyChallenge {
        guesses.challenges.withLock { $0.issue(purpose, session: name, utc: service.now(), using: accounts.randomness) }
    }

    private func take(_ purpose: PasskeyChallenge.Purpose, _ name: String) throws(PasskeyRefusal) -> PasskeyChallenge {
        let taken = guesses.challenges.withLock { open in
            Result { () throws(PasskeyRefusal) in try open.take(purpose, session: name, utc: service.now()) }
        }
        return try taken.get()
    }
}

extension Passkey {
    fileprivate init(_ stored: StoredPasskey) {
        self.init(
            credentialID: stored.credential, publicKey: stored.publicKey, aaguid: stored.aaguid, transports: stored.transports,
            isBackupEligible: stored.isBackupEligible, isBackedUp: stored.isBackedUp, signCount: stored.counter)
    }
}
