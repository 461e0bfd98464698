import Foundation
import Languages
import NIOPosix
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import AgentKit

/// A box that was installed and belongs to no hub yet.
struct EnrolmentWaitTests {
    @Test(
        "EDGE-12: a box that waits to be enrolled says so at its control socket, and gives the socket away afterwards",
        .timeLimit(.minutes(1)))
    func answers() async throws {
        let directory = try TemporaryDirectory()
        let state = directory.url.path, socket = state + "/control.sock"
        var configuration = AgentConfiguration(stateDirectory: state)
        configuration.language = .italian
        let waiting = Task {
            try await EnrolmentWait(configuration: configuration, controlSocket: socket, logger: .silent).untilEnrolled(credentials: nil)
        }
        let client = ControlClient(path: socket)
        #expect(
            try await eventually { (try? await client.send(ControlRequest(.status)))?.message.contains("belongs to no hub yet") == true })
        let reply = try await client.send(ControlRequest(.ok))
        #expect(!reply.isDone)
        #expect(reply.advice?.contains("trackme-agent enrol") == true)
        // Who watches hears the same, and not that nobody answers.
        let problem = await #expect(throws: AgentProblem.self) { for try await _ in client.watch() {} }
        #expect(problem?.what.contains("belongs to no hub yet") == true && problem?.unenrolled == .italian)

        let identity = Identity(
            agent: .init(high: 0, low: 1), name: "box", hub: try HubAddress("https://hub.example"), certificateAuthority: nil, persons: [])
        try identity.save(key: Identity.newKey(), to: StateDirectory(state))
        try await waiting.value
        #expect(!FileManager.default.fileExists(atPath: socket))
    }

    @Test(
        "EDGE-12: only the hub's own word ends the tries with a code: not a hub that is busy, nor anything between",
        .timeLimit(.minutes(1)),
        arguments: [
            ("400 Bad Request", true, true), ("401 Unauthorized", true, true), ("404 Not Found", false, false),
            ("429 Too Many Requests", true, false), ("503 Service Unavailable", true, false),
        ])
    func refused(status: String, isHub: Bool, isFinal: Bool) async throws {
        let word = try JSONEncoder().encode(ErrorAnswer(error: "invalid", description: "This code is not known"))
        let server = try await ScriptedServer(ScriptedServer.http(status, body: isHub ? String(decoding: word, as: UTF8.self) : "<html>"))
        let directory = try TemporaryDirectory()
        let enrolment = Enrolment(hub: "http://127.0.0.1:\(server.port)", code: "ABCDEFGH", name: "box", replaces: false)
        let problem = await #expect(throws: AgentProblem.self) {
            try await enrolment.perform(configuration: AgentConfiguration(stateDirectory: directory.url.path))
        }
        #expect(problem?.isFinal == isFinal, "\(String(describing: problem))")
        await server.stop()
    }
}
