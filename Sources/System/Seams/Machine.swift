public import Dispatch
import Glibc
public import Processes
public import Vitals

/// The parts of the machine that a program uses, beside the network: randomness, clocks, sleep, threads, small files and other programs. `build…`
/// hands it to stores, services and runners. A test brings its own, whose time is virtual and whose numbers repeat.
public struct Machine: Sendable {
    public var randomness: Randomness
    /// Other programs, for whoever starts any.
    public var programs: Programs
    /// Small files, for whoever keeps any.
    public var files: any FileSystem
    private let time: @Sendable () -> Milliseconds
    private let clock: @Sendable () -> Duration
    private let pause: @Sendable (Duration) async throws -> Void
    private let hold: @Sendable (Duration) -> Void
    private let task: @Sendable (TaskPriority?, @escaping @Sendable () async -> Void) -> Task<Void, Never>
    private let queue: @Sendable (_ label: String, DispatchQoS, _ isConcurrent: Bool) -> WorkQueue
    private let threads: @Sendable (_ name: String, _ count: Int, _ niceness: Int32) throws(ThreadRefusal) -> WorkQueue

    /// - Parameters:
    ///   - utc: the time of day, UTC milliseconds, as the machine believes.
    ///   - clock: time since some moment of the past, by a clock that nobody sets.
    ///   - pause: comes back after a span; throws `CancellationError` when its task is cancelled.
    ///   - hold: comes back after a span, and holds up its thread meanwhile.
    ///   - task: begins a task that belongs to no other.
    ///   - queue: makes a queue for blocking work.
    ///   - threads: makes a queue with threads of its own.
    public init(
        randomness: Randomness, programs: Programs, files: any FileSystem, utc: @escaping @Sendable () -> Milliseconds,
        clock: @escaping @Sendable () -> Duration,
        pause: @escaping @Sendable (Duration) async throws -> Void, hold: @escaping @Sendable (Duration) -> Void,
        task: @escaping @Sendable (TaskPriority?, @escaping @Sendable () async -> Void) -> Task<Void, Never>,
        queue: @escaping @Sendable (_ label: String, DispatchQoS, _ isConcurrent: Bool) -> WorkQueue,
        threads: @escaping @Sendable (_ name: String, _ count: Int, _ niceness: Int32) throws(ThreadRefusal) -> WorkQueue
    ) {
        (self.randomness, self.programs, self.files) = (randomness, programs, files)
        (time, self.clock, self.pause) = (utc, clock, pause)
        (self.hold, self.task, self.queue, self.threads) = (hold, task, queue, threads)
    }

    /// The machine that the program runs on.
    public static let system = {
        let start = ContinuousClock.now
        return Machine(
            randomness: .system, programs: .system, files: SystemFiles(), utc: { timeOfDay() }, clock: { start.duration(to: .now) },
            pause: { try await Task.sleep(for: $0) },
            hold: { usleep(UInt32(clamping: Int64($0 / .microseconds(1)))) },
            task: { priority, work in Task(priority: priority, operation: work) },
            queue: { WorkQueue.system(label: $0, quality: $1, isConcurrent: $2) },
            threads: { (name, count, niceness) throws(ThreadRefusal) in
                let threads = try SystemThreads(name: name, count: count, niceness: niceness)
                return WorkQueue { threads.add($0) }
            })
    }()

    private static func timeOfDay() -> Milliseconds {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Milliseconds(time.tv_sec) * 1000 + Milliseconds(time.tv_nsec) / 1_000_000
    }

    /// The time of day, UTC milliseconds. It can be set: what must not go back goes by a clock over it.
    public var utc: Milliseconds { time() }

    /// Time since some moment of the past. Also counts while the machine sleeps.
    public var uptime: Duration { clock() }

    /// Comes back after this span.
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(for span: Duration) async throws { try await pause(span) }

    /// Holds up the calling thread for this span: where a few tries are made before anything runs.
    public func block(for span: Duration) { hold(span) }

    /// Begins a task that belongs to no other.
    @discardableResult
    public func start(priority: TaskPriority? = nil, _ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        task(priority, work)
    }

    /// A new queue for blocking work.
    public func makeQueue(label: String, quality: DispatchQoS, isConcurrent: Bool) -> WorkQueue { queue(label, quality, isConcurrent) }

    /// The niceness of threads that give way to what is urgent: where all cores are taken, that gets nine times their share, and its turn at once.
    public static let backgroundNiceness: Int32 = 10

    /// A new queue with threads of its own, which end with it, for work that takes a core.
    /// - Parameters:
    ///   - name: of each thread, for debuggers.
    ///   - niceness: how much priority they leave to others; 0 for none.
    public func makeThreads(named name: String, count: Int, niceness: Int32) throws(ThreadRefusal) -> WorkQueue {
        try threads(name, count, niceness)
    }
}
