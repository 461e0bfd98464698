import Logging
import Peripherals
import Synchronization
import Testing

@testable import AgentKit

/// What becomes of presses of the button when the agent does not take them.
@Suite(.timeLimit(.minutes(1)))
struct PressTellingTests {
    private final class Agent: Sendable {
        private let state = Mutex<(told: [ControlRequest.Action], said: [String], cancelled: Int)>(([], [], 0))

        var told: [ControlRequest.Action] { state.withLock { $0.told } }
        var said: [String] { state.withLock { $0.said } }
        var cancelled: Int { state.withLock { $0.cancelled } }

        func tell(_ action: ControlRequest.Action) { state.withLock { $0.told.append(action) } }
        func say(_ prompt: String) { state.withLock { $0.said.append(prompt) } }
        func cancel() { state.withLock { $0.cancelled += 1 } }
    }

    @Test("EDGE-12: help waits for nothing, not even for an OK that the agent does not take, and that OK is dropped")
    func helpFirst() async throws {
        let agent = Agent()
        var telling = ButtonPressReporter(logger: .silent, between: .milliseconds(5)) { request in
            if request.action == .ok {
                do { try await Task.sleep(for: .seconds(600)) } catch {
                    agent.cancel()
                    throw error
                }
            }
            agent.tell(request.action)
            return ControlReply(isDone: true, message: "Recorded")
        } say: {
            agent.say($0)
        }
        telling.take(.short)
        telling.take(.long)
        #expect(try await eventually { agent.told == [.help] && agent.cancelled <= 1 })
        #expect(agent.said.isEmpty)
        telling.stop()
    }

    @Test("EDGE-12: help is tried until the agent takes it, and that it could not be told is said")
    func helpForEver() async throws {
        let agent = Agent()
        var telling = ButtonPressReporter(logger: .silent, between: .milliseconds(1)) { request in
            agent.tell(request.action)
            if agent.told.count < 50 { throw AgentProblem("No agent is running", advice: "Start it") }
            return ControlReply(isDone: true, message: "Recorded")
        } say: {
            agent.say($0)
        }
        telling.take(.long)
        #expect(try await eventually { agent.told.count == 50 })
        #expect(
            agent.said == ["prompt.help-failed", "prompt.help-failed", "prompt.help-failed", "prompt.help-failed", "prompt.help-failed"])
    }

    @Test("EDGE-12: an OK that nobody takes is given up, said and logged: later it could answer another question")
    func okGivenUp() async throws {
        let agent = Agent(), log = KeptLog()
        var telling = ButtonPressReporter(logger: log.logger, between: .milliseconds(1), okMax: .milliseconds(50)) { request in
            agent.tell(request.action)
            return ControlReply(isDone: false, message: "Not now")
        } say: {
            agent.say($0)
        }
        telling.take(.short)
        #expect(try await eventually { agent.said == ["prompt.failed"] })
        #expect(log.lines.contains { $0.contains("given up") })
        let tries = agent.told.count
        try await Task.sleep(for: .milliseconds(100))
        #expect(agent.told.count <= tries + 1)
    }
}
