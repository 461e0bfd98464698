import Accounts
import AsyncHTTPClient
import Credentials
import Foundation
import HubStore
import NIOCore
import NIOHTTP1
import NIOSSL
import Testing
import Vitals

@testable import HubWeb

/// What docs/security.md names and no other test proves.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct HardeningTests {
    @Test("ACC-9, DATA-9, DATA-10: who proved who they are long ago is asked again before whatever is dangerous")
    func stepUp() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org").account, token = SecretToken.random()
            try web.hub.accounts.addSession(token.hash, of: person.row, strength: .full, device: "", now: Cast.now - 600_000)
            let cookie = "\(Sessions.cookie)=\(token.text)"
            #expect(try await web.send(.GET, "/data", cookie: cookie).status == 200)
            let paths: [(HTTPMethod, String)] = [
                (.GET, "/data/export?format=csv&days=7"), (.POST, "/data/delete"), (.POST, "/data/account"), (.POST, "/boxes/code"),
                (.POST, "/boxes/setup"), (.POST, "/boxes/devices"), (.POST, "/security/one-time/remove"), (.POST, "/security/recovery"),
                (.GET, "/security/one-time"),
            ]
            for (method, path) in paths {
                let answer = try await web.send(method, path, cookie: cookie, body: method == .POST ? [] : nil)
                #expect(answer.status == 303 && answer.header("location")?.hasPrefix("/security/prove?back=") == true, "\(method) \(path)")
            }
        }
    }

    @Test("DATA-11: TLS 1.2 and 1.3 are spoken, and nothing older")
    func versions() async throws {
        try await WebFixture.run { web in
            for (version, isTaken) in [(TLSVersion.tlsv1, false), (.tlsv11, false), (.tlsv12, true), (.tlsv13, true)] {
                var tls = TLSConfiguration.makeClientConfiguration()
                (tls.minimumTLSVersion, tls.maximumTLSVersion) = (version, version)
                tls.certificateVerification = .none
                let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: .init(tlsConfiguration: tls))
                let status = try? await client.execute(HTTPClientRequest(url: web.url + "/healthz"), timeout: .seconds(5)).status
                #expect((status == .ok) == isTaken, "\(version)")
                try await client.shutdown()
            }
        }
    }

    @Test(
        "DATA-11: TLS 1.2 is spoken with AEAD suites alone",
        arguments: [
            (NIOTLSCipher.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, true), (.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, true),
            (.TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA, false), (.TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA, false),
        ])
    func suites(suite: NIOTLSCipher, isTaken: Bool) async throws {
        try await WebFixture.run { web in
            var tls = TLSConfiguration.makeClientConfiguration()
            (tls.maximumTLSVersion, tls.certificateVerification, tls.cipherSuiteValues) = (.tlsv12, .none, [suite])
            let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: .init(tlsConfiguration: tls))
            let status = try? await client.execute(HTTPClientRequest(url: web.url + "/healthz"), timeout: .seconds(5)).status
            #expect((status == .ok) == isTaken)
            try await client.shutdown()
        }
    }
}
