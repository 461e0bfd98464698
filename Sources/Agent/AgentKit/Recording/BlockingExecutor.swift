internal import Seams

/// Runs an actor on a thread of its own, because its work waits for the disk and must not hold up Swift's shared threads.
final class BlockingExecutor: SerialExecutor {
    private let queue: WorkQueue

    /// - Parameter file: that it waits for.
    init(file: String, on machine: Machine) { queue = machine.queue(ofFile: file) }

    func enqueue(_ job: consuming ExecutorJob) {
        let unowned = UnownedJob(job)
        queue.async { unowned.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
