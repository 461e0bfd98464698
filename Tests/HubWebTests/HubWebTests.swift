import Accounts
import AsyncHTTPClient
import Credentials
import Crypto
import Foundation
import HubStore
import Logging
import NIOCore
import NIOHTTP1
import NIOSSL
import Privacy
import Seams
import ServiceLifecycle
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// A real hub on loopback with TLS and its own CA, and a client that trusts that CA only.
struct WebFixture {
    let directory: TemporaryDirectory
    let hub: Hub
    let url: String
    let client: HTTPClient
    let person: PersonID

    /// - Parameters:
    ///   - operatorAuthority: where a CA of the operator's lies, whose certificate the hub is to use.
    ///   - directory: of a hub that ran before; nil for a new one.
    ///   - outside: whom the hub trusts where it posts to addresses of strangers; on this machine only with this.
    ///   - now: the hub's clock.
    ///   - passwords: what a hash costs; nil for as much as in a hub that runs.
    ///   - machine: what the hub is built on.
    ///   - sockets: on which somebody else listens for it.
    static func run(
        operatorAuthority: URL? = nil, in directory: TemporaryDirectory? = nil, outside: TLSConfiguration? = nil,
        now: @escaping @Sendable () -> Milliseconds = { Milliseconds(Date().timeIntervalSince1970 * 1000) },
        passwords: PasswordCost? = PasswordCost(kibibytes: 64, passes: 1), machine: Machine = .system, sockets: HandedSockets = .none,
        change: (inout HubConfiguration) throws -> Void = { _ in }, _ body: (WebFixture) async throws -> Void
    ) async throws {
        let directory = try directory ?? TemporaryDirectory()
        var configuration = HubConfiguration(directory: directory.url)
        configuration.mail.sendmail = try MailCatcher(makingIn: directory.url).program.path
        configuration.listen.port = 0
        configuration.map.tiles = "https://tiles.example/{z}/{x}/{y}.png"
        if let operatorAuthority {
            configuration.tls.certificate = operatorAuthority.appendingPathComponent("server.pem").path
            configuration.tls.key = operatorAuthority.appendingPathComponent("server.key").path
        }
        try change(&configuration)
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        if outside != nil { configuration.webhooks.allow = ["127.0.0.1"] }
        let strangers = HTTPClient.Configuration(tlsConfiguration: outside)
        let hub =
            if let passwords {
                try buildHub(
                    configuration: configuration, logger: logger, outside: strangers, now: now, passwords: passwords, machine: machine,
                    sockets: sockets)
            } else {
                try buildHub(configuration: configuration, logger: logger, outside: strangers, now: now, machine: machine, sockets: sockets)
            }
        let group = ServiceGroup(configuration: .init(services: hub.services.map { .init(service: $0) }, logger: logger))
        let running = Task { try await group.run() }
        let port = try #require(await hub.port.value())
        var tls = TLSConfiguration.makeClientConfiguration()
        let ca = try String(contentsOf: (operatorAuthority ?? directory.url).appendingPathComponent("ca.pem"), encoding: .utf8)
        tls.trustRoots = .certificates([try NIOSSLCertificate(bytes: Array(ca.utf8), format: .pem)])
        var settings = HTTPClient.Configuration(tlsConfiguration: tls, redirectConfiguration: .disallow)
        settings.decompression = .disabled
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: settings)
        let outcome: Result<Void, any Error>
        do {
            let person = try hub.accounts.addPerson(name: "Ada <script>", now: 0).id
            try await body(
                WebFixture(directory: directory, hub: hub, url: "https://127.0.0.1:\(port)", client: client, person: person))
            outcome = .success(())
        } catch { outcome = .failure(error) }
        try await client.shutdown()
        await group.triggerGracefulShutdown()
        try await running.value
        try outcome.get()
    }

    struct Answer {
        let status: UInt
        let headers: HTTPHeaders
        let body: String
        func header(_ name: String) -> String? { headers.first(name: name) }
    }

    func send(
        _ method: HTTPMethod, _ path: String, cookie: String? = nil, headers: [(String, String)] = [], body: [UInt8]? = nil
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: url + path)
        request.method = method
        if let cookie { request.headers.add(name: "cookie", value: cookie) }
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        if let body { request.body = .bytes(ByteBuffer(bytes: body)) }
        let response = try await client.execute(request, timeout: .seconds(20))
        return Answer(
            status: response.status.code, headers: response.headers,
            body: String(buffer: try await response.body.collect(upTo: 1 << 20)))
    }

    func link() throws -> String {
        "/l/" + (try hub.accounts.links.makeLink(to: person, now: Milliseconds(Date().timeIntervalSince1970 * 1000)))
    }

    func cookie() async throws -> String {
        let answer = try await send(.POST, try link())
        return String(try #require(answer.header("set-cookie")).prefix { $0 != ";" })
    }
}

