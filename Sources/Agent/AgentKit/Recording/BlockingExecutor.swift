internal import Dispatch

/// Runs an actor on a thread of its own, because its work waits for the disk and must not hold up Swift's shared threads.
final class BlockingExecutor: SerialExecutor {
    private let queue: DispatchQueue

    /// - Parameter file: that it waits for.
    init(file: String) { queue = BlockingQueue.ofFile(file) }

    func enqueue(_ job: consuming ExecutorJob) {
        let unowned = UnownedJob(job)
        queue.async { unowned.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
