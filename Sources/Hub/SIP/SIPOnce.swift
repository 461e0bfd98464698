internal import Synchronization

/// A value that somebody waits for; the first one counts.
final class SIPOnce<Value: Sendable>: Sendable {
    private enum State {
        case open
        case waiting(CheckedContinuation<Value, Never>)
        case known(Value)
    }

    private let state = Mutex(State.open)

    func finish(_ value: Value) {
        let waiting: CheckedContinuation<Value, Never>? = state.withLock { state in
            switch state {
            case .known: return nil
            case .open:
                state = .known(value)
                return nil
            case .waiting(let continuation):
                state = .known(value)
                return continuation
            }
        }
        waiting?.resume(returning: value)
    }

    /// Only one task may wait.
    var value: Value {
        get async {
            await withCheckedContinuation { continuation in
                let known: Value? = state.withLock { state in
                    if case .known(let value) = state { return value }
                    state = .waiting(continuation)
                    return nil
                }
                if let known { continuation.resume(returning: known) }
            }
        }
    }
}
