import Glibc
public import Sensing
import Synchronization

/// The thread of a live source, so that waiting for a device never blocks Swift's cooperative pool.
public final class SourceThread: Sendable {
    private static let stackSize = 8 << 20

    private let name: String
    private let stackSize: Int
    private let signal = Mutex<StopSignal?>(nil)

    /// - Parameter name: what debuggers and `ps -T` show; at most 15 characters count.
    public convenience init(name: String) { self.init(name: name, stackSize: Self.stackSize) }

    /// `stackSize` in bytes.
    init(name: String, stackSize: Int) {
        self.name = name
        self.stackSize = stackSize
    }

    deinit { stop() }

    /// Runs `body` on the thread, which returns soon after its signal. Does nothing while one runs.
    /// - Throws: when the process has no file descriptor left, or may have no more threads.
    public func start(_ body: @escaping @Sendable (StopSignal) -> Void) throws(SourceProblem) {
        guard let new = StopSignal() else {
            throw SourceProblem(
                what: "This process has no file descriptor left", advice: "Raise its limit (LimitNOFILE=)", retries: false)
        }
        let code = signal.withLock { signal in
            guard signal == nil else { return Int32(0) }
            let code = Self.begin(Work(name: name) { body(new) }, stackSize: stackSize)
            if code == 0 { signal = new }
            return code
        }
        guard code != 0 else { return }
        throw SourceProblem(
            what: "No thread could be started for \(name): \(String(cString: strerror(code)))",
            advice: "Raise this process's limits (TasksMax=, LimitNPROC=, MemoryMax=), or look what uses the box's memory", retries: false)
    }

    /// Tells the thread to end. It can be started again.
    public func stop() {
        signal.withLock { signal in
            signal?.stop()
            signal = nil
        }
    }

    private final class Work {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, _ body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    /// Names the thread that calls this, by the kernel's file: pthread_setname_np is a GNU extension, which Swift does not see.
    private static func show(_ name: String) {
        let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        let bytes = Array(name.utf8.prefix(15))
        _ = write(file, bytes, bytes.count)
        close(file)
    }

    /// The code of the error, 0 for none. Foundation's Thread would keep it to itself.
    private static func begin(_ work: Work, stackSize: Int) -> Int32 {
        var attributes = pthread_attr_t()
        let code = pthread_attr_init(&attributes)
        guard code == 0 else { return code }
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        let sizing = pthread_attr_setstacksize(&attributes, stackSize)
        guard sizing == 0 else { return sizing }
        let pointer = Unmanaged.passRetained(work)
        var thread = pthread_t()
        let started = pthread_create(
            &thread, &attributes,
            { argument in
                guard let argument else { return nil }
                let work = Unmanaged<Work>.fromOpaque(argument).takeRetainedValue()
                SourceThread.show(work.name)
                work.body()
                return nil
            }, pointer.toOpaque())
        if started != 0 { pointer.release() }
        return started
    }
}
