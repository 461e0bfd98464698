import SourceThread
import Synchronization

/// Requests that wait for a thread, and how to wake it.
final class RequestInbox<Request: Sendable>: Sendable {
    private struct State {
        var requests: [Request] = []
        var wake: StopSignal?
    }

    /// What nobody takes for so long was replaced many times.
    private let max = 1024
    private let state = Mutex(State())

    func put(_ request: Request) {
        state.withLock { state in
            if state.requests.count == max { state.requests.removeFirst() }
            state.requests.append(request)
            state.wake?.stop()
        }
    }

    func wake() { state.withLock { $0.wake?.stop() } }

    /// All requests, and what ends the wait for the next one; nil without a file descriptor.
    func take() -> (requests: [Request], wake: StopSignal?) {
        state.withLock { state in
            defer { state.requests = [] }
            state.wake = StopSignal()
            return (state.requests, state.wake)
        }
    }
}
