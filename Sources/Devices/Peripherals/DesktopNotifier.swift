public import Sensing
import SourceThread
public import SystemBus

/// Notifications on the desktop of the person who is logged in (Desktop Notifications Specification 1.2, over D-Bus).
///
/// For a program of the session: a service of the system does not reach its bus. Notices wait while no server shows them, and are shown when
/// one comes.
public final class DesktopNotifier: Sendable {
    enum Request: Sendable {
        case show(DesktopNotice)
        case withdraw(String)
    }

    private let bus: BusAddress
    private let report: @Sendable (SourceProblem) -> Void
    private let sink: @Sendable (DesktopEvent) -> Void
    private let inbox = RequestInbox<Request>()
    private let thread = SourceThread(name: "desktop")

    /// - Parameters:
    ///   - report: takes why nothing is shown, once until it changes or is over.
    ///   - sink: takes the events, in order. Both closures are called on the notifier's thread and must return soon.
    public init(
        bus: BusAddress = .session, report: @escaping @Sendable (SourceProblem) -> Void = { _ in },
        sink: @escaping @Sendable (DesktopEvent) -> Void
    ) {
        self.bus = bus
        self.report = report
        self.sink = sink
    }

    deinit { stop() }

    /// Starts the thread. Does nothing while it runs. Throws when the process has no file descriptor left.
    public func start() throws(SourceProblem) {
        let (bus, inbox, report, sink) = (bus, inbox, report, sink)
        try thread.start { stop in
            var loop = DesktopLoop(bus: bus, inbox: inbox, report: report, sink: sink, stop: stop)
            loop.run()
        }
    }

    /// Ends the thread, at once or after the answer that it waits for. What is shown stays.
    public func stop() {
        thread.stop()
        inbox.wake()
    }

    /// Shows the notice, or changes the one that has its key.
    public func show(_ notice: DesktopNotice) { inbox.put(.show(notice)) }

    /// Takes the notice with that key away.
    public func withdraw(_ key: String) { inbox.put(.withdraw(key)) }
}
