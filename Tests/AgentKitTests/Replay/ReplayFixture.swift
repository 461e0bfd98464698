import Distress
import Foundation
import Logging
import SampleBuffer
import Sensing
import SyncProtocol
import Synchronization
import TestSupport
import Vitals

@testable import AgentKit

extension ReplayTests.Fixture {
    /// Runs a replay of `options` against a hub that gives these answers.
    /// - Parameters:
    ///   - clock: what the pace of the replay goes by; nil for the system's.
    ///   - distress: with which AutomatedSOS watches; nil: it does not.
    /// - Returns: the problem with which it ended, and what it said.
    func replay(
        _ options: ReplayOptions, answers: [String], backlogMax: Int = 1000, pace clock: PlayedTime? = nil,
        distress: DistressSettings? = nil
    ) async throws -> (problem: AgentProblem?, said: [String]) {
        let server = try await ScriptedServer(answers), path = directory.url.path
        let replay = try PreparedReplay(options, identity: identity, buffer: buffer, clock: .system)
        let nudges = SyncSignals(), logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let configuration = AgentConfiguration(stateDirectory: path)
        let recorder = try Recorder(
            buffer: buffer, target: .replay(replay.id), boot: BootID(high: 1, low: 1), clock: .system,
            configuration: configuration, nudges: nudges, logger: logger)
        let client = try HubClient(
            try HubAddress("http://127.0.0.1:\(server.port)"), trust: .system, configuration: configuration)
        let sync = SyncService(
            client: client, tokens: TokenRequest(agent: identity.agent, key: Identity.newKey(), clock: TokenClock(.system)),
            recorder: recorder, nudges: nudges, clock: .system, logger: logger, directory: try StateDirectory(path))
        let (said, continuation) = AsyncStream.makeStream(of: String.self)
        let service = ReplayService(
            replay, recorder: recorder, sync: sync, clock: clock?.clock ?? .system, backlogMax: backlogMax, distress: distress,
            sleep: { duration in
                if let clock { clock.advance(by: duration) } else { try await Task.sleep(for: duration) }
            },
            say: { continuation.yield($0) })
        let sending = Task { try await sync.run() }
        var problem: AgentProblem?
        do { try await service.run() } catch let error as AgentProblem { problem = error }
        sending.cancel()
        _ = try? await sending.value
        await server.stop()
        continuation.finish()
        return (problem, await said.reduce(into: []) { $0.append($1) })
    }
}

/// Time that passes only while a replay waits for its next event.
final class PlayedTime: Sendable {
    private let now = Mutex<Milliseconds>(1_000_000)

    var clock: BoxClock { BoxClock(boottime: { self.now.withLock { $0 } }, utc: { 1_800_000_000_000 }) }

    var passed: Milliseconds { now.withLock { $0 } - 1_000_000 }

    func advance(by duration: Duration) {
        let (seconds, attoseconds) = duration.components
        now.withLock { $0 += seconds * 1000 + attoseconds / 1_000_000_000_000_000 }
    }
}
