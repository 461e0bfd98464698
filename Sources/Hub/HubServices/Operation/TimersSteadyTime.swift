public import Seams
import Synchronization
public import Vitals

/// UTC that never goes back within a process: what a consent's deadline has closed, a clock that is set back must not open again.
///
/// Where the clock steps back, time stands still until it has caught up. With a boot clock it goes on by that one, a little slower, so that
/// the two meet again: what others say of now is not of the past for ever.
public final class MonotonicUTC: Sendable {
    private struct State {
        var latest: Milliseconds = .min
        /// The last time that was the wall clock's, and what the boot clock said then.
        var wall: Milliseconds = .min, ticks: Milliseconds = 0
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

    public var now: Milliseconds { read().time }

    /// The boot clock, milliseconds; nil without one.
    public var ticks: Milliseconds? { boot?() }

    /// How far it is ahead of the clock, milliseconds: 0 unless the clock was set back.
    public var lead: Milliseconds {
        let (time, wall) = read()
        return time - wall
    }

    /// Goes on from `time` where that is later than what it says: of a process before this one, behind which the clock was set back.
    public func goOn(from time: Milliseconds) {
        let ticks = boot?() ?? 0
        state.withLock { state in
            guard time > state.latest else { return }
            (state.latest, state.wall, state.ticks) = (time, time, ticks)
        }
    }

    private func read() -> (time: Milliseconds, wall: Milliseconds) {
        let time = clock(), ticks = boot?() ?? 0
        return state.withLock { state in
            if time >= state.latest {
                (state.latest, state.wall, state.ticks) = (time, time, ticks)
            } else {
                // An hour is made up for in eight.
                state.latest = max(state.latest, state.wall + (ticks - state.ticks) * 7 / 8)
            }
            return (state.latest, time)
        }
    }

    /// A clock that nobody sets, and that also counts while the machine sleeps: milliseconds since it was made.
    public static func bootClock(of machine: Machine) -> @Sendable () -> Milliseconds {
        let start = machine.uptime
        return { Milliseconds((machine.uptime - start) / .milliseconds(1)) }
    }
}
