import Accounts
import Foundation
import HubStore
import NIOHTTP1
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// Accounts as a browser meets them: a real hub with TLS, forms, and mails that a program takes.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct AccountTests {
    static let password = "three ducks swim to Bergamo"

    static func person(email: String = "ada@example.org", tax: String = "RSSMRA85T10A562S") -> [String: String] {
        [
            "firstName": "Maria", "lastName": "Rossi", "gender": "female", "dateOfBirth": "1985-12-10", "cityOfBirth": "Bergamo",
            "residence": "Via Roma 1, Bergamo", "phone": "+39 02 1234567", "taxCountry": "IT", "taxIdentifier": tax, "email": email,
            "password": password, "terms": "2026-11", "privacy": "2026-11",
        ]
    }

    private func confirmed(_ web: WebFixture, _ fields: [String: String] = person()) async throws {
        #expect(try await web.post("/sign-up/person", fields).status == 200)
        try await followLink(web, fields)
    }

    private func followLink(_ web: WebFixture, _ fields: [String: String] = person()) async throws {
        let mails = MailCatcher(directory: web.directory.url)
        let link = try mails.link(in: try await mails.mail(to: fields["email"] ?? "", with: "/confirm/"), "/confirm/")
        #expect(try await web.send(.GET, link).body.contains("method=\"post\""))
        let password = ["password": fields["password"] ?? ""]
        #expect(try await web.post(link, ["password": "somebody else's password"]).status == 422)
        #expect(try await web.post(link, password).header("location") == "/log-in?confirmed=1")
        #expect(try await web.post(link, password).status == 410)
    }

    private func logIn(_ web: WebFixture, _ email: String = "ada@example.org", _ password: String = password) async throws
        -> WebFixture.Answer
    {
        try await web.post("/log-in", ["email": email, "password": password])
    }

    @Test("ACC-1: all mistakes of a form are told at once, by field, in the reader's language, and nothing is kept")
    func mistakes() async throws {
        try await WebFixture.run { web in
            let wrong = ["firstName": "  ", "email": "ada", "taxIdentifier": "RSSMRA85T10A562X", "taxCountry": "IT", "password": "secret"]
            for (lang, check) in [("en", "check digit"), ("it", "carattere di controllo")] {
                let answer = try await web.post("/sign-up/person", wrong, headers: [("accept-language", lang)])
                #expect(answer.status == 422)
                for field in ["firstName", "lastName", "gender", "dateOfBirth", "email", "password", "taxIdentifier", "terms", "privacy"] {
                    #expect(answer.body.contains("href=\"#\(field)\"") && answer.body.contains("id=\"\(field)-error\""), "\(field)")
                }
                #expect(answer.body.contains(check) && !answer.body.contains("secret"))
            }
            #expect(try web.hub.accounts.account(email: "ada@example.org") == nil)
        }
    }

    @Test("ACC-1, ACC-5, ACC-6, ACC-8: from sign-up to log-out; nothing works before the mailed link was followed by a button")
    func wholeWay() async throws {
        try await WebFixture.run(passwords: nil) { web in
            #expect(try await web.post("/sign-up/person", Self.person()).status == 200)
            #expect(try await logIn(web).status == 422)
            try await followLink(web)
            let stored = try #require(try web.hub.accounts.account(email: "ada@example.org"))
            #expect(stored.password.hasPrefix("$argon2id$v=19$m=65536,t=3,p=1$"), "what a hub that runs takes")
            let answer = try await logIn(web)
            #expect(answer.header("location") == "/home")
            let cookies = answer.headers["set-cookie"]
            for part in ["__Host-trackme-session=", "Secure", "HttpOnly", "SameSite=Lax", "Path=/"] {
                #expect(cookies.contains { $0.contains(part) })
            }
            let session = String(try #require(cookies.first { $0.contains("session") }).prefix { $0 != ";" })
            let home = try await web.send(.GET, "/home", cookie: session)
            #expect(home.status == 200 && home.body.contains("Hello, Maria Rossi"))
            var profile = Self.person()
            for field in ["taxCountry", "taxIdentifier", "email", "password", "terms", "privacy"] { profile[field] = nil }
            profile["residence"] = "Piazza Duomo 2 <b>"
            let saved = try await web.post("/profile", profile, cookie: session)
            #expect(saved.status == 200 && saved.body.contains("Piazza Duomo 2 &lt;b&gt;"))
            #expect(try await web.post("/profile", profile.merging(["email": "eve@example.org"]) { $1 }, cookie: session).status == 422)
            #expect(try await web.post("/log-out", [:], cookie: session).status == 303)
            #expect(try await web.send(.GET, "/home", cookie: session).header("location") == "/log-in")
        }
    }

    @Test("ACC-4: somebody else's address or tax identifier is told to its owner by mail, and the form answers as to a new one")
    func taken() async throws {
        try await WebFixture.run { web in
            try await confirmed(web)
            let mails = MailCatcher(directory: web.directory.url)
            let fresh = try await web.post("/sign-up/person", Self.person(email: "new@example.org", tax: "BNCLRA80A41H501D"))
            for fields in [Self.person(tax: "VRDGPP80A01F205X"), Self.person(email: "other@example.org")] {
                let answer = try await web.post("/sign-up/person", fields)
                #expect(answer.status == fresh.status && answer.body == fresh.body)
            }
            _ = try await mails.mail(to: "ada@example.org", with: "You have one already")
            #expect(try web.hub.accounts.account(email: "other@example.org") == nil)
        }
    }

    @Test("ACC-6: a wrong name and a wrong password look the same; three wrong tries send the owner one mail; then tries are slowed")
    func wrongTries() async throws {
        try await WebFixture.run { web in
            try await confirmed(web)
            var bodies: Set<String> = []
            for _ in 0..<3 { bodies.insert(try await logIn(web, "ada@example.org", "wrong password here").body) }
            let unknown = try await logIn(web, "eve@example.org", "wrong password here")
            #expect(unknown.status == 422)
            bodies.insert(unknown.body.replacingOccurrences(of: "eve@", with: "ada@"))
            #expect(bodies.count == 1)
            let mails = MailCatcher(directory: web.directory.url)
            _ = try await mails.mail(to: "ada@example.org", with: "three tries")
            var last = unknown
            for _ in 0..<8 { last = try await logIn(web, "ada@example.org", "wrong password here") }
            #expect(last.status == 429 && Int(last.header("retry-after") ?? "") ?? 0 > 0)
        }
    }

    @Test("ACC-7: a forgotten password is set anew by a mailed link, once, and ends every session")
    func forgotten() async throws {
        try await WebFixture.run { web in
            try await confirmed(web)
            let session = String(
                try #require(try await logIn(web).headers["set-cookie"].first { $0.contains("session") }).prefix { $0 != ";" })
            let known = try await web.post("/forgotten", ["email": "ADA@example.org"])
            let unknown = try await web.post("/forgotten", ["email": "eve@example.org"])
            #expect(known.body == unknown.body && known.status == unknown.status)
            var last = unknown
            for _ in 0..<20 { last = try await web.post("/forgotten", ["email": "eve@example.org"]) }
            #expect(last.status == 429)
            let mails = MailCatcher(directory: web.directory.url)
            let link = try mails.link(in: try await mails.mail(to: "ada@example.org", with: "/reset/"), "/reset/")
            #expect(try await web.post(link, ["password": "short"]).status == 422)
            #expect(try await web.post(link, ["password": "a quite different sentence"]).status == 200)
            #expect(try await web.post(link, ["password": "yet another sentence here"]).status == 410)
            #expect(try await web.send(.GET, "/home", cookie: session).header("location") == "/log-in")
            #expect(try await logIn(web).status == 422)
            #expect(try await logIn(web, "ada@example.org", "a quite different sentence").status == 303)
            _ = try await mails.mail(to: "ada@example.org", with: "was changed")
        }
    }

    @Test("ACC-5: what another site sends, or no form at all, changes nothing")
    func otherSites() async throws {
        try await WebFixture.run { web async throws in
            for headers in [[("sec-fetch-site", "cross-site")], [("sec-fetch-site", "same-site")], [("origin", "https://evil.example")]] {
                #expect(try await web.post("/sign-up/person", Self.person(), headers: headers).status == 403)
            }
            #expect(try await web.send(.POST, "/sign-up/person", body: [0x25, 0x5A, 0x5A]).status == 400)
            #expect(try await web.send(.POST, "/sign-up/person", body: [UInt8](repeating: 0x61, count: 100_000)).status == 413)
            #expect(try await web.send(.GET, "/sign-up/operator").status == 404)
            for back in ["//evil.example", "/\t/evil.example", "/\\evil.example", "https://evil.example"] {
                #expect(try await web.post("/language", ["language": "it", "back": back]).header("location") == "/")
            }
        }
    }
}

extension WebFixture {
    func post(_ path: String, _ fields: [String: String], cookie: String? = nil, headers: [(String, String)] = []) async throws -> Answer {
        let allowed = CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
        let body = fields.map { "\($0.key)=\($0.value.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")" }.joined(separator: "&")
        return try await send(
            .POST, path, cookie: cookie, headers: headers + [("content-type", "application/x-www-form-urlencoded")], body: Array(body.utf8))
    }
}
