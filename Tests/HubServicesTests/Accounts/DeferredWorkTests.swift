import Accounts
import Credentials
import Database
import Foundation
import HubStore
import Logging
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// What follows an answer, and mails for who has no mailbox.
@Suite struct AfterAnswersTests {
    private static let form = [
        "firstName": "Ada", "lastName": "Made-Up", "phone": "+390212345678", "email": "new@example.org",
        "password": "three ducks swim to Bergamo", "terms": AccountService.documents.terms,
    ]

    private func after(_ made: AccountFixture) -> DeferredWork {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return DeferredWork(service: made.accounts, logger: logger)
    }

    @Test("ACC-5, ACC-6, ACC-7: a hub that is killed right behind its answers does what follows them after its next start, once")
    func killed() async throws {
        let first = try AccountFixture(isLater: true)
        _ = try await first.account()
        try await first.accounts.signUp(.organiser, Self.form, language: "en")
        try first.accounts.forgot(email: "ada@example.org")
        try first.accounts.forgot(email: "nobody@example.org")
        for _ in 0..<3 {
            _ = try await first.accounts.logIn(
                email: "ada@example.org", password: "wrong", address: "192.0.2.7", device: "", knownDevice: nil)
        }
        #expect(try first.mails().isEmpty && first.store.account(email: "new@example.org") == nil)

        let next = try AccountFixture(isLater: true, directory: first.directory)
        let last = try #require(try next.store.deferredWork.lastAnswer())
        #expect(try after(next).work(upTo: last).isEmpty)
        #expect(try next.mails() == ["account.confirm", "account.reset", "account.wrongTries"])
        #expect(try next.store.account(email: "new@example.org") != nil && next.store.deferredWork.lastAnswer() == nil)
        #expect(try after(next).work(upTo: .max).isEmpty)
        #expect(try next.mails().count == 3)
    }

    @Test("ACC-4: before the answer the same is stored, whether or not somebody has the address, and it is not readable on the disk")
    func alike() async throws {
        let made = try AccountFixture(isLater: true)
        _ = try await made.account(email: "known@example.org")
        var sizes: [Int] = []
        for email in ["known@example.org", "knowx@example.org"] {
            try made.accounts.forgot(email: email)
            var form = Self.form
            form["email"] = email
            try await made.accounts.signUp(.organiser, form, language: "en")
            for number in 0..<3 {
                _ = try await made.accounts.logIn(
                    email: email, password: "wrong", address: "192.0.2.\(number)", device: "", knownDevice: nil)
            }
        }
        let answers = try made.store.deferredWork.answers(after: 0, upTo: .max, 100)
        #expect(answers.count == 6)
        sizes = answers.compactMap(\.bytes?.count)
        #expect(Array(sizes[..<3]) == Array(sizes[3...]))
        for file in ["accounts.sqlite", "accounts.sqlite-wal"] {
            let bytes = (try? Data(contentsOf: made.directory.url.appendingPathComponent(file))) ?? Data()
            #expect(bytes.range(of: Data("knowx@example.org".utf8)) == nil)
        }
    }

    @Test("ACC-5, ACC-7: a damaged row stays and is told; what waits before and behind it is done")
    func damaged() async throws {
        let made = try AccountFixture(isLater: true)
        _ = try await made.account()
        try made.accounts.forgot(email: "nobody@example.org")
        let row = try #require(try made.store.deferredWork.lastAnswer())
        try made.accounts.forgot(email: "ada@example.org")
        let database = try DatabasePool(path: made.directory.url.appendingPathComponent("accounts.sqlite").path)
        try database.write { try $0.execute(sql: "UPDATE answer SET envelope = x'00' WHERE id = ?", arguments: [row]) }
        #expect(try after(made).work(upTo: .max) == [row])
        #expect(try made.mails() == ["account.reset"])
        #expect(try made.store.deferredWork.answers(after: 0, upTo: .max, 9).map(\.bytes) == [nil])
    }

    private func withoutMailbox(_ made: AccountFixture) async throws -> StoredAccount {
        let new = NewAccount(
            roles: [.person], details: ["email": "ab3d-ef5h", "firstName": "Rosa", "lastName": "Made-Up"], canonicalEmail: "ab3d-ef5h",
            canonicalIdentifier: nil, password: try await made.accounts.hasher.hash(AccountFixture.password), language: "en", accepted: [:])
        guard case .added(let account) = try made.store.addConfirmedAccount(new, now: 0) else { throw AccountFixture.NotMade() }
        return account
    }

    @Test("ACC-6, ACC-15: who has no mailbox gets as a notice, and pushed, what others get as a mail; nothing is dropped or told twice")
    func noMailbox() async throws {
        let made = try AccountFixture(), rosa = try await withoutMailbox(made)
        let address = PushAddress(endpoint: "https://push.example.net/1", publicKey: [], secret: [], name: "Phone")
        try made.store.pushes.addPushDevice(address, to: rosa, now: 0)
        for _ in 0..<3 {
            _ = try await made.accounts.logIn(email: "AB3D-EF5H", password: "wrong", address: "192.0.2.7", device: "", knownDevice: nil)
        }
        _ = try await made.logIn("ab3d-ef5h")
        #expect(try made.mails().isEmpty)
        #expect(try made.store.notices.notices(of: rosa).map(\.name) == ["account.newBrowser", "account.wrongTries"])
        #expect(try made.store.notices.notices(of: rosa).first?.arguments["address"] == "192.0.2.1")
        #expect(
            try made.store.pushes.duePushes(10, lease: 0, now: made.clock.now).map(\.notice.name) == [
                "account.wrongTries", "account.newBrowser",
            ])
        try made.store.notices.addNotice(.quota, ["until": "0", "bytes": "1"], to: rosa, now: made.clock.now)
        #expect(try made.store.notices.notices(of: rosa).count == 3 && made.store.notices.newNotices(of: rosa.row) == 3)
    }
}
