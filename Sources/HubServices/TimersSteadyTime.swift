import Synchronization
public import Vitals

/// UTC that never goes back within a process: what a consent's deadline has closed, a clock that is set back must not open again.
///
/// Where the clock steps back, time stands still until it has caught up.
public final class SteadyTime: Sendable {
    private let clock: @Sendable () -> Milliseconds
    private let latest = Mutex<Milliseconds>(.min)

    /// - Parameter clock: UTC milliseconds.
    public init(_ clock: @escaping @Sendable () -> Milliseconds) { self.clock = clock }

    public var now: Milliseconds {
        let time = clock()
        return latest.withLock { latest in
            latest = max(latest, time)
            return latest
        }
    }
}
