import Accounts
import Credentials
import HubStore
import TestSupport
import Testing
import Vitals

@testable import HubServices

@Suite struct AccountFactorTests {
    @Test("ACC-9: whoever has set up one-time codes is asked for one at each log-in, whatever the role, and each code works once")
    func oneTime() async throws {
        let made = try AccountFixture()
        _ = try await made.account()
        let first = try await made.logIn().session
        #expect(first.strength == .full)
        let (secret, renewed) = try made.setUpOneTime(first)
        #expect(try renewed.hash != first.hash && (made.store.session(first.hash, now: made.clock.now)) == nil)

        let begun = try await made.logIn()
        #expect(begun.session.strength == .begun && begun.device == nil)
        #expect(try !made.factors.mayAdd(begun.session), "a password alone adds no factor beside another")
        guard case .wrong = try made.factors.prove(begun.session, code: "000000", AccountFixture.browser) else {
            Issue.record("a wrong code was taken")
            return
        }
        let code = try made.code(secret)
        let full = try made.proved(try made.factors.prove(begun.session, code: code, AccountFixture.browser))
        #expect(full.strength == .full && full.hash != begun.session.hash)
        #expect(try made.store.session(begun.session.hash, now: made.clock.now) == nil)

        let again = try await made.logIn().session
        guard case .used = try made.factors.prove(again, code: code, AccountFixture.browser) else {
            Issue.record("a code worked twice")
            return
        }
    }

    @Test("ACC-9: two browsers that send the same code at the same time: one gets in")
    func race() async throws {
        let made = try AccountFixture()
        let account = try await made.account()
        let (secret, _) = try made.setUpOneTime(try await made.logIn().session)
        let sessions = [try await made.logIn().session, try await made.logIn().session]
        let step = OneTimeCode.step(at: made.clock.now)
        _ = try made.code(secret)
        let taken = try sessions.map { session in
            try made.store.factors.proveSession(
                session, newHash: SecretToken.random().hash, by: .oneTime(step: step), strength: .full, now: made.clock.now)
        }
        #expect(taken == [true, false])
        #expect(try made.store.factors.factors(of: account).oneTime?.lastStep == step)
    }

    @Test("ACC-9: a recovery code works once, and its owner is told")
    func recovery() async throws {
        let made = try AccountFixture()
        let account = try await made.account()
        let full = try made.setUpOneTime(try await made.logIn().session).session
        let codes = try made.factors.makeRecoveryCodes(full)
        #expect(codes.count == 10)
        _ = try made.proved(try made.factors.prove(try await made.logIn().session, code: codes[3].lowercased(), AccountFixture.browser))
        #expect(try made.store.factors.factors(of: account).recovery.count == 9)
        guard case .wrong = try made.factors.prove(try await made.logIn().session, code: codes[3], AccountFixture.browser) else {
            Issue.record("a recovery code worked twice")
            return
        }
        #expect(try made.mails().contains("account.recoveryUsed"))
        let renewed = try made.factors.makeRecoveryCodes(full)
        #expect(try Set(renewed).isDisjoint(with: codes) && (made.store.factors.factors(of: account).recovery.count) == 10)
    }

    @Test("ACC-9: three wrong codes mail the owner, and more are not even looked at for a while")
    func guesses() async throws {
        let made = try AccountFixture()
        _ = try await made.account()
        let (secret, _) = try made.setUpOneTime(try await made.logIn().session)
        var waits = 0
        // A new session for each guess helps nobody.
        for _ in 0..<4 {
            let begun = try await made.logIn().session
            for _ in 0..<2 {
                if case .wait(let seconds) = try made.factors.prove(begun, code: "123 456", AccountFixture.browser) {
                    waits += 1
                    #expect(seconds > 0)
                }
            }
        }
        #expect(waits > 0)
        #expect(try made.mails().filter { $0 == "account.wrongCodes" }.count == 1)
        let begun = try await made.logIn().session
        guard case .wait = try made.factors.prove(begun, code: try made.code(secret), AccountFixture.browser) else {
            Issue.record("the limit was got around")
            return
        }
        made.clock.advance(600_000)
        _ = try made.proved(try made.factors.prove(begun, code: try made.code(secret), AccountFixture.browser))
    }

    @Test("ACC-9: an organisation logs in to nothing before it has a factor, and keeps its last one")
    func required() async throws {
        let made = try AccountFixture()
        _ = try await made.account(.organisation)
        let begun = try await made.logIn().session
        #expect(try begun.strength == .begun && (made.factors.mayAdd(begun)))
        let full = try made.setUpOneTime(begun).session
        #expect(full.strength == .full)
        #expect(try made.factors.remove(.oneTime, of: full) == .needed)
        #expect(try !made.factors.factors(of: full.account).isEmpty)
    }

    @Test("ACC-9: a person removes the last factor, with it the recovery codes, and is told")
    func removal() async throws {
        let made = try AccountFixture()
        _ = try await made.account()
        let full = try made.setUpOneTime(try await made.logIn().session).session
        _ = try made.factors.makeRecoveryCodes(full)
        #expect(try made.factors.remove(.oneTime, of: full) == .removed)
        #expect(try made.factors.remove(.oneTime, of: full) == .unknown)
        let left = try made.factors.factors(of: full.account)
        #expect(left.isEmpty && left.recovery.isEmpty)
        #expect(try await made.logIn().session.strength == .full)
        #expect(try made.mails().contains("account.oneTimeRemoved"))
    }

