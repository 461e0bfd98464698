import NIOPosix
import ServiceLifecycle

/// Threads of their own for tasks that wait for a disk, or compute for long: so many run at once, the others wait for their turn. Swift's shared
/// threads, by which segments and alarms go their way, are as many as there are processors, and are not held up by them.
final class BlockingExecutor: TaskExecutor {
    private let threads: NIOThreadPool

    /// - Parameter width: tasks at once.
    init(width: Int) {
        threads = NIOThreadPool(numberOfThreads: width)
        threads.start()
    }

    deinit { threads.shutdownGracefully { _ in } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // Where the threads have ended this comes at once: no task is left hanging.
        threads.submit { _ in job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Who shares threads at a hub. Alarms, crews on duty and segments are not among them: they go by Swift's shared threads, alone.
struct HubExecutors: Sendable {
    /// Requests, from the path to the answer's head, and files as they are written.
    let pages = BlockingExecutor(width: 4)
    /// Answers that go on until the reader leaves.
    let streams = BlockingExecutor(width: 2)
    /// What the hub does without being asked, but alarms and their messages.
    let background = BlockingExecutor(width: 4)
}

/// A service whose tasks run on an executor.
struct ServiceOnExecutor: Service {
    let service: any Service
    let executor: BlockingExecutor

    func run() async throws { try await withTaskExecutorPreference(executor) { try await service.run() } }
}
