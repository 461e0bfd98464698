import Dispatch

/// Notices are rows in the database of the accounts. They are written on a thread of their own: a disk that hangs holds up no alarm (design
/// rule 7).
final class NoticeThread: Sendable {
    private let thread = DispatchQueue(label: "trackme.sos.notices", qos: .userInitiated)

    /// In the order of the calls.
    func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            thread.async { continuation.resume(with: Result(catching: body)) }
        }
    }

    /// The same for who does not wait.
    func start(_ body: @escaping @Sendable () -> Void) { thread.async(execute: body) }
}
