import Accounts
import Crypto
import Foundation
import HubStore
import NIOHTTP1
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubServices
@testable import HubWeb
@testable import WebPush

/// Notices on a closed phone: a real hub, and a push service of the test's own that reads what browsers would.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct PushTests {
    /// What a push service may check of the sender (RFC 8292): returns the claims.
    private func verified(_ got: HookServer.Got, key: String) throws -> [String: Any] {
        let header = try #require(got.header("authorization"))
        let parts = try #require(header.wholeMatch(of: /vapid t=([^.]+)\.([^.]+)\.([^,]+), k=(.+)/)).output
        #expect(parts.4 == key)
        let point = try #require(Base64URL.bytes(String(parts.4)))
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: #require(Base64URL.bytes(String(parts.3))))
        let isSigned = try P256.Signing.PublicKey(x963Representation: point)
            .isValidSignature(signature, for: Data("\(parts.1).\(parts.2)".utf8))
        #expect(isSigned)
        let claims = try #require(Base64URL.bytes(String(parts.2)))
        return try #require(try JSONSerialization.jsonObject(with: Data(claims)) as? [String: Any])
    }

    private func browser(_ service: HookServer) -> TestBrowser {
        var browser = TestBrowser()
        browser.endpoint = "https://127.0.0.1:\(service.port)/send/made-up"
        return browser
    }

    private func subscribe(_ web: WebFixture, _ browser: TestBrowser, _ cookie: String) async throws -> UInt {
        try await web.post("/notices/devices", ["subscription": String(decoding: browser.json(), as: UTF8.self)], cookie: cookie).status
    }

    /// Asks for a person's data and lets it through.
    private func ask(_ web: WebFixture, _ organisation: Member, _ chief: Member, kind: Int = 1) async throws {
        let fields = ["whom": "ada@example.org", "requestPurpose": "Diabetes", "term": "30", "kind\(kind)": "1"]
        #expect(try await web.post("/requests", fields, cookie: organisation.cookie).status == 303)
        let waiting = try await web.send(.GET, "/operator/requests", cookie: chief.cookie).body
        let path = try #require(waiting.firstMatch(of: /action="([^"]+\/approve)"/)).output.1
        #expect(try await web.post(String(path), [:], cookie: chief.cookie).status == 303)
    }

    private func until(_ isDone: () throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < end, try !isDone() { try await Task.sleep(for: .milliseconds(20)) }
        #expect(try isDone())
    }

    @Test(
        "ACC-15, CONS-2: a question is pushed, readable for that browser alone and signed by the hub; it names nobody and leads to the page"
    )
    func pushed() async throws {
        let service = try await HookServer()
        try await WebFixture.run(outside: service.trust) { web in
            let person = try web.member(.person, "ada@example.org"), organisation = try web.member(.organisation, "lab@example.org")
            let chief = try web.member(.operator, "chief@example.org"), browser = browser(service)
            service.answer(.status(201))
            let page = try await web.send(.GET, "/notices", cookie: person.cookie).body
            let key = String(try #require(page.firstMatch(of: /data-push="([^"]+)"/)).output.1)
            #expect(try await subscribe(web, browser, person.cookie) == 201)
            try await ask(web, organisation, chief)
            try await until { service.got.count == 1 }
            let got = try #require(service.got.first), claims = try verified(got, key: key)
            #expect(claims["aud"] as? String == "https://127.0.0.1:\(service.port)")
            #expect((claims["sub"] as? String)?.hasPrefix("mailto:") == true)
            let headers = ["ttl", "urgency", "content-encoding"].map { got.header($0) }
            #expect(headers == ["259200", "high", "aes128gcm"])
            let letter = try JSONDecoder().decode(PushSender.Letter.self, from: Data(browser.read(got.body)))
            #expect(letter.title == "Somebody asks for your data" && letter.lang == "en")
            let text = String(decoding: try browser.read(got.body), as: UTF8.self)
            for secret in ["Lab", "Bergamo", "Diabetes", "heart"] { #expect(!text.contains(secret)) }
            #expect(throws: (any Error).self) { try TestBrowser().read(got.body) }

            let listed = try await web.send(.GET, "/notices", cookie: person.cookie).body
            #expect(listed.contains("Lab of Bergamo asks to read: heart rate") && listed.contains("1 new notice"))
            let opened = try await web.send(.GET, letter.url, cookie: person.cookie)
            #expect(opened.status == 303 && opened.header("location") == "/followers")
            #expect(try await !web.send(.GET, "/home", cookie: person.cookie).body.contains("1 new notice"))
            #expect(try await web.send(.GET, letter.url, cookie: organisation.cookie).status == 404)
            #expect(try await web.send(.GET, letter.url).header("location") == "/log-in")
        }
        try await service.close()
    }

    @Test("ACC-15: a browser that is gone is removed and its owner told; removing one's own works, another's does not")
    func gone() async throws {
        let service = try await HookServer()
        try await WebFixture.run(outside: service.trust) { web in
            let person = try web.member(.person, "ada@example.org"), organisation = try web.member(.organisation, "lab@example.org")
            let chief = try web.member(.operator, "chief@example.org")
            service.answer(.status(410))
            #expect(try await subscribe(web, browser(service), person.cookie) == 201)
            try await ask(web, organisation, chief)
            let page = try await web.until("/notices", cookie: person.cookie) { $0.contains("takes no notices any more") }
            #expect(page.contains("Turned on nowhere yet"))
            _ = try await MailCatcher(directory: web.directory.url).mail(to: "ada@example.org", with: "no longer reach")

            #expect(try await subscribe(web, browser(service), person.cookie) == 201)
            let device = try #require(try web.hub.accounts.pushes.pushDevices(of: person.account).first)
            let path = "/notices/devices/\(device.row)/remove"
            #expect(try await web.post(path, [:], cookie: organisation.cookie).status == 403)
            #expect(try await web.post(path, [:], cookie: person.cookie).status == 303)
            #expect(try web.hub.accounts.pushes.pushDevices(of: person.account).isEmpty)
        }
        try await service.close()
    }

    @Test("CONS-2: the notice of a question says what became of it once it is answered, and waits for nothing")
    func answered() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), organisation = try web.member(.organisation, "lab@example.org")
            let chief = try web.member(.operator, "chief@example.org")
            try await ask(web, organisation, chief)
            _ = try await web.until("/notices", cookie: person.cookie) { $0.contains("Your answer is awaited until") }
            let question = try #require(
                try web.hub.consents.followers(of: person.account.id.person, for: person.account.id).items.first?.consent.id)
            for (answer, said) in [("accept", "Accepted."), ("revoke", "Revoked.")] {
                #expect(try await web.post("/followers/\(question)/\(answer)", [:], cookie: person.cookie).status == 303)
                let page = try await web.send(.GET, "/notices", cookie: person.cookie).body
                #expect(page.contains("Lab of Bergamo asked to read: heart rate. \(said)") && !page.contains("awaited"), "\(answer)")
            }
        }
    }

    @Test("ACC-15: each kind goes the ways that its reader chose, and stands on the page in any case")
    func choices() async throws {
        let service = try await HookServer()
        try await WebFixture.run(outside: service.trust) { web in
            let person = try web.member(.person, "ada@example.org"), organisation = try web.member(.organisation, "lab@example.org")
            let chief = try web.member(.operator, "chief@example.org")
            #expect(try await subscribe(web, browser(service), person.cookie) == 201)
            let ways = ["consent.asked.box": "1", "consent.over.push": "1", "consent.check.mail": "1"]
            #expect(try await web.post("/notices/ways", ways, cookie: person.cookie).status == 303)
            let page = try await web.send(.GET, "/notices", cookie: person.cookie).body
            #expect(
                page.contains("name=\"consent.asked.box\" value=\"1\" checked")
                    && !page.contains("consent.asked.mail\" value=\"1\" checked"))
            // An operator's kind is no choice of a person's.
            #expect(!page.contains("consent.check"))
            try await ask(web, organisation, chief)
            _ = try await web.until("/notices", cookie: person.cookie) { $0.contains("asks to read") }
            try await Task.sleep(for: .seconds(1))
            #expect(service.got.isEmpty)
            let mails = MailCatcher(directory: web.directory.url)
            _ = try await mails.mail(to: "chief@example.org", with: "waits to be checked")
            #expect(try mails.mails().filter { $0.contains("ada@example.org") && $0.contains("asks to read your data") }.isEmpty)
        }
        try await service.close()
    }

    @Test("ACC-15: nothing is pushed into the hub's own network, and only browsers' own addresses are taken")
    func inside() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org")
            for endpoint in ["https://127.0.0.1/x", "https://10.0.0.1/x", "https://localhost/x", "http://push.example.net/x"] {
                var browser = TestBrowser()
                browser.endpoint = endpoint
                #expect(try await subscribe(web, browser, person.cookie) == 422)
            }
            #expect(try await web.post("/notices/devices", ["subscription": "{}"], cookie: person.cookie).status == 422)
            #expect(try await subscribe(web, TestBrowser(), person.cookie) == 201)
            #expect(try await web.post("/notices/devices", ["subscription": "{}"]).header("location") == "/log-in")
        }
    }

    @Test("ACC-12, ACC-10: the language that somebody chose is that of their mails and of every browser")
    func language() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), other = try web.session(of: person.account, strength: .full)
            #expect(try await web.send(.GET, "/home", cookie: other).body.contains("lang=\"en\""))
            #expect(try await web.post("/language", ["language": "it", "back": "/home"], cookie: person.cookie).status == 303)
            #expect(try await web.send(.GET, "/home", cookie: other, headers: [("accept-language", "en")]).body.contains("lang=\"it\""))
            let account = try #require(try web.hub.accounts.account(person.account.id))
            try web.hub.accounts.notices.addNotice(.quota, ["until": "0", "bytes": "1"], to: account, now: 1)
            _ = try await MailCatcher(directory: web.directory.url).mail(to: "ada@example.org", with: "spazio")
            #expect(try await web.send(.GET, "/notices", cookie: other).body.contains("Il tuo spazio"))
        }
    }

    @Test("ACC-15: the worker that shows notices is served for the whole site, and no page needs a script of its own in line")
    func worker() async throws {
        try await WebFixture.run { web in
            let worker = try await web.send(.GET, "/sw.js")
            #expect(worker.status == 200 && worker.header("content-type")?.hasPrefix("text/javascript") == true)
            #expect(worker.header("content-security-policy")?.contains("script-src 'self'") == true)
            let page = try await web.send(.GET, "/notices", cookie: try web.member(.person, "ada@example.org").cookie).body
            #expect(!page.contains("<script>") && page.contains("src=\"/assets/push.js\""))
        }
    }
}
