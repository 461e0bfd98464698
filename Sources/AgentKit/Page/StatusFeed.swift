internal import Synchronization

/// The box's status for somebody who keeps looking: at each change, and a fresh one when none came for a while.
///
/// The fresh one is asked of the agent itself. So whoever hears nothing for longer knows that the agent hangs, or is gone.
enum StatusFeed {
    static let quietMax = Duration.seconds(2)

    /// Calls `send` until it throws, the agent ends or the task is cancelled.
    static func run(
        _ control: any BoxControl, quietMax: Duration = quietMax, isolation: isolated (any Actor)? = #isolation,
        _ send: (BoxStatus) async throws -> Void
    ) async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: BoxStatus.self, bufferingPolicy: .bufferingNewest(1))
        let news = News()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for await status in await control.statuses() {
                    news.hasCome()
                    continuation.yield(status)
                }
                continuation.finish()
            }
            group.addTask {
                while true {
                    try await Task.sleep(for: quietMax)
                    guard !news.take(), let status = await control.perform(ControlRequest(.status)).status else { continue }
                    continuation.yield(status)
                }
            }
            defer { group.cancelAll() }
            for await status in stream { try await send(status) }
        }
    }

    private final class News: Sendable {
        private let isThere = Mutex(false)

        func hasCome() { isThere.withLock { $0 = true } }

        func take() -> Bool {
            isThere.withLock { isThere in
                defer { isThere = false }
                return isThere
            }
        }
    }
}
