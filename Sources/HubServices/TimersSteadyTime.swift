import Synchronization
public import Vitals

/// UTC that never goes back within a process: what a consent's deadline has closed, a clock that is set back must not open again.
///
/// Where the clock steps back, time stands still until it has caught up; with a boot clock it goes on by that one.
public final class SteadyTime: Sendable {
    private struct State {
        var latest: Milliseconds = .min
        /// The boot clock at the latest time.
        var ticks: Milliseconds = .min
    }

    private let clock: @Sendable () -> Milliseconds
    private let boot: (@Sendable () -> Milliseconds)?
    private let state = Mutex(State())

    /// - Parameters:
    ///   - clock: UTC milliseconds.
    ///   - boot: milliseconds of a clock that nobody sets, for what must not stand still.
    public init(_ clock: @escaping @Sendable () -> Milliseconds, boot: (@Sendable () -> Milliseconds)? = nil) {
        (self.clock, self.boot) = (clock, boot)
    }

    public var now: Milliseconds {
        let time = clock(), ticks = boot?() ?? 0
        return state.withLock { state in
            let passed = state.latest == .min ? 0 : max(0, ticks - state.ticks)
            state.latest = max(state.latest + passed, time)
            state.ticks = max(state.ticks, ticks)
            return state.latest
        }
    }

    /// A clock that nobody sets, and that also counts while the machine sleeps: milliseconds since it was made.
    public static func bootClock() -> @Sendable () -> Milliseconds {
        let start = ContinuousClock.now
        return { Milliseconds(start.duration(to: ContinuousClock.now) / Duration.milliseconds(1)) }
    }
}
