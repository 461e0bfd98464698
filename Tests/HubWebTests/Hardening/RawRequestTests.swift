import Foundation
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

@testable import HubWeb

/// What a hub does with bytes that no browser sends: nobody hides a second request in a first one, or holds connections for nothing.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct RawRequestTests {
    private func open(_ web: WebFixture) async throws -> RawConnection {
        let port = try #require(URL(string: web.url)?.port)
        return try await RawConnection(port: port, authority: web.directory.url.appendingPathComponent("ca.pem"))
    }

    private func answers(_ text: String) -> Int { text.components(separatedBy: "HTTP/1.1 ").count - 1 }

    private static let hidden = "GET /hidden HTTP/1.1\r\nhost: x\r\n\r\n"

    @Test(
        "DATA-11: a request whose length can be read in two ways is refused, the connection ends, and what was hidden behind it is not answered",
        arguments: [
            // Each might pass a proxy that reads it in the other way.
            "content-length: 0\r\ncontent-length: 33\r\n\r\n",
            "content-length: 0, 33\r\n\r\n",
            "content-length: +0\r\n\r\n",
            "content-length: 0x0\r\n\r\n",
            "content-length: 33\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
            "transfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n0\r\n\r\n",
            "transfer-encoding: xchunked\r\n\r\n0\r\n\r\n",
            "transfer-encoding: identity\r\n\r\n",
            "transfer-encoding: chunked\r\ntransfer-encoding: identity\r\n\r\n0\r\n\r\n",
            "transfer-encoding : chunked\r\n\r\n0\r\n\r\n",
            "transfer-encoding:\u{0b}chunked\r\n\r\n0\r\n\r\n",
            " folded: x\r\ncontent-length: 0\r\n\r\n",
            "x: y\r\n content-length: 33\r\n\r\n",
            "transfer-encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n\r\n",
            "transfer-encoding: chunked\r\n\r\n-1\r\n\r\n",
            "transfer-encoding: chunked\r\n\r\n0\n\n",
            "content-length: 99999999999999999999999999\r\n\r\n",
        ])
    func smuggling(head: String) async throws {
        try await WebFixture.run { web in
            let connection = try await open(web)
            await connection.say("POST /log-in HTTP/1.1\r\nhost: x\r\n" + head + Self.hidden)
            let heard = try await connection.answer(within: 10)
            #expect(heard.isClosed && answers(heard.text) <= 1, "\(heard.text)")
            #expect(!heard.text.contains("HTTP/1.1 404"), "\(heard.text)")
            await connection.close()
            #expect(try await web.send(.GET, "/healthz").status == 200)
        }
    }

    @Test(
        "DATA-11: a request names one host, a body comes in a coding that the hub knows, and nobody tunnels: what else it says is refused, and the connection ends",
        arguments: [
            ("GET / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nhost: a\r\nHost: a\r\n\r\n", 400), ("GET / HTTP/1.1\r\nhost: a, b\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nhost: a@b\r\n\r\n", 400), ("GET / HTTP/1.1\r\nhost:\r\n\r\n", 400),
            ("GET / HTTP/1.0\r\n\r\n", 400), ("HEAD / HTTP/1.1\r\n\r\n", 400),
            ("POST /log-in HTTP/1.1\r\nhost: x\r\ntransfer-encoding: xchunked\r\n\r\n0\r\n\r\n", 501),
            ("POST /sync/segments HTTP/1.1\r\nhost: x\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501),
            ("POST /api/v1/token HTTP/1.1\r\nhost: x\r\ntransfer-encoding: identity\r\n\r\n", 501),
            ("CONNECT /runs HTTP/1.1\r\nhost: x\r\n\r\n", 501),
        ])
    func refused(request: String, status: Int) async throws {
        try await WebFixture.run { web in
            let connection = try await open(web)
            await connection.say(request + Self.hidden)
            let text = try await connection.answer(within: 10).text, isClosed = try await connection.answer(within: 1).isClosed
            #expect(text.hasPrefix("HTTP/1.1 \(status) ") && answers(text) == 1 && isClosed, "\(text)")
            await connection.close()
        }
    }

    @Test("DATA-11: what was asked before a request that is refused is answered first")
    func pipelined() async throws {
        try await WebFixture.run { web in
            let connection = try await open(web)
            await connection.say("GET /healthz HTTP/1.1\r\nhost: x\r\n\r\nGET / HTTP/1.1\r\n\r\n" + Self.hidden)
            let heard = try await connection.answer(within: 10)
            let statuses = heard.text.components(separatedBy: "HTTP/1.1 ").dropFirst().map { String($0.prefix(3)) }
            #expect(statuses == ["200", "400"] && heard.isClosed, "\(heard.text)")
        }
    }

    @Test(
        "DATA-11: all answers carry the headers, those of the HTTP library and those to boxes too",
        arguments: [
            "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nhost: x\r\nx y: z\r\n\r\n", "nothing\r\n\r\n",
            "GET /nowhere HTTP/1.1\r\nhost: x\r\n\r\n", "POST /sync/segments HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n",
            "POST /log-in HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nZZ\r\n", "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n",
        ])
    func headers(request: String) async throws {
        try await WebFixture.run { web in
            let connection = try await open(web)
            await connection.say(request)
            let text = try await connection.answer(within: 10) { $0.text.contains("\r\n\r\n") || $0.isClosed }.text.lowercased()
            for name in ["content-security-policy", "x-content-type-options", "referrer-policy", "strict-transport-security"] {
                #expect(text.components(separatedBy: "\r\n\(name): ").count == 2, "\(name) \(text)")
            }
            await connection.close()
        }
    }

    @Test("DATA-11: a head is bounded: by its bytes, and by its lines", arguments: ["long", "many", "path", "endless"])
    func heads(form: String) async throws {
        try await WebFixture.run { web in
            let connection = try await open(web)
            switch form {
            case "long": await connection.say("GET / HTTP/1.1\r\nhost: x\r\nx: " + String(repeating: "y", count: 200_000) + "\r\n\r\n")
            case "many": await connection.say("GET / HTTP/1.1\r\nhost: x\r\n" + String(repeating: "x: y\r\n", count: 5000) + "\r\n")
            case "path": await connection.say("GET /" + String(repeating: "y", count: 200_000) + " HTTP/1.1\r\nhost: x\r\n\r\n")
            default:
                // Never ends: the hub must not wait for what it will refuse.
                await connection.say("GET / HTTP/1.1\r\nhost: x\r\n")
                for _ in 0..<200 { await connection.say("x: " + String(repeating: "y", count: 1000) + "\r\n") }
            }
            let heard = try await connection.answer(within: 10)
            #expect(heard.isClosed && !heard.text.contains("HTTP/1.1 200"), "\(form): \(heard.text.prefix(300))")
            #expect(try await web.send(.GET, "/healthz").status == 200)
        }
    }

    @Test("DATA-11: whoever sends a head by the byte is hung up on when its time is over, whole requests or not before it")
    func slowHeads() async throws {
        let impatient: (inout HubConfiguration) -> Void = { $0.listen.headSeconds = 2 }
        try await WebFixture.run(change: impatient) { web in
            for first in ["", "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n"] {
                let connection = try await open(web)
                await connection.say(first)
                if !first.isEmpty { _ = try await connection.answer { $0.text.contains("ok") } }
                let drip = Task {
                    for byte in "GET / HTTP/1.1\r\nhost: x\r\nx: " + String(repeating: "y", count: 10_000) {
                        try await Task.sleep(for: .milliseconds(100))
                        await connection.say(String(byte))
                    }
                }
                let heard = try await connection.answer(within: 30)
                drip.cancel()
                #expect(heard.isClosed && answers(heard.text) == (first.isEmpty ? 0 : 1), "\(heard.text)")
            }
            // Who is slow only once the head is there is not meant, nor is who waits for an answer: streams live long.
            let slow = try await open(web)
            await slow.say(
                "POST /log-in HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: 7\r\n\r\nemail")
            let later = try await open(web)
            await later.say("GET / HTTP/1.1\r\n")
            #expect(try await later.answer(within: 30).isClosed)
            await slow.say("=a")
            #expect(try await slow.answer { $0.text.contains("HTTP/1.1 422") || $0.isClosed }.text.contains("HTTP/1.1 422"))
            await slow.close()
        }
    }

    @Test("DATA-11: no more connections are taken than are allowed, and whoever waits gets in when one ends")
    func connections() async throws {
        let small: (inout HubConfiguration) -> Void = { $0.listen.connections = 3 }
        try await WebFixture.run(change: small) { web in
            var held: [RawConnection] = []
            for _ in 0..<3 {
                let connection = try await open(web)
                await connection.say("GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n")
                #expect(try await connection.answer { $0.text.contains("ok") }.text.contains("ok"))
                held.append(connection)
            }
            let waiting = Task { try await web.send(.GET, "/healthz").status }
            try await Task.sleep(for: .seconds(1))
            await held[0].close()
            #expect(try await waiting.value == 200)
            for connection in held { await connection.close() }
        }
    }
}
