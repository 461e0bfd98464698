internal import Glibc
internal import Seams
internal import Synchronization

/// A few threads of low priority: hashing happens there, and neither the cooperative pool nor ingest waits for it. Who comes when all are busy and
/// enough wait is told so at once.
final class HashingThreads: Sendable {
    /// What to do; it gives back what is to be said of it, when the thread is free again: who hears it may come at once with the next.
    typealias Job = @Sendable () -> Answer
    typealias Answer = @Sendable () -> Void

    private let threads: WorkQueue
    let count: Int
    /// Jobs that may run or wait.
    private let capacity: Int
    private let taken = Taken()

    private final class Taken: Sendable {
        let count = Mutex(0)
    }

    /// - Parameter waitingMax: jobs that may wait for a thread.
    /// - Throws: when the system refuses a thread or its lower priority.
    init(count: Int, waitingMax: Int, machine: Machine = .system) throws(PasswordProblem) {
        (self.count, capacity) = (count, count + waitingMax)
        do { threads = try machine.makeThreads(named: "password-hash", count: count, niceness: Machine.backgroundNiceness) } catch {
            switch error {
            case .notStarted(let code):
                throw PasswordProblem(
                    what: "No thread could be started for password hashing: \(String(cString: strerror(code)))",
                    advice: "Raise the hub's limits (TasksMax=, LimitNPROC=, MemoryMax=)")
            case .priorityKept(let code):
                throw PasswordProblem(
                    what: "The priority of password hashing could not be lowered: \(String(cString: strerror(code)))",
                    advice: "Let the hub call setpriority (SystemCallFilter=): otherwise log-ins could slow down what the boxes send")
            }
        }
    }

    /// Jobs that run or wait.
    var load: Int { taken.count.withLock { $0 } }

    /// Runs `job` on one of the threads; false at once when all are busy and enough wait.
    func add(_ job: @escaping Job) -> Bool {
        let isTaken = taken.count.withLock { count in
            guard count < capacity else { return false }
            count += 1
            return true
        }
        if isTaken {
            threads.async { [taken] in
                let answer = job()
                taken.count.withLock { $0 -= 1 }
                answer()
            }
        }
        return isTaken
    }
}
