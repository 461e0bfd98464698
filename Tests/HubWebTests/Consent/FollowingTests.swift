import Accounts
import AsyncHTTPClient
import Foundation
import HubStore
import NIOCore
import NIOHTTP1
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// Readers whom a person names, people who are invited, and the policy, as pages of a real hub.
@Suite(.serialized, .timeLimit(.minutes(4)))
struct FollowingTests {
    private let grant = ["readerEmail": "doctor@example.org", "kind2": "1", "grantPurpose": "My <heart>"]

    private func phone(_ web: WebFixture, _ person: Member) async throws -> String {
        let made = try await web.post("/boxes/devices", ["deviceName": "My phone", "deviceKind": "osmAnd"], cookie: person.cookie)
        return String(try #require(made.body.firstMatch(of: /[A-Z0-9]{4}(-[A-Z0-9]{4}){3}/)).output.0)
    }

    private func send(_ web: WebFixture, _ secret: String, second: Int) async throws {
        let now = Int(Date().timeIntervalSince1970)
        let path = "/osmand?id=\(secret)&timestamp=\(now - 60 + second)&lat=45.6\(second)&lon=9.7&speed=3"
        #expect(try await web.send(.POST, path).status == 200)
    }

    private func path(_ page: String, _ pattern: Regex<(Substring, Substring)>) throws -> String {
        String(try #require(page.firstMatch(of: pattern), "\(page)").output.1)
    }

    @Test("CONS-16, CONS-6, DATA-12: a doctor is named, takes it, sees last and live data of the granted kind alone, until it is revoked")
    func wholeWay() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), doctor = try web.member(.person, "doctor@example.org")
            let eve = try web.member(.person, "eve@example.org"), secret = try await phone(web, person)
            try await send(web, secret, second: 1)
            #expect(try await web.post("/followers/grant", grant, cookie: person.cookie).status == 200)
            _ = try await MailCatcher(directory: web.directory.url).mail(to: "doctor@example.org", with: "/following")
            let offered = try await web.send(.GET, "/following", cookie: doctor.cookie).body
            #expect(offered.contains("Ada Example") && offered.contains("My &lt;heart&gt;") && offered.contains("position"))
            let take = try path(offered, /action="(\/following\/offers\/[0-9a-f]{32}\/take)"/)
            #expect(try await web.post(take, [:], cookie: eve.cookie).status == 409)
            #expect(try await web.post(take, [:], cookie: doctor.cookie).status == 303)
            #expect(try await web.post(take, [:], cookie: doctor.cookie).status == 409)

            let page = try path(try await web.send(.GET, "/following", cookie: doctor.cookie).body, /href="(\/following\/[0-9a-f]{32})"/)
            let shown = try await web.send(.GET, page, cookie: doctor.cookie).body
            #expect(shown.contains("45.61, 9.7") && !shown.contains("bpm"))
            #expect(try await web.send(.GET, page + "/live", cookie: doctor.cookie).body.contains("live.js"))
            #expect(try await web.send(.GET, page + "/live/recent", cookie: doctor.cookie).body.contains("45.61"))
            for other in [eve, person] {
                for part in ["", "/live", "/live/recent", "/live/live"] {
                    #expect(try await web.send(.GET, page + part, cookie: other.cookie).status == 403)
                }
                #expect(try await web.post(page + "/end", [:], cookie: other.cookie).status == 403)
            }
            let ledger = try await web.send(.GET, "/ledger", cookie: person.cookie).body
            #expect(ledger.contains("You gave access to Ada Example") && ledger.contains("Ada Example read"))

            var request = HTTPClientRequest(url: web.url + page + "/live/live")
            request.headers.add(name: "cookie", value: doctor.cookie)
            let response = try await web.client.execute(request, timeout: .seconds(60))
            var text = "", isSent = false, isRevoked = false
            for try await chunk in response.body {
                text += String(buffer: chunk)
                if !isSent, text.contains("watching") {
                    isSent = true
                    try await send(web, secret, second: 2)
                }
                if !isRevoked, text.contains("45.62") {
                    isRevoked = true
                    let id = try #require(page.split(separator: "/").last)
                    #expect(try await web.post("/followers/\(id)/revoke", [:], cookie: person.cookie).status == 303)
                    try await send(web, secret, second: 3)
                }
            }
            #expect(isRevoked && text.hasSuffix("event: end\ndata: {}\n\n") && !text.contains("45.63"), "\(text)")
            for part in ["", "/live", "/live/recent", "/live/live"] {
                #expect(try await web.send(.GET, page + part, cookie: doctor.cookie).status == 403)
            }
            _ = try await MailCatcher(directory: web.directory.url).mail(to: "doctor@example.org", with: "has ended it")
        }
    }

    @Test("CONS-16: a grant of heart rate shows no position, neither on the page nor to its scripts")
    func kinds() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), doctor = try web.member(.organisation, "doctor@example.org")
            let secret = try await phone(web, person)
            try await send(web, secret, second: 1)
            _ = try await web.post("/followers/grant", grant.merging(["kind2": "", "kind1": "1"]) { $1 }, cookie: person.cookie)
            let take = try path(
                try await web.send(.GET, "/following", cookie: doctor.cookie).body, /action="(\/following\/offers\/[0-9a-f]{32}\/take)"/)
            _ = try await web.post(take, [:], cookie: doctor.cookie)
            let page = try path(try await web.send(.GET, "/following", cookie: doctor.cookie).body, /href="(\/following\/[0-9a-f]{32})"/)
            for part in ["", "/live/recent"] {
                let answer = try await web.send(.GET, page + part, cookie: doctor.cookie)
                #expect(answer.status == 200 && !answer.body.contains("45.61"))
            }
            var request = HTTPClientRequest(url: web.url + page + "/live/live")
            request.headers.add(name: "cookie", value: doctor.cookie)
            let response = try await web.client.execute(request, timeout: .seconds(60))
            var text = "", isSent = false
            for try await chunk in response.body {
                text += String(buffer: chunk)
                if !isSent, text.contains("watching") {
                    isSent = true
                    try await send(web, secret, second: 2)
                    let id = try #require(page.split(separator: "/").last)
                    #expect(try await web.post("/followers/\(id)/revoke", [:], cookie: person.cookie).status == 303)
                }
            }
            // Not even that something of another kind came.
            #expect(isSent && text.hasSuffix("event: end\ndata: {}\n\n") && !text.contains("samples") && !text.contains("45.62"), "\(text)")
        }
    }

    @Test("CONS-16, CONS-1: the person's answer and page are the same for an address with an account and one without, which is invited")
    func alike() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org")
            _ = try web.member(.person, "doctor@example.org")
            func answer(_ email: String) async throws -> String {
                let answer = try await web.post("/followers/grant", grant.merging(["readerEmail": email]) { $1 }, cookie: person.cookie)
                return "\(answer.status) \(answer.body)"
            }
            #expect(try await answer("doctor@example.org") == answer("nobody@example.org"))
            let mails = MailCatcher(directory: web.directory.url)
            _ = try await mails.mail(to: "doctor@example.org", with: "/following")
            let invitation = try await mails.mail(to: "nobody@example.org", with: "/sign-up")
            #expect(invitation.contains("Ada Example wants to let you read") && !invitation.contains("heart>"))
            let page = try await web.send(.GET, "/followers", cookie: person.cookie).body
            let cards = ["doctor@example.org", "nobody@example.org"].map { email in
                page.components(separatedBy: "<article").first { $0.contains(email) }?.components(separatedBy: "</article>")[0]
                    .replacingOccurrences(of: email, with: "").replacing(/[0-9a-f]{32}/, with: "").replacing(/[0-9]{2}:[0-9]{2}/, with: "")
            }
            #expect(cards[0]?.contains("Waits to be taken on") == true && cards[0] == cards[1], "\(cards)")
            let withdraw = try path(page, /action="(\/followers\/offers\/[0-9a-f]{32}\/withdraw)"/)
            let eve = try web.member(.person, "eve@example.org")
            #expect(try await web.post(withdraw, [:], cookie: eve.cookie).status == 403)
            #expect(try await web.post(withdraw, [:], cookie: person.cookie).status == 303)
            #expect(try await web.send(.GET, "/followers", cookie: person.cookie).body.contains("Taken back"))

            let wrong = try await web.post("/followers/grant", ["readerEmail": "x", "until": "2026-13-40"], cookie: person.cookie)
            for field in ["readerEmail", "until", "grantPurpose"] {
                #expect(wrong.status == 422 && wrong.body.contains("id=\"\(field)-error\""))
            }
            for (changed, text) in [
                (["readerEmail": "Ada@example.org"], "your own address"), (["kind2": ""], "at least one kind"),
                (["until": "2020-01-01"], "is over"),
            ] {
                let answer = try await web.post("/followers/grant", grant.merging(changed) { $1 }, cookie: person.cookie)
                #expect(answer.status == 422 && answer.body.contains(text), "\(changed)")
            }
        }
    }

    @Test("CONS-1: somebody without an account is invited by mail, and after signing up finds the question; the asker sees no difference")
    func invited() async throws {
        try await WebFixture.run { web in
            let organisation = try web.member(.organisation, "lab@example.org"), chief = try web.member(.operator, "chief@example.org")
            let fields = ["whom": "maria@example.org", "requestPurpose": "A study", "term": "30", "kind1": "1"]
            #expect(try await web.post("/requests", fields, cookie: organisation.cookie).status == 303)
            let waiting = try await web.send(.GET, "/operator/requests", cookie: chief.cookie).body
            let approve = try path(waiting, /action="(\/operator\/requests\/[0-9a-f]{32}\/approve)"/)
            #expect(try await web.post(approve, [:], cookie: chief.cookie).status == 303)
            let mails = MailCatcher(directory: web.directory.url)
            #expect(try await mails.mail(to: "maria@example.org", with: "/sign-up/person").contains("Lab of Bergamo"))
            let before = try await web.send(.GET, "/requests", cookie: organisation.cookie).body

            let person = AccountTests.person(email: "maria@example.org")
            #expect(try await web.post("/sign-up/person", person).status == 200)
            let link = try mails.link(in: try await mails.mail(to: "maria@example.org", with: "/confirm/"), "/confirm/")
            #expect(try await web.post(link, ["password": AccountTests.password]).status == 303)
            let account = try #require(try web.hub.accounts.account(email: "maria@example.org"))
            let cookie = try web.session(of: account, strength: .full)
            #expect(try await web.until("/followers", cookie: cookie) { $0.contains("/accept") }.contains("Lab of Bergamo"))
            _ = try await mails.mail(to: "maria@example.org", with: "asks to read your data")
            #expect(try await web.send(.GET, "/requests", cookie: organisation.cookie).body == before)
        }
    }

    @Test("CONS-13: the policy says in one place what anybody may ask for, and what single askers may instead")
    func policy() async throws {
        try await WebFixture.run { web async throws in
            let person = try web.member(.person, "ada@example.org"), chief = try web.member(.operator, "chief@example.org")
            let lab = try web.member(.organisation, "lab@example.org"), rival = try web.member(.organisation, "rival@example.org")
            func ask(_ asker: Member, _ kind: Int, _ purpose: String) async throws {
                let fields = ["whom": "ada@example.org", "requestPurpose": purpose, "term": "once", "kind\(kind)": "1"]
                #expect(try await web.post("/requests", fields, cookie: asker.cookie).status == 303)
                let waiting = try await web.send(.GET, "/operator/requests", cookie: chief.cookie).body
                let approve = try path(waiting, /action="(\/operator\/requests\/[0-9a-f]{32}\/approve)"/)
                #expect(try await web.post(approve, [:], cookie: chief.cookie).status == 303)
            }
            try await ask(lab, 1, "First")
            _ = try await web.until("/followers", cookie: person.cookie) { $0.contains("First") }
            let page = try await web.send(.GET, "/followers/policy", cookie: person.cookie).body
            let own = try path(page, /name="(own-organisation-[0-9a-f]{32})"/)
            #expect(page.contains("Lab of Bergamo") && own.hasSuffix(lab.account.id.description))
            let lone = String(own.dropFirst(4))
            func saved(_ fields: [String: String]) async throws -> AccessPolicy {
                #expect(try await web.post("/followers/policy", fields, cookie: person.cookie).status == 303)
                return try web.hub.accounts.consents.policy(of: person.account.id.person)
            }
            // Nobody may ask: the ticks of single askers, which nobody touched, are no exceptions.
            let everything = Texts.kindsOffered.map { "kind\($0.rawValue)-\(lone)" }
            let untouched = Dictionary(uniqueKeysWithValues: (everything + ["shown-\(lone)"]).map { ($0, "1") })
            let closed = try await saved(untouched)
            #expect(closed.anybody.isEmpty && closed.exceptions.isEmpty)
            // Who came after the page was made is not shut out by it.
            #expect(try await saved(["kind1": "1", "kind2": "1", "kind3": "1"]).exceptions.isEmpty)
            // What is changed for one asker counts for that one, also without the mark above it.
            let all = ["kind1": "1", "kind2": "1", "kind3": "1", "kind1-\(lone)": "1", "shown-\(lone)": "1"]
            #expect(try await web.post("/followers/policy", all, cookie: person.cookie).status == 303)
            let apart = try web.hub.accounts.consents.policy(of: person.account.id.person)
            #expect(apart.anybody.count == 3 && apart.exceptions.values.map(\.self) == [[.heartRate]])
            #expect(try await web.post("/followers/policy", all, cookie: person.cookie).status == 303)
            #expect(try web.hub.accounts.consents.policy(of: person.account.id.person).exceptions.isEmpty)
            // Nobody may ask for anything, but the lab for positions.
            let form = [own: "1", "kind2-\(lone)": "1", "shown-\(lone)": "1"]
            #expect(try await web.post("/followers/policy", form, cookie: person.cookie).status == 303)
            let again = try await web.send(.GET, "/followers/policy", cookie: person.cookie).body
            #expect(again.components(separatedBy: " checked").count == 3, "\(again)")
            #expect(try await web.send(.GET, "/followers", cookie: person.cookie).body.contains("Nobody may ask for anything"))
            try await ask(rival, 2, "Second")
            try await ask(lab, 3, "Third")
            try await ask(lab, 2, "Fourth")
            let seen = try await web.until("/followers", cookie: person.cookie) { $0.contains("Fourth") }
            #expect(seen.contains("First") && !seen.contains("Second") && !seen.contains("Third"))
        }
    }
}
