import Glibc
public import Processes
public import Seams
import Synchronization
import Vitals

/// A machine with one thread, whose time goes on when nothing is left to do, and whose random numbers come from a seed: what runs on it runs the
/// same way each time.
public final class VirtualMachine: TaskExecutor {
    private enum Work {
        case job(UnownedJob)
        case block(@Sendable () -> Void)
    }

    private struct Sleeper {
        let number: Int, due: Duration
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var work: [Work] = []
        var sleepers: [Sleeper] = []
        /// Of sleepers, in the order in which they lay down.
        var count = 0
        var cancelled: Set<Int> = []
        var uptime: Duration = .zero
        /// Whose work it is.
        var thread: UInt?
        var strangers = 0
    }

    private let state = Mutex(State())
    private let randomness: Randomness
    private let programs: Programs
    private let files: any FileSystem
    /// The time of day; it goes on with the machine's own.
    public let clock: ManualClock

    /// - Parameters:
    ///   - programs: those that are there; nil for none.
    ///   - files: those of the system, unless a test brings others.
    public init(
        seed: UInt64, clock: ManualClock = ManualClock(), programs: Programs? = nil, files: any FileSystem = Machine.system.files
    ) {
        (randomness, self.clock, self.files) = (.seeded(seed), clock, files)
        self.programs = programs ?? MadeUpPrograms { _ in .missing }.programs
    }

    /// Nothing is left to do and nobody sleeps, and what was to run is not done: it waits for another thread that says nothing.
    public struct Stuck: Error {}

    /// How often something came from another thread: 0 where all ran on one. To be asked before services are stopped, see ``run(_:)``.
    public var strangers: Int { state.withLock { $0.strangers } }

    /// What a hub or an agent is built on.
    public var machine: Machine {
        Machine(
            randomness: randomness, programs: programs, files: files, utc: { self.clock.now }, clock: { self.state.withLock { $0.uptime } },
            pause: { try await self.sleep($0) }, hold: { self.hold($0) },
            task: { priority, work in Task(executorPreference: self, priority: priority, operation: work) },
            queue: { _, _, _ in WorkQueue { self.add(.block($0)) } }, threads: { _, _, _ in WorkQueue { self.add(.block($0)) } })
    }

    /// Runs `body` and all that it begins on the calling thread, until `body` is done. Where `body` waits for the end of services that it cancelled,
    /// ServiceLifecycle tells that end by another thread.
    /// - Throws: ``Stuck``, or what `body` throws.
    public func run<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
        state.withLock { $0.thread = Self.thread }
        let outcome = Outcome<Value>()
        Task(executorPreference: self) {
            do { outcome.set(.success(try await body())) } catch { outcome.set(.failure(error)) }
        }
        while true {
            if let result = outcome.result.withLock(\.self) { return try result.get() }
            try step()
        }
    }

    private final class Outcome<Value: Sendable>: Sendable {
        let result = Mutex<Result<Value, any Error>?>(nil)
        func set(_ value: Result<Value, any Error>) { result.withLock { $0 = value } }
    }

    public func enqueue(_ job: consuming ExecutorJob) { add(.job(UnownedJob(job))) }

    private func add(_ work: Work) {
        state.withLock { state in
            if state.thread != Self.thread { state.strangers += 1 }
            state.work.append(work)
        }
    }

    private func step() throws {
        let work = state.withLock { $0.work.isEmpty ? nil : $0.work.removeFirst() }
        switch work {
        case .job(let job): job.runSynchronously(on: asUnownedTaskExecutor())
        case .block(let block): block()
        case nil: if !wakeNext() { try awaitStranger() }
        }
    }

    /// The time goes on to that of the first who sleeps; of several, to who lay down first.
    /// - Returns: false when nobody sleeps.
    private func wakeNext() -> Bool {
        let woken = state.withLock { state -> (sleeper: Sleeper, span: Duration)? in
            guard let next = state.sleepers.indices.min(by: { Self.order(state.sleepers[$0], state.sleepers[$1]) }) else { return nil }
            let sleeper = state.sleepers.remove(at: next), span = max(.zero, sleeper.due - state.uptime)
            state.uptime += span
            return (sleeper, span)
        }
        guard let (sleeper, span) = woken else { return false }
        clock.advance(Milliseconds(span / .milliseconds(1)))
        sleeper.continuation.resume()
        return true
    }

    /// Nothing else runs meanwhile: the time goes on alone.
    private func hold(_ span: Duration) {
        state.withLock { $0.uptime += span }
        clock.advance(Milliseconds(span / .milliseconds(1)))
    }

    /// The end of a service of ServiceLifecycle is told by a task of Swift's own.
    private func awaitStranger() throws {
        for _ in 0..<10_000 {
            if state.withLock({ !$0.work.isEmpty }) { return }
            usleep(1000)
        }
        throw Stuck()
    }

    private static func order(_ one: Sleeper, _ other: Sleeper) -> Bool { (one.due, one.number) < (other.due, other.number) }

    private func sleep(_ span: Duration) async throws {
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = state.withLock { state in
                    if state.cancelled.remove(number) != nil { return true }
                    state.sleepers.append(Sleeper(number: number, due: state.uptime + max(.zero, span), continuation: continuation))
                    return false
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            let sleeper = state.withLock { state -> Sleeper? in
                guard let index = state.sleepers.firstIndex(where: { $0.number == number }) else {
                    state.cancelled.insert(number)
                    return nil
                }
                return state.sleepers.remove(at: index)
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    private static var thread: UInt { UInt(pthread_self()) }
}
