import Synchronization
public import Vitals

/// A clock that stands still until a test moves it.
public final class ManualClock: Sendable {
    private let time: Mutex<Milliseconds>

    public init(_ start: Milliseconds = 1_800_000_000_000) { time = Mutex(start) }

    public var now: Milliseconds { time.withLock { $0 } }

    public func advance(_ milliseconds: Milliseconds) { time.withLock { $0 += milliseconds } }
}
