import Accounts
import Credentials
import Crypto
import Foundation
import HubStore
import Logging
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// The services of accounts over a real store, with a clock that is set by hand and cheap hashes.
struct AccountFixture {
    let directory: TemporaryDirectory
    let clock = ManualClock(1_800_000_000_000)
    let store: AccountStore
    let accounts: AccountService
    let factors: FactorService
    static let password = "long enough for a test"
    static let browser = FactorService.Browser(address: "192.0.2.1", name: "Mozilla/5.0 (Android) Firefox/140.0", knownDevice: nil)

    /// - Parameters:
    ///   - isLater: as ``AccountService`` has it.
    ///   - directory: of a hub that ran before; nil for a new one.
    init(url: String = "https://hub.example", isLater: Bool = false, directory: TemporaryDirectory? = nil) throws {
        self.directory = try directory ?? TemporaryDirectory()
        let directory = self.directory
        let hub = try HubDirectory(directory.url)
        store = try AccountStore(hub, keys: KeyStore(hub, environment: [:]))
        let pepper = try #require(Pepper([UInt8](repeating: 7, count: 32)))
        let hasher = try PasswordHasher(pepper: pepper, cost: PasswordCost(kibibytes: 8, passes: 1), threads: 1)
        let clock = clock
        accounts = AccountService(accounts: store, hasher: hasher, url: { url }, now: { clock.now }, isLater: isLater)
        factors = FactorService(accounts)
    }

    /// How much waits behind answers.
    func waiting() throws -> Int { try store.deferredWork.answers(after: 0, upTo: .max, 1000).count }

    /// Does what waits behind answers.
    func doWhatWaits() throws {
        _ = try DeferredWork(service: accounts, logger: Logger(label: "test")).work(upTo: .max)
    }

    func account(_ role: Role = .organiser, email: String = "ada@example.org", confirmed: Milliseconds = 0) async throws -> StoredAccount {
        let new = NewAccount(
            roles: [role], details: ["email": email, "firstName": "Ada", "lastName": "Made-Up"], canonicalEmail: email,
            canonicalIdentifier: nil, password: try await accounts.hasher.hash(Self.password), language: "en", accepted: [:])
        guard case .added(let account) = try store.addConfirmedAccount(new, now: confirmed) else { throw NotMade() }
        return account
    }

    struct NotMade: Error {}

    func logIn(_ email: String = "ada@example.org", knownDevice: String? = nil) async throws -> (session: StoredSession, device: String?) {
        let outcome = try await accounts.logIn(
            email: email, password: Self.password, address: "192.0.2.1", device: "test", knownDevice: knownDevice)
        guard case .session(let secret, _, let device) = outcome else { throw NotMade() }
        return (try #require(try accounts.session(secret.text)), device)
    }

    /// The session that a proof led to.
    func proved(_ outcome: FactorService.Outcome) throws -> StoredSession {
        guard case .proved(let secret, _) = outcome else { throw NotMade() }
        return try #require(try accounts.session(secret.text))
    }

    func session(_ outcome: FactorService.PasskeyOutcome) throws -> StoredSession {
        guard case .session(let secret, _) = outcome else { throw NotMade() }
        return try #require(try accounts.session(secret.text))
    }

    /// What an authenticator program shows now.
    func code(_ secret: [UInt8]) throws -> String {
        OneTimeCode.code(secret: try #require(OneTimeSecret(bytes: secret)), step: OneTimeCode.step(at: clock.now))
    }

    /// Sets one-time codes up; the clock goes on to the next code.
    func setUpOneTime(_ session: StoredSession) throws -> (secret: [UInt8], session: StoredSession) {
        let secret = try #require(try store.factors.waitingOneTime([UInt8](repeating: 9, count: 20), for: session, now: clock.now)).secret
        let full = try proved(try factors.confirmOneTime(session, code: code(secret), Self.browser))
        clock.advance(30_000)
        return (secret, full)
    }

    /// Kinds of the mails that wait, in the order in which they came.
    func mails() throws -> [String] {
        try store.notices.dueMails(100, lease: 0, now: clock.now + 86_400_000).sorted { $0.row < $1.row }.map(\.kind)
    }
}

/// A browser with an authenticator that has a real key. It answers what options ask for.
struct AccountAuthenticator {
    let key = P256.Signing.PrivateKey()
    let id = (0..<16).map { _ in UInt8.random(in: 0...255) }
    var origin = "https://hub.example"
    var counter: UInt32 = 0

    private struct Options: Decodable {
        struct User: Decodable { let id: String }
        let challenge: String
        let user: User?
    }

    static func url(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString().replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
    }

    private func data(_ flags: UInt8) -> [UInt8] {
        let host = URL(string: origin)?.host ?? ""
        return Array(SHA256.hash(data: Data(host.utf8))) + [flags] + (0..<4).map { UInt8(truncatingIfNeeded: counter >> (24 - 8 * $0)) }
    }

    private func client(_ type: String, _ options: String) throws -> [UInt8] {
        let challenge = try JSONDecoder().decode(Options.self, from: Data(options.utf8)).challenge
        return Array(#"{"type":"\#(type)","challenge":"\#(challenge)","origin":"\#(origin)"}"#.utf8)
    }

    func registration(_ options: String) throws -> [UInt8] {
        let point = Array(key.publicKey.x963Representation)
        let cose: [UInt8] = [0xA5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32] + point[1..<33] + [0x22, 0x58, 32] + point[33..<65]
        let attested = [UInt8](repeating: 0, count: 16) + [0, UInt8(id.count)] + id + cose
        return try message([
            "clientDataJSON": Self.url(try client("webauthn.create", options)), "authenticatorData": Self.url(data(0x45) + attested),
            "publicKey": Self.url(key.publicKey.derRepresentation), "publicKeyAlgorithm": -7, "transports": ["internal"],
        ])
    }

    func assertion(_ options: String, user: AccountID) throws -> [UInt8] {
        let client = try client("webauthn.get", options), data = data(0x05)
        let signature = try key.signature(for: data + Array(SHA256.hash(data: client)))
        return try message([
            "clientDataJSON": Self.url(client), "authenticatorData": Self.url(data),
            "signature": Self.url(signature.derRepresentation), "userHandle": Self.url(user.bytes),
        ])
    }

    private func message(_ response: [String: Any]) throws -> [UInt8] {
        Array(try JSONSerialization.data(withJSONObject: ["id": Self.url(id), "type": "public-key", "response": response]))
    }
}
