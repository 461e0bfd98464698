internal import BlueZ
internal import Logging
internal import Positioning
internal import Sensing
internal import ServiceLifecycle
internal import Vitals

/// What `trackme-agent run` is asked for.
public struct LiveOptions: Sendable {
    /// The sensor's address; nil for none.
    public var sensor: String?
    /// `HOST[:PORT]` of gpsd; nil for none.
    public var gpsd: String?
    /// Identifier or name; nil for the only one.
    public var person: String?

    public init(sensor: String?, gpsd: String?, person: String?) {
        self.sensor = sensor
        self.gpsd = gpsd
        self.person = person
    }
}

/// Feeds the live sources' events to the recorder, one after the other.
final class LiveCollection: Service {
    private enum Event: Sendable {
        case heartRate(HeartRateEvent)
        case position(PositionEvent)
    }

    /// About half an hour at 1 Hz each, should the disk block for so long.
    private static let queueMax = 4096

    private let sensor: SensorAddress?
    private let gpsd: GPSDAddress?
    private let person: PersonID
    private let recorder: Recorder
    private let clock: BoxClock
    private let logger: Logger

    init(_ options: LiveOptions, person: PersonID, recorder: Recorder, clock: BoxClock, logger: Logger) throws(AgentProblem) {
        sensor = try options.sensor.map(SensorAddress.init(option:))
        gpsd = try options.gpsd.map(GPSDAddress.init(option:))
        guard sensor != nil || gpsd != nil else {
            throw AgentProblem("There is nothing to collect", advice: "Give --sensor ADDRESS, --gpsd HOST:PORT, or both")
        }
        self.person = person
        self.recorder = recorder
        self.clock = clock
        self.logger = logger
    }

    /// Values that are left out are told at the first and then at every doubling.
    private func tell(_ event: Event, _ implausible: inout Int) {
        let count =
            switch event {
            case .heartRate(let event): event.implausible
            case .position(let event): event.implausible
            }
        guard count > 0 else { return }
        let before = implausible
        implausible += count
        guard before == 0 || before.leadingZeroBitCount != implausible.leadingZeroBitCount else { return }
        logger.warning("values that nothing alive and nobody on Earth has were left out", metadata: ["values": "\(implausible)"])
    }

    func run() async throws {
        let (events, continuation) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingNewest(Self.queueMax))
        // The oldest go when the disk blocks for longer than that: said, because nothing may vanish in silence.
        let take: @Sendable (Event) -> Void = { [logger] event in
            guard case .dropped = continuation.yield(event) else { return }
            logger.error("a reading was lost: the disk of this box has not taken any for too long")
        }
        let report: @Sendable (SourceProblem) -> Void = { [logger] in logger.warning("\($0)") }
        let now = clock.boottime
        let heartRates = sensor.map { address in
            ATTHeartRateSource(configuration: .init(address: address), now: now, report: report) { [logger] event in
                if case .lost(let problem, _) = event { logger.warning("\(problem)") }
                if case .connected = event { logger.notice("the heart-rate sensor is connected") }
                take(.heartRate(event))
            }
        }
        let positions = gpsd.map { address in
            GPSDSource(configuration: .init(address: address), now: now, report: report) { [logger] event in
                if case .lost(let problem, _) = event { logger.warning("\(problem)") }
                if case .connected = event { logger.notice("gpsd is connected") }
                take(.position(event))
            }
        }
        try heartRates?.start()
        try positions?.start()
        await cancelWhenGracefulShutdown { [recorder, person] in
            var implausible = 0
            for await event in events {
                self.tell(event, &implausible)
                switch event {
                case .heartRate(let event): await recorder.take(event, of: person)
                case .position(let event): await recorder.take(event, of: person)
                }
            }
        }
        heartRates?.stop()
        positions?.stop()
        await recorder.sealReporting()
    }
}
