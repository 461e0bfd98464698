import Accounts
import Foundation
import HubStore
import NIOHTTP1
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// What an account promises as a whole: readers see a changed profile, another device has everything, and no page is without help.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct AccountPromiseTests {
    private func signUp(_ web: WebFixture) async throws {
        #expect(try await web.post("/sign-up/person", AccountTests.person()).status == 200)
        let mails = MailCatcher(directory: web.directory.url)
        let link = try mails.link(in: try await mails.mail(to: "ada@example.org", with: "/confirm/"), "/confirm/")
        #expect(try await web.post(link, ["password": AccountTests.password]).header("location") == "/log-in?confirmed=1")
    }

    /// A browser that nobody used before: the cookie of its session.
    private func logIn(_ web: WebFixture) async throws -> String {
        let answer = try await web.post("/log-in", ["email": "ada@example.org", "password": AccountTests.password])
        return String(try #require(answer.headers["set-cookie"].first { $0.contains("session") }).prefix { $0 != ";" })
    }

    @Test("ACC-8: whoever may read somebody sees the changed profile with their next page; e-mail and tax identifier stay as they are")
    func profile() async throws {
        try await WebFixture.run { web in
            try await signUp(web)
            let cookie = try await logIn(web), son = try web.member(.caregiver, "son@example.org")
            let invitation = ["email": "son@example.org", "kind1": "1", "kind2": "1", "requestPurpose": "Looks after me"]
            #expect(try await web.post("/care/invite", invitation, cookie: cookie).status == 200)
            let mails = MailCatcher(directory: web.directory.url)
            let link = try mails.link(in: try await mails.mail(to: "son@example.org", with: "/care/invitation/"), "/care/invitation/")
            #expect(try await web.post(link, [:], cookie: son.cookie).header("location") == "/care")
            #expect(try await web.send(.GET, "/care", cookie: son.cookie).body.contains("Maria Rossi"))
            let before = try #require(try web.hub.accounts.account(email: "ada@example.org"))
            var fields = AccountTests.person()
            for field in ["taxCountry", "taxIdentifier", "email", "password", "terms", "privacy"] { fields[field] = nil }
            fields["firstName"] = "Mariella"
            for fixed in [["email": "eve@example.org"], ["taxCountry": "IT", "taxIdentifier": "VRDGPP80A01F205X"]] {
                #expect(try await web.post("/profile", fields.merging(fixed) { $1 }, cookie: cookie).status == 422)
            }
            #expect(try await web.send(.GET, "/care", cookie: son.cookie).body.contains("Maria Rossi"), "a refused change changes nothing")
            #expect(try await web.post("/profile", fields, cookie: cookie).status == 200)
            let seen = try await web.send(.GET, "/care", cookie: son.cookie).body
            #expect(seen.contains("Mariella Rossi") && !seen.contains("Maria Rossi"))
            let after = try #require(try web.hub.accounts.account(before.id))
            for field in [Field.email, .taxCountry, .taxIdentifier] {
                #expect(after.details[field.rawValue] == before.details[field.rawValue], "\(field)")
            }
            #expect(after.details[Field.firstName.rawValue] == "Mariella")
        }
    }

    @Test("ACC-10: on another device every page is as on the first: data, settings, sharing and language")
    func otherDevice() async throws {
        try await WebFixture.run { web in
            try await signUp(web)
            let first = try await logIn(web)
            let added = try await web.post("/boxes/devices", ["deviceName": "My phone", "deviceKind": "osmAnd"], cookie: first)
            let secret = try #require(added.body.firstMatch(of: /[A-Z0-9]{4}-[A-Z0-9]{4}-[A-Z0-9]{4}-[A-Z0-9]{4}/)).output
            let time = Int(Date().timeIntervalSince1970) - 60
            #expect(try await web.send(.POST, "/osmand?id=\(secret)&timestamp=\(time)&lat=45.6789&lon=9.7").status == 200)
            let invitation = ["email": "son@example.org", "kind1": "1", "requestPurpose": "Looks after me"]
            #expect(try await web.post("/care/invite", invitation, cookie: first).status == 200)
            #expect(try await web.post("/language", ["language": "it", "back": "/home"], cookie: first).status == 303)
            let second = try await logIn(web)
            #expect(first != second)
            // What shows "a few seconds ago" is asked for again.
            func same(_ path: String) async throws -> String {
                var pages = ["", ""]
                for _ in 0..<60 {
                    pages = try await [first, second].asyncMap { try await web.send(.GET, path, cookie: $0).body }
                    if pages[0] == pages[1] { return pages[0] }
                    try await Task.sleep(for: .milliseconds(100))
                }
                Issue.record("\(path) is another on the second device")
                return pages[1]
            }
            let holds = [
                "/profile": "Via Roma 1, Bergamo", "/boxes": "My phone", "/care": "son@example.org", "/health": "", "/data": "",
                "/followers": "", "/followers/policy": "", "/services": "", "/protection": "", "/workouts": "", "/ledger": "",
                "/runs/mine": "",
            ]
            for (path, text) in holds.sorted(by: { $0.key < $1.key }) {
                let page = try await same(path)
                #expect(page.contains("<html lang=\"it\">") && (text.isEmpty || page.contains(text)), "\(path)")
            }
            let download = try await web.send(.GET, "/data/export?format=csv&days=7", cookie: second)
            #expect(download.status == 200 && download.body.contains("45.6789"))
        }
    }

    @Test("ACC-14: every page without an object has a link to a help that exists, for each role that may open it", arguments: Role.allCases)
    func help(role: Role) async throws {
        try await WebFixture.run { web in
            let cast = try await Cast(web, "a"), actor = try #require(Actor(rawValue: "\(role)"))
            let headers = try cast.headers(actor)
            let cookie = try #require(headers.first { $0.0 == "cookie" }).1
            var topics: Set<String> = [], pages = 0
            for line in try AccessMatrixTests.lines() where line.method == "GET" && !line.pattern.contains("{") && line.allows(actor) {
                guard line.own == 200, !line.pattern.hasSuffix("/events"), !line.pattern.contains("*") else { continue }
                let page = try await web.send(.GET, line.pattern + line.query, cookie: cookie)
                guard page.status == 200, page.header("content-type")?.hasPrefix("text/html") == true, page.body.contains("<html") else {
                    continue
                }
                pages += 1
                // No regular expression: those are slow without the optimizer, and the pages many.
                let topic = page.body.range(of: "href=\"/help/").map { page.body[$0.upperBound...].prefix { $0 != "\"" } } ?? ""
                #expect(!topic.isEmpty, "no help on \(line.pattern)")
                if !topic.isEmpty { topics.insert(String(topic)) }
            }
            #expect(pages >= 10, "or the test looks at nothing: \(pages)")
            for topic in topics {
                let page = try await web.send(.GET, "/help/\(topic)", cookie: cookie)
                let main = page.body.components(separatedBy: "<main").last ?? ""
                // Behind each tag; the first part has one alone.
                let text = main.components(separatedBy: "<").map { $0.components(separatedBy: ">").last ?? "" }.joined()
                #expect(page.status == 200 && text.count > 80, "/help/\(topic)")
            }
        }
    }
}

extension Sequence {
    fileprivate func asyncMap<Value>(_ body: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await body(element)) }
        return values
    }
}
