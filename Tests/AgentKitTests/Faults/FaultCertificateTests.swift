import Crypto
import NIOHTTP1
import NIOSSL
import SyncProtocol
import Testing
import Vitals
import X509

@testable import AgentKit

/// Who is the hub, and when: certificates against boxes with and without a clock.
struct FaultCertificateTests {
    private static let in1970 = BoxClock(boottime: { 5000 }, utc: { 1000 })
    /// 2026-12-01.
    private static let december: Milliseconds = 1_796_083_200_000

    /// nil when the hub was believed, else the reason; and what the server got to read.
    private func outcome(
        _ server: TLSConfiguration, trusting authority: TestAuthority, clock: TokenClock, name: String = "127.0.0.1",
        lastAddress: String? = nil
    ) async throws -> (reason: String?, requests: [String]) {
        let server = try await TLSServer(server)
        let client = try HubClient(
            try HubAddress("https://\(name):\(server.port)"), trust: .pinned(try PinnedRoots(authority.pem)),
            configuration: AgentConfiguration(stateDirectory: "/nowhere"), clock: clock, lastAddress: lastAddress)
        let result = await Result { () async throws(HubClient.Unreachable) in
            try await client.send(.post, "/secret", headers: [("Authorization", "Bearer secret")], body: [1])
        }
        await client.shutdown()
        await server.stop()
        switch result {
        case .success(let response): return (response.status == 200 ? nil : "\(response.status)", server.requests)
        case .failure(let error): return (error.description, server.requests)
        }
    }

    private func at(_ utc: Milliseconds, known: Milliseconds? = nil) -> TokenClock {
        TokenClock(BoxClock(boottime: { 5000 }, utc: { utc }), known: known)
    }

    @Test("EDGE-6, EDGE-8: a box that wakes up in 1970 finds its hub, whose certificate was made after all it knows of")
    func without() async throws {
        let authority = try TestAuthority()
        for known in [nil, Self.december] as [Milliseconds?] {
            let clock = TokenClock(Self.in1970, known: known)
            let young = try authority.server(from: "2027-01-01T00:00:00Z", to: "2028-01-01T00:00:00Z")
            #expect(try await outcome(young, trusting: authority, clock: clock) == (nil, ["/secret"]))
        }
    }

    @Test("EDGE-6, EDGE-8: a box without a clock refuses what had expired on a day that has been")
    func floors() async throws {
        let authority = try TestAuthority()
        let old = try authority.server(from: "2025-06-01T00:00:00Z", to: "2026-11-25T00:00:00Z")
        #expect(try await outcome(old, trusting: authority, clock: TokenClock(Self.in1970)).reason == nil)
        let saved = try await outcome(old, trusting: authority, clock: TokenClock(Self.in1970, known: Self.december))
        #expect(saved.reason?.contains("valid until 2026-11-25") == true && saved.requests.isEmpty)
        let satellite = TokenClock(Self.in1970)
        #expect(satellite.note(gnss: Self.december, at: 5000))
        #expect(try await outcome(old, trusting: authority, clock: satellite).requests.isEmpty)
    }

    @Test("EDGE-6: an expired certificate, and one that is not valid yet, are told with their dates and what to do")
    func expired() async throws {
        let authority = try TestAuthority()
        let old = try authority.server(from: "2025-06-01T00:00:00Z", to: "2026-11-25T00:00:00Z")
        let over = try await outcome(old, trusting: authority, clock: at(Self.december))
        #expect(over.reason?.contains("valid until 2026-11-25") == true && over.reason?.contains("Start the hub again") == true)
        let young = try authority.server(from: "2027-01-01T00:00:00Z", to: "2028-01-01T00:00:00Z")
        let early = try await outcome(young, trusting: authority, clock: at(Self.december))
        #expect(early.reason?.contains("valid from 2027-01-01") == true && early.reason?.contains("clock") == true)
        #expect(over.requests.isEmpty && early.requests.isEmpty)
    }

    @Test("EDGE-8: one clock that is wrong locks nobody out: the satellites' year counts beside the box's")
    func candidates() async throws {
        let authority = try TestAuthority(), server = try authority.server()
        let ahead = at(2_500_000_000_000)
        #expect(try await outcome(server, trusting: authority, clock: ahead).reason != nil)
        #expect(ahead.note(gnss: Self.december, at: 5000))
        #expect(try await outcome(server, trusting: authority, clock: ahead).reason == nil)
        let misled = at(Self.december)
        #expect(misled.note(gnss: 2_500_000_000_000, at: 5000))
        #expect(try await outcome(server, trusting: authority, clock: misled).reason == nil)
    }

