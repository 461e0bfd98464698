import Accounts
import Foundation
import HubServices
import HubStore
import Privacy
import TestSupport
import Testing
import Vitals

/// That the time an answer takes does not tell whether somebody has an account. The numbers over 20,000 tries are in docs/benchmarks.md.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct EnumerationTests {
    @Test("CONS-1: how long it takes to ask does not tell a known person from an unknown one, nor from one who blocked the asker")
    func consentRequests() async throws {
        let hub = try ConsentFixture()
        // Approved, so that all of these leave at once.
        try hub.consents.approve(try hub.ask("first@example.org"), by: hub.checker)
        func ask(_ address: String, _ number: Int) throws {
            let id = try hub.consents.ask(
                ConsentAddress(address), by: hub.hospital, kinds: [.heartRate], purpose: "Study of rest",
                term: .lasting(Milliseconds(1000 + number) * 86_400)
            ).id
            try hub.consents.end(id, by: hub.asker)
        }
        let unknown = try await TimingComparison {
            try ask("ada@example.org", $0)
        } _: {
            try ask("bob@example.org", $0)
        }
        #expect(!unknown.isDifferent, "\(unknown.description)")
    }

    @Test("CONS-1: while a question is taken nobody is looked up: a letter to a stranger is written with the search for whom it reaches")
    func lettersLater() throws {
        let hub = try ConsentFixture()
        try hub.consents.approve(try hub.ask("first@example.org"), by: hub.checker)
        func letters() throws -> Int { try hub.accounts.invitations.dueLetters(100, lease: 0, now: hub.clock.now).count }
        let before = try letters()
        let id = try hub.consents.ask(
            ConsentAddress("bob@example.org"), by: hub.hospital, kinds: [.heartRate], purpose: "Study of rest", term: .lasting(86_400_000)
        ).id
        #expect(try letters() == before)
        try hub.accounts.consents.reachConsent(id, now: hub.clock.now)
        #expect(try letters() == before + 1)
    }

    @Test("ACC-6: how long a log-in takes does not tell a wrong name from a wrong password, the try whose mail warns the owner included")
    func logIn() async throws {
        let made = try AccountFixture(isLater: true)
        func logIn(_ email: String, _ number: Int) async throws {
            let address = "192.0.\((number + 5) / 200).\((number + 5) % 200)"
            _ = try await made.accounts.logIn(
                email: "\(email)\(number)@example.org", password: "wrong", address: address, device: "", knownDevice: nil)
        }
        for number in -5..<TimingComparison.tries {
            _ = try await made.account(email: "known\(number)@example.org")
            for email in ["known", "unknown", "known", "unknown"] { try await logIn(email, number) }
        }
        try made.doWhatWaits()
        // The third wrong try of each.
        let compared = try await TimingComparison {
            try await logIn("known", $0)
        } _: {
            try await logIn("unknown", $0)
        } after: {
            try made.doWhatWaits()
        }
        #expect(!compared.isDifferent, "\(compared.description)")
    }

    @Test("ACC-4: how long a sign-up takes does not tell a new address from one that has an account")
    func signUp() async throws {
        let made = try AccountFixture(isLater: true)
        _ = try await made.account(email: "known@example.org")
        func signUp(_ email: String) async throws {
            let fields = [
                "firstName": "Ada", "lastName": "Made-Up", "phone": "+390212345678", "email": email,
                "password": "three ducks swim to Bergamo",
                "terms": AccountService.documents.terms,
            ]
            try await made.accounts.signUp(.organiser, fields, language: "en")
        }
        let compared = try await TimingComparison { _ in
            try await signUp("known@example.org")
        } _: {
            try await signUp("new\($0)@example.org")
        } after: {
            try made.doWhatWaits()
        }
        #expect(!compared.isDifferent, "\(compared.description)")
    }

    /// Times of a few milliseconds drown in those of a slow machine; that nothing is written tells for certain.
    @Test(
        "ACC-4, ACC-6, ACC-7: when a sign-up, wrong log-ins and a forgotten password are answered one row is written, the same for whoever has an account and who has none"
    )
    func nothingWritten() async throws {
        let made = try AccountFixture(isLater: true)
        _ = try await made.account(email: "known@example.org")
        func contents() throws -> [String] {
            try made.mails() + ["known", "new"].map { try "\(made.store.account(email: "\($0)@example.org") != nil)" }
        }
        for name in ["known", "new"] {
            let before = try contents()
            try await made.accounts.signUp(
                .organiser,
                [
                    "firstName": "Ada", "lastName": "Made-Up", "phone": "+390212345678", "email": "\(name)@example.org",
                    "password": "three ducks swim to Bergamo", "terms": AccountService.documents.terms,
                ], language: "en")
            #expect(try made.waiting() == 1 && contents() == before, "signing up, \(name)")
            try made.doWhatWaits()
        }
        #expect(try made.mails() == ["account.taken", "account.confirm"])
        let signedUp = try contents()
        for name in ["known", "stranger"] {
            let before = try made.waiting()
            try made.accounts.forgot(email: "\(name)@example.org")
            #expect(try made.waiting() == before + 1 && contents() == signedUp, "forgetting, \(name)")
        }
        try made.doWhatWaits()
        #expect(try made.mails().filter { $0 == "account.reset" }.count == 1)
        let forgotten = try contents()
        for name in ["known", "stranger"] {
            let before = try made.waiting()
            for number in 0..<3 {
                _ = try await made.accounts.logIn(
                    email: "\(name)@example.org", password: "wrong", address: "192.0.2.\(number)", device: "", knownDevice: nil)
            }
            #expect(try made.waiting() == before + 1 && contents() == forgotten, "three wrong tries, \(name)")
        }
        try made.doWhatWaits()
        #expect(try made.mails().filter { $0 == "account.wrongTries" }.count == 1)
    }

    @Test("CONS-1: one question more, which is a commit more, would be found, on a slow machine as on a quick one")
    func sensitivity() async throws {
        let hub = try ConsentFixture()
        let plain = try await TimingComparison {
            _ = try hub.ask("left\($0)@example.org")
        } _: {
            _ = try hub.ask("right\($0)@example.org")
        }
        let slow = try await TimingComparison {
            for half in 0..<2 { _ = try hub.ask("slow\($0).\(half)@example.org") }
        } _: {
            _ = try hub.ask("quick\($0)@example.org")
        }
        #expect(!plain.isDifferent && slow.isDifferent, "\(plain.description); \(slow.description)")
    }
}
