import Accounts
import Credentials
import HubStore
import TestSupport
import Testing
import Vitals

@testable import HubServices

@Suite struct AccountPasskeyTests {
    private func registered(_ made: AccountFixture, _ key: AccountAuthenticator) async throws -> StoredSession {
        let session = try await made.logIn().session
        let options = try made.factors.registrationOptions(session)
        return try made.session(
            try made.factors.register(session, json: key.registration(options), name: "phone", AccountFixture.browser))
    }

    @Test("ACC-9: a passkey logs in alone, and beside a password, and its owner is told when it was added")
    func logIn() async throws {
        let made = try AccountFixture(), key = AccountAuthenticator()
        let account = try await made.account()
        let session = try await registered(made, key)
        #expect(try session.strength == .full && (made.mails()) == ["account.newBrowser", "account.passkeyAdded"])
        #expect(try made.factors.factors(of: account).passkeys.map(\.name) == ["phone"])

        let browser = SecretToken.random()
        let answer = try key.assertion(try made.factors.logInOptions(browser: browser), user: account.id)
        let alone = try made.session(try made.factors.logIn(json: answer, token: browser, AccountFixture.browser))
        #expect(alone.strength == .full && alone.account.id == account.id)
        #expect(try isRefused(made.factors.logIn(json: answer, token: browser, AccountFixture.browser), .noChallenge))

        let begun = try await made.logIn().session
        #expect(begun.strength == .begun)
        let second = try key.assertion(try made.factors.proofOptions(begun), user: account.id)
        let full = try made.session(try made.factors.prove(begun, json: second, AccountFixture.browser))
        #expect(full.strength == .full && full.hash != begun.hash)
    }

    @Test("ACC-9: a challenge of one browser is worth nothing in another, nor on another site, nor for another account")
    func foreign() async throws {
        let made = try AccountFixture(), key = AccountAuthenticator()
        let account = try await made.account()
        _ = try await registered(made, key)
        let browser = SecretToken.random(), other = SecretToken.random()
        let answer = try key.assertion(try made.factors.logInOptions(browser: browser), user: account.id)
        _ = try made.factors.logInOptions(browser: other)
        #expect(try isRefused(made.factors.logIn(json: answer, token: other, AccountFixture.browser), .wrongChallenge))
        var fishing = key
        fishing.origin = "https://hub.example.fishing"
        let fished = try fishing.assertion(try made.factors.logInOptions(browser: browser), user: account.id)
        #expect(try isRefused(made.factors.logIn(json: fished, token: browser, AccountFixture.browser), .wrongOrigin))

        let bob = try await made.account(email: "bob@example.org")
        let bobs = try await made.logIn("bob@example.org").session
        _ = try made.setUpOneTime(bobs)
        let begun = try await made.logIn("bob@example.org").session
        let foreign = try key.assertion(try made.factors.proofOptions(begun), user: bob.id)
        guard case .unknown = try made.factors.prove(begun, json: foreign, AccountFixture.browser) else {
            Issue.record("another account's passkey was taken")
            return
        }
        #expect(try made.store.session(begun.hash, now: made.clock.now)?.strength == .begun)
    }

    @Test("ACC-9: a passkey whose counter goes back is refused, and its owner is told of the copy")
    func cloned() async throws {
        let made = try AccountFixture()
        var key = AccountAuthenticator()
        key.counter = 5
        let account = try await made.account()
        _ = try await registered(made, key)
        let browser = SecretToken.random()
        let answer = try key.assertion(try made.factors.logInOptions(browser: browser), user: account.id)
        #expect(try isRefused(made.factors.logIn(json: answer, token: browser, AccountFixture.browser), .cloned))
        #expect(try made.mails().contains("account.passkeyCloned"))
        key.counter = 6
        let right = try key.assertion(try made.factors.logInOptions(browser: browser), user: account.id)
        _ = try made.session(try made.factors.logIn(json: right, token: browser, AccountFixture.browser))
        #expect(try made.factors.factors(of: account).passkeys[0].counter == 6)
    }

    @Test("ACC-9: a credential belongs to one account, and goes when it is removed")
    func unique() async throws {
        let made = try AccountFixture(), key = AccountAuthenticator()
        let account = try await made.account()
        let session = try await registered(made, key)
        _ = try await made.account(email: "bob@example.org")
        let bob = try await made.logIn("bob@example.org").session
        let options = try made.factors.registrationOptions(bob)
        guard case .unknown = try made.factors.register(bob, json: key.registration(options), name: "", AccountFixture.browser) else {
            Issue.record("a credential was registered twice")
            return
        }
        let row = try #require(try made.factors.factors(of: account).passkeys.first).row
        #expect(try made.factors.remove(.passkey(row), of: bob) == .unknown)
        #expect(try made.factors.remove(.passkey(row), of: session) == .removed)
        let browser = SecretToken.random()
        let answer = try key.assertion(try made.factors.logInOptions(browser: browser), user: account.id)
        guard case .unknown = try made.factors.logIn(json: answer, token: browser, AccountFixture.browser) else {
            Issue.record("a removed passkey was taken")
            return
        }
    }

    @Test("ACC-9: at an IP address there are no passkeys, and the hub knows it", arguments: ["https://192.0.2.7:8443", "https://[::1]"])
    func address(_ url: String) throws {
        let made = try AccountFixture(url: url)
        #expect(throws: RelyingParty.Impossible.self) { try made.factors.relyingParty() }
        #expect(try AccountFixture(url: "https://localhost:8443").factors.relyingParty().origin == "https://localhost:8443")
    }

    private func isRefused(_ outcome: FactorService.PasskeyOutcome, _ code: PasskeyRefusal.Code) -> Bool {
        guard case .refused(let refusal) = outcome else { return false }
        return refusal.code == code
    }
}
