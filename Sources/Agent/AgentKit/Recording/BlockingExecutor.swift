internal import Dispatch

/// Runs an actor on a thread of its own, because its work waits for the disk and must not hold up Swift's shared threads.
final class BlockingExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label) }

    func enqueue(_ job: consuming ExecutorJob) {
        let unowned = UnownedJob(job)
        queue.async { unowned.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
