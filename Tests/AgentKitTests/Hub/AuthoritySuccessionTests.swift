import Crypto
import Foundation
import Logging
import TestSupport
import Testing
import Vitals

@testable import AgentKit

/// A box takes over the successor of its hub's CA, over real TLS.
@Suite("EDGE-14, EDGE-6: fault 20, the hub's CA changes", .timeLimit(.minutes(2)))
struct AuthoritySuccessionTests {
    /// A CA and the fingerprint by which a hub announces it.
    private struct Announced {
        let authority: TestAuthority
        let pem: String, fingerprint: String

        init(_ name: String) throws {
            authority = try TestAuthority(name)
            let text = try authority.pem
            let der = try #require(Data(base64Encoded: text.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()))
            let digest = Array(SHA256.hash(data: der))
            // As a box stores it.
            pem = try PinnedAuthority(Array(text.utf8), fingerprint: digest).pem
            fingerprint = Hexadecimal.string(digest)
        }
    }

    /// An enrolled box that has pinned a CA.
    private struct PinnedBox {
        let directory: TemporaryDirectory
        let roots: PinnedRoots
        let succession: AuthoritySuccession

        init(_ pinned: Announced) throws {
            directory = try TemporaryDirectory()
            let state = try StateDirectory(directory.url.path)
            let identity = Identity(
                agent: AgentID(high: 0, low: 1), name: "box", hub: try HubAddress("https://hub.example"), certificateAuthority: pinned.pem,
                persons: [])
            try identity.save(key: Identity.newKey(), to: state)
            roots = try PinnedRoots(pinned.pem)
            succession = AuthoritySuccession(identity, roots: roots, directory: state, logger: quiet)
        }

        var stored: Identity { get throws { try #require(try Identity.load(from: directory.url.path)) } }

        /// Whether a server of this CA is believed over a new connection.
        func believes(_ other: Announced, body: String = "{}", _ work: (HubClient) async -> Void = { _ in }) async throws -> Bool {
            let server = try await TLSServer(try other.authority.server(), body: body)
            let client = try HubClient(
                try HubAddress("https://127.0.0.1:\(server.port)"), trust: .pinned(roots),
                configuration: AgentConfiguration(stateDirectory: "/nowhere"),
                clock: TokenClock(BoxClock(boottime: { 5000 }, utc: { 1_796_083_200_000 })))
            let answer = try? await client.send(.get, "/")
            await work(client)
            await client.shutdown()
            await server.stop()
            return answer?.status == 200
        }
    }

    private static let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    @Test("an announced successor is pinned beside the CA, kept over a restart, and takes its place once the hub uses it")
    func takenOver() async throws {
        let old = try Announced("old"), new = try Announced("new"), box = try PinnedBox(old)
        #expect(try await box.believes(new) == false)
        #expect(try await box.believes(old, body: new.pem) { await box.succession.follow(new.fingerprint, over: $0) })
        #expect(try box.stored.nextAuthority == new.pem && box.stored.certificateAuthority == old.pem)
        let restarted = try #require(try box.stored.roots())
        #expect(restarted.store == box.roots.store)
        // Both are believed until the successor was seen in use.
        #expect(try await box.believes(old))
        #expect(try await box.believes(new) { await box.succession.follow(nil, over: $0) })
        #expect(try box.stored.certificateAuthority == new.pem && box.stored.nextAuthority == nil)
        #expect(try await box.believes(old) == false)
        #expect(try await box.believes(new))
    }

    @Test("what has another fingerprint than the announced one is not pinned")
    func another() async throws {
        let old = try Announced("old"), new = try Announced("new"), stranger = try Announced("stranger"), box = try PinnedBox(old)
        for body in [stranger.pem, old.pem + new.pem, "<html>log in</html>"] {
            #expect(try await box.believes(old, body: body) { await box.succession.follow(new.fingerprint, over: $0) })
        }
        #expect(try await box.believes(old, body: new.pem) { await box.succession.follow("no fingerprint", over: $0) })
        #expect(try box.stored.nextAuthority == nil)
        #expect(try await box.believes(new) == false)
    }

    @Test("a successor that is pinned already is not asked for again")
    func once() async throws {
        let old = try Announced("old"), new = try Announced("new"), box = try PinnedBox(old)
        let server = try await TLSServer(try old.authority.server(), body: new.pem)
        let client = try HubClient(
            try HubAddress("https://127.0.0.1:\(server.port)"), trust: .pinned(box.roots),
            configuration: AgentConfiguration(stateDirectory: "/nowhere"),
            clock: TokenClock(BoxClock(boottime: { 5000 }, utc: { 1_796_083_200_000 })))
        for _ in 0..<3 { await box.succession.follow(new.fingerprint, over: client) }
        await client.shutdown()
        await server.stop()
        #expect(server.requests.count == 1)
    }
}
