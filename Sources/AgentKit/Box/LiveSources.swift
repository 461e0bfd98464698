internal import BlueZ
internal import Peripherals
internal import Positioning
internal import Sensing
internal import Synchronization
internal import Vitals

/// What the sources of this box tell, in the order in which it came.
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

/// The running sources: one for each person's sensor, one for the position, one for the power.
final class LiveSources: Sendable {
    /// Enough for ten minutes of several sensors; whoever takes them never waits for a disk.
    static let eventsMax = 4096

    let events: AsyncStream<SourceEvent>
    private let continuation: AsyncStream<SourceEvent>.Continuation
    private let configuration: AgentConfiguration
    private let clock: BoxClock
    private let losses: LostReadings
    private let hearts = Mutex<[PersonID: Heart]>([:])
    private let positions = Mutex<PositionSources?>(nil)
    private let power = Mutex<PowerWatch?>(nil)
    private let sleep = Mutex<SleepGuard?>(nil)

    private struct Heart {
        var address: SensorAddress
        var source: HeartRateSource
    }

    init(configuration: AgentConfiguration, clock: BoxClock, losses: LostReadings) {
        (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.eventsMax))
        self.configuration = configuration
        self.clock = clock
        self.losses = losses
    }

    /// What the sources tell comes in here.
    var take: @Sendable (SourceEvent) -> Void {
        { [continuation, losses] event in
            if case .dropped(let oldest) = continuation.yield(event) { losses.note(oldest) }
        }
    }

    /// When the last event was lost because nobody took it in time, by the boot clock; nil for none.
    var lostAt: Milliseconds? { losses.last }

    /// Position and power; the heart-rate sensors come with ``use(_:)``.
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
    /// - Throws: the first problem, after all others were started.
    func use(_ addresses: [PersonID: SensorAddress]) throws(SourceProblem) {
        var problem: SourceProblem?
        hearts.withLock { hearts in
            for (person, heart) in hearts where addresses[person] != heart.address {
                heart.source.stop()
                hearts[person] = nil
            }
            for (person, address) in addresses where hearts[person] == nil {
                let source = source(of: person, at: address)
                do throws(SourceProblem) {
                    try source.start()
                    hearts[person] = Heart(address: address, source: source)
                } catch { problem = problem ?? error }
            }
        }
        if let problem { throw problem }
    }

    private func source(of person: PersonID, at address: SensorAddress) -> HeartRateSource {
        let take = take
        return HeartRateSource(
            configuration: .init(address: address, transport: configuration.bluetooth.transport), now: clock.boottime,
            report: { take(.problem($0)) }, sink: { take(.heartRate($0, person, address)) })
    }

    /// Where the box is by the best source; nil before any knew.
    var place: PositionChoice.Current? { positions.withLock { $0 }?.current }

    func stop() {
        hearts.withLock { hearts in
            for heart in hearts.values { heart.source.stop() }
            hearts = [:]
        }
        positions.withLock { $0?.stop() }
        power.withLock { $0?.stop() }
        sleep.withLock { $0?.stop() }
        continuation.finish()
    }
}
