import Dispatch

extension DispatchQueue {
    /// Does work that takes its time, or waits for a disk, on this queue: the cooperative pool answers requests.
    func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            async { continuation.resume(with: Result(catching: work)) }
        }
    }
}
