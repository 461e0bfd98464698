import Sensing
import SourceThread
import SystemBus
import Vitals

/// The thread's part of the source through bluetoothd: runs a ``BlueZSession`` on a connection to the system bus.
struct BlueZLink {
    enum End {
        case stopped
        /// There is no bus, or bluetoothd was not on it for as long as it was waited for.
        case unavailable(LinkFailure)
    }

    /// A bluetoothd that restarts is back by then.
    private static let graceAtRestart: Milliseconds = 10_000
    private static let graceAtStart: Milliseconds = 2000
    private static let farewellLimit: Milliseconds = 2000

    let configuration: HeartRateSource.Configuration
    let now: @Sendable () -> Milliseconds
    let report: @Sendable (SourceProblem) -> Void
    let sink: @Sendable (HeartRateEvent) -> Void
    let stop: StopSignal
    private var telling: LinkEventDebouncer
    private var wasThere = false

    init(
        configuration: HeartRateSource.Configuration, now: @escaping @Sendable () -> Milliseconds,
        report: @escaping @Sendable (SourceProblem) -> Void, sink: @escaping @Sendable (HeartRateEvent) -> Void, stop: StopSignal
    ) {
        self.configuration = configuration
        telling = LinkEventDebouncer(role: configuration.role)
        self.now = now
        self.report = report
        self.sink = sink
        self.stop = stop
    }

    /// Delivers until stopped, or until bluetoothd is away for too long.
    mutating func run() -> End {
        var session = BlueZSession(
            address: configuration.address, role: configuration.role, adapter: configuration.adapter,
            limits: .init(silence: configuration.silenceLimit, batteryInterval: configuration.batteryInterval))
        do throws(BusError) {
            return try deliver(&session)
        } catch {
            let failure = LinkFailure.noSystemBus(error.description)
            if wasThere { tell(failure) }
            return .unavailable(failure)
        }
    }

    mutating func tell(_ failure: LinkFailure) {
        let problem = failure.problem(configuration.address)
        let time = now()
        if telling.isNews(problem, at: time) { sink(.lost(problem, time: time)) }
    }

    private mutating func deliver(_ session: inout BlueZSession) throws(BusError) -> End {
        let bus = try Bus(configuration.bus)
        let inbox = BlueZInbox()
        let registrations = try inbox.register(on: bus) + [PairingAgent.export(on: bus)]
        PairingAgent.expect(configuration.address)
        defer { PairingAgent.forget(configuration.address) }
        defer { withExtendedLifetime(registrations) {} }
        var absentSince: Milliseconds? = now()
        if try bus.owner(of: BlueZName.service) != nil { inbox.events.append(.service(true)) }
        while true {
            while !inbox.events.isEmpty {
                let event = inbox.events.removeFirst()
                if case .service(let isThere) = event {
                    absentSince = isThere ? nil : now()
                    wasThere = wasThere || isThere
                }
                session.jitter = .random(in: -1...1)
                perform(session.handle(event, at: now()), on: bus, inbox)
            }
            let giveUp = absentSince.map { $0 + (wasThere ? Self.graceAtRestart : Self.graceAtStart) }
            if let giveUp, now() >= giveUp { return .unavailable(.noBluetoothd) }
            let wait = [session.deadline, giveUp].compactMap(\.self).min().map { max(0, $0 - now()) } ?? 60_000
            switch bus.wait(stop: stop, milliseconds: wait) {
            case .stopped:
                if let farewell = session.farewell { _ = try? bus.call(farewell, limit: Self.farewellLimit) }
                return .stopped
            case .timedOut: inbox.events.append(.tick)
            case .ready: break
            }
            try bus.process()
            // An event may be nothing for the session.
            if inbox.events.isEmpty, let due = session.deadline, now() >= due { inbox.events.append(.tick) }
        }
    }

    private mutating func perform(_ effects: [BlueZSession.Effect], on bus: Bus, _ inbox: BlueZInbox) {
        for effect in effects {
            switch effect {
            case .event(let event):
                for event in telling.take(event) { sink(event) }
            case .problem(let problem): report(problem)
            case .lost(let failure): tell(failure)
            case .unblockRadio: inbox.events.append(.radio(RadioSwitch.unblock()))
            case .call(let request):
                let answer: (Result<[BusValue], BusError>) -> Void = { result in
                    inbox.events.append(.reply(request.operation, generation: request.generation, result))
                }
                do throws(BusError) { try bus.send(request.call, limit: request.limit, reply: answer) } catch {
                    answer(.failure(error))
                }
            }
        }
    }
}

/// Collects what arrives while the bus works, for the session to handle afterwards. One ``Bus/process()`` adds a bounded number.
final class BlueZInbox {
    var events: [BlueZSession.Event] = []

    func register(on bus: Bus) throws(BusError) -> [BusRegistration] {
        let signals = "type='signal',sender='\(BlueZName.service)',interface="
        return [
            try bus.watchOwner(of: BlueZName.service) { [self] owner in
                // A new owner without a word of the old one's end: a restart all the same.
                events += owner == nil ? [.service(false)] : [.service(true)]
            },
            try bus.subscribe(signals + "'\(BlueZName.objectManager)'") { [self] signal in take(signal) },
            try bus.subscribe(signals + "'\(BlueZName.properties)',path_namespace='/org/bluez'") { [self] signal in take(signal) },
        ]
    }

    private func take(_ signal: BusMessage) {
        let arguments = signal.arguments
        guard arguments.count >= 2 else { return }
        switch signal.member {
        case "InterfacesAdded":
            guard let path = arguments[0].string else { return }
            events.append(.added(path, BlueZObjects.interfaces(arguments[1])))
        case "InterfacesRemoved":
            guard let path = arguments[0].string, let interfaces = arguments[1].strings else { return }
            events.append(.removed(path, interfaces))
        case "PropertiesChanged":
            guard let interface = arguments[0].string, let changed = arguments[1].dictionary else { return }
            events.append(.changed(signal.path, interface, changed))
        default: break
        }
    }
}
