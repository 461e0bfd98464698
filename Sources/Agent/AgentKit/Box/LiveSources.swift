internal import BlueZ
internal import Peripherals
internal import Positioning
internal import Sensing
internal import Synchronization
internal import Vitals

/// Events of the sources of this box, in the order of arrival.
enum SourceEvent: Sendable {
    /// Of that sensor: what an earlier one still tells after another was chosen is not the new one's.
    case heartRate(HeartRateEvent, PersonID, SensorAddress)
    case position(PositionEvent)
    /// Why satellites give no position, until they do.
    case receiver(SourceProblem)
    case power(PowerState)
    case sleep(SleepEvent)
    /// Does not end the delivery.
    case problem(SourceProblem)
}

/// The running sources: one for each of a person's sensors, one for the position, one for the power.
final class LiveSources: Sendable {
    /// Enough for ten minutes of several sensors; whoever takes them never waits for a disk.
    static let eventsMax = 4096

    let events: AsyncStream<SourceEvent>
    private let continuation: AsyncStream<SourceEvent>.Continuation
    private let configuration: AgentConfiguration
    private let clock: BoxClock
    private let losses: LostReadings
    private let sensors = Mutex<[Listened: HeartRateSource]>([:])
    private let positions = Mutex<PositionSources?>(nil)
    private let power = Mutex<PowerWatch?>(nil)
    private let sleep = Mutex<SleepGuard?>(nil)

    /// One sensor, and what it is listened to for.
    private struct Listened: Hashable {
        var person: PersonID
        var address: SensorAddress
        var role: SensorRole
    }

    init(configuration: AgentConfiguration, clock: BoxClock, losses: LostReadings) {
        (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.eventsMax))
        self.configuration = configuration
        self.clock = clock
        self.losses = losses
    }

    /// Entry of the sources' events.
    var take: @Sendable (SourceEvent) -> Void {
        { [continuation, losses] event in
            if case .dropped(let oldest) = continuation.yield(event) { losses.note(oldest) }
        }
    }

    /// When the last event was lost because nobody took it in time, by the boot clock; nil for none.
    var lostAt: Milliseconds? { losses.last }

    /// Position and power; the heart-rate sensors come with ``use(_:others:)``.
    func start(_ positions: PositionSources.Configuration) throws(SourceProblem) {
        let take = take
        let position = PositionSources(
            configuration: positions, now: clock.boottime, report: { take(.problem($0)) }, receiver: { take(.receiver($0)) },
            sink: { take(.position($0)) })
        try position.start()
        self.positions.withLock { $0 = position }
        let watch = PowerWatch(report: { take(.problem($0)) }, sink: { take(.power($0)) })
        try watch.start()
        power.withLock { $0 = watch }
        let sleep = SleepGuard { take(.sleep($0)) }
        try sleep.start()
        self.sleep.withLock { $0 = sleep }
    }

    /// Keeps the machine awake, or lets it fall asleep.
    func keep(awake: Bool) { sleep.withLock { $0 }?.keep(awake: awake) }

    /// Listens to these sensors from now on and to no other. Those that go are stopped before any is started: a strap can have moved from
    /// one person to another, and takes one connection.
    /// - Parameters:
    ///   - straps: whose heart rate is wanted.
    ///   - others: what is listened to beside them.
    /// - Throws: the first problem, after all others were started.
    func use(_ straps: [PersonID: SensorAddress], others: [PersonID: [SensorAddress]]) throws(SourceProblem) {
        var problem: SourceProblem?
        let wanted = Set(
            straps.map { Listened(person: $0, address: $1, role: .heartRate) }
                + others.flatMap { person, sensors in sensors.map { Listened(person: person, address: $0, role: .readings) } })
        sensors.withLock { sensors in
            for (sensor, source) in sensors where !wanted.contains(sensor) {
                source.stop()
                sensors[sensor] = nil
            }
            for sensor in wanted where sensors[sensor] == nil {
                let source = source(sensor)
                do throws(SourceProblem) {
                    try source.start()
                    sensors[sensor] = source
                } catch { problem = problem ?? error }
            }
        }
        if let problem { throw problem }
    }

    private func source(_ sensor: Listened) -> HeartRateSource {
        let take = take
        return HeartRateSource(
            configuration: .init(address: sensor.address, role: sensor.role, transport: configuration.bluetooth.transport),
            now: clock.boottime, report: { take(.problem($0)) }, sink: { take(.heartRate($0, sensor.person, sensor.address)) })
    }

    /// Where the box is by the best source; nil before any knew.
    var place: PositionChoice.Current? { positions.withLock { $0 }?.current }

    func stop() {
        sensors.withLock { sensors in
            for source in sensors.values { source.stop() }
            sensors = [:]
        }
        positions.withLock { $0?.stop() }
        power.withLock { $0?.stop() }
        sleep.withLock { $0?.stop() }
        continuation.finish()
    }
}
