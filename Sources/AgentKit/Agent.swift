public import Logging
internal import SampleBuffer
internal import ServiceLifecycle
internal import SyncProtocol
internal import UnixSignals
internal import Vitals

/// What an agent is started for.
public enum AgentTask: Sendable {
    case run(LiveOptions)
    case replay(ReplayOptions)
}

/// A composed agent, ready to run.
public struct Agent: Sendable {
    private let services: [any Service]
    /// The one whose end is the agent's end.
    private let main: any Service
    private let logger: Logger

    fileprivate init(services: [any Service], main: any Service, logger: Logger) {
        self.services = services
        self.main = main
        self.logger = logger
    }

    /// Runs until the task is done, or until SIGINT or SIGTERM: then everything that was collected is sealed first.
    public func run() async throws {
        let all =
            services.map { ServiceGroupConfiguration.ServiceConfiguration(service: $0) } + [
                ServiceGroupConfiguration.ServiceConfiguration(service: main, successTerminationBehavior: .gracefullyShutdownGroup)
            ]
        var quiet = logger
        quiet.logLevel = max(.warning, logger.logLevel)
        var configuration = ServiceGroupConfiguration(
            services: all, gracefulShutdownSignals: [.sigint, .sigterm], logger: quiet)
        configuration.maximumGracefulShutdownDuration = .seconds(10)
        // Once after starting, and once when the first requests have been made.
        let release = Task {
            for seconds in [3, 30] {
                try await Task.sleep(for: .seconds(seconds))
                ResidentMemory.releaseStartupPages()
            }
        }
        defer { release.cancel() }
        try await ServiceGroup(configuration: configuration).run()
    }
}

/// The composition root: opens the state, and puts the parts together for a task.
/// - Parameter say: tells the person at the terminal how a replay goes; one line each time.
public func buildAgent(
    configuration: AgentConfiguration, task: AgentTask, clock: BoxClock = .system, logger: Logger,
    say: @escaping @Sendable (String) -> Void
) throws -> Agent {
    guard let identity = try Identity.load(from: configuration.stateDirectory) else {
        throw AgentProblem.notEnrolled(configuration.stateDirectory)
    }
    let directory = try StateDirectory(configuration.stateDirectory)
    let key = try identity.key(in: directory.path)
    let buffer = try SampleBuffer(directory: directory.path, limits: configuration.buffer)
    let nudges = Nudges()
    func recorder(_ target: SealTarget) throws -> Recorder {
        try Recorder(
            buffer: buffer, target: target, boot: .ofSystem(), clock: clock, configuration: configuration, nudges: nudges, logger: logger)
    }
    func sync(_ recorder: Recorder) throws -> SyncService {
        let client = try HubClient(
            identity.hub, trust: identity.certificateAuthority.map { .pinned($0) } ?? .system, configuration: configuration)
        let tokens = TokenRequest(agent: identity.agent, key: key, clock: TokenClock(clock, known: try buffer.status().lastAnswer))
        return SyncService(
            client: client, tokens: tokens, recorder: recorder, nudges: nudges, clock: clock, logger: logger, directory: directory)
    }
    switch task {
    case .run(let options):
        let person = try identity.person(options.person).person
        let recorder = try recorder(.live)
        let live = try LiveCollection(options, person: person, recorder: recorder, clock: clock, logger: logger)
        return Agent(services: [try sync(recorder)], main: live, logger: logger)
    case .replay(let options):
        let replay = try PreparedReplay(options, identity: identity, buffer: buffer, clock: clock)
        let recorder = try recorder(.replay(replay.id))
        let sync = try sync(recorder)
        let service = ReplayService(replay, recorder: recorder, sync: sync, clock: clock, say: say)
        return Agent(services: [sync], main: service, logger: logger)
    }
}
