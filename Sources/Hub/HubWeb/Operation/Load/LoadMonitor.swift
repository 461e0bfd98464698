import HubServices
import NIOCore
import NIOPosix
import Seams
import ServiceLifecycle
import Synchronization
import Vitals

/// Measures how long work waits at a hub before it begins, and tells the ``LoadShedder``: on the threads of pages, on those of connections, and on
/// Swift's shared ones, by which alarms and segments go.
struct LoadMonitor: Service {
    let shedder: LoadShedder
    let executors: HubExecutors
    let loops: MultiThreadedEventLoopGroup
    let machine: Machine

    static var pause: Duration { .seconds(1) }
    static var probePause: Duration { .milliseconds(250) }

    func run() async throws {
        let pages = WaitProbe(), connections = WaitProbe()
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask { await probe(pages) { await withTaskExecutorPreference(executors.pages) {} } }
                group.addTask {
                    await probe(connections) { for loop in loops.makeIterator() { try? await loop.submit {}.get() } }
                }
                group.addTask { await look([pages, connections]) }
            }
        }
    }

    private func probe(_ probe: WaitProbe, _ work: @Sendable () async -> Void) async {
        while !Task.isCancelled {
            probe.begin(machine.uptime)
            await work()
            probe.end(machine.uptime)
            try? await machine.sleep(for: Self.probePause)
        }
    }

    private func look(_ probes: [WaitProbe]) async {
        while !Task.isCancelled {
            let begin = machine.uptime
            try? await machine.sleep(for: Self.pause)
            guard !Task.isCancelled else { return }
            let now = machine.uptime, late = now - begin - Self.pause
            let longest = probes.reduce(late) { max($0, $1.longest(at: now)) }
            shedder.note(Milliseconds(max(.zero, longest) / .milliseconds(1)))
        }
    }
}

/// How long a piece of work that does nothing takes where others do something.
final class WaitProbe: Sendable {
    private let state = Mutex((begun: Duration?.none, longest: Duration.zero))

    func begin(_ now: Duration) { state.withLock { $0.begun = now } }

    func end(_ now: Duration) {
        state.withLock { state in
            if let begun = state.begun { state.longest = max(state.longest, now - begun) }
            state.begun = nil
        }
    }

    /// The longest since this was asked last; one that has not ended counts as long as it takes.
    func longest(at now: Duration) -> Duration {
        state.withLock { state in
            defer { state.longest = .zero }
            return max(state.longest, state.begun.map { now - $0 } ?? .zero)
        }
    }
}
