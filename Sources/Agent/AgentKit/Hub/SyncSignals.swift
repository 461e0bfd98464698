internal import Synchronization

/// Wakes the sync loop. However often something is signalled before the loop looks, it is told once.
final class SyncSignals: Sendable {
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

    /// Whether it was signalled since it was taken last, which this does: to be called before acting on it. What comes out of ``signals`` and was
    /// taken already means nothing any more.
    func take(_ signal: Signal) -> Bool { pending.withLock { $0.remove(signal) != nil } }
}
