internal import Alerts
internal import BlueZ
internal import Crypto
internal import Distress
public import Logging
internal import NIOPosix
internal import SampleBuffer
internal import Seams
internal import ServiceLifecycle
internal import SyncProtocol
internal import UnixSignals
internal import Vitals

/// The purpose for which an agent is started.
public enum AgentTask: Sendable {
    case run(LiveOptions)
    case replay(ReplayOptions)
}

/// A composed agent, ready to run.
public struct Agent: Sendable {
    private let services: [any Service]
    /// The one whose end is the agent's end.
    private let main: any Service
    private let departures: Departures
    private let machine: Machine
    private let logger: Logger

    fileprivate init(services: [any Service], main: any Service, departures: Departures, machine: Machine, logger: Logger) {
        (self.services, self.main, self.departures) = (services, main, departures)
        (self.machine, self.logger) = (machine, logger)
    }

    /// Runs until the task is done, until somebody of this box is gone, or until SIGINT or SIGTERM: then everything that was collected is sealed
    /// first.
    public func run() async throws {
        let all =
            services.map { ServiceGroupConfiguration.ServiceConfiguration(service: $0) }
            + [departures as any Service, main].map {
                ServiceGroupConfiguration.ServiceConfiguration(service: $0, successTerminationBehavior: .gracefullyShutdownGroup)
            }
        var quiet = logger
        quiet.logLevel = max(.warning, logger.logLevel)
        var configuration = ServiceGroupConfiguration(
            services: all, gracefulShutdownSignals: [.sigint, .sigterm], logger: quiet)
        configuration.maximumGracefulShutdownDuration = .seconds(10)
        // Memory that composing, starting and the first requests needed.
        let release = machine.start { [machine] in
            for wait in [0, 100, 900, 2000, 30_000] {
                guard (try? await machine.sleep(for: .milliseconds(wait))) != nil else { return }
                ResidentMemory.releaseStartupPages()
            }
        }
        defer { release.cancel() }
        try await ServiceGroup(configuration: configuration).run()
    }
}

private func openBuffer(_ directory: StateDirectory, _ configuration: AgentConfiguration) throws -> SampleBuffer {
    do throws(BufferError) {
        return try SampleBuffer(directory: directory.path, limits: configuration.buffer, machine: directory.machine)
    } catch {
        guard case .inUse = error else { throw error }
        throw AgentProblem.inUse(directory.path)
    }
}

/// The composition root: opens the state, and puts the parts together for a task.
/// - Parameter say: tells the person at the terminal how a replay goes; one line each time.
public func buildAgent(
    configuration: AgentConfiguration, task: AgentTask, clock: BoxClock = .system, logger: Logger,
    say: @escaping @Sendable (String) -> Void
) throws -> Agent {
    // What reading the command line and the configuration needed.
    ResidentMemory.releaseStartupPages()
    for problem in AlarmTexts.problems + Wording.problems { logger.warning("a language is not complete", metadata: ["why": "\(problem)"]) }
    let core = try AgentCore(configuration, clock: clock, logger: logger)
    return switch task {
    case .run(let options): try core.box(options)
    case .replay(let options): try core.replay(options, say: say)
    }
}

/// The base of every task of the agent.
private struct AgentCore {
    let configuration: AgentConfiguration, clock: BoxClock, logger: Logger
    let identity: Identity, key: P256.Signing.PrivateKey, roots: PinnedRoots?
    let directory: StateDirectory, buffer: SampleBuffer
    let nudges = SyncSignals(), access: SOSAccess, time: TokenClock
    let succession: AuthoritySuccession?
    let departures: Departures
    /// Of whom the last trace was erased by this start.
    let gone: [BoundPerson]

    init(_ configuration: AgentConfiguration, clock: BoxClock, logger: Logger) throws {
        (self.configuration, self.clock, self.logger) = (configuration, clock, logger)
        gone = Departure.finish(configuration, machine: clock.machine, logger: logger)
        guard var identity = try Identity.load(from: configuration.stateDirectory, machine: clock.machine) else {
            throw AgentProblem.notEnrolled(configuration.stateDirectory)
        }
        // Where the disk refused to erase them.
        let leaving = Departure.noted(in: configuration.stateDirectory, machine: clock.machine)
        identity.persons.removeAll { leaving.contains($0.person) }
        if identity.persons.isEmpty, !leaving.isEmpty { throw AgentProblem.notEnrolled(configuration.stateDirectory) }
        let directory = try StateDirectory(configuration.stateDirectory, machine: clock.machine)
        (self.identity, self.directory) = (identity, directory)
        key = try identity.key(in: directory.path, machine: clock.machine)
        buffer = try openBuffer(directory, configuration)
        access = SOSAccess(directory, logger: logger)
        // An unreadable file is no reason not to collect.
        time = TokenClock(clock, known: (try? buffer.status())?.lastAnswer)
        departures = Departures(identity, directory, logger: logger)
        roots = try identity.roots()
        succession = roots.map { AuthoritySuccession(identity, roots: $0, directory: directory, logger: logger) }
    }

