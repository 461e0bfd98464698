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
            let setUp = SetUp(configuration: configuration, controlSocket: socket, logger: .silent)
            try await EnrolmentWait(configuration: configuration, controlSocket: socket, setUp: setUp, logger: .silent)
                .untilEnrolled(credentials: nil)
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
        "EDGE-12: a box that waits to be enrolled opens its set-up page when asked, and by a long press where its settings say so",
        .timeLimit(.minutes(1)), arguments: [false, true])
    func opensPage(isAutomatic: Bool) async throws {
        let directory = try TemporaryDirectory()
        let socket = directory.url.path + "/control.sock"
        var configuration = AgentConfiguration(stateDirectory: directory.url.path)
        (configuration.setUp.isAutomatic, configuration.voice.isEnabled) = (isAutomatic, false)
        let setUp = SetUp(configuration: configuration, controlSocket: socket, logger: .silent)
        let waiting = Task { [configuration] in
            try await EnrolmentWait(configuration: configuration, controlSocket: socket, setUp: setUp, logger: .silent)
                .untilEnrolled(credentials: nil)
        }
        let client = ControlClient(path: socket)
        #expect(try await eventually { (try? await client.send(ControlRequest(.status))) != nil })
        #expect(await setUp.isOpen == isAutomatic, "after a start")
        #expect(try await client.send(ControlRequest(.help, isButton: true)).isDone == isAutomatic)
        #expect(try await !client.send(ControlRequest(.help)).isDone, "no press of the button")
        let reply = try await client.send(ControlRequest(.setUp))
        let isOpen = await setUp.isOpen
        #expect(reply.isDone && reply.message.contains("http://trackme.local:7358") && isOpen)
        waiting.cancel()
        _ = await waiting.result
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