    @Test("ACC-9: a secret that another session was shown is worth nothing: whoever saw it would know the owner's codes")
    func shownElsewhere() async throws {
        let made = try AccountFixture()
        _ = try await made.account(.organisation)
        let thief = try await made.logIn().session, owner = try await made.logIn().session
        func secret(_ session: StoredSession, _ byte: UInt8) throws -> [UInt8] {
            try #require(try made.store.factors.waitingOneTime([UInt8](repeating: byte, count: 20), for: session, now: made.clock.now))
                .secret
        }
        let seen = try secret(thief, 1), own = try secret(owner, 2)
        #expect(try seen != own && (secret(owner, 3)) == own, "a page that is loaded again shows the same secret")
        #expect(try !made.store.factors.confirmOneTime(step: 1, for: thief, now: made.clock.now))
        _ = try made.proved(try made.factors.confirmOneTime(owner, code: try made.code(own), AccountFixture.browser))
    }

    @Test("ACC-9: adding a factor needs a proof of the last five minutes, and ends the sessions that began without it")
    func stepUp() async throws {
        let made = try AccountFixture()
        _ = try await made.account()
        let other = try await made.logIn().session, old = try await made.logIn().session
        made.clock.advance(FactorService.provedLifetime)
        #expect(try !made.factors.isProved(old) && !made.factors.mayAdd(old))
        guard case .wrong = try await made.factors.prove(old, password: "something else", AccountFixture.browser) else {
            Issue.record("a wrong password was taken")
            return
        }
        let fresh = try made.proved(
            try await made.factors.prove(old, password: AccountFixture.password, AccountFixture.browser))
        #expect(made.factors.isProved(fresh) && fresh.hash != old.hash)
        var waits = false
        for _ in 0..<30 {
            if case .wait = try await made.factors.prove(fresh, password: "a guess", AccountFixture.browser) { waits = true }
        }
        #expect(waits, "whoever has a session does not guess the password with it")
        _ = try made.setUpOneTime(fresh)
        #expect(try made.store.session(other.hash, now: made.clock.now) == nil)
    }

    @Test("ACC-9: beside a second factor the password proves nothing again: the factor does")
    func factorAlone() async throws {
        let made = try AccountFixture()
        _ = try await made.account()
        let full = try made.setUpOneTime(try await made.logIn().session).session
        made.clock.advance(FactorService.provedLifetime)
        guard case .wrong = try await made.factors.prove(full, password: AccountFixture.password, AccountFixture.browser) else {
            Issue.record("the password was taken in the place of the second factor")
            return
        }
        #expect(!made.factors.isProved(full))
    }

    @Test("ACC-6: a log-in on a browser that was never used before is told by mail, on a known one not")
    func newBrowser() async throws {
        let made = try AccountFixture()
        _ = try await made.account(confirmed: made.clock.now)
        let device = try #require(try await made.logIn().device)
        #expect(try made.mails().isEmpty, "the first hour is the owner's own setting up")
        made.clock.advance(3_600_000)
        _ = try await made.logIn(knownDevice: device)
        #expect(try made.mails().isEmpty)
        _ = try await made.logIn(knownDevice: "x." + device)
        #expect(try made.mails() == ["account.newBrowser"])
    }

    @Test("ACC-16: the first operator comes by a code that works once, within a day, and sets up a factor before anything else")
    func claim() async throws {
        let made = try AccountFixture()
        let fields = [
            "firstName": "Olga", "lastName": "Made-Up", "phone": "+390212345678", "email": "olga@example.org",
            "password": "ninebeans", "terms": AccountService.documents.terms,
        ]
        func claim(_ code: String) async throws -> FactorService.Claim {
            try await made.factors.claim(fields.merging(["code": code]) { $1 }, language: "it", AccountFixture.browser)
        }
        let void = try FactorService.makeClaimCode(made.store, now: made.clock.now)
        let late = try FactorService.makeClaimCode(made.store, now: made.clock.now)
        for wrong in [void, "", "AAAA-AAAA"] {
            guard case .wrongCode = try await claim(wrong) else {
                Issue.record("\(wrong) was taken")
                return
            }
        }
        made.clock.advance(FactorService.claimLifetime)
        guard case .wrongCode = try await claim(late) else {
            Issue.record("a code of yesterday was taken")
            return
        }
        let code = try FactorService.makeClaimCode(made.store, now: made.clock.now)
        await #expect(throws: FormErrors.self) {
            _ = try await made.factors.claim(["code": code], language: "it", AccountFixture.browser)
        }
        guard case .session(let secret) = try await claim(code.lowercased()) else {
            Issue.record("the code was not taken")
            return
        }
        let session = try #require(try made.accounts.session(secret.text))
        #expect(try session.strength == .begun && session.account.roles == [.operator] && (made.factors.mayAdd(session)))
        guard case .wrongCode = try await claim(code) else {
            Issue.record("a code worked twice")
            return
        }
        #expect(try made.store.operators().count == 1)
    }
}
