import Accounts
import Foundation
import HubServices
import HubStore
import Privacy
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

    @Test("ACC-6: how long a log-in takes does not tell a wrong name from a wrong password, the try whose mail warns the owner included")
    func logIn() async throws {
        let made = try AccountFixture(later: { work in Task { try work() } })
        func logIn(_ email: String, _ number: Int) async throws {
            let address = "192.0.\((number + 5) / 200).\((number + 5) % 200)"
            _ = try await made.accounts.logIn(
                email: "\(email)\(number)@example.org", password: "wrong", address: address, device: "", knownDevice: nil)
        }
        for number in -5..<TimingComparison.tries {
            _ = try await made.account(email: "known\(number)@example.org")
            for email in ["known", "unknown", "known", "unknown"] { try await logIn(email, number) }
        }
        // The third wrong try of each.
        let compared = try await TimingComparison {
            try await logIn("known", $0)
        } _: {
            try await logIn("unknown", $0)
        }
        #expect(!compared.isDifferent, "\(compared.description)")
    }

    @Test("ACC-4: how long a sign-up takes does not tell a new address from one that has an account")
    func signUp() async throws {
        let made = try AccountFixture(later: { work in Task { try work() } })
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
        }
        #expect(!compared.isDifferent, "\(compared.description)")
    }

    @Test("CONS-1: a difference of 2 ms would be found")
    func sensitivity() async throws {
        let hub = try ConsentFixture()
        let plain = try await TimingComparison {
            _ = try hub.ask("left\($0)@example.org")
        } _: {
            _ = try hub.ask("right\($0)@example.org")
        }
        let slow = try await TimingComparison {
            _ = try hub.ask("slow\($0)@example.org")
            let start = ContinuousClock.now
            while start.duration(to: .now) < .milliseconds(2) {}
        } _: {
            _ = try hub.ask("quick\($0)@example.org")
        }
        #expect(!plain.isDifferent && slow.isDifferent, "\(plain.description); \(slow.description)")
    }
}
