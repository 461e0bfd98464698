public import Sensing
import SourceThread
public import Vitals

/// Live heart rate of one sensor whose address is known, over an L2CAP socket of ATT.
///
/// A thread of its own waits for the sensor, so that nothing blocks Swift's cooperative pool. The link is opened again whenever it is
/// lost or silent; a problem is told once, until it changes or is over. A sensor without readings is ``HeartRateEvent/lost(_:time:)``,
/// which says nothing about the heart.
public final class ATTHeartRateSource: Sendable {
    /// Times are in milliseconds.
    public struct Configuration: Sendable {
        public var address: SensorAddress
        /// The number of the adapter (1 for hci1); any that is on when nil.
        public var adapter: Int?
        public var role = SensorRole.heartRate
        /// How long to wait for the sensor to advertise. The kernel itself gives up after about 41 s.
        public var connectLimit: Milliseconds = 60_000
        /// An open link without a measurement for so long is lost.
        public var silenceLimit: Milliseconds = 10_000
        /// How often the battery level is read, beside its notifications.
        public var batteryInterval: Milliseconds = 600_000

        /// The sensor at `address`, with the defaults for everything else.
        public init(address: SensorAddress) { self.address = address }
    }

    private let configuration: Configuration
    private let outlets: HeartRateOutlets
    private let thread = SourceThread(name: "heart-rate")

    /// - Parameters:
    ///   - now: the clock of the samples' times, at receipt; `CLOCK_BOOTTIME` in milliseconds unless told.
    ///   - report: takes problems that do not end the delivery, such as measurements that cannot be decoded, with their number.
    ///   - sink: takes the events, in order. Both closures are called on the source's thread and must return soon.
    public init(
        configuration: Configuration, now: (@Sendable () -> Milliseconds)? = nil,
        report: @escaping @Sendable (SourceProblem) -> Void = { _ in }, sink: @escaping @Sendable (HeartRateEvent) -> Void
    ) {
        self.configuration = configuration
        outlets = HeartRateOutlets(now: now, report: report, sink: sink)
    }

    /// Starts the thread. Does nothing while it runs. Throws when the process has no file descriptor left.
    public func start() throws(SourceProblem) {
        let (configuration, outlets) = (configuration, outlets)
        try thread.start { stop in
            var link = HeartRateLink(configuration: configuration, now: outlets.now, report: outlets.report, sink: outlets.sink, stop: stop)
            link.run()
        }
    }

    /// Ends the thread and the link within milliseconds. At most the event that is being delivered follows. The source can be
    /// started again.
    public func stop() { thread.stop() }
}
