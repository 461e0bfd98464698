public import Sensing
import SourceThread
public import SystemBus
public import Vitals

/// How a sensor is reached.
public enum SensorTransport: String, Sendable, Hashable, Codable, CaseIterable {
    /// Through bluetoothd while it runs, by an ATT socket while it does not.
    case auto
    /// Through bluetoothd.
    case bluez
    /// By an ATT socket of the kernel.
    case att
}

/// The role for which a sensor is listened to.
public enum SensorRole: String, Sendable, Hashable {
    /// Its heart rate, and whatever else it measures. Without a heart rate it cannot be used.
    case heartRate
    /// Its measurement beside the heart rate of another one: temperature or cadence.
    case readings
}

/// Live readings of one sensor whose address is known. Several can run side by side, one for each sensor.
///
/// It pairs, subscribes, connects again and heals by itself; a problem is told once, until it changes or is over. A sensor without
/// readings is ``HeartRateEvent/lost(_:time:)``, which says nothing about the heart.
public final class HeartRateSource: Sendable {
    /// Times are in milliseconds.
    public struct Configuration: Sendable {
        public var address: SensorAddress
        public var transport: SensorTransport
        /// The number of the adapter (1 for hci1); any when nil.
        public var adapter: Int?
        public var role: SensorRole
        /// An open link without a measurement for so long is lost. A thermometer may be silent for as long as nobody measures.
        public var silenceLimit: Milliseconds
        /// How often the battery level is read, beside its notifications.
        public var batteryInterval: Milliseconds = 600_000
        /// Where bluetoothd is.
        public var bus: BusAddress = .system

        /// The sensor at `address`, with the defaults for everything else.
        public init(address: SensorAddress, role: SensorRole = .heartRate, transport: SensorTransport = .auto) {
            self.address = address
            self.transport = transport
            self.role = role
            silenceLimit = role == .heartRate ? 10_000 : 86_400_000
        }
    }

    private let configuration: Configuration
    private let outlets: HeartRateOutlets
    private let thread = SourceThread(name: "heart-rate")

    /// - Parameters:
    ///   - now: the clock of the samples' times, at receipt; `CLOCK_BOOTTIME` in milliseconds unless told.
    ///   - report: takes problems that do not end the delivery, such as measurements that cannot be decoded, with their number.
    ///   - sink: takes the events, in order. Both closures are called on threads of the source, one at a time, and must return soon.
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
            TransportSwitch(configuration: configuration, now: outlets.now, report: outlets.report, sink: outlets.sink, stop: stop).run()
        }
    }

    /// Ends the delivery within milliseconds; at most the event that is being delivered follows. The link is closed soon after. The
    /// source can be started again.
    public func stop() { thread.stop() }
}
