import Foundation
import GRDB
import Logging
import Segments
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import AgentKit
@testable import SampleBuffer

/// How a replay ends that cannot bring everything to its hub.
@Suite(.timeLimit(.minutes(1)))
struct ReplayServiceTests {
    /// Runs a replay of `fixture` against a hub that gives these answers; the problem with which it ends, and what it said.
    private func run(
        _ fixture: ReplayTests.Fixture, answers: [String], once: Bool = false, backlogMax: Int = 1000
    ) async throws -> (problem: AgentProblem?, said: [String]) {
        let options = ReplayOptions(nmea: fixture.nmea, bluetooth: nil, speed: .max, once: once)
        return try await fixture.replay(options, answers: answers, backlogMax: backlogMax)
    }

    private static let stop = ScriptedServer.http("403 Forbidden", body: #"{"error":"gone","error_description":"agent was removed"}"#)

    private func setWritable(_ isWritable: Bool, _ buffer: SampleBuffer) throws {
        let statement =
            isWritable ? "DROP TRIGGER no" : "CREATE TRIGGER no BEFORE INSERT ON segment BEGIN SELECT raise(ABORT, 'no'); END"
        try buffer.write { try $0.execute(sql: statement) }
    }

    @Test("EDGE-10: a full disk that a refusing hub will never free ends a replay with the hub's reason")
    func diskFull() async throws {
        let fixture = try ReplayTests.Fixture()
        try setWritable(false, fixture.buffer)
        let problem = try await run(fixture, answers: [Self.stop]).problem
        #expect(problem?.description.contains("agent was removed") == true)
    }

    @Test("EDGE-10: segments that the hub refused for good end a replay with an error")
    func refused() async throws {
        let fixture = try ReplayTests.Fixture()
        try await fixture.play()
        let headers = try fixture.segments().map(\.header)
        let refusals = headers.map { SyncAnswer.Refusal(sequence: $0.sequence, reason: .range, detail: "altitude") }
        let answer = SyncAnswer(
            hub: HubIncarnation(high: 1, low: 1), utc: 1_800_000_000_000, cadence: .interval,
            streams: [.init(stream: headers[0].stream, received: [], refused: refusals)])
        let token = try JSONEncoder().encode(TokenAnswer(accessToken: "t", expiresIn: 60))
        let (problem, said) = try await run(
            fixture,
            answers: [
                ScriptedServer.http("200 OK", body: String(decoding: token, as: UTF8.self)),
                ScriptedServer.http("200 OK", body: String(decoding: answer.json(), as: UTF8.self)),
            ])
        #expect(problem?.what.contains("refused \(headers.count) segments") == true, "\(said)")
        #expect(!said.contains("Replayed to the end."))
    }

    @Test("EDGE-10: with --once nobody waits for the hub")
    func once() async throws {
        let (problem, said) = try await run(try ReplayTests.Fixture(), answers: [Self.stop], once: true, backlogMax: 0)
        #expect(problem == nil)
        #expect(said.last == "Replayed to the end.")
    }
}
