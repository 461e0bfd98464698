internal import Glibc

/// A few threads of low priority: hashing happens there, and neither the cooperative pool nor ingest waits for it.
final class HashingThreads: Sendable {
    /// Of each thread; 10 leaves it about a tenth of a core that others want.
    static let niceness: Int32 = 10
    private static let stackSize = 512 << 10

    private let queue: HashingQueue
    let count: Int

    /// - Parameter waitingMax: jobs that may wait for a thread.
    /// - Throws: when the system refuses a thread or its lower priority.
    init(count: Int, waitingMax: Int) throws(PasswordProblem) {
        self.count = count
        queue = HashingQueue(capacity: count + waitingMax)
        for started in 0..<count {
            do { try Self.start(queue) } catch {
                queue.close(threads: started)
                throw error
            }
        }
    }

    deinit { queue.close(threads: count) }

    /// Jobs that run or wait.
    var load: Int { queue.load }

    /// Runs `job` on one of the threads; false at once when all are busy and the queue is full.
    func add(_ job: @escaping HashingQueue.Job) -> Bool { queue.add(job) }

    private final class Beginning: Sendable {
        let queue: HashingQueue
        let report = HashingThreadReport()

        init(_ queue: HashingQueue) { self.queue = queue }
    }

    private static func start(_ queue: HashingQueue) throws(PasswordProblem) {
        let beginning = Beginning(queue)
        let code = create(beginning)
        guard code == 0 else {
            throw PasswordProblem(
                what: "No thread could be started for password hashing: \(String(cString: strerror(code)))",
                advice: "Raise the hub's limits (TasksMax=, LimitNPROC=, MemoryMax=)")
        }
        let refusal = beginning.report.wait()
        guard refusal == 0 else {
            throw PasswordProblem(
                what: "The priority of password hashing could not be lowered: \(String(cString: strerror(refusal)))",
                advice: "Let the hub call setpriority (SystemCallFilter=): otherwise log-ins could slow down what the boxes send")
        }
    }

    private static func create(_ beginning: Beginning) -> Int32 {
        // Memory instead of a variable: where Dispatch is in the build too, Swift does not see the type's own init.
        withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) { memory in
            guard let attributes = memory.baseAddress else { return ENOMEM }
            let code = pthread_attr_init(attributes)
            guard code == 0 else { return code }
            defer { pthread_attr_destroy(attributes) }
            pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
            pthread_attr_setstacksize(attributes, stackSize)
            return create(beginning, attributes)
        }
    }

    private static func create(_ beginning: Beginning, _ attributes: UnsafePointer<pthread_attr_t>) -> Int32 {
        let pointer = Unmanaged.passRetained(beginning)
        var thread = pthread_t()
        let code = pthread_create(
            &thread, attributes,
            { argument in
                guard let argument else { return nil }
                HashingThreads.run(Unmanaged<Beginning>.fromOpaque(argument).takeRetainedValue())
                return nil
            }, pointer.toOpaque())
        if code != 0 { pointer.release() }
        return code
    }

    private static func run(_ beginning: Beginning) {
        // On Linux priorities belong to threads, and 0 is the one that asks.
        let code = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness) == 0 ? 0 : errno
        if code == 0 { show("password-hash") }
        beginning.report.send(code)
        if code == 0 { beginning.queue.work() }
    }

    /// The name for debuggers and `ps -T`, by the kernel's file: pthread_setname_np is a GNU extension, which Swift does not see.
    private static func show(_ name: String) {
        let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        let bytes = Array(name.utf8)
        _ = write(file, bytes, bytes.count)
        close(file)
    }
}
