public import Dispatch

/// Where blocking work waits for its turn: a disk, a program, names of hosts. The cooperative pool answers requests.
public struct WorkQueue: Sendable {
    private let enqueue: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// - Parameter enqueue: runs the work later, on no thread of the caller.
    public init(_ enqueue: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) { self.enqueue = enqueue }

    /// Of threads for work of quality `.utility` and below: none until it is shown that no alarm waits for a lock of theirs.
    static let niceness: Int32 = 0

    /// A queue of the system. On Linux Dispatch gives work of every quality the same threads: work of `.utility` and below gets threads of
    /// its own, where the system allows it.
    /// - Parameter width: what runs side by side at most; 1 for one after the other, in its order. Without a bound for other qualities.
    public static func system(label: String, quality: DispatchQoS, width: Int) -> WorkQueue {
        if [.utility, .background].contains(quality.qosClass),
            let threads = try? SystemThreads(name: label, count: width, niceness: niceness)
        {
            return WorkQueue { threads.add($0) }
        }
        let queue = DispatchQueue(label: label, qos: quality, attributes: width > 1 ? .concurrent : [])
        return WorkQueue { queue.async(execute: $0) }
    }

    /// Runs `work` when its turn comes; returns at once.
    public func async(_ work: @escaping @Sendable () -> Void) { enqueue(work) }

    /// Runs `work` when its turn comes, and returns with its result.
    public func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            enqueue { continuation.resume(with: Result(catching: work)) }
        }
    }
}