    @Test("EDGE-3, EDGE-8: a date from before a day that has been is a receiver's week rollover, and sets no clock")
    func rollover() {
        let clock = at(Self.december, known: Self.december)
        let weeks: Milliseconds = 1024 * 7 * 86_400_000
        #expect(!clock.note(gnss: Self.december - weeks, at: 5000))
        #expect(!clock.note(gnss: Self.december - 1, at: 5000))
        #expect(clock.utc() == Self.december)
        #expect(clock.note(gnss: Self.december + 90_000, at: 5000))
        #expect(clock.utc() == Self.december + 90_000 && clock.now().source == .gnss)
        clock.note(hub: Self.december + 91_000, at: 5000)
        #expect(clock.utc() == Self.december + 91_000 && clock.now().source == .hub)
    }

    @Test("EDGE-6, EDGE-14: whoever has no certificate of the pinned authority for the hub's name gets neither token nor data")
    func strangers() async throws {
        let authority = try TestAuthority(), clock = at(Self.december)
        let portal = try TestAuthority("test").server(), renamed = try authority.server(["hub.example"])
        let device = try authority.server(usage: [.clientAuth]), unreadable = try authority.server(usage: nil)
        let servers = [
            (portal, "login page"), (renamed, "does not count"), (device, "no server's"), (unreadable, "purpose cannot be read"),
        ]
        for (server, word) in servers {
            let (reason, requests) = try await outcome(server, trusting: authority, clock: clock)
            #expect(reason?.contains(word) == true, "\(reason ?? "believed")")
            #expect(requests.isEmpty)
        }
    }

    @Test("EDGE-6: without a name service the last good address is used, and the certificate held against the name")
    func noNameService() async throws {
        let authority = try TestAuthority(), clock = at(Self.december), name = "hub.invalid"
        let server = try authority.server([name])
        #expect(try await outcome(server, trusting: authority, clock: clock, name: name, lastAddress: "127.0.0.1").reason == nil)
        let none = try await outcome(server, trusting: authority, clock: clock, name: name)
        #expect(none.reason?.contains("no name service") == true, "\(none.reason ?? "believed")")
        // Another machine at the address, though one of the same authority.
        let other = try authority.server(["127.0.0.1", "other.invalid"])
        let moved = try await outcome(other, trusting: authority, clock: clock, name: name, lastAddress: "127.0.0.1")
        #expect(moved.reason?.contains("does not count") == true && moved.requests.isEmpty)
    }

    @Test(
        "EDGE-8: a hub that refuses a token sets this box's clock, unless its date is outside of its own certificate's life",
        arguments: [("Wed, 20 Jan 2027 00:00:00 GMT", 2), ("Wed, 20 Jan 2038 00:00:00 GMT", 1)])
    func refusedToken(date: String, requests: Int) async throws {
        let authority = try TestAuthority(), clock = at(Self.december)
        let server = try await TLSServer(try authority.server(), status: .unauthorized, date: date)
        let client = try HubClient(
            try HubAddress("https://127.0.0.1:\(server.port)"), trust: .pinned(try PinnedRoots(authority.pem)),
            configuration: AgentConfiguration(stateDirectory: "/nowhere"), clock: clock)
        let tokens = TokenRequest(agent: AgentID(high: 1, low: 1), key: P256.Signing.PrivateKey(), clock: clock)
        _ = await tokens.send(predecessor: nil, over: client)
        await client.shutdown()
        await server.stop()
        #expect(server.requests.count == requests && (clock.utc() == Self.december) == (requests == 1))
    }

    @Test("EDGE-6: what the hub takes once only goes over a connection of its own")
    func once() async throws {
        let authority = try TestAuthority(), server = try await TLSServer(try authority.server())
        let client = try HubClient(
            try HubAddress("https://127.0.0.1:\(server.port)"), trust: .pinned(try PinnedRoots(authority.pem)),
            configuration: AgentConfiguration(stateDirectory: "/nowhere"), clock: at(Self.december))
        for repeatable in [true, false, true] { _ = try await client.send(.post, "/x", body: [1], repeatable: repeatable) }
        await client.shutdown()
        await server.stop()
        #expect(server.connections == 2 && server.requests.count == 3)
    }

    @Test(
        "EDGE-6: one connection is kept for all requests, and one that the hub closed meanwhile costs no failure", .timeLimit(.minutes(1)))
    func keptConnection() async throws {
        let authority = try TestAuthority(), clock = at(Self.december)
        for (idleLimit, connections) in [(nil, 1), (1, 4)] as [(Int64?, Int)] {
            let server = try await TLSServer(try authority.server(), idleLimit: idleLimit)
            let client = try HubClient(
                try HubAddress("https://127.0.0.1:\(server.port)"), trust: .pinned(try PinnedRoots(authority.pem)),
                configuration: AgentConfiguration(stateDirectory: "/nowhere"), clock: clock)
            for _ in 0..<4 {
                #expect(try await client.send(.post, "/x", body: [1]).status == 200)
                try await Task.sleep(for: .milliseconds(idleLimit == nil ? 0 : 300))
            }
            #expect(client.lastAddress == "127.0.0.1")
            #expect(client.certificateLife?.contains(Self.december) == true)
            await client.shutdown()
            await server.stop()
            #expect(server.connections == connections && server.requests.count == 4)
        }
    }
}
