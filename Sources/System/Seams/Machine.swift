public import Dispatch

/// What a program takes of the machine under it, beside files, network and the time of day: randomness, a clock that nobody sets, sleep, and
/// threads. `build…` hands it to stores, services and runners. A test brings its own, whose time is virtual and whose numbers repeat.
public struct Machine: Sendable {
    public var randomness: Randomness
    private let clock: @Sendable () -> Duration
    private let pause: @Sendable (Duration) async throws -> Void
    private let task: @Sendable (TaskPriority?, @escaping @Sendable () async -> Void) -> Task<Void, Never>
    private let queue: @Sendable (_ label: String, DispatchQoS, _ isConcurrent: Bool) -> WorkQueue

    /// - Parameters:
    ///   - clock: time since some moment of the past, by a clock that nobody sets.
    ///   - pause: comes back after a span; throws `CancellationError` when its task is cancelled.
    ///   - task: begins a task that belongs to no other.
    ///   - queue: makes a queue for blocking work.
    public init(
        randomness: Randomness, clock: @escaping @Sendable () -> Duration, pause: @escaping @Sendable (Duration) async throws -> Void,
        task: @escaping @Sendable (TaskPriority?, @escaping @Sendable () async -> Void) -> Task<Void, Never>,
        queue: @escaping @Sendable (_ label: String, DispatchQoS, _ isConcurrent: Bool) -> WorkQueue
    ) {
        (self.randomness, self.clock, self.pause) = (randomness, clock, pause)
        (self.task, self.queue) = (task, queue)
    }

    /// The machine that the program runs on.
    public static let system = {
        let start = ContinuousClock.now
        return Machine(
            randomness: .system, clock: { start.duration(to: .now) }, pause: { try await Task.sleep(for: $0) },
            task: { priority, work in Task(priority: priority, operation: work) },
            queue: { WorkQueue.system(label: $0, quality: $1, isConcurrent: $2) })
    }()

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
