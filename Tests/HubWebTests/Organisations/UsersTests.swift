import Accounts
import Foundation
import HTTPTypes
import HubServices
import HubStore
import NIOHTTP1
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// The users of an organisation, as pages of a real hub.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct UsersTests {
    private static let bea = [
        "firstName": "Bea", "lastName": "Rossi", "phone": "+39 02 1234567", "password": "three ducks swim to Bergamo", "terms": "2026-11",
    ]

    /// Somebody who became a user of an organisation.
    private func joined(_ web: WebFixture, _ lab: Member, rights: String = "reads") async throws -> Member {
        let invited = try await web.post(
            "/organisation/users", ["userAddress": "bea@example.org", "userRights": rights], cookie: lab.cookie)
        #expect(invited.status == 200 && invited.body.contains("on its way") && invited.body.contains("bea@example.org"))
        let mails = MailCatcher(directory: web.directory.url)
        let link = try mails.link(in: try await mails.mail(to: "bea@example.org", with: "/join/"), "/join/")
        #expect(try await web.send(.GET, link).body.contains("Lab of Bergamo invites you (bea@example.org)"))
        #expect(try await web.post(link, Self.bea.merging(["phone": ""]) { $1 }).status == 422)
        #expect(try await web.post(link, Self.bea).header("location") == "/log-in?confirmed=1")
        #expect(try await web.post(link, Self.bea).status == 410, "once")
        let account = try #require(try web.hub.accounts.account(email: "bea@example.org"))
        #expect(account.roles == [.member] && account.confirmed != nil)
        return Member(account: account, cookie: try web.session(of: account, strength: .full))
    }

    /// A consent of somebody's to an organisation.
    private func given(_ web: WebFixture, by person: Member, to lab: Member) throws -> ConsentID {
        let reader = Reader.organisation(OrganisationID(lab.account.id))
        let scope = try ConsentScope(asker: reader, kinds: [.heartRate], purpose: "A study", term: .untilRevoked)
        return try web.hub.accounts.consents.giveConsent(
            scope, of: person.account.id.person, by: person.account.id, parameters: .data4Help, now: web.hub.consents.now
        ).consent.id
    }

    @Test("ACC-20, ACC-9: a user is invited, has a log-in and a second factor of their own, reads, and stands in the ledger by name")
    func reads() async throws {
        try await WebFixture.run { web in
            let lab = try web.member(.organisation, "lab@example.org"), ada = try web.member(.person, "ada@example.org")
            for (fields, status) in [(["userAddress": "nobody"], 422), (["userAddress": ""], 422)] as [([String: String], UInt)] {
                #expect(try await web.post("/organisation/users", fields, cookie: lab.cookie).status == status)
            }
            let bea = try await joined(web, lab), id = try given(web, by: ada, to: lab)
            let logIn = try await web.post("/log-in", ["email": "bea@example.org", "password": Self.bea["password"] ?? ""])
            #expect(logIn.header("location") == "/log-in/second", "no user without a second factor")

            #expect(try await web.send(.GET, "/organisation/people", cookie: bea.cookie).body.contains("/organisation/people/\(id)"))
            #expect(try await web.send(.GET, "/organisation/people/\(id)", cookie: bea.cookie).status == 200)
            #expect(try await web.send(.GET, "/organisation/people/\(id)", cookie: lab.cookie).status == 200)
            let ledger = try await web.send(.GET, "/ledger", cookie: ada.cookie).body
            #expect(ledger.contains("Lab of Bergamo (Bea Rossi)"))
            let reads = try web.hub.accounts.ledger.ledger(of: ada.account.id.person).entries.filter { $0.what == .read }
            #expect(reads.map(\.user?.account) == [nil, bea.account.id])
            #expect(try await web.send(.GET, "/followers?q=Bea", cookie: ada.cookie).status == 200)

            let history = try await web.send(.GET, "/requests", cookie: bea.cookie)
            #expect(history.status == 200 && !history.body.contains("action=\"/requests\"") && !history.body.contains("/end\""))
            #expect(try await web.send(.GET, "/requests", cookie: lab.cookie).body.contains("action=\"/requests\""))
            let menu = try await web.send(.GET, "/home", cookie: bea.cookie).body
            #expect(menu.contains("href=\"/organisation/people\"") && menu.contains("Bea Rossi"))
            #expect(try await !web.send(.GET, "/more", cookie: bea.cookie).body.contains("/organisation/keys"))
        }
    }

    @Test("ACC-20: a user does what their rights reach and nothing else, and only on pages of the organisation in its name")
    func rights() async throws {
        try await WebFixture.run { web in
            let lab = try web.member(.organisation, "lab@example.org"), ada = try web.member(.person, "ada@example.org")
            let rival = try web.member(.organisation, "rival@example.org"), bea = try await joined(web, lab)
            let id = try given(web, by: ada, to: lab), others = try given(web, by: ada, to: rival)
            let request = ["whom": "cleo@example.org", "requestPurpose": "A study", "term": "30", "kind1": "1"]
            #expect(try await web.post("/requests", request, cookie: bea.cookie).status == 403)
            #expect(try await web.send(.GET, "/groups/ask", cookie: bea.cookie).status == 403)
            let user = "/organisation/users/\(bea.account.id)"
            for member in [rival, bea, ada] {
                #expect(try await web.post(user + "/rights", ["rights": "asks"], cookie: member.cookie).status == 403)
                #expect(try await web.post(user + "/remove", [:], cookie: member.cookie).status == 403)
            }
            #expect(try await web.post(user + "/rights", ["rights": "asks"], cookie: lab.cookie).status == 303)
            #expect(try await web.post("/requests", request, cookie: bea.cookie).status == 303)
            #expect(try await web.send(.GET, "/requests", cookie: lab.cookie).body.contains("cleo@example.org"))
            #expect(try await web.post("/requests/\(others)/end", [:], cookie: bea.cookie).status == 403)

            for path in ["users", "keys", "webhooks"].map({ "/organisation/" + $0 }) + [
                "/publish", "/hospital", "/organisation/people/\(others)",
            ] {
                #expect(try await web.send(.GET, path, cookie: bea.cookie).status == 403, "\(path)")
            }
            #expect(try await web.post("/organisation/people/\(id)/strict", ["strict": "yes"], cookie: bea.cookie).status == 403)
            // What is the user's own stays so: the organisation's profile and account are out of reach.
            let profile = ["firstName": "Bea", "lastName": "Bianchi", "phone": "+39 02 1234567", "purpose": "Advertising"]
            #expect(try await web.post("/profile", profile, cookie: bea.cookie).status == 200)
            #expect(try web.hub.accounts.account(lab.account.id)?.details == lab.account.details)
            #expect(try web.hub.accounts.account(bea.account.id)?.name == "Bea Bianchi")
            #expect(try await web.send(.GET, "/account/export", cookie: bea.cookie).body.contains("bea@example.org"))
            #expect(
                try await web.send(.GET, "/account/export", cookie: lab.cookie).body.contains("bea@example.org"),
                "its users are the organisation's")
        }
    }

    @Test("ACC-20: a user who is taken out is logged out at once; an invitation is taken back, and taken by its address alone")
    func removed() async throws {
        try await WebFixture.run { web in
            let lab = try web.member(.organisation, "lab@example.org"), bea = try await joined(web, lab, rights: "asks")
            #expect(try await web.post("/organisation/users/\(bea.account.id)/remove", [:], cookie: lab.cookie).status == 303)
            #expect(try await web.send(.GET, "/organisation/people", cookie: bea.cookie).header("location") == "/log-in")
            let mails = MailCatcher(directory: web.directory.url)
            _ = try await mails.mail(to: "bea@example.org", with: "took you out")
            let later = try web.session(of: bea.account, strength: .full)
            #expect(try await web.send(.GET, "/organisation/people", cookie: later).status == 403)
            #expect(try await web.send(.GET, "/account", cookie: later).body.contains("you act for your organisation no more"))

            let person = try web.member(.person, "cleo@example.org"), other = try web.member(.person, "dora@example.org")
            let fields = ["userAddress": "cleo@example.org", "userRights": "reads"]
            #expect(try await web.post("/organisation/users", fields, cookie: lab.cookie).status == 200)
            let link = try mails.link(in: try await mails.mail(to: "cleo@example.org", with: "/join/"), "/join/")
            #expect(try await web.post(link, Self.bea).status == 409, "the address has an account, whose owner logs in")
            #expect(try await web.post(link, [:], cookie: other.cookie).status == 409, "another address")
            #expect(try await web.post(link, [:], cookie: person.cookie).header("location") == "/home")
            let roles = try #require(try web.hub.accounts.account(person.account.id)).roles
            #expect(roles == [.person, .member])
            #expect(
                try await web.send(.GET, "/home", cookie: person.cookie).header("location") == "/log-in/second",
                "it owes a second factor now")

            #expect(try await web.post("/organisation/users", ["userAddress": "eve@example.org"], cookie: lab.cookie).status == 200)
            let page = try await web.send(.GET, "/organisation/users", cookie: lab.cookie).body
            let withdraw = String(
                try #require(page.firstMatch(of: /action="(\/organisation\/users\/invitations\/[0-9a-f]+\/withdraw)"/)).output.1)
            let eve = try mails.link(in: try await mails.mail(to: "eve@example.org", with: "/join/"), "/join/")
            #expect(try await web.post(withdraw, [:], cookie: lab.cookie).status == 303)
            #expect(try await web.send(.GET, eve).status == 410)
        }
    }

    @Test("ACC-20: what users may ask for in an organisation's name is listed, and nothing else is theirs")
    func allowed() {
        let paths: [(HTTPMethodName, String, Set<Membership.Rights>)] = [
            (.get, "/organisation/people", [.reads, .asks]), (.get, "/organisation/people/x/live", [.reads, .asks]),
            (.get, "/requests", [.reads, .asks]), (.get, "/requests/x/download", [.reads, .asks]), (.get, "/groups", [.reads, .asks]),
            (.post, "/requests/x/mail", [.reads, .asks]), (.get, "/groups/ask", [.asks]), (.post, "/requests", [.asks]),
            (.post, "/requests/x/end", [.asks]), (.post, "/groups", [.asks]), (.post, "/groups/ask", [.asks]),
            (.post, "/organisation/people/x/strict", []), (.get, "/organisation/keys", []), (.get, "/organisation/users", []),
            (.get, "/profile", []), (.post, "/account", []), (.get, "/publish", []), (.post, "/organisation/keys", []),
            (.get, "/organisation/%70eople", []), (.get, "/", []),
        ]
        for (method, path, expected) in paths {
            let found = Membership.Rights.allCases.filter { Acting.allows(method == .get ? .get : .post, path, $0) }
            #expect(Set(found) == expected, "\(method) \(path)")
        }
    }

    private enum HTTPMethodName { case get, post }
}
