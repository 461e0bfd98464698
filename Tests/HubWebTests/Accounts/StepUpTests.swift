import Accounts
import Credentials
import Foundation
import HubServices
import HubStore
import NIOHTTP1
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// Proving again who one is, and what is done behind it.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct StepUpTests {
    private static let password = "a long password of nobody"

    /// Somebody with a password, and a session whose last proof is so old.
    private func person(_ web: WebFixture, ago: Milliseconds) async throws -> (account: StoredAccount, cookie: String) {
        let pepper = try #require(Pepper(web.hub.accounts.derivedKey("pepper")))
        let hash = try await PasswordHasher(pepper: pepper, threads: 1).hash(Self.password)
        let new = NewAccount(
            roles: [.person],
            details: ["email": "ada@example.org", "firstName": "Ada", "lastName": "Example", "phone": "+390000000001"],
            canonicalEmail: "ada@example.org", canonicalIdentifier: nil, password: hash, language: "en", accepted: [:])
        guard case .added(let account) = try web.hub.accounts.addConfirmedAccount(new, now: 0) else { throw CocoaError(.fileNoSuchFile) }
        return (account, try session(web, of: account, ago: ago))
    }

    private func session(_ web: WebFixture, of account: StoredAccount, ago: Milliseconds) throws -> String {
        let token = SecretToken.random()
        try web.hub.accounts.addSession(token.hash, of: account.row, strength: .full, device: "", now: Cast.now - ago)
        return "\(Sessions.cookie)=\(token.text)"
    }

    private static let contact = [
        "contactName": "Bea & Bob", "contactEmail": "bea@example.org", "contactLanguage": "it",
    ]

    @Test("ACC-9: a contact is asked for a proof, nothing that was typed is lost, and it is added behind the proof")
    func done() async throws {
        try await WebFixture.run { web in
            let (account, late) = try await person(web, ago: FactorService.provedLifetime)
            func contacts() throws -> [SOSContact] { try web.hub.sos.store.choice(of: account.id.person).contacts }
            let asked = try await web.post("/protection/contacts", Self.contact, cookie: late)
            #expect(asked.status == 403 && asked.body.contains("Is it still you?"))
            #expect(asked.body.contains("action=\"/protection/contacts\""))
            #expect(asked.body.contains("name=\"contactName\" value=\"Bea &amp; Bob\""))
            #expect(try contacts().isEmpty)
            var wrong = Self.contact
            wrong[StepUp.password] = "a guess"
            let again = try await web.post("/protection/contacts", wrong, cookie: late)
            #expect(again.status == 422 && again.body.contains("value=\"bea@example.org\"") && !again.body.contains("a guess"))
            #expect(try contacts().isEmpty)
            var right = Self.contact
            right[StepUp.password] = Self.password
            let done = try await web.post("/protection/contacts", right, cookie: late)
            #expect(done.status == 303 && done.header("location") == "/protection")
            #expect(try contacts().map(\.name) == ["Bea & Bob"])
            // The proof gave the session another secret.
            let fresh = try #require(done.headers["set-cookie"].first { $0.hasPrefix(Sessions.cookie) }?.prefix { $0 != ";" })
            #expect(try await web.send(.GET, "/home", cookie: String(fresh)).status == 200)
            #expect(try await web.send(.GET, "/home", cookie: late).header("location") == "/log-in")
        }
    }

    @Test("ACC-9: what fails behind a proof leaves its owner logged in")
    func failed() async throws {
        try await WebFixture.run { web in
            let (_, late) = try await person(web, ago: StepUpRules.acceptLifetime)
            let path = "/followers/\(PersonID.random())/accept"
            #expect(try await web.post(path, [:], cookie: late).status == 403)
            let refused = try await web.post(path, [StepUp.password: Self.password], cookie: late)
            #expect(refused.status == 403 && !refused.body.contains("Is it still you?"))
            let fresh = try #require(refused.headers["set-cookie"].first { $0.hasPrefix(Sessions.cookie) }?.prefix { $0 != ";" })
            #expect(try await web.send(.GET, "/home", cookie: String(fresh)).status == 200)
        }
    }

    @Test("ACC-9, CONS-2: what gives others something asks again; what takes it away, says no or brings help never does")
    func which() async throws {
        try await WebFixture.run { web in
            let (account, old) = try await person(web, ago: StepUpRules.acceptLifetime)
            func isAsked(_ path: String, _ fields: [String: String] = [:], _ cookie: String) async throws -> Bool {
                try await web.post(path, fields, cookie: cookie).body.contains("Is it still you?")
            }
            let id = PersonID.random()
            for path in [
                "/followers/\(id)/accept", "/care/person/\(id)/answer/\(id)/accept", "/protection/off", "/protection/contacts",
                "/protection/contacts/0/remove", "/protection/contacts/0/up", "/operator/requests/\(id)/approve",
                "/operator/services/\(id)/approve", "/operator/groups/\(id)/approve",
            ] { #expect(try await isAsked(path, [:], old), "\(path)") }
            for path in [
                "/followers/\(id)/deny", "/followers/\(id)/revoke", "/care/person/\(id)/answer/\(id)/deny",
                "/care/person/\(id)/answer/\(id)/revoke", "/protection/on", "/protection/press/help", "/protection/press/ok",
            ] { #expect(try await !isAsked(path, [:], old), "\(path)") }
            // A log-in of the last 15 minutes is enough to accept, not to turn protection off.
            let recent = try session(web, of: account, ago: FactorService.provedLifetime + 60_000)
            #expect(try await !isAsked("/followers/\(id)/accept", [:], recent))
            #expect(try await isAsked("/protection/off", [:], recent))
            #expect(try await isAsked("/profile", ["phone": "+390000000009"], recent))
            #expect(try await isAsked("/profile", ["residence": "Via Nuova 1, Bergamo"], recent))
            #expect(try await !isAsked("/profile", ["phone": "+390000000001", "weight": "70"], recent))
            let lab = try web.member(.organisation, "lab@example.org").account, labSession = try session(web, of: lab, ago: 400_000)
            for list in ["requests", "groups"] {
                let download = try await web.send(.GET, "/\(list)/\(id)/download?format=csv", cookie: labSession)
                #expect(download.header("location") == "/security/prove?back=%2F\(list)%2F\(id)%2Fdownload%3Fformat%3Dcsv")
            }
        }
    }
}
