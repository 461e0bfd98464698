internal import Synchronization

/// Wakes the sync loop. However often something is signalled before the loop looks, it is told once.
final class Nudges: Sendable {
    enum Signal: Hashable, Sendable {
        case collected, sealed, woken
        /// An SOS record waits, or somebody asked to send now.
        case urgent
    }

    let signals: AsyncStream<Signal>
    private let continuation: AsyncStream<Signal>.Continuation
    private let pending = Mutex<Set<Signal>>([])

    init() { (signals, continuation) = AsyncStream.makeStream() }

    func signal(_ signal: Signal) {
        guard pending.withLock({ $0.insert(signal).inserted }) else { return }
        continuation.yield(signal)
    }

    /// Whether it was signalled and not looked at yet.
    func isWaiting(_ signal: Signal) -> Bool { pending.withLock { $0.contains(signal) } }

    /// To be called when a signal was received, before acting on it.
    func taken(_ signal: Signal) { pending.withLock { _ = $0.remove(signal) } }
}
