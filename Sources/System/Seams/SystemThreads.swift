import Dispatch
import Glibc
import Synchronization

/// Why the system gives no thread. With the number of the error (`errno`).
public enum ThreadRefusal: Error, Sendable, Hashable {
    case notStarted(Int32)
    case priorityKept(Int32)
}

/// A few threads that do nothing but the work of one queue, first come, first served. What waits when the last owner goes is done before they end.
final class SystemThreads: Sendable {
    private static let stackSize = 512 << 10

    private let queue = ThreadQueue()
    private let count: Int

    /// Starts the threads.
    init(name: String, count: Int, niceness: Int32) throws(ThreadRefusal) {
        self.count = count
        for started in 0..<count {
            do { try Self.start(Beginning(queue, name, niceness)) } catch {
                queue.close(threads: started)
                throw error
            }
        }
    }

    deinit { queue.close(threads: count) }

    func add(_ work: @escaping @Sendable () -> Void) { queue.add(work) }

    private final class Beginning: Sendable {
        let queue: ThreadQueue
        let name: String, niceness: Int32
        let report = ThreadReport()

        init(_ queue: ThreadQueue, _ name: String, _ niceness: Int32) { (self.queue, self.name, self.niceness) = (queue, name, niceness) }
    }

    private static func start(_ beginning: Beginning) throws(ThreadRefusal) {
        let code = create(beginning)
        guard code == 0 else { throw .notStarted(code) }
        let refusal = beginning.report.wait()
        guard refusal == 0 else { throw .priorityKept(refusal) }
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
                SystemThreads.run(Unmanaged<Beginning>.fromOpaque(argument).takeRetainedValue())
                return nil
            }, pointer.toOpaque())
        if code != 0 { pointer.release() }
        return code
    }

    private static func run(_ beginning: Beginning) {
        let code = beginning.niceness == 0 ? 0 : giveWay(by: beginning.niceness)
        if code == 0 { show(beginning.name) }
        beginning.report.send(code)
        if code == 0 { beginning.queue.work() }
    }

    /// Lowers the priority of the calling thread. On Linux priorities belong to threads, and 0 is the one that asks.
    /// - Returns: the number of the error, 0 for none.
    static func giveWay(by niceness: Int32) -> Int32 {
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness) == 0 ? 0 : errno
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

/// Work for a few threads.
private final class ThreadQueue: Sendable {
    private let waiting = Mutex<[@Sendable () -> Void]>([])
    private let available = DispatchSemaphore(value: 0)

    func add(_ work: @escaping @Sendable () -> Void) {
        waiting.withLock { $0.append(work) }
        available.signal()
    }

    /// Lets that many threads return from ``work()``, once nothing waits.
    func close(threads: Int) { for _ in 0..<threads { available.signal() } }

    /// Does work until the queue is closed.
    func work() {
        while let next = next() { next() }
    }

    private func next() -> (@Sendable () -> Void)? {
        available.wait()
        return waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
}

/// A new thread's word to who started it.
private final class ThreadReport: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let code = Mutex<Int32>(0)

    func send(_ code: Int32) {
        self.code.withLock { $0 = code }
        semaphore.signal()
    }

    /// Waits for the word: an errno, 0 for none.
    func wait() -> Int32 {
        semaphore.wait()
        return code.withLock { $0 }
    }
}
