public import Sensing
import SourceThread
public import Vitals

/// Live positions from gpsd.
///
/// A thread of its own waits for gpsd, so that nothing blocks Swift's cooperative pool. When gpsd goes away it is tried again, at
/// first after 0.2 s, at last every ``Configuration/retryDelayMax``; a problem is told once, until it changes or is over.
public final class GPSDSource: Sendable {
    /// Times are in milliseconds.
    public struct Configuration: Sendable {
        public var address: GPSDAddress
        /// Silence of gpsd after which ``PositionEvent/stale(age:time:)`` is said, and again at growing intervals up to a minute.
        public var staleAfter: Milliseconds = 3000
        /// How long connecting, and then gpsd's greeting, may take.
        public var connectLimit: Milliseconds = 5000
        /// The longest pause between two tries. EDGE-3 wants positions 5 s after gpsd is back.
        public var retryDelayMax: Milliseconds = 3000
        /// Silence after which gpsd is asked whether it is still there; after as long again it counts as gone. After a problem a
        /// connection counts once a report comes, or anything at all that long after its begin.
        public var askAfter: Milliseconds = 10_000
        /// Earlier dates of the receiver are not believed, nor those 1024 weeks after it: the day on which this program was made,
        /// or any later day that is known to have been by now. UTC milliseconds; unless told, 2025-01-01. Called on the source's
        /// thread for each line of gpsd.
        public var earliestUTC: @Sendable () -> Milliseconds = { Self.madeAfterUTC }
        /// 2025-01-01: no date before it can be right. UTC milliseconds.
        public static let madeAfterUTC: Milliseconds = 1_735_689_600_000

        /// gpsd at `address`, with the defaults for everything else.
        public init(address: GPSDAddress = GPSDAddress()) { self.address = address }
    }

    private let configuration: Configuration
    private let now: @Sendable () -> Milliseconds
    private let report: @Sendable (SourceProblem) -> Void
    private let receiver: @Sendable (SourceProblem) -> Void
    private let sink: @Sendable (PositionEvent) -> Void
    private let thread = SourceThread(name: "gpsd")

    /// - Parameters:
    ///   - now: the clock of the samples' times, at receipt; `CLOCK_BOOTTIME` in milliseconds unless told.
    ///   - report: takes problems that do not end the delivery: an impossible date, lines that could not be read.
    ///   - receiver: takes those of them that say why no position comes although gpsd answers; each holds until a `fix` or `noFix`.
    ///   - sink: takes the events, in order. All closures are called on the source's thread and must return soon.
    public init(
        configuration: Configuration, now: (@Sendable () -> Milliseconds)? = nil,
        report: @escaping @Sendable (SourceProblem) -> Void = { _ in },
        receiver: @escaping @Sendable (SourceProblem) -> Void = { _ in }, sink: @escaping @Sendable (PositionEvent) -> Void
    ) {
        self.configuration = configuration
        self.now = now ?? Boottime.now
        self.report = report
        self.receiver = receiver
        self.sink = sink
    }

    /// Starts the thread. Does nothing while it runs. Throws when the process has no file descriptor left.
    public func start() throws(SourceProblem) {
        let (configuration, now, report, receiver, sink) = (configuration, now, report, receiver, sink)
        try thread.start { stop in
            var reader = GPSDReader(
                configuration: configuration, now: now, report: report, receiver: receiver, sink: sink, stop: stop)
            reader.run()
        }
    }

    /// Ends the thread within milliseconds (only looking up a host's name cannot be cut short). At most the event that is being
    /// delivered follows. The source can be started again.
    public func stop() { thread.stop() }
}