    private func recorder(_ target: SealTarget) throws -> Recorder {
        try Recorder(
            buffer: buffer, target: target, boot: .ofSystem(clock.machine), clock: clock, time: time, configuration: configuration,
            nudges: nudges, logger: logger)
    }

    private var trust: HubClient.Trust { roots.map { .pinned($0) } ?? .system }

    private func client() throws -> HubClient {
        try HubClient(identity.hub, trust: trust, configuration: configuration, clock: time, lastAddress: try? buffer.hubAddress())
    }

    private func sync(_ recorder: Recorder, showsCheckIns: Bool = false) throws -> SyncService {
        let tokens = TokenRequest(agent: identity.agent, key: key, clock: time)
        return SyncService(
            client: try client(), tokens: tokens, recorder: recorder, nudges: nudges, clock: clock, logger: logger, directory: directory,
            access: access, succession: succession, departures: departures, showsCheckIns: showsCheckIns)
    }

    private func sosLink() throws -> SOSLink {
        var quick = configuration
        (quick.connectLimit, quick.requestLimit) = (SOSLink.connectLimit, SOSLink.requestLimit)
        let client = try HubClient(
            identity.hub, trust: trust, configuration: quick, clock: time, lastAddress: access.address ?? (try? buffer.hubAddress()),
            knownFirst: true)
        return SOSLink(client: client, access: access)
    }

    func box(_ options: LiveOptions) throws -> Agent {
        let recorder = try recorder(.live)
        let sync = try sync(recorder, showsCheckIns: configuration.answersCheckIns(of: identity))
        var (settings, damage) = BoxSettings.load(from: directory)
        for problem in [damage, configuration.takenProblem].compactMap(\.self) { logger.error("\(problem)") }
        if let sensor = options.sensor {
            settings.use(try SensorAddress(option: sensor), name: nil, for: try identity.person(options.person).person)
        }
        let parts = try parts(recorder, sync)
        let box = Box(
            identity: identity, settings: settings, configuration: configuration, directory: directory, clock: clock,
            boot: .ofSystem(clock.machine), parts: parts, logger: logger)
        let group = MultiThreadedEventLoopGroup.singleton
        let control = ControlServer(
            control: box, path: options.controlSocket, group: group, logger: logger, machine: clock.machine)
        var services: [any Service] = [sync, control]
        if configuration.page.port > 0 {
            services.append(
                PageServer(
                    control: box, port: configuration.page.port, language: configuration.language, group: group, logger: logger,
                    machine: clock.machine))
        }
        let time = time
        let positions = try configuration.positionSources(directory.placeStorage(), earliest: { time.candidates().floor })
        let main = BoxService(box, parts: parts, positions: positions, logger: logger)
        parts.announcer.tell(gone: gone)
        return Agent(services: services, main: main, departures: departures, machine: clock.machine, logger: logger)
    }

    private func parts(_ recorder: Recorder, _ sync: SyncService) throws -> BoxParts {
        let announcer = Announcer(configuration, machine: clock.machine, logger: logger)
        return BoxParts(
            sources: LiveSources(
                configuration: configuration, clock: clock,
                losses: LostReadings(recorder: recorder, persons: identity.persons.map(\.person), clock: clock, logger: logger)),
            queue: SampleQueue(recorder: recorder, clock: clock, logger: logger), recorder: recorder, sync: sync, nudges: nudges,
            time: time, announcer: announcer,
            sos: .ofBox(
                configuration: configuration, directory: directory, hub: try sosLink(), announcer: announcer, logger: logger),
            checkIns: CheckInLink(client: try client(), access: access, nudges: nudges),
            reports: BoxConditionLink(client: try client(), access: access, departures: departures, recorder: recorder))
    }

    func replay(_ options: ReplayOptions, say: @escaping @Sendable (String) -> Void) throws -> Agent {
        let replay = try PreparedReplay(options, identity: identity, buffer: buffer, clock: clock)
        let recorder = try recorder(.replay(replay.id))
        let sync = try sync(recorder)
        let own = SOSSettingsFile.load(from: directory.path, machine: clock.machine).settings?.people.first { $0.person == replay.person }
        let service = ReplayService(
            replay, recorder: recorder, sync: sync, clock: clock, distress: own?.distress ?? DistressSettings(), say: say)
        return Agent(services: [sync], main: service, departures: departures, machine: clock.machine, logger: logger)
    }
}
