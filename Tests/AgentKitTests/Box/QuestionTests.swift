import Foundation
import Logging
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import AgentKit

@Suite(.timeLimit(.minutes(2)))
struct QuestionTests {
    @Test("CONS-2: the box tells how many questions wait on the hub for its people, and nothing when none does")
    func told() async throws {
        for questions in [2, nil] {
            let fixture = try FaultRecorderTests.Fixture(), hub = try await PlayedHub(questions: questions)
            let path = fixture.directory.url.path, time = TokenClock(fixture.clock)
            let client = try HubClient(
                try HubAddress("http://127.0.0.1:\(hub.port)"), trust: .system, configuration: AgentConfiguration(stateDirectory: path),
                clock: time)
            let sync = SyncService(
                client: client, tokens: TokenRequest(agent: AgentID(high: 1, low: 1), key: Identity.newKey(), clock: time),
                recorder: fixture.recorder, nudges: fixture.nudges, clock: fixture.clock, logger: Logger(label: "test"),
                directory: try StateDirectory(path))
            let running = Task { try await sync.run() }
            await fixture.heartRate()
            fixture.nudges.signal(.urgent)
            while sync.snapshot.lastAnswer == nil { try await Task.sleep(for: .milliseconds(10)) }
            #expect(sync.snapshot.questions == questions ?? 0)
            running.cancel()
            _ = await running.result
            await hub.stop()
        }
        var status = BoxStatus.sample
        #expect(!status.text.contains("wait for an answer"))
        status.hub?.questions = 2
        #expect(status.text.contains("2 wait for an answer at https://hub.example:8443/followers"))
    }
}
