import Languages
import Logging
import Monitoring
import NIOCore
import NIOPosix
import Peripherals
import Synchronization
import Vitals

@testable import AgentKit

/// Stands in for the agent behind the control socket and the page: does what a test says, and keeps what it was asked.
final class ScriptedBox: BoxControl {
    private struct State {
        var status: BoxStatus
        var requests: [ControlRequest] = []
        var watchers: [AsyncStream<BoxStatus>.Continuation] = []
        var isHanging = false
        var refusal: ControlReply?
        var changed = ContinuousClock.now
    }

    private let state: Mutex<State>
    private let ages: Bool

    /// - Parameter ages: time goes on in the status that is asked for.
    init(_ status: BoxStatus = .sample, ages: Bool = false) {
        state = Mutex(State(status: status))
        self.ages = ages
    }

    /// What was asked, without the questions for the status.
    var requests: [ControlRequest] { state.withLock { $0.requests } }

    func change(_ change: (inout BoxStatus) -> Void) {
        state.withLock { state in
            change(&state.status)
            state.changed = .now
            for watcher in state.watchers { watcher.yield(state.status) }
        }
    }

    /// Whether it answers nothing any more.
    func hang(_ hangs: Bool) { state.withLock { $0.isHanging = hangs } }

    /// What everything but a status is answered with.
    func refuse(_ reply: ControlReply?) { state.withLock { $0.refusal = reply } }

    func end() {
        state.withLock { state in
            for watcher in state.watchers { watcher.finish() }
        }
    }

    func perform(_ request: ControlRequest) async -> ControlReply {
        while state.withLock({ $0.isHanging }) {
            do { try await Task.sleep(for: .milliseconds(20)) } catch { break }
        }
        return state.withLock { state in
            if request.action == .status { return ControlReply(isDone: true, message: "The box now", status: now(state)) }
            state.requests.append(request)
            return state.refusal ?? ControlReply(isDone: true, message: "Done: \(request.action.rawValue)")
        }
    }

    private func now(_ state: State) -> BoxStatus {
        guard ages else { return state.status }
        var status = state.status
        let age = Milliseconds((ContinuousClock.now - state.changed) / .milliseconds(1))
        (status.time, status.utc) = (status.time + age, status.utc + age)
        return status
    }

    func statuses() async -> AsyncStream<BoxStatus> {
        let (stream, continuation) = AsyncStream.makeStream(of: BoxStatus.self, bufferingPolicy: .bufferingNewest(1))
        state.withLock { state in
            continuation.yield(state.status)
            state.watchers.append(continuation)
        }
        return stream
    }
}

extension BoxStatus {
    /// A box that looks after one person, with everything as it should be. All of it is made up.
    static var sample: BoxStatus {
        let now: Milliseconds = 1_000_000
        return BoxStatus(
            version: "1.0", role: .phone, language: .english, time: now, utc: 1_800_000_000_000, clock: .gnss,
            hub: HubState(
                address: "https://hub.example:8443", agent: AgentID(high: 1, low: 2), name: "Ada's box",
                link: ChainLink(name: .hub, condition: .good, lastGood: now - 1000), waitingSegments: 0, waitingSamples: 0,
                lastAnswer: now - 1000),
            buffer: nil, power: PowerState(source: .battery, batteryPercent: 81),
            position: PositionState(
                latitude: 45.4642, longitude: 9.19, error: 3.4, source: "gnss", time: now - 800, isCurrent: true),
            persons: [.sample("Ada Example", at: now)], recording: nil)
    }
}

extension BoxStatus.PersonState {
    static func sample(_ name: String, at now: Milliseconds) -> BoxStatus.PersonState {
        BoxStatus.PersonState(
            person: PersonID(high: 7, low: UInt64(name.utf8.count)), name: name, sensor: nil, wearing: .worn, heartRate: 72,
            heartRateTime: now - 400, kinds: Kinds(), pausedUntil: nil, isWatched: true, isTracked: true,
            links: ChainLink.Name.allCases.map { ChainLink(name: $0, condition: .good, lastGood: now - 900) }, notices: [])
    }
}

/// A server of the agent while a test looks at it.
struct Served: Sendable {
    private let task: Task<Void, Never>

    init(_ run: @escaping @Sendable () async throws -> Void) { task = Task { try? await run() } }

    func stop() async {
        task.cancel()
        await task.value
    }
}

extension Logger {
    static var silent: Logger { Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }) }
}

/// Waits, ten seconds at most, for something that other tasks bring about.
func eventually(_ condition: () async throws -> Bool) async throws -> Bool {
    for _ in 0..<1000 {
        if try await condition() { return true }
        try await Task.sleep(for: .milliseconds(10))
    }
    return false
}