@Suite(.serialized)
struct HubWebTests {
    @Test("ACC-13: a one-time link shows a button, only its POST redeems it, once, and only for its person")
    func link() async throws {
        try await WebFixture.run { web in
            let link = try web.link()
            for _ in 0..<2 {
                let page = try await web.send(.GET, link)
                #expect(page.status == 200)
                #expect(page.body.contains("method=\"post\""))
                #expect(page.body.contains("Ada &lt;script&gt;") && !page.body.contains("Ada <script>"))
            }
            #expect(try await web.send(.POST, link, headers: [("sec-fetch-site", "cross-site")]).status == 403)
            let redeemed = try await web.send(.POST, link)
            #expect(redeemed.status == 303)
            #expect(redeemed.header("location") == "/people/\(web.person)")
            let cookie = try #require(redeemed.header("set-cookie"))
            for part in ["__Host-", "Secure", "HttpOnly", "SameSite=Lax", "Path=/"] { #expect(cookie.contains(part)) }
            #expect(try await web.send(.POST, link).status == 410)
            #expect(try await web.send(.GET, link).status == 410)

            let session = String(cookie.prefix { $0 != ";" })
            #expect(try await web.send(.GET, "/people/\(web.person)", cookie: session).status == 200)
            let other = try web.hub.accounts.addPerson(name: "Other", now: 0).id
            for path in ["", "/recent", "/live"] {
                #expect(try await web.send(.GET, "/people/\(other)\(path)", cookie: session).status == 403)
                #expect(try await web.send(.GET, "/people/\(web.person)\(path)").status == 403)
                #expect(try await web.send(.GET, "/people/nobody\(path)", cookie: session).status == 403)
            }
        }
    }

    @Test("ACC-12: pages come in English and Italian, with the same texts in both")
    func languages() async throws {
        let keys = Texts.all.map { texts in Set(texts.sections.flatMap { section in section.value.keys.map { "\(section.key).\($0)" } }) }
        #expect(Texts.all.count == 2 && keys[0] == keys[1], "\(keys[0].symmetricDifference(keys[1]))")
        #expect(Texts.all.allSatisfy { $0.sections.values.allSatisfy { $0.values.allSatisfy { !$0.isEmpty } } })
        for code in FieldError.Code.allCases { #expect(keys[0].contains("mistake.\(code.rawValue)")) }
        for field in Field.allCases { #expect(keys[0].contains("field.\(field.rawValue)")) }
        // A page whose help has texts and no address leads nowhere.
        let topics = keys[0].compactMap { key in key.wholeMatch(of: /help\.(\w+)Text/).map { String($0.1) } }
        #expect(Set(HomePages.topics) == Set(topics))
        for topic in HomePages.topics { #expect(keys[0].contains("help.\(topic)")) }
        try await WebFixture.run { web in
            let link = try web.link()
            let italian = try await web.send(.GET, link, headers: [("accept-language", "de, it-IT;q=0.9, en;q=0.5")])
            #expect(italian.body.contains("<html lang=\"it\">"))
            #expect(try await web.send(.GET, link, headers: [("accept-language", "fr")]).body.contains("<html lang=\"en\">"))
            #expect(try await web.send(.GET, "/nothing/here", headers: [("accept-language", "it")]).body.contains("lang=\"it\""))
        }
    }

    @Test("ACC-18: everything that the live page names is there, and no page carries inline script or style")
    func assets() async throws {
        try await WebFixture.run { web in
            let page = try await web.send(.GET, "/people/\(web.person)", cookie: try await web.cookie())
            let policy = try #require(page.header("content-security-policy"))
            #expect(!policy.contains("unsafe") && policy.contains("https://tiles.example"))
            #expect(page.header("strict-transport-security") != nil && page.header("cache-control") == "no-store")
            var paths = page.body.split(separator: "\"").map(String.init).filter { $0.hasPrefix("/assets/") || $0.hasPrefix("/vendor/") }
            #expect(paths.count >= 4)
            var seen: Set<String> = []
            while let path = paths.popLast() {
                guard seen.insert(path).inserted else { continue }
                let asset = try await web.send(.GET, path)
                #expect(asset.status == 200, "\(path)")
                guard path.hasPrefix("/assets/"), path.hasSuffix(".js") else { continue }
                for part in asset.body.split(separator: "\"") where part.hasPrefix("./") { paths.append("/assets/" + part.dropFirst(2)) }
            }
            #expect(seen.count >= 10, "the scripts import each other")
            #expect(!page.body.contains(" style=") && !page.body.contains("<style") && !page.body.contains(" onclick="))
            for wrong in ["/vendor/leaflet/../../../etc/passwd", "/vendor/leaflet/%2e%2e/x.js", "/assets/nothing.js", "/vendor/leaflet/"] {
                #expect(try await web.send(.GET, wrong).status == 404)
            }
        }
    }

    @Test("CONS-6: a revoked session's stream ends by itself, and nothing more is read with it")
    func revoked() async throws {
        try await WebFixture.run { web in
            let cookie = try await web.cookie()
            var request = HTTPClientRequest(url: web.url + "/people/\(web.person)/live")
            request.headers.add(name: "cookie", value: cookie)
            let stream = try await web.client.execute(request, timeout: .seconds(30))
            #expect(stream.headers.first(name: "content-type") == "text/event-stream")
            let secret = try #require(cookie.split(separator: "=").last.map(String.init))
            let session = try #require(try web.hub.accounts.links.linkSession(secret))
            try web.hub.accounts.links.revokeLinkSession(session.hash, now: 1)
            let text = String(buffer: try await stream.body.collect(upTo: 1 << 20))
            #expect(text.hasSuffix("event: end\ndata: {}\n\n"))
            #expect(try await web.send(.GET, "/people/\(web.person)/recent", cookie: cookie).status == 403)
        }
    }

    @Test("EDGE-6: every mistake of an agent gets a status and a reason")
    func agentMistakes() async throws {
        try await WebFixture.run { web in
            #expect(try await web.send(.GET, SyncRoute.certificateAuthority).body.hasPrefix("-----BEGIN CERTIFICATE-----"))
            let none = try await web.send(.POST, SyncRoute.segments, body: [1])
            #expect(none.status == 401 && none.header("www-authenticate")?.contains("invalid_token") == true)
            let large = [UInt8](repeating: 0, count: SyncRoute.segmentsBytesMax + 1)
            #expect(try await web.send(.POST, SyncRoute.segments, headers: [("authorization", "Bearer x")], body: large).status == 413)
            for (path, body) in [
                (SyncRoute.enrolment, "{"), (SyncRoute.enrolment, "{\"code\":\"AAAAAAAA\",\"publicKey\":\"00\",\"name\":\"x\"}"),
                (SyncRoute.token, ""), (SyncRoute.token, "grant_type=password"),
            ] {
                let answer = try await web.send(.POST, path, body: Array(body.utf8))
                #expect((400..<500).contains(answer.status))
                let error = try JSONDecoder().decode(ErrorAnswer.self, from: Data(answer.body.utf8))
                #expect(!error.description.isEmpty)
            }
            let newer = [(ProtocolVersion.header, "\(ProtocolVersion.current + 1)")]
            for path in [SyncRoute.segments, SyncRoute.enrolment, SyncRoute.token] {
                #expect(try await web.send(.POST, path, headers: newer, body: [1]).status == 426)
            }
            // Guessing codes is slowed down.
            var statuses: Set<UInt> = []
            let key = Hexadecimal.string(P256.Signing.PrivateKey().publicKey.x963Representation)
            let guess = "{\"code\":\"AAAAAAAA\",\"publicKey\":\"\(key)\",\"name\":\"x\"}"
            for _ in 0..<30 { statuses.insert(try await web.send(.POST, SyncRoute.enrolment, body: Array(guess.utf8)).status) }
            #expect(statuses.contains(429))
        }
    }

    @Test("EDGE-14: the hub keeps its CA over restarts and renews its certificate from half of its life on")
    func certificates() throws {
        let directory = try TemporaryDirectory()
        let now = Date()
        let first = try CertificateAuthority.succession(in: directory.url, now: now).authority
        _ = try first.server(names: ["127.0.0.1", "localhost"], now: now)
        func leaf() throws -> String { try String(contentsOf: directory.url.appendingPathComponent("server.pem"), encoding: .utf8) }
        let made = try leaf()
        let second = try CertificateAuthority.succession(in: directory.url, now: now).authority
        #expect(second.fingerprint == first.fingerprint)
        _ = try second.server(names: ["127.0.0.1", "localhost"], now: now + 86_400)
        #expect(try leaf() == made)
        _ = try second.server(names: ["127.0.0.1", "hub.example"], now: now)
        let renamed = try leaf()
        #expect(renamed != made)
        _ = try second.server(names: ["127.0.0.1"], now: now + CertificateAuthority.leafLifetime * 0.51)
        #expect(try leaf() != renamed)
    }

    @Test("DATA-11: a hub uses the operator's own certificate, and then makes no CA")
    func operatorCertificate() async throws {
        let authority = try TemporaryDirectory()
        _ = try CertificateAuthority.make(in: authority.url, now: Date()).server(names: ["127.0.0.1"], now: Date())
        try await WebFixture.run(operatorAuthority: authority.url) { web async throws in
            #expect(try await web.send(.GET, "/healthz").body == "ok")
            #expect(try await web.send(.GET, SyncRoute.certificateAuthority).status == 404)
            #expect(!FileManager.default.fileExists(atPath: web.directory.url.appendingPathComponent("ca.pem").path))
        }
    }

    @Test("EDGE-6: a second hub on the same directory is refused: it would store everything twice")
    func locked() async throws {
        try await WebFixture.run { web async throws in
            let second = HubConfiguration(directory: web.directory.url)
            #expect(throws: HubStoreError.self) { try buildHub(configuration: second, logger: Logger(label: "test")) }
            #expect(throws: HubStoreError.self) { try HubCommands.merge(second) }
        }
    }

    @Test("A mistake in the configuration is told with what to do")
    func configuration() throws {
        let directory = try TemporaryDirectory()
        var configuration = HubConfiguration(directory: directory.url)
        configuration.tls.enabled = false
        configuration.listen.host = "0.0.0.0"
        #expect(throws: HubConfigurationError.self) { try configuration.check() }
        configuration = HubConfiguration(directory: directory.url)
        configuration.tls.certificate = "/nowhere"
        #expect(throws: HubConfigurationError.self) { try configuration.check() }
        #expect(throws: HubStoreError.self) {
            try buildHub(configuration: HubConfiguration(directory: URL(fileURLWithPath: "/proc/nowhere")), logger: Logger(label: "test"))
        }
    }
}
