public import Logging
public import ServiceLifecycle
import Synchronization

/// Does what follows an answer and must not be seen in how long that takes: a commit more for who has an account would tell that there is one.
///
/// Work waits in memory for 300 ms at most. A hub that is stopped does it before it ends; one that is killed loses it, and whoever waits for the
/// mail asks again.
public final class AfterAnswers: Service {
    public typealias Work = @Sendable () throws -> Void

    private struct Item: Sendable {
        let due: ContinuousClock.Instant
        let work: Work
    }

    /// More than this is a flood; then answers wait for their work.
    private static let waitingMax = 10_000
    private static let delays = 100...300

    private let logger: Logger
    private let items: AsyncStream<Item>
    private let continuation: AsyncStream<Item>.Continuation
    private let isStopping = Mutex(false)

    public init(logger: Logger) {
        self.logger = logger
        (items, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.waitingMax))
    }

    /// Takes work; does it at once where it cannot wait.
    public func add(_ work: @escaping Work) throws {
        let due = ContinuousClock.now + .milliseconds(Int.random(in: Self.delays))
        guard case .enqueued = continuation.yield(Item(due: due, work: work)) else { return try work() }
    }

    public func run() async throws {
        await withGracefulShutdownHandler {
            for await item in items {
                // Not beside the answer: that it has to share the processors and the disk would be seen in its time.
                while ContinuousClock.now < item.due, !isStopping.withLock({ $0 }) { try? await Task.sleep(for: .milliseconds(50)) }
                do { try item.work() } catch {
                    logger.critical(
                        "what follows a sign-up, wrong log-ins or a forgotten password was not stored", metadata: ["error": "\(error)"])
                }
            }
        } onGracefulShutdown: { [self] in
            isStopping.withLock { $0 = true }
            continuation.finish()
        }
    }
}
