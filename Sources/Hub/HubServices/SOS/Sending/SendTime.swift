import Seams
import Synchronization
import Vitals

/// Ends the wait for what takes longer than it may. All that carries messages has time-outs of its own; this is for the day on which one fails.
enum SendTime {
    struct Overdue: Error, CustomStringConvertible {
        let limit: Milliseconds
        var description: String { "No answer in \(limit / 1000) s; it may have left all the same. Look why it hangs; it is tried again" }
    }

    /// The result of `body`, or ``Overdue`` after `limit` milliseconds: then `body` goes on by itself, and nobody hears of it.
    static func within<Value: Sendable>(
        _ limit: Milliseconds?, on machine: Machine, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        guard let limit else { return try await body() }
        return try await withCheckedThrowingContinuation { continuation in
            let answer = Answer(continuation)
            let timer = machine.start {
                guard (try? await machine.sleep(for: .milliseconds(limit))) != nil else { return }
                answer.give(.failure(Overdue(limit: limit)))
            }
            machine.start {
                do { answer.give(.success(try await body())) } catch { answer.give(.failure(error)) }
                timer.cancel()
            }
        }
    }

    /// The first one counts.
    private final class Answer<Value: Sendable>: Sendable {
        private let waiting: Mutex<CheckedContinuation<Value, any Error>?>

        init(_ continuation: CheckedContinuation<Value, any Error>) { waiting = Mutex(continuation) }

        func give(_ result: Result<Value, any Error>) {
            waiting.withLock { waiting in
                defer { waiting = nil }
                return waiting
            }?.resume(with: result)
        }
    }
}
