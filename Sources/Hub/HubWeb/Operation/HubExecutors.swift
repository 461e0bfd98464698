import Seams
import ServiceLifecycle

/// Threads of their own for tasks that wait for a disk, or compute for long: so many run at once, the others wait for their turn. Swift's shared
/// threads, by which segments and alarms go their way, are as many as there are processors, and are not held up by them.
final class BlockingExecutor: TaskExecutor {
    private let threads: WorkQueue

    /// - Parameter width: tasks at once.
    init(named name: String, width: Int, niceness: Int32 = Machine.backgroundNiceness, machine: Machine) throws(ThreadRefusal) {
        threads = try machine.makeThreads(named: name, count: width, niceness: niceness)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        threads.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Who shares threads at a hub. Alarms, what crews do and segments are not among them: they go by Swift's shared threads, alone.
struct HubExecutors: Sendable {
    /// Pages of an emergency. A thousand alarms wake thousands of them at once: offers, reports of boxes, mails and texts go first, other pages
    /// after them.
    let emergencies: BlockingExecutor
    /// Requests, from the path to the answer's head, and files as they are written.
    let pages: BlockingExecutor
    /// Answers that go on until the reader leaves.
    let streams: BlockingExecutor
    /// What the hub does without being asked, but alarms and their messages.
    let background: BlockingExecutor

    /// - Throws: where the system refuses threads, or their lower priority.
    init(_ machine: Machine) throws(ThreadRefusal) {
        emergencies = try BlockingExecutor(named: "emergencies", width: 2, niceness: 5, machine: machine)
        pages = try BlockingExecutor(named: "pages", width: 4, machine: machine)
        streams = try BlockingExecutor(named: "streams", width: 2, machine: machine)
        background = try BlockingExecutor(named: "background", width: 4, machine: machine)
    }

    /// The same services, with their tasks on the threads of ``background``.
    func background(_ services: [any Service]) -> [any Service] {
        services.map { ServiceOnExecutor(service: $0, executor: background) }
    }
}

/// A service whose tasks run on an executor.
struct ServiceOnExecutor: Service {
    let service: any Service
    let executor: BlockingExecutor

    func run() async throws { try await withTaskExecutorPreference(executor) { try await service.run() } }
}
