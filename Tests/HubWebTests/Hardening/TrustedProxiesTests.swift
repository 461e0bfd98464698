import AsyncHTTPClient
import Credentials
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import ServiceLifecycle
import SyncProtocol
import TestSupport
import Testing

@testable import HubWeb

/// Whose word counts for where a request comes from.
struct TrustedProxiesTests {
    private func proxies(_ trusted: [String], tls: Bool = true) -> TrustedProxies {
        var configuration = HubConfiguration(directory: URL(fileURLWithPath: "/"))
        (configuration.proxy.trusted, configuration.tls.enabled) = (trusted, tls)
        return TrustedProxies(configuration)
    }

    @Test(
        "DATA-11: an address is the last one that is no trusted proxy's, and what a client wrote before it does not count",
        arguments: [
            // Nobody is trusted: what is written does not count.
            ([], "203.0.113.7", [("X-Forwarded-For", "6.6.6.6")], "203.0.113.7"),
            (["10.0.0.0/8"], "203.0.113.7", [("X-Forwarded-For", "6.6.6.6"), ("Forwarded", "for=6.6.6.6")], "203.0.113.7"),
            (["10.0.0.0/8"], "10.1.2.3", [("X-Forwarded-For", "6.6.6.6, 203.0.113.7")], "203.0.113.7"),
            (["10.0.0.0/8"], "10.1.2.3", [("X-Forwarded-For", "6.6.6.6"), ("X-Forwarded-For", "203.0.113.7, 10.9.9.9")], "203.0.113.7"),
            (["10.0.0.0/8"], "10.1.2.3", [("X-Forwarded-For", "203.0.113.7:4711")], "203.0.113.7"),
            (["10.0.0.0/8"], "::ffff:10.1.2.3", [("X-Forwarded-For", "[2001:db8::7]:4711")], "2001:db8::7"),
            (
                ["10.0.0.0/8", "::1"], "::1", [("Forwarded", "for=6.6.6.6;proto=http, For=\"[2001:db8::7]:4711\";by=10.1.2.3")],
                "2001:db8::7"
            ),
            // Most proxies write the one header, and let the other through as the client wrote it.
            (["10.0.0.0/8"], "10.1.2.3", [("Forwarded", "for=6.6.6.6"), ("X-Forwarded-For", "203.0.113.7")], "203.0.113.7"),
            // Nobody knows.
            (["10.0.0.0/8"], "10.1.2.3", [], ""), (["10.0.0.0/8"], "10.1.2.3", [("X-Forwarded-For", "203.0.113.7, unknown")], ""),
            (["10.0.0.0/8"], "10.1.2.3", [("Forwarded", "for=_hidden")], ""),
            // All of them are proxies: the first.
            (["10.0.0.0/8"], "10.1.2.3", [("X-Forwarded-For", "10.0.0.1, 10.0.0.2")], "10.0.0.1"),
        ] as [([String], String, [(String, String)], String)])
    func client(trusted: [String], peer: String, headers: [(String, String)], expected: String) throws {
        var fields = HTTPFields()
        for (name, value) in headers { fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value)) }
        #expect(proxies(trusted).client(of: peer, fields) == expected)
    }

    @Test("DATA-11: what a PROXY header named counts where no further proxy is said")
    func named() {
        #expect(proxies(["10.0.0.0/8"]).client(of: "10.1.2.3", isNamed: true, [:]) == "10.1.2.3")
        #expect(proxies(["10.0.0.0/8"]).client(of: "203.0.113.7", isNamed: true, [:]) == "203.0.113.7")
    }

    @Test("DATA-11: without TLS and without a word about proxies the machine's own is taken for granted, and nobody else")
    func assumed() {
        let assumed = proxies([], tls: false)
        #expect(assumed.isAssumed && assumed.trusts("127.0.0.1") && assumed.trusts("::1") && !assumed.trusts("10.1.2.3"))
        #expect(!proxies(["10.0.0.0/8"], tls: false).isAssumed && !proxies([]).isAssumed && proxies([]).isEmpty)
    }

    @Test("DATA-11: without TLS the hub listens elsewhere than on loopback only for a proxy that is named; what is no network is refused")
    func checked() throws {
        var configuration = HubConfiguration(directory: URL(fileURLWithPath: "/"))
        (configuration.tls.enabled, configuration.listen.host) = (false, "0.0.0.0")
        #expect(throws: HubConfigurationError.self) { try configuration.check() }
        configuration.proxy.trusted = ["10.0.0.0/8"]
        try configuration.check()
        configuration.proxy.trusted = ["10.0.0.0/8", "proxy.example"]
        #expect(throws: HubConfigurationError.self) { try configuration.check() }
    }

    // MARK: The PROXY protocol

    private static func header(_ address: [UInt8], command: UInt8 = 1, version: UInt8 = 2, more: [UInt8] = []) -> [UInt8] {
        let rest = address + [UInt8](repeating: 0, count: address.count) + [0, 1, 0, 2] + more
        return ProxyHeader.signature + [
            version << 4 | command, address.count == 4 ? 0x11 : 0x21, UInt8(rest.count >> 8), UInt8(rest.count & 255),
        ]
            + rest
    }

    @Test("DATA-11: a PROXY header is read whole, whatever its bytes come in")
    func headers() {
        let four = Self.header([203, 0, 113, 7], more: [1, 2, 3]),
            six = Self.header([0x20, 1, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [7])
        #expect(ProxyHeader.read(four + Array("GET".utf8)) == .header(address: "203.0.113.7", bytes: four.count))
        #expect(ProxyHeader.read(six) == .header(address: "2001:db8::7", bytes: six.count))
        for count in 0..<four.count { #expect(ProxyHeader.read(four.prefix(count)) == .more, "\(count)") }
        #expect(ProxyHeader.read(Self.header([203, 0, 113, 7], command: 0)) == .header(address: nil, bytes: 28))
        #expect(ProxyHeader.read(Array("GET /healthz HTTP/1.1\r\n".utf8)) == .none && ProxyHeader.read(Array("\r\nGET /".utf8)) == .none)
        for wrong in [Self.header([203, 0, 113, 7], command: 2), Self.header([203, 0, 113, 7], version: 1)] {
            #expect(ProxyHeader.read(wrong) == .wrong)
        }
        var short = Self.header([203, 0, 113, 7])
        short[15] = 8
        #expect(ProxyHeader.read(short) == .wrong)
        short[14] = 0xFF
        #expect(ProxyHeader.read(short) == .wrong)
    }

    // MARK: Whole hubs

    private static let guess = #"{"code":"AAAA1000","publicKey":"00","name":"x"}"#

    /// A hub without TLS, as it stands behind a proxy.
    private func plain(_ trusted: [String], connections: Int = 0, _ body: (_ port: Int) async throws -> Void) async throws {
        let directory = try TemporaryDirectory()
        var configuration = HubConfiguration(directory: directory.url)
        (configuration.listen.port, configuration.tls.enabled, configuration.proxy.trusted) = (0, false, trusted)
        configuration.listen.connections = connections
        configuration.mail.sendmail = try MailCatcher(makingIn: directory.url).program.path
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let hub = try buildHub(configuration: configuration, logger: logger, passwords: PasswordCost(kibibytes: 64, passes: 1))
        let group = ServiceGroup(configuration: .init(services: hub.services.map { .init(service: $0) }, logger: logger))
        let running = Task { try await group.run() }
        let port = try #require(await hub.port.value())
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await body(port)) } catch { outcome = .failure(error) }
        await group.triggerGracefulShutdown()
        try await running.value
        try outcome.get()
    }

    /// Sends a wrong form of a log-in until it is told to wait.
    /// - Returns: how many were taken.
    private func tries(_ port: Int, from forwarded: (Int) -> String?) async throws -> Int {
        for number in 0..<60 {
            var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/log-in")
            request.method = .POST
            request.headers.add(name: "content-type", value: "application/x-www-form-urlencoded")
            if let address = forwarded(number) { request.headers.add(name: "x-forwarded-for", value: address) }
            request.body = .bytes(ByteBuffer(string: "email=person\(number)@example.org&password=wrong-password-of-mine"))
            let status = try await HTTPClient.shared.execute(request, timeout: .seconds(20)).status
            if status == .tooManyRequests { return number }
        }
        return 60
    }

    @Test("ACC-6, DATA-11: behind a proxy clients are told apart, and what one writes about itself does not count")
    func toldApart() async throws {
        try await plain(["127.0.0.1"]) { port in
            let ofOne = try await tries(port) { "6.6.6.\($0), 203.0.113.7" }
            #expect(ofOne < 60)
            // Somebody else is not held up.
            let ofBoth = try await tries(port) { $0 < 5 ? "198.51.100.9" : "203.0.113.7" }
            #expect((5..<60).contains(ofBoth))
        }
    }

    @Test("ACC-6, DATA-11: behind a proxy that says no address nobody locks all others out, and the log and /readyz say so")
    func unnamed() async throws {
        try await plain([]) { port in
            let all = try await tries(port) { _ in nil }
            #expect(all == 60)
            let ready = try await HTTPClient.shared.execute(
                HTTPClientRequest(url: "http://127.0.0.1:\(port)/readyz"), timeout: .seconds(20))
            #expect(String(buffer: try await ready.body.collect(upTo: 10_000)).contains("hub.proxy.trusted"))
            // HSTS holds where the proxy does TLS.
            #expect(ready.headers.first(name: "strict-transport-security") != nil)
        }
    }

    @Test("DATA-11: the PROXY protocol names the client, and connections of one address are bounded")
    func proxied() async throws {
        try await plain(["127.0.0.1"], connections: 100) { port in
            let most = 64
            func open(_ last: UInt8) async throws -> RawConnection {
                let connection = try await RawConnection(port: port, authority: nil)
                await connection.say(Self.header([203, 0, 113, last]) + Array("GET / HTTP/1.1\r\nhost: x\r\n\r\n".utf8))
                return connection
            }
            var held: [RawConnection] = []
            var refused = 0
            for _ in 0..<100 where refused == 0 {
                let connection = try await open(7)
                let text = try await connection.answer { $0.text.contains("\r\n\r\n") || $0.isClosed }.text
                if text.hasPrefix("HTTP/1.1 503") {
                    refused = held.count
                    #expect(text.lowercased().contains("\r\nretry-after: 10\r\n"))
                }
                held.append(connection)
            }
            #expect(refused == most)
            let other = try await open(8)
            #expect(try await other.answer { $0.text.contains("\r\n\r\n") }.text.hasPrefix("HTTP/1.1 200"))
            await other.close()
            for connection in held { await connection.close() }
        }
    }

    @Test("DATA-11: the last eighth of all connections is for alarms, duty and ingest")
    func reserve() {
        let connections = Connections(most: 80, proxies: proxies([]))
        for _ in 0..<70 { connections.opened() }
        #expect(!connections.isCrowded)
        connections.opened()
        #expect(connections.isCrowded)
    }

    @Test("DATA-11: the event streams of a session are bounded, those of alarms apart, and an ended one makes room")
    func streams() throws {
        let places = StreamPlaces()
        func request(_ session: String) -> Request {
            let head = HTTPRequest(
                method: .get, scheme: "https", authority: "x", path: "/", headerFields: [.cookie: "\(Sessions.cookie)=\(session)"])
            return Request(head: head, body: .init(buffer: ByteBuffer()))
        }
        var held = (0..<StreamPlaces.most).compactMap { _ in places.enter(request("a"), isUrgent: false) }
        #expect(held.count == StreamPlaces.most && places.enter(request("a"), isUrgent: false) == nil)
        #expect(places.enter(request("a"), isUrgent: true) != nil && places.enter(request("b"), isUrgent: false) != nil)
        held.removeLast()
        #expect(places.enter(request("a"), isUrgent: false) != nil)
        #expect(StreamPlaces.refusal.status == .tooManyRequests && StreamPlaces.refusal.headers[.retryAfter] != nil)
    }
}
