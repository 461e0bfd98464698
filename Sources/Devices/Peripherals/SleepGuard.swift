public import Sensing
import SourceThread
public import SystemBus
import Vitals

/// An event of a ``SleepGuard``.
public enum SleepEvent: Sendable, Hashable {
    /// The machine is kept awake.
    case held
    /// It is not, though it was asked for: it may fall asleep at any time.
    case refused(SourceProblem)
    /// It is not asked for any more.
    case released
    /// The machine falls asleep within seconds.
    case fallsAsleep
    case wokeUp
}

/// Keeps the machine awake by systemd-logind (org.freedesktop.login1.Manager, "Inhibitor Locks"), and tells when it falls asleep nevertheless.
///
/// Two locks: one of the mode *block* while ``keep(awake:)`` asks for it, and always one of the mode *delay*, so that there is time to say that
/// nobody will watch. Somebody with the right to do so can overrule the first one.
public final class SleepGuard: Sendable {
    enum Request: Sendable { case awake(Bool) }

    /// Between ``SleepEvent/fallsAsleep`` and the release of the delay: what is to be said is said in it. logind waits 5 s at most unless told
    /// otherwise (`InhibitDelayMaxSec=`).
    static let farewell: Milliseconds = 4000

    private let bus: BusAddress
    private let sink: @Sendable (SleepEvent) -> Void
    private let inbox = RequestInbox<Request>()
    private let thread = SourceThread(name: "sleep")

    /// - Parameter sink: called on the guard's thread; it must return soon.
    public init(bus: BusAddress = .system, sink: @escaping @Sendable (SleepEvent) -> Void) {
        (self.bus, self.sink) = (bus, sink)
    }

    deinit { stop() }

    /// Starts the thread. Does nothing while it runs.
    /// - Throws: when the process has no file descriptor left.
    public func start() throws(SourceProblem) {
        let (bus, inbox, sink) = (bus, inbox, sink)
        try thread.start { stop in
            var loop = SleepLoop(bus: bus, inbox: inbox, sink: sink, stop: stop)
            loop.run()
        }
    }

    /// Asks for the machine to be kept awake, or lets go of it.
    public func keep(awake: Bool) { inbox.put(.awake(awake)) }

    /// Ends the thread within milliseconds, and lets go of the machine.
    public func stop() {
        thread.stop()
        inbox.wake()
    }
}
