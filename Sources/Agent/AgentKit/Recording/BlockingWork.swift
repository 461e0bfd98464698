internal import Foundation

/// Work that waits for a device, on a thread of its own, so that it does not hold up Swift's shared threads.
enum BlockingWork {
    static func run<Value: Sendable>(named name: String, _ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let thread = Thread { continuation.resume(with: Result { try body() }) }
            thread.name = name
            thread.start()
        }
    }
}
