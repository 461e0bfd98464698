import SyncProtocol
import Testing
import Vitals

@testable import AgentKit

/// What the agent makes of answers that no hub gives.
struct HubClientTests {
    private func reply(_ answer: String?, closes: Bool = true, milliseconds: Milliseconds = 60_000) async throws
        -> Uploader.Reply<SyncAnswer>
    {
        let server = try await ScriptedServer(answer, closes: closes)
        var configuration = AgentConfiguration(stateDirectory: "/nowhere")
        configuration.requestLimit = milliseconds
        let client = try HubClient(try HubAddress("http://127.0.0.1:\(server.port)"), trust: .system, configuration: configuration)
        let result = await Result { () async throws(HubClient.Unreachable) in try await client.send(.post, "/x", body: [1, 2, 3]) }
        await client.shutdown()
        await server.stop()
        return .init(result, from: client.address)
    }

    private func kind<Answer>(_ reply: Uploader.Reply<Answer>) -> String {
        switch reply {
        case .answer: "answer"
        case .refused(let status, let retryAfter, let error): "refused \(status) \(retryAfter ?? 0) \(error?.error ?? "-")"
        case .notTheHub: "not the hub"
        case .unreachable: "unreachable"
        }
    }

    private static let answer = SyncAnswer(hub: HubIncarnation(high: 1, low: 2), utc: 3, cadence: .arrival, streams: [])
    private static let error = #"{"error":"code","error_description":"why"}"#

    @Test(
        "EDGE-6: only a hub's JSON is an answer; redirections and login pages are not",
        arguments: [
            (ScriptedServer.http("200 OK", body: String(decoding: answer.json(), as: UTF8.self)), "answer"),
            (ScriptedServer.http("200 OK", body: "<html>Welcome to the hotel</html>"), "not the hub"),
            (ScriptedServer.http("200 OK"), "not the hub"),
            (ScriptedServer.http("204 No Content"), "not the hub"),
            (ScriptedServer.http("302 Found", "Location: http://127.0.0.1:1/login\r\n"), "not the hub"),
            (ScriptedServer.http("307 Temporary Redirect", "Location: /elsewhere\r\n"), "not the hub"),
            (ScriptedServer.http("401 Unauthorized"), "refused 401 0 -"),
            (ScriptedServer.http("403 Forbidden", body: "<html>proxy</html>"), "not the hub"),
            (ScriptedServer.http("403 Forbidden", body: error), "refused 403 0 code"),
            (ScriptedServer.http("426 Upgrade Required", body: error), "refused 426 0 code"),
            (ScriptedServer.http("429 Too Many Requests", "Retry-After: 17\r\n"), "refused 429 17 -"),
            (ScriptedServer.http("500 Internal Server Error", body: "oops"), "refused 500 0 -"),
            (ScriptedServer.http("503 Service Unavailable", "Retry-After: soon\r\n"), "refused 503 0 -"),
            ("SSH-2.0-OpenSSH_9.2\r\n", "unreachable"),
            ("", "unreachable"),
            ("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{\"hub\":", "unreachable"),
            ("HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n" + String(repeating: "x", count: 2 << 20), "unreachable"),
        ])
    func answers(text: String, expected: String) async throws {
        #expect(kind(try await reply(text)) == expected)
    }

    @Test(
        "EDGE-6: a hub that does not answer, or not to the end, is given up after a while",
        .timeLimit(.minutes(1)),
        arguments: [
            nil, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{",
        ])
    func slow(text: String?) async throws {
        #expect(kind(try await reply(text, closes: false, milliseconds: 300)) == "unreachable")
    }

    @Test("EDGE-6: a hub that accepts connections and closes them at once holds nothing up", .timeLimit(.minutes(1)))
    func closesAtOnce() async throws {
        let server = try await ScriptedServer(closingAtOnce: ())
        let client = try HubClient(
            try HubAddress("http://127.0.0.1:\(server.port)"), trust: .system,
            configuration: AgentConfiguration(stateDirectory: "/nowhere"))
        for _ in 0..<200 {
            await #expect(throws: HubClient.Unreachable.self) { try await client.send(.post, "/x", body: [1]) }
        }
        await client.shutdown()
        await server.stop()
    }

    @Test func nobodyListens() async throws {
        let server = try await ScriptedServer(nil), address = try HubAddress("http://127.0.0.1:\(server.port)")
        await server.stop()
        let client = try HubClient(address, trust: .system, configuration: AgentConfiguration(stateDirectory: "/nowhere"))
        await #expect(throws: HubClient.Unreachable.self) { try await client.send(.get, "/") }
        await client.shutdown()
    }

    @Test(
        "EDGE-14: health data goes out encrypted; plain HTTP is for this machine only",
        arguments: [
            ("https://hub.example", "https://hub.example"), ("https://hub.example:8443/", "https://hub.example:8443"),
            ("https://[::1]:8443", "https://[::1]:8443"), ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("http://hub.example", nil), ("hub.example", nil), ("https://user@hub.example", nil), ("https://hub.example/path", nil),
            ("", nil),
        ])
    func addresses(text: String, expected: String?) {
        #expect((try? HubAddress(text))?.description == expected)
    }

    @Test func formsAreEscaped() {
        #expect(TokenRequest.form([("a b", "1&2=3"), ("ä", "-._~")]) == "a%20b=1%262%3D3&%C3%A4=-._~")
    }
}
