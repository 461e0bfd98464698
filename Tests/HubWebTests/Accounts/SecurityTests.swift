import Accounts
import Credentials
import Foundation
import HubStore
import NIOHTTP1
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// The second step of log-in, and what keeps a session safe, as a browser meets them (ACC-6, ACC-9).
@Suite(.serialized, .timeLimit(.minutes(5)))
struct SecurityTests {
    static let password = "three ducks swim to Bergamo"

    /// A confirmed account, as if it had come by sign-up.
    private func account(_ web: WebFixture, _ role: Role = .organiser, email: String = "ada@example.org") async throws -> StoredAccount {
        let pepper = try #require(Pepper(web.hub.accounts.derivedKey("pepper")))
        let hash = try await PasswordHasher(pepper: pepper, threads: 1).hash(Self.password)
        let new = NewAccount(
            roles: [role], details: ["email": email, "firstName": "Ada", "lastName": "<b>"], canonicalEmail: email,
            canonicalIdentifier: nil, password: hash, language: "en", accepted: [:])
        guard case .added(let account) = try web.hub.accounts.addConfirmedAccount(new, now: 0) else { throw NotMade() }
        return account
    }

    private struct NotMade: Error {}

    private func cookies(_ answer: WebFixture.Answer) -> [String: String] {
        answer.headers["set-cookie"].reduce(into: [:]) { all, cookie in
            let pair = cookie.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1).map(String.init)
            if pair.count == 2 { all[pair[0]] = pair[1] }
        }
    }

    private func session(_ answer: WebFixture.Answer) throws -> String {
        "\(Sessions.cookie)=\(try #require(cookies(answer)[Sessions.cookie], "\(answer.status)"))"
    }

    private func logIn(_ web: WebFixture, cookie: String? = nil, email: String = "ada@example.org") async throws -> WebFixture.Answer {
        try await web.post("/log-in", ["email": email, "password": Self.password], cookie: cookie)
    }

    /// Sets one-time codes up on the page, and gives back the secret, the session, and the page with the recovery codes.
    private func setUp(_ web: WebFixture, _ cookie: String) async throws -> (
        secret: OneTimeSecret, step: Int64, cookie: String, page: String
    ) {
        let page = try await web.send(.GET, "/security/one-time", cookie: cookie)
        let start = try #require(page.body.range(of: "translate=\"no\">")).upperBound
        let secret = try #require(Self.secret(page.body[start...].prefix { $0 != "<" }))
        #expect(page.body.contains("href=\"otpauth://totp/TrackMe:ada%40example.org?secret=\(secret.base32)"))
        let wrong = try await web.post("/security/one-time", ["code": "000000"], cookie: cookie)
        #expect(wrong.status == 422 && wrong.body.contains("role=\"alert\""))
        let step = Self.step
        let done = try await web.post("/security/one-time", ["code": OneTimeCode.code(secret: secret, step: step)], cookie: cookie)
        #expect(done.status == 200)
        return (secret, step, try session(done), done.body)
    }

    /// Base32 as the page shows it, in groups.
    private static func secret(_ text: some StringProtocol) -> OneTimeSecret? {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        var bits = 0, count = 0, bytes: [UInt8] = []
        for character in text where character != " " {
            guard let value = alphabet.firstIndex(of: character) else { return nil }
            (bits, count) = (bits << 5 | value, count + 5)
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> count))
                bits &= (1 << count) - 1
            }
        }
        return OneTimeSecret(bytes: bytes)
    }

    private static var step: Int64 { OneTimeCode.step(at: Milliseconds(Date().timeIntervalSince1970 * 1000)) }

    @Test("ACC-9: with one-time codes set up the password alone opens nothing; the right code does, once, under another cookie")
    func secondStep() async throws {
        try await WebFixture.run { web in
            _ = try await account(web)
            let first = try session(try await logIn(web))
            let (secret, step, renewed, page) = try await setUp(web, first)
            #expect(page.components(separatedBy: "<li><code").count == 11, "ten recovery codes are shown")
            #expect(renewed != first)
            #expect(try await web.send(.GET, "/home", cookie: first).header("location") == "/log-in")
            #expect(try await web.send(.GET, "/home", cookie: renewed).status == 200)

            let begun = try await logIn(web)
            #expect(begun.header("location") == "/log-in/second" && cookies(begun)[Sessions.deviceCookie] == nil)
            let cookie = try session(begun)
            for path in [
                "/", "/home", "/profile", "/security", "/security/one-time", "/security/recovery", "/security/password",
                "/security/passkeys",
                "/security/prove", "/followers", "/requests", "/ledger",
            ] {
                let answer = try await web.send(.GET, path, cookie: cookie)
                #expect(answer.status == 303 && answer.header("location") == "/log-in/second", "\(path)")
            }
            for path in [
                "/profile", "/security/one-time", "/security/one-time/remove", "/security/recovery", "/security/sessions/end-others",
                "/security/password", "/security/prove", "/security/passkeys/1/remove",
            ] {
                let answer = try await web.post(path, ["password": Self.password, "code": "000000"], cookie: cookie)
                #expect(answer.status == 303 && cookies(answer)[Sessions.cookie] == nil, "\(path)")
            }
            let options = try await web.post("/security/passkeys/options", [:], cookie: cookie)
            #expect(options.status == 422 && !options.body.contains("challenge"))

            let wrong = try await web.post("/log-in/second", ["code": "000000"], cookie: cookie)
            #expect(wrong.status == 422 && wrong.body.contains("role=\"alert\"") && cookies(wrong).isEmpty)
            let used = try await web.post("/log-in/second", ["code": OneTimeCode.code(secret: secret, step: step)], cookie: cookie)
            #expect(used.status == 422 && cookies(used).isEmpty)
            // The code of the next half minute counts as well: no clock needs to be waited for.
            let code = OneTimeCode.code(secret: secret, step: max(step + 1, Self.step))
            let next = try await web.post("/log-in/second", ["code": code], cookie: cookie)
            #expect(next.header("location") == "/home")
            let full = try session(next)
            #expect(full != cookie)
            #expect(try await web.send(.GET, "/home", cookie: full).status == 200)
            #expect(try await web.send(.GET, "/home", cookie: cookie).header("location") == "/log-in")

            let again = try session(try await logIn(web))
            let twice = try await web.post("/log-in/second", ["code": code], cookie: again)
            #expect(twice.status == 422 && twice.body.contains("used already"))
        }
    }

    @Test("ACC-6: a session that was given before log-in is not the one after it, and log-out ends it on the hub")
    func fixation() async throws {
        try await WebFixture.run { web in
            _ = try await account(web)
            let planted = "\(Sessions.cookie)=\(SecretToken.random().text)"
            let mine = try session(try await logIn(web, cookie: planted))
            #expect(mine != planted)
            #expect(try await web.send(.GET, "/home", cookie: planted).header("location") == "/log-in")
            let second = try session(try await logIn(web, cookie: mine))
            #expect(second != mine)
            #expect(try await web.send(.GET, "/home", cookie: mine).header("location") == "/log-in", "one browser has one session")
            #expect(try await web.send(.GET, "/home", cookie: second).status == 200)
            #expect(try await web.post("/log-out", [:], cookie: second).status == 303)
            #expect(try await web.send(.GET, "/home", cookie: second).header("location") == "/log-in")
        }
    }

    @Test("ACC-9: every cookie is Secure, HttpOnly, SameSite and bound to this host")
    func cookieFlags() async throws {
        try await WebFixture.run { web in
            _ = try await account(web)
            let first = try await logIn(web)
            let cookie = try session(first)
            let answers = [
                first, try await web.post("/language", ["language": "it", "back": "/"]),
                try await web.post("/security/prove", ["password": Self.password, "back": "/"], cookie: cookie),
                try await web.post("/log-out", [:]),
            ]
            for answer in answers {
                let set = answer.headers["set-cookie"]
                #expect(!set.isEmpty)
                for line in set {
                    for part in ["__Host-", "; Path=/", "; Secure", "; HttpOnly", "; SameSite=Lax"] {
                        #expect(line.contains(part), "\(line)")
                    }
                    #expect(!line.contains("Domain"))
                }
            }
        }
    }

    @Test("ACC-6: limits answer with 429 and when to come back, for known and unknown names alike")
    func limits() async throws {
        try await WebFixture.run { web in
            _ = try await account(web)
            for email in ["ada@example.org", "nobody@example.org"] {
                var statuses: [UInt] = [], bodies: Set<String> = []
                for _ in 0..<7 {
                    let answer = try await web.post("/log-in", ["email": email, "password": "a wrong password"])
                    statuses.append(answer.status)
                    bodies.insert(answer.body.replacingOccurrences(of: email, with: "NAME"))
                    guard answer.status == 429 else { continue }
                    let wait = try #require(answer.header("retry-after").flatMap { Int($0) })
                    #expect((1...3600).contains(wait))
                }
                #expect(statuses == [422, 422, 422, 422, 422, 429, 429], "\(email)")
                #expect(bodies.count == 2)
            }
        }
    }

    @Test("ACC-9: codes are limited apart from passwords, with 429 and when to come back")
    func codeLimits() async throws {
        try await WebFixture.run { web in
            _ = try await account(web)
            let (secret, _, _, _) = try await setUp(web, try session(try await logIn(web)))
            let cookie = try session(try await logIn(web))
            var last: WebFixture.Answer?
            for _ in 0..<8 { last = try await web.post("/log-in/second", ["code": "000000"], cookie: cookie) }
            #expect(last?.status == 429 && last?.header("retry-after").flatMap { Int($0) } != nil)
            let right = OneTimeCode.code(secret: secret, step: Self.step + 1)
            #expect(try await web.post("/log-in/second", ["code": right], cookie: cookie).status == 429)
            #expect(try await logIn(web).header("location") == "/log-in/second", "the password is still taken")
            var claim: WebFixture.Answer?
            for _ in 0..<8 { claim = try await web.post("/claim", ["claimCode": "AAAA-AAAA"]) }
            #expect(claim?.status == 429 && claim?.header("retry-after") != nil)
        }
    }

    @Test("ACC-9: sessions are listed, ended one by one or all others at once, and only one's own")
    func sessions() async throws {
        try await WebFixture.run { web in
            let account = try await account(web)
            _ = try await self.account(web, email: "bob@example.org")
            let bob = try session(try await logIn(web, email: "bob@example.org"))
            let mine = try session(try await logIn(web)), other = try session(try await logIn(web)),
                third = try session(try await logIn(web))
            let now = Milliseconds(Date().timeIntervalSince1970 * 1000)
            #expect(try web.hub.accounts.sessions(of: account.row, now: now).count == 3)
            let page = try await web.send(.GET, "/security", cookie: mine).body
            let names = page.components(separatedBy: "/security/sessions/").dropFirst().map {
                String($0.prefix { $0 != "/" && $0 != "\"" })
            }
            .filter { $0 != "end-others" }
            #expect(names.count == 2)
            #expect(try await web.post("/security/sessions/\(names[0])/end", [:], cookie: bob).status == 303)
            #expect(try web.hub.accounts.sessions(of: account.row, now: now).count == 3, "a stranger ended it")
            #expect(
                try await web.post("/security/sessions/\(names[0])/end", [:], cookie: mine).header("location") == "/security?done=ended")
            #expect(try web.hub.accounts.sessions(of: account.row, now: now).count == 2)
            #expect(try await web.post("/security/sessions/end-others", [:], cookie: mine).status == 303)
            for gone in [other, third] { #expect(try await web.send(.GET, "/home", cookie: gone).header("location") == "/log-in") }
            #expect(try await web.send(.GET, "/home", cookie: mine).status == 200)
            #expect(try await web.send(.GET, "/home", cookie: bob).status == 200)
        }
    }

    @Test("ACC-9: removing a factor asks again who it is, sends the browser back only to pages of ours, and tells the owner")
    func stepUp() async throws {
        try await WebFixture.run { web in
            let account = try await account(web)
            let (_, _, cookie, _) = try await setUp(web, try session(try await logIn(web)))
            let secret = try #require(SecretToken(cookie.split(separator: "=", maxSplits: 1)[1]))
            let now = Milliseconds(Date().timeIntervalSince1970 * 1000)
            // As it is ten minutes later.
            let old = SecretToken.random()
            let before = try #require(try web.hub.accounts.session(secret.hash, now: now))
            #expect(
                try web.hub.accounts.factors.proveSession(before, newHash: old.hash, by: .password, strength: .full, now: now - 600_000))
            let late = "\(Sessions.cookie)=\(old.text)"
            let asked = try await web.post("/security/one-time/remove", [:], cookie: late)
            #expect(asked.status == 403 && asked.body.contains("action=\"/security/one-time/remove\""))
            #expect(
                asked.body.contains("stepUpCode") && !asked.body.contains("stepUpPassword"), "the factor is asked for, not the password")
            #expect(try web.hub.accounts.factors.factors(of: account).oneTime != nil)
            #expect(try await web.post("/security/recovery", [:], cookie: late).status == 403)
            for wrong in [["code": "wrong", "back": "/security"], ["password": Self.password, "back": "/security"]] {
                #expect(try await web.post("/security/prove", wrong, cookie: late).status == 422)
            }
            let away = try await web.send(.GET, "/security/prove?back=https%3A%2F%2Fevil.example", cookie: late)
            #expect(away.status == 200 && !away.body.contains("evil.example"))
            let recovery = RecoveryCodes.make()
            #expect(try web.hub.accounts.factors.setRecovery(recovery.codes.hashes, of: account.row))
            let proved = try await web.post("/security/prove", ["code": recovery.texts[0], "back": "//evil.example"], cookie: late)
            #expect(proved.header("location") == "/")
            let fresh = try session(proved)
            #expect(try await web.post("/security/one-time/remove", [:], cookie: fresh).header("location") == "/security?done=removed")
            #expect(try web.hub.accounts.factors.factors(of: account).isEmpty)
            _ = try await MailCatcher(directory: web.directory.url).mail(to: account.email, with: "One-time codes were removed")
        }
    }

    @Test("ACC-9: an organisation is led to set up a factor, and reaches nothing else before")
    func required() async throws {
        try await WebFixture.run { web in
            _ = try await account(web, .organisation)
            let begun = try await logIn(web)
            #expect(begun.header("location") == "/log-in/second")
            let cookie = try session(begun)
            _ = try await web.post("/language", ["language": "it", "back": "/"], cookie: cookie)
            let page = try await web.send(.GET, "/log-in/second", cookie: cookie)
            _ = try await web.post("/language", ["language": "en", "back": "/"], cookie: cookie)
            #expect(page.status == 200 && page.body.contains("/security/one-time") && page.body.contains("Ancora un passo"))
            #expect(page.body.contains("indirizzo IP") && !page.body.contains("data-passkey"), "127.0.0.1 cannot do passkeys, and says so")
            #expect(try await web.send(.GET, "/profile", cookie: cookie).header("location") == "/log-in/second")
            let (_, _, full, _) = try await setUp(web, cookie)
            #expect(try await web.send(.GET, "/profile", cookie: full).status == 200)
            let kept = try await web.post("/security/one-time/remove", [:], cookie: full)
            #expect(kept.header("location") == "/security?done=needed")
        }
    }

    @Test("ACC-9: changing the password asks for the present one, logs out everywhere else, and tells the owner")
    func password() async throws {
        try await WebFixture.run { web in
            let account = try await account(web)
            let mine = try session(try await logIn(web)), other = try session(try await logIn(web))
            let new = "nine geese walk to Lecco"
            let wrong = try await web.post("/security/password", ["currentPassword": "wrong", "newPassword": new], cookie: mine)
            #expect(wrong.status == 422)
            let short = try await web.post("/security/password", ["currentPassword": Self.password, "newPassword": "short"], cookie: mine)
            #expect(short.status == 422 && short.body.contains("newPassword-error") && !short.body.contains(Self.password))
            let done = try await web.post("/security/password", ["currentPassword": Self.password, "newPassword": new], cookie: mine)
            #expect(done.header("location") == "/security?done=password")
            #expect(try await web.send(.GET, "/home", cookie: mine).status == 200)
            #expect(try await web.send(.GET, "/home", cookie: other).header("location") == "/log-in")
            #expect(try await logIn(web).status == 422)
            _ = try await MailCatcher(directory: web.directory.url).mail(to: account.email, with: "Your password was changed")
        }
    }

    @Test("ACC-16: whoever runs the hub becomes its operator with the code that the hub prints, and sets up a factor first")
    func claim() async throws {
        try await WebFixture.run { web in
            let fields = [
                "firstName": "Olga", "lastName": "Made-Up", "phone": "+390212345678", "email": "olga@example.org", "password": "ninebeans",
                "terms": "2026-11",
            ]
            let wrong = try await web.post("/claim", fields.merging(["claimCode": "AAAA-AAAA"]) { $1 })
            #expect(wrong.status == 422 && wrong.body.contains("claim-code"))
            let printed = try HubCommands.claimCode(HubConfiguration(directory: web.directory.url))
            let code = String(printed.prefix { !$0.isNewline })
            #expect(printed.contains("/claim"))
            let mistakes = try await web.post("/claim", ["claimCode": code])
            #expect(mistakes.status == 422 && mistakes.body.contains("href=\"#email\"") && mistakes.body.contains("value=\"\(code)\""))
            let done = try await web.post("/claim", fields.merging(["claimCode": code]) { $1 })
            #expect(done.header("location") == "/log-in/second")
            let cookie = try session(done)
            #expect(try await web.send(.GET, "/home", cookie: cookie).header("location") == "/log-in/second")
            #expect(try web.hub.accounts.operators().map(\.email) == ["olga@example.org"])
            #expect(try await web.post("/claim", fields.merging(["claimCode": code]) { $1 }).status == 422)
        }
    }

    @Test("ACC-6: an operator of the machine logs an account out of every browser by a command, and nobody else")
    func loggedOut() async throws {
        try await WebFixture.run { web in
            let ada = try web.member(.person, "ada@example.org"), bob = try web.member(.person, "bob@example.org")
            let second = try web.session(of: ada.account, strength: .full), configuration = HubConfiguration(directory: web.directory.url)
            for cookie in [ada.cookie, second, bob.cookie] { #expect(try await web.send(.GET, "/home", cookie: cookie).status == 200) }
            #expect(try HubCommands.endSessions(of: "Ada@Example.org", configuration).hasPrefix("ended: 2 sessions"))
            for cookie in [ada.cookie, second] {
                #expect(try await web.send(.GET, "/home", cookie: cookie).header("location") == "/log-in")
            }
            #expect(try await web.send(.GET, "/home", cookie: bob.cookie).status == 200)
            #expect(throws: HubConfigurationError.self) { try HubCommands.endSessions(of: "nobody@example.org", configuration) }
        }
    }
}
