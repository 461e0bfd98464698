internal import Seams
internal import Synchronization

/// The box's status for somebody who keeps looking: at each change, and a fresh one when none came for a while.
///
/// The fresh one is asked of the agent itself. So whoever hears nothing for longer knows that the agent hangs, or is gone.
enum StatusFeed {
    /// After so long without news it is asked; the answer takes up to ``DeliveryChain/lookMax`` more. `SILENCE_MAX` of page.js is longer than both.
    static let quietMax = Duration.seconds(2)

    /// Calls `send` until it throws, the agent ends or the task is cancelled.
    static func run(
        _ control: any BoxControl, quietMax: Duration = quietMax, on machine: Machine, isolation: isolated (any Actor)? = #isolation,
        _ send: (BoxStatus) async throws -> Void
    ) async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: BoxStatus.self, bufferingPolicy: .bufferingNewest(1))
        let quiet = Quiet(machine)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for await status in await control.statuses() {
                    quiet.end()
                    continuation.yield(status)
                }
                continuation.finish()
            }
            group.addTask {
                while true {
                    let left = quietMax - quiet.length
                    if left > .zero {
                        try await machine.sleep(for: left)
                        continue
                    }
                    let status = await control.perform(ControlRequest(.status)).status
                    quiet.end()
                    if let status { continuation.yield(status) }
                }
            }
            defer { group.cancelAll() }
            for await status in stream { try await send(status) }
        }
    }

    /// Since the last word.
    private final class Quiet: Sendable {
        private let machine: Machine
        private let start: Mutex<Duration>

        init(_ machine: Machine) {
            self.machine = machine
            start = Mutex(machine.uptime)
        }

        var length: Duration { start.withLock { machine.uptime - $0 } }

        func end() { start.withLock { $0 = machine.uptime } }
    }
}
