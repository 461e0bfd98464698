import Accounts
import Credentials
import Foundation
import HubStore
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// Notices are pushed to a browser as long as its session was not ended.
@Suite struct BrowserSessionTests {
    private func device(_ made: AccountFixture, _ session: StoredSession, _ number: Int) throws {
        let address = PushAddress(endpoint: "https://push.example.net/\(number)", publicKey: [], secret: [], name: "\(number)")
        try made.store.pushes.addPushDevice(address, to: session.account, session: session.hash, now: made.clock.now)
    }

    private func names(_ made: AccountFixture, _ account: StoredAccount) throws -> [String] {
        try made.store.pushes.pushDevices(of: account).map(\.address.name)
    }

    private func cookie(_ made: AccountFixture, _ email: String = "ada@example.org") async throws -> (
        text: SecretToken, session: StoredSession
    ) {
        let outcome = try await made.accounts.logIn(
            email: email, password: AccountFixture.password, address: "192.0.2.1", device: "test", knownDevice: nil)
        guard case .session(let secret, _, _) = outcome else { throw AccountFixture.NotMade() }
        return (secret, try #require(try made.accounts.session(secret.text)))
    }

    @Test("ACC-15, ACC-6: a browser that logs out, or whose session is ended from elsewhere, gets no more notices; the others do")
    func ended() async throws {
        let made = try AccountFixture(), ada = try await made.account()
        let first = try await cookie(made), second = try await cookie(made), third = try await cookie(made)
        for (number, one) in [first, second, third].enumerated() { try device(made, one.session, number) }
        // Also when it was left alone for so long that it opens nothing any more.
        made.clock.advance(try SessionLimits.of([.organiser]).idle)
        #expect(try made.accounts.session(first.text.text) == nil)
        try made.accounts.logOut(first.text.text)
        #expect(try names(made, ada) == ["1", "2"])
        try made.store.endSession(second.session.hash, of: ada.row)
        #expect(try names(made, ada) == ["2"])
        try made.accounts.logOut("no session")
        let fourth = try await cookie(made)
        try device(made, fourth.session, 4)
        #expect(try await made.accounts.changePassword(of: fourth.session, from: AccountFixture.password, to: "another sentence of mine"))
        #expect(try names(made, ada) == ["4"])
    }

    @Test("ACC-15: a closed phone is told when its session is just too old, and when it logs in again; not after another's log-in")
    func kept() async throws {
        let made = try AccountFixture(), ada = try await made.account()
        _ = try await made.account(email: "eve@example.org")
        let first = try await cookie(made)
        try device(made, first.session, 1)
        // Proved again: the session has another name.
        let proved = SecretToken.random()
        #expect(
            try made.store.factors.proveSession(first.session, newHash: proved.hash, by: .password, strength: .full, now: made.clock.now))
        made.clock.advance(try SessionLimits.of([.organiser]).idle)
        let again = try await cookie(made)
        try made.accounts.replaceSession(proved.text, by: again.text)
        #expect(try names(made, ada) == ["1"] && made.store.session(proved.hash, now: 0) == nil)
        try device(made, again.session, 2)
        let eve = try await cookie(made, "eve@example.org")
        try made.accounts.replaceSession(again.text.text, by: eve.text)
        #expect(try names(made, ada) == [])

        let last = try await cookie(made)
        try device(made, last.session, 3)
        made.clock.advance(AccountStore.sessionLifetime)
        try made.store.forgetUnconfirmedAccounts(before: 0, now: made.clock.now)
        #expect(try made.store.session(last.session.hash, now: 0) == nil && names(made, ada) == ["3"])
    }

    /// A browser whose session is forgotten, as it got too old.
    private func old(_ made: AccountFixture, _ number: Int) async throws -> (text: SecretToken, session: StoredSession) {
        let one = try await cookie(made)
        try device(made, one.session, number)
        made.clock.advance(AccountStore.sessionLifetime)
        try made.store.forgetUnconfirmedAccounts(before: 0, now: made.clock.now)
        return one
    }

    @Test("ACC-15: a browser whose session is forgotten is logged out of notices by its cookie, or goes on with its next session")
    func forgotten() async throws {
        let made = try AccountFixture(), ada = try await made.account()
        _ = try await made.account(email: "eve@example.org")
        let first = try await old(made, 1), second = try await old(made, 2), third = try await old(made, 3)
        #expect(try names(made, ada) == ["1", "2", "3"])
        try made.accounts.logOut(first.text.text)
        #expect(try names(made, ada) == ["2", "3"])
        // Another account's log-in with that browser.
        let eve = try await cookie(made, "eve@example.org")
        try made.accounts.replaceSession(second.text.text, by: eve.text)
        #expect(try names(made, ada) == ["3"])
        let again = try await cookie(made)
        try made.accounts.replaceSession(third.text.text, by: again.text)
        #expect(try names(made, ada) == ["3"])
        try made.accounts.logOut(again.text.text)
        #expect(try names(made, ada) == [])
    }

    @Test("ACC-15, ACC-6: browsers without a known session get no more notices when the others' sessions end")
    func unknown() async throws {
        let made = try AccountFixture(), ada = try await made.account()
        func expectOnlyTheOwn(_ end: (StoredSession) async throws -> Void) async throws {
            _ = try await old(made, 1)
            let address = PushAddress(endpoint: "https://push.example.net/2", publicKey: [], secret: [], name: "2")
            try made.store.pushes.addPushDevice(address, to: ada, now: made.clock.now)
            let own = try await cookie(made)
            try device(made, own.session, 3)
            #expect(try names(made, ada) == ["1", "2", "3"])
            try await end(own.session)
        }
        try await expectOnlyTheOwn { try made.store.factors.endSessions(of: ada.row, keeping: $0.hash) }
        #expect(try names(made, ada) == ["3"])
        try await expectOnlyTheOwn { try made.store.changePassword("x", of: ada.row, keeping: $0.hash) }
        #expect(try names(made, ada) == ["3"])
        try made.store.changePassword(ada.password, of: ada.row, keeping: nil)
        try await expectOnlyTheOwn { _ in
            try made.store.addLink([1], .reset, of: ada.row, expires: .max)
            _ = try made.store.resetPassword("y", linkHash: [1], now: made.clock.now)
        }
        #expect(try names(made, ada) == [])
    }
}
