public import Dispatch

/// Where blocking work waits for its turn: a disk, a program, names of hosts. The cooperative pool answers requests.
public struct WorkQueue: Sendable {
    private let enqueue: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// - Parameter enqueue: runs the work later, on no thread of the caller.
    public init(_ enqueue: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) { self.enqueue = enqueue }

    /// A queue of the system. Where all cores are taken, work of the quality `utility` and below leaves most of them to everybody else: Dispatch
    /// has threads for each quality, and on Linux they differ by 2 of niceness at most.
    /// - Parameter isConcurrent: whether what runs on it runs side by side; else one after the other, in its order.
    public static func system(label: String, quality: DispatchQoS, isConcurrent: Bool) -> WorkQueue {
        let queue = DispatchQueue(label: label, qos: quality, attributes: isConcurrent ? .concurrent : [])
        guard [.utility, .background].contains(quality) else { return WorkQueue { queue.async(execute: $0) } }
        return WorkQueue { work in
            queue.async {
                _ = SystemThreads.giveWay(by: Machine.backgroundNiceness)
                work()
            }
        }
    }

    /// Runs `work` when its turn comes; returns at once.
    public func async(_ work: @escaping @Sendable () -> Void) { enqueue(work) }

    /// Runs `work` when its turn comes, and returns with its result. What it logs bears the caller's ``LogTrace``.
    public func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        let trace = LogTrace.current
        return try await withCheckedThrowingContinuation { continuation in
            enqueue { continuation.resume(with: Result { try LogTrace.$current.withValue(trace) { try work() } }) }
        }
    }

    /// Runs `work`, which throws nothing, when its turn comes, and returns with its result.
    public func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        let trace = LogTrace.current
        return await withCheckedContinuation { continuation in
            enqueue { continuation.resume(returning: LogTrace.$current.withValue(trace) { work() }) }
        }
    }
}
