import HubStore
import Seams
import Synchronization

/// Takes enrolments of thousands at once: those who wait share a commit, and no thread of the pool waits for the disk.
final class EnrolmentQueue: Sendable {
    typealias Outcome = Result<StoredEnrolment, EnrolmentRefusal>

    private struct Waiting: Sendable {
        let wish: EnrolmentStore.Enrolling
        let continuation: CheckedContinuation<Outcome, any Error>
    }

    private struct Queue {
        var waiting: [Waiting] = []
        var isRunning = false
    }

    /// Enrolments of one commit, at most: some 50 ms.
    static let batch = 200

    private let queue = Mutex(Queue())
    private let thread: WorkQueue
    private let enrol: @Sendable ([EnrolmentStore.Enrolling]) throws -> [Outcome]

    init(on machine: Machine, enrol: @escaping @Sendable ([EnrolmentStore.Enrolling]) throws -> [Outcome]) {
        (thread, self.enrol) = (BlockingQueue.enrolment.made(on: machine), enrol)
    }

    /// Comes back when it is durable.
    func enrol(_ wish: EnrolmentStore.Enrolling) async throws -> Outcome {
        try await withCheckedThrowingContinuation { continuation in
            let starts = queue.withLock { queue in
                queue.waiting.append(Waiting(wish: wish, continuation: continuation))
                defer { queue.isRunning = true }
                return !queue.isRunning
            }
            if starts { thread.async { self.drain() } }
        }
    }

    private func drain() {
        while true {
            let taken: [Waiting] = queue.withLock { queue in
                let taken = Array(queue.waiting.prefix(Self.batch))
                queue.waiting.removeFirst(taken.count)
                if taken.isEmpty { queue.isRunning = false }
                return taken
            }
            if taken.isEmpty { return }
            do {
                for (waiting, outcome) in zip(taken, try enrol(taken.map(\.wish))) { waiting.continuation.resume(returning: outcome) }
            } catch {
                for waiting in taken { waiting.continuation.resume(throwing: error) }
            }
        }
    }
}
