import Accounts
import AsyncHTTPClient
import Credentials
import Crypto
import Foundation
import HubServices
import HubStore
import NIOCore
import NIOHTTP1
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// What an organisation does on the hub's pages beside asking: keys and webhooks for its programs.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct OrganisationPagesTests {
    /// A session whose holder proved too long ago who they are.
    private func late(_ web: WebFixture, _ member: Member) throws -> String {
        let token = SecretToken.random()
        let before = Milliseconds(Date().timeIntervalSince1970 * 1000) - FactorService.provedLifetime - 1000
        try web.hub.accounts.addSession(token.hash, of: member.account.row, strength: .full, device: "test", now: before)
        return "\(Sessions.cookie)=\(token.text)"
    }

    private func add(_ web: WebFixture, _ member: Member, _ key: String, name: String = "Server") async throws -> WebFixture.Answer {
        try await web.post("/organisation/keys", ["publicKey": key, "keyName": name], cookie: member.cookie)
    }

    @Test("CONS-12: what is wrong with a key is told at its field, all at once, and a private key is not sent back")
    func wrongKeys() async throws {
        try await WebFixture.run { web async throws in
            let lab = try web.member(.organisation, "lab@example.org")
            let empty = try await add(web, lab, "no key", name: " ")
            #expect(empty.status == 422 && empty.body.contains("id=\"publicKey-error\"") && empty.body.contains("id=\"keyName-error\""))
            let secret = P256.Signing.PrivateKey().pemRepresentation
            let shown = try await add(web, lab, secret)
            #expect(shown.status == 422 && shown.body.contains("Throw it away"))
            #expect(!shown.body.contains(secret.split(separator: "\n")[1]))
            let jwk = try await add(web, lab, #"{"kty":"EC","crv":"P-256","x":"a","y":"b","d":"secret-part"}"#)
            #expect(jwk.status == 422 && !jwk.body.contains("secret-part"))
            #expect(try await add(web, lab, P384.Signing.PrivateKey().publicKey.pemRepresentation).body.contains("another kind"))
            let key = P256.Signing.PrivateKey().publicKey.pemRepresentation
            #expect(try await add(web, lab, key).status == 303)
            #expect(try await add(web, lab, key).body.contains("You have, or had, this key"))
            for _ in 1..<OrganisationStore.organisationKeysMax {
                #expect(try await add(web, lab, P256.Signing.PrivateKey().publicKey.pemRepresentation).status == 303)
            }
            #expect(try await add(web, lab, P256.Signing.PrivateKey().publicKey.pemRepresentation).status == 409)
        }
    }

    @Test("CONS-12, ACC-9: a key is added and revoked by who has just proved who they are, the owner is told, and nobody else touches it")
    func keys() async throws {
        try await WebFixture.run { web in
            let lab = try web.member(.organisation, "lab@example.org"), rival = try web.member(.organisation, "rival@example.org")
            let mails = MailCatcher(directory: web.directory.url), late = try late(web, lab)
            let key = P256.Signing.PrivateKey().publicKey.pemRepresentation
            let asked = try await web.post("/organisation/keys", ["publicKey": key, "keyName": "Server"], cookie: late)
            #expect(asked.status == 403 && asked.body.contains("name=\"keyName\" value=\"Server\""), "what was typed is kept")
            #expect(
                try await web.send(.GET, "/organisation/keys/new", cookie: late).header("location")?.hasPrefix("/security/prove") == true)
            #expect(try web.hub.accounts.organisations.organisationKeys(of: lab.account.id).isEmpty)

            #expect(try await add(web, lab, key, name: "Server <b>").status == 303)
            _ = try await mails.mail(to: "lab@example.org", with: "was registered for the programs")
            let list = try await web.send(.GET, "/organisation/keys", cookie: lab.cookie).body
            let stored = try #require(try web.hub.accounts.organisations.organisationKeys(of: lab.account.id).first)
            #expect(list.contains(stored.thumbprint) && list.contains("Server &lt;b&gt;") && list.contains("Never used"))
            #expect(list.contains(lab.account.id.description) && list.contains(APIController.token))

            let revoke = "/organisation/keys/\(stored.row)/revoke"
            #expect(try await web.post(revoke, [:], cookie: rival.cookie).status == 403)
            #expect(try await web.post(revoke, [:], cookie: late).status == 403)
            #expect(try await web.post(revoke, [:], cookie: lab.cookie).status == 303)
            _ = try await mails.mail(to: "lab@example.org", with: "was revoked")
            #expect(try web.hub.accounts.organisations.organisationKeys(of: lab.account.id).first?.revoked != nil)
            #expect(try await web.post(revoke, [:], cookie: lab.cookie).status == 403)
        }
    }

    private static let canRun = ["/usr/bin/python3", "/usr/bin/openssl"].allSatisfy(FileManager.default.isExecutableFile)

    /// Runs in a folder what a page says, as its reader would.
    private func run(_ arguments: [String], input: String = "", in folder: URL, _ environment: [String: String] = [:]) async throws
        -> String
    {
        let process = Process(), output = Pipe(), typed = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        (process.arguments, process.currentDirectoryURL) = (arguments, folder)
        process.environment = ["PATH": "/usr/bin:/bin"].merging(environment) { $1 }
        (process.standardOutput, process.standardInput) = (output, typed)
        try process.run()
        try typed.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try typed.fileHandleForWriting.close()
        return try await Task.detached {
            let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            process.waitUntilExit()
            return text
        }.value
    }

    private func unescaped(_ text: String) -> String {
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")].reduce(text) { $0.replacing($1.0, with: $1.1) }
    }

    @Test("CONS-12: the example of the page, copied as it stands, makes a key and gets a token with it", .enabled(if: canRun))
    func example() async throws {
        try await WebFixture.run { web in
            let lab = try web.member(.organisation, "lab@example.org"), folder = try TemporaryDirectory()
            let page = try await web.send(.GET, "/organisation/keys/help", cookie: lab.cookie).body
            let blocks = page.matches(of: /<code[^>]*>([^<]*)<\/code>/).map { unescaped(String($0.output.1)) }
            try #require(blocks.count == 2)
            let key = try await run(["sh", "-e"], input: blocks[0], in: folder.url)
            #expect(try await add(web, lab, key).status == 303, "\(key)")
            let ca = web.directory.url.appendingPathComponent("ca.pem").path
            let output = try await run(["python3", "-"], input: blocks[1], in: folder.url, ["SSL_CERT_FILE": ca])
            #expect(output == "[]\n")
            #expect(try web.hub.accounts.organisations.organisationKeys(of: lab.account.id).first?.used != nil)
        }
    }

    @Test("CONS-5: a webhook is checked as by the API, its secret is shown once, and what was given up is shown and tried again")
    func webhooks() async throws {
        try await WebFixture.run { web in
            let lab = try web.member(.organisation, "lab@example.org"), rival = try web.member(.organisation, "rival@example.org")
            func add(_ url: String) async throws -> WebFixture.Answer {
                try await web.post("/organisation/webhooks", ["webhookURL": url], cookie: lab.cookie)
            }
            for url in [
                "", "http://hooks.example.org/", "https://127.0.0.1/in", "https://[::1]/", "https://a:b@hooks.example.org/",
                "https://localhost/", "https://10.0.0.7/", "https://169.254.169.254/latest",
            ] {
                let answer = try await add(url)
                #expect(answer.status == 422 && answer.body.contains("id=\"webhookURL-error\""), "\(url)")
            }
            #expect(
                try await web.post("/organisation/webhooks", ["webhookURL": "https://hooks.invalid/"], cookie: late(web, lab)).status == 403
            )
            let made = try await add("https://hooks.invalid/in")
            let hook = try #require(try web.hub.accounts.webhooks.webhooks(of: OrganisationID(lab.account.id)).first)
            #expect(made.status == 200 && made.body.contains(hook.secret))
            let path = "/organisation/webhooks/\(hook.id)"
            for shown in ["/organisation/webhooks", path] {
                let page = try await web.send(.GET, shown, cookie: lab.cookie).body
                #expect(page.contains("https://hooks.invalid/in") && !page.contains(hook.secret))
            }
            // Queued more than a day ago: the next failure is the last.
            let old = Milliseconds(Date().timeIntervalSince1970 * 1000) - 90_000_000
            _ = try web.hub.accounts.webhooks.enqueue([1], to: hook.id, about: nil, consent: nil, now: old)
            let page = try await web.until(path, cookie: lab.cookie) { $0.contains("One delivery was given up") }
            #expect(page.contains("Delivery 1") && page.contains("one try") && page.contains("The last try failed"))
            #expect(try await web.post(path + "/retry", [:], cookie: lab.cookie).status == 303)
            let again = try await web.until(path, cookie: lab.cookie) { $0.contains("The last 2 tries failed") }
            #expect(again.contains("One delivery waits") && !again.contains("given up"))

            for (method, part) in [(HTTPMethod.GET, ""), (.POST, "/retry"), (.POST, "/remove")] {
                let answer =
                    method == .GET
                    ? try await web.send(.GET, path, cookie: rival.cookie) : try await web.post(path + part, [:], cookie: rival.cookie)
                #expect(answer.status == 403, "\(part)")
            }
            #expect(try await web.post(path + "/remove", [:], cookie: lab.cookie).status == 303)
            #expect(try await web.send(.GET, "/organisation/webhooks", cookie: lab.cookie).body.contains("None yet"))
        }
    }

    @Test("ACC-9, ACC-13: the pages of organisations open for organisations alone, fully logged in")
    func roles() async throws {
        try await WebFixture.run { web async throws in
            let lab = try web.member(.organisation, "lab@example.org"), person = try web.member(.person, "ada@example.org")
            let begun = try web.session(of: lab.account, strength: .begun)
            let more = try await web.send(.GET, "/more", cookie: lab.cookie).body
            let paths = [
                "/organisation/keys", "/organisation/keys/new", "/organisation/keys/help", "/organisation/webhooks", "/organisation/people",
            ]
            for path in paths + ["/organisation/webhooks/new"] {
                #expect(try await web.send(.GET, path, cookie: lab.cookie).status == 200, "\(path)")
                #expect(try await web.send(.GET, path, cookie: person.cookie).status == 403, "\(path)")
                #expect(try await web.send(.GET, path).header("location") == "/log-in", "\(path)")
                #expect(try await web.send(.GET, path, cookie: begun).header("location") == "/log-in/second", "\(path)")
            }
            for path in ["/organisation/keys", "/organisation/webhooks", "/organisation/people"] {
                #expect(more.contains("href=\"\(path)\""))
            }
            for topic in ["keys", "webhooks", "people"] { #expect(try await web.send(.GET, "/help/\(topic)").status == 200) }
        }
    }
}
