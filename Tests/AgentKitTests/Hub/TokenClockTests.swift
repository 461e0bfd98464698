import Foundation
import SyncProtocol
import Testing
import Vitals

@testable import AgentKit

/// Boxes without a clock.
struct TokenClockTests {
    private static let in1970 = BoxClock(boottime: { 5000 }, utc: { 1000 })

    @Test(
        "EDGE-8: the date of an HTTP answer is read",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777_000), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Tue, 29 Feb 2028 23:59:59 GMT", 1_835_481_599_000), ("Fri, 31 Dec 2100 00:00:00 GMT", 4_133_894_400_000),
            ("Sun, 06 Nov 1994 08:49:37 CET", nil), ("Sun, 06 Nov 1994 24:49:37 GMT", nil), ("Sun, 06 Foo 1994 08:49:37 GMT", nil),
            ("784111777", nil), ("", nil), ("Sun, +6 Nov 1994 08:49:37 GMT", nil),
        ] as [(String, Milliseconds?)])
    func dates(text: String, expected: Milliseconds?) {
        #expect(HTTPDate.utc(text) == expected)
    }

    @Test("EDGE-8: a box without a clock counts from the latest day that has been, and then from the hub's")
    func floors() {
        #expect(TokenClock(Self.in1970).utc() == TokenClock.earliest)
        #expect(TokenClock(Self.in1970, known: 1_800_000_000_000).utc() == 1_800_000_000_000)
        #expect(TokenClock(Self.in1970, known: .max).utc() == TokenClock.earliest)
        let clock = TokenClock(Self.in1970)
        for useless in [nil, .min, 0, TokenClock.earliest + 1000, .max] as [Milliseconds?] { #expect(!clock.correct(by: useless)) }
        #expect(clock.correct(by: 1_800_000_000_000))
        #expect(clock.utc() == 1_800_000_000_000)
        #expect(!clock.correct(by: 1_800_000_030_000))
        #expect(TokenClock(BoxClock(boottime: { 0 }, utc: { 1_900_000_000_000 }), known: 1).utc() == 1_900_000_000_000)
    }

    @Test("EDGE-8: a box that the hub refuses for its clock asks again at once with the hub's", .timeLimit(.minutes(1)))
    func askedAgain() async throws {
        let token = String(decoding: try JSONEncoder().encode(TokenAnswer(accessToken: "t", expiresIn: 60)), as: UTF8.self)
        let server = try await ScriptedServer([
            ScriptedServer.http(
                "401 Unauthorized", "Date: Fri, 15 Jan 2027 08:00:00 GMT\r\n",
                body: #"{"error":"invalid_client","error_description":"expired"}"#),
            ScriptedServer.http("200 OK", body: token),
        ])
        let client = try HubClient(
            try HubAddress("http://127.0.0.1:\(server.port)"), trust: .system, configuration: AgentConfiguration(stateDirectory: "/nowhere")
        )
        let clock = TokenClock(Self.in1970)
        let request = TokenRequest(agent: AgentID(high: 1, low: 1), key: Identity.newKey(), clock: clock)
        let reply = await request.send(predecessor: nil, over: client)
        await client.shutdown()
        await server.stop()
        guard case .answer(let answer) = reply else {
            Issue.record("refused")
            return
        }
        #expect(answer.accessToken == "t" && clock.utc() == 1_800_000_000_000)
    }
}
