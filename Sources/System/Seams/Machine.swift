public import Dispatch
import Glibc
public import Vitals

/// What a program takes of the machine under it, beside files and network: randomness, clocks, sleep, and threads. `build…` hands it to stores,
/// services and runners. A test brings its own, whose time is virtual and whose numbers repeat.
public struct Machine: Sendable {
    public var randomness: Randomness
    private let time: @Sendable () -> Milliseconds
    private let clock: @Sendable () -> Duration
    private let pause: @Sendable (Duration) async throws -> Void
    private let task: @Sendable (TaskPriority?, @escaping @Sendable () async -> Void) -> Task<Void, Never>
    private let queue: @Sendable (_ label: String, DispatchQoS, _ isConcurrent: Bool) -> WorkQueue

    /// - Parameters:
    ///   - utc: the time of day, UTC milliseconds, as the machine believes.
    ///   - clock: time since some moment of the past, by a clock that nobody sets.
    ///   - pause: comes back after a span; throws `CancellationError` when its task is cancelled.
    ///   - task: begins a task that belongs to no other.
    ///   - queue: makes a queue for blocking work.
    public init(
        randomness: Randomness, utc: @escaping @Sendable () -> Milliseconds, clock: @escaping @Sendable () -> Duration,
        pause: @escaping @Sendable (Duration) async throws -> Void,
        task: @escaping @Sendable (TaskPriority?, @escaping @Sendable () async -> Void) -> Task<Void, Never>,
        queue: @escaping @Sendable (_ label: String, DispatchQoS, _ isConcurrent: Bool) -> WorkQueue
    ) {
        (self.randomness, time, self.clock, self.pause) = (randomness, utc, clock, pause)
        (self.task, self.queue) = (task, queue)
    }

    /// The machine that the program runs on.
    public static let system = {
        let start = ContinuousClock.now
        return Machine(
            randomness: .system, utc: { timeOfDay() }, clock: { start.duration(to: .now) }, pause: { try await Task.sleep(for: $0) },
            task: { priority, work in Task(priority: priority, operation: work) },
            queue: { WorkQueue.system(label: $0, quality: $1, isConcurrent: $2) })
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

    /// Begins a task that belongs to no other.
    @discardableResult
    public func start(priority: TaskPriority? = nil, _ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        task(priority, work)
    }

    /// A new queue for blocking work.
    public func makeQueue(label: String, quality: DispatchQoS, isConcurrent: Bool) -> WorkQueue { queue(label, quality, isConcurrent) }
}
