internal import Foundation
public import Logging
internal import NIOPosix
public import Seams
internal import SyncProtocol
internal import Vitals

/// A pairing that the person has to confirm.
protocol PairedHub: Sendable {
    var words: String { get }
    var hub: HubAddress { get }
    /// Nil while the person has not confirmed at the hub. Then the box is enrolled, and may take over one of these.
    func claim() async throws -> [TakeOver]?
}

extension BoxPairing: PairedHub {}

/// Sets up a box that belongs to no hub by a page in its network, for half an hour from a start, a long press or a command (EDGE-16):
/// hub and box agree on words, the person confirms them on both, the box is enrolled, and its sensors are chosen and tried.
///
/// Before the words were confirmed on both sides nothing is kept and nothing is collected. The page is for the browser that began; others are
/// sent away until the window is opened anew.
public actor SetUp {
    typealias Pair = @Sendable (BoxPairing.Request) async throws -> any PairedHub

    private enum Stage {
        case open, asking
        case compare(any PairedHub)
        case waiting(any PairedHub)
        /// Enrolled; the person is asked whether to take over settings of an earlier box, until then.
        case offered(HubAddress, [TakeOver], until: Duration)
        case enrolled(HubAddress)

        var isEnrolled: Bool {
            switch self {
            case .open, .asking, .compare, .waiting: false
            case .offered, .enrolled: true
            }
        }
    }

    /// Between two questions whether the person has confirmed at the hub.
    static let claimPause = Duration.seconds(2)
    /// A code lives no longer.
    static let claimMax = Duration.seconds(600)
    /// The agent waits so long for the person's word about settings of an earlier box. Then it starts without them.
    static let offerMax = Duration.seconds(180)

    nonisolated let configuration: AgentConfiguration
    nonisolated let logger: Logger
    nonisolated let machine: Machine
    /// Whether the page's name is announced in the network.
    nonisolated let announcesName: Bool
    private let name: String
    private let pair: Pair
    private let announcer: Announcer
    private let client: ControlClient
    private let openings: AsyncStream<Void>
    private let opening: AsyncStream<Void>.Continuation
    private var window: SetUpWindow?
    private var stage = Stage.open
    private var problem: AgentProblem?
    private var work: Task<Void, Never>?

    /// - Parameter controlSocket: of this agent, which runs once it is enrolled.
    public init(configuration: AgentConfiguration, controlSocket: String, logger: Logger, machine: Machine = .system) {
        self.init(configuration: configuration, controlSocket: controlSocket, logger: logger, machine: machine) { request in
            // Whoever is in the network may name a hub: nothing but TLS is spoken with what they name.
            guard request.hub.lowercased().hasPrefix("https://") else {
                throw AgentProblem("\(request.hub) is not the address of a hub", advice: "Give https://HOST:PORT", kind: .hubAddress)
            }
            return try await BoxPairing.begin(request, configuration: configuration, machine: machine)
        }
    }

    init(
        configuration: AgentConfiguration, controlSocket: String, logger: Logger, machine: Machine, announcesName: Bool = true,
        pair: @escaping Pair
    ) {
        self.announcesName = announcesName
        (self.configuration, self.logger, self.machine, self.pair) = (configuration, logger, machine, pair)
        name = String(ProcessInfo.processInfo.hostName.prefix(64))
        announcer = Announcer(configuration, machine: machine, logger: logger)
        client = ControlClient(path: controlSocket, machine: machine)
        (openings, opening) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    // MARK: - The window

    /// Opens the page for half an hour, for whoever begins first. What was begun before is forgotten.
    /// - Returns: where it is, for people.
    @discardableResult
    public func open() -> ControlReply {
        work?.cancel()
        (window, stage, problem, work) = (SetUpWindow(at: machine.uptime), .open, nil, nil)
        opening.yield()
        let place = SetUpServer.addresses(port: configuration.setUp.port)
        let words = "The set-up page is open for 30 minutes at \(place.joined(separator: " and "))"
        logger.notice("\(words)")
        if let first = place.first { announcer.prompt("prompt.set-up", ["address": String(first.dropFirst("http://".count))]) }
        return ControlReply(isDone: true, message: words)
    }

    /// The box has an identity. Closes the page, unless that came by it: then its sensors are chosen there.
    public func enrolled() async {
        // What the page itself enrolled is done a moment after its file is there.
        for _ in 0..<50 {
            guard case .waiting = stage else { break }
            try? await machine.sleep(for: .milliseconds(100))
        }
        if !stage.isEnrolled { close() }
    }

    /// The person is asked about settings of an earlier box: the agent starts when that is over.
    var isOffering: Bool {
        guard case .offered(let hub, _, let until) = stage else { return false }
        if machine.uptime < until { return true }
        stage = .enrolled(hub)
        return false
    }

    /// Serves the page whenever the window is open, until the task is cancelled.
    public func run() async {
        for await _ in openings {
            while isOpen {
                do { try await SetUpServer(self).listen(group: MultiThreadedEventLoopGroup.singleton) } catch {
                    logger.error("\(error)")
                    try? await machine.sleep(for: .seconds(10))
                }
                if Task.isCancelled { return }
            }
            close()
        }
    }

    var isOpen: Bool { window?.isOpen(at: machine.uptime) ?? false }

    private func close() {
        work?.cancel()
        (window, work) = (nil, nil)
        if !stage.isEnrolled { stage = .open }
    }

    /// Whether the browser with this secret may see anything.
    func lets(_ secret: String?) -> Bool { isOpen && window?.lets(secret) == true }

    /// Whether this is the secret of the browser that began.
    func owns(_ secret: String) -> Bool { window?.owner == secret }

    // MARK: - What the page asks

    func state() -> SetUpState {
        let left = (window?.closes ?? machine.uptime) - machine.uptime
        var state = SetUpState(stage: .open, name: name, minutes: Int(max(.zero, left) / .seconds(60)))
        switch stage {
        case .open: break
        case .asking: state.stage = .asking
        case .compare(let paired): (state.stage, state.words, state.hub) = (.compare, paired.words, paired.hub.description)
        case .waiting(let paired): (state.stage, state.words, state.hub) = (.waiting, paired.words, paired.hub.description)
        case .offered(let hub, let offers, _):
            (state.stage, state.hub, state.offers) = (.offered, hub.description, offers)
        case .enrolled(let hub): (state.stage, state.hub) = (.enrolled, hub.description)
        }
        (state.problem, state.message) = (problem?.words, problem?.description)
        return state
    }

    /// Does what the page asks, for the browser that may.
    /// - Parameters:
    ///   - secret: the browser's; nil for one that has none.
    ///   - fresh: its secret from now on if it is the first.
    /// - Returns: what the page shows then; nil where this browser may not.
    func perform(_ act: SetUpAct, secret: String?, fresh: String) -> SetUpState? {
        guard lets(secret) else { return nil }
        switch act {
        case .begin(let request): begin(request, fresh: fresh)
        case .confirm(let words): confirm(words)
        case .refuse: refuse()
        case .take(let offer): take(offer)
        case .finish: finish()
        case .sensors: break
        }
        return state()
    }

    private func begin(_ request: BoxPairing.Request, fresh: String) {
        if stage.isEnrolled { return }
        work?.cancel()
        guard window?.tryCode(fresh) == true else {
            stage = .open
            problem = AgentProblem("Too many codes were tried", advice: "Open the page anew: trackme-agent setup", kind: .setUpTries)
            return
        }
        (stage, problem) = (.asking, nil)
        work = machine.start { [pair] in
            do {
                let paired = try await pair(request)
                await self.took(paired)
            } catch {
                await self.failed(error)
            }
        }
    }

    /// The person confirms the words here.
    private func confirm(_ words: String) {
        guard case .compare(let paired) = stage, paired.words == words else { return }
        stage = .waiting(paired)
        work = machine.start { [machine] in
            let end = machine.uptime + Self.claimMax
            do {
                while machine.uptime < end, !Task.isCancelled {
                    if let offers = try await paired.claim() { return await self.made(paired, offers) }
                    try await machine.sleep(for: Self.claimPause)
                }
                throw AgentProblem("The words were not confirmed at the hub in time", advice: "Begin again", kind: .setUpOver)
            } catch {
                await self.failed(error)
            }
        }
    }

    /// The words differ, or the person gives up.
    private func refuse() {
        if stage.isEnrolled { return }
        work?.cancel()
        (stage, problem, work) = (.open, nil, nil)
    }

    /// Takes over the settings of an earlier box, by its place in the list; nil for none. What the disk does not take can be tried again.
    private func take(_ offer: Int?) {
        guard case .offered(let hub, let offers, _) = stage else { return }
        problem = nil
        do {
            if let offer {
                guard offers.indices.contains(offer) else { return }
                let damage = try offers[offer].keep(in: StateDirectory(configuration.stateDirectory, machine: machine))
                if let damage { logger.error("\(damage)") }
                logger.notice("takes over settings of an earlier box")
            }
            stage = .enrolled(hub)
        } catch {
            problem = AgentProblem("\(error)", advice: "Look at the agent's log", kind: .setUpDisk)
            logger.error("settings of an earlier box could not be kept: \(error)")
        }
    }

    /// Asks the running agent. It may take seconds to start after the enrolment.
    func sensors(_ request: ControlRequest) async -> ControlReply {
        guard case .enrolled = stage else {
            return ControlReply(isDone: false, message: "The box is not enrolled yet", advice: "Confirm the words first")
        }
        do {
            var reply = try await client.send(request)
            reply.status = nil
            return reply
        } catch {
            let problem = error as? AgentProblem
            return ControlReply(isDone: false, message: problem?.what ?? "\(error)", advice: problem?.advice)
        }
    }

    /// nil before the box is enrolled, and while its agent starts.
    func sensors() async -> SetUpSensors? {
        guard case .enrolled = stage else { return nil }
        return (try? await client.send(ControlRequest(.status)))?.status.map(SetUpSensors.init)
    }

    /// The person is done with this page.
    private func finish() { if case .enrolled = stage { close() } }

    // MARK: - What comes of it

    private func took(_ paired: any PairedHub) {
        guard !Task.isCancelled, case .asking = stage else { return }
        stage = .compare(paired)
        announcer.prompt("prompt.set-up.words", ["words": paired.words.split(separator: "-").joined(separator: ", ")])
    }

    private func made(_ paired: any PairedHub, _ offers: [TakeOver]) {
        stage = offers.isEmpty ? .enrolled(paired.hub) : .offered(paired.hub, offers, until: machine.uptime + Self.offerMax)
        logger.notice("enrolled by the set-up page", metadata: ["hub": "\(paired.hub)"])
        announcer.prompt("prompt.set-up.done")
    }

    private func failed(_ error: any Error) {
        guard !Task.isCancelled, !(error is CancellationError), !stage.isEnrolled else { return }
        problem = error as? AgentProblem ?? AgentProblem("\(error)", advice: "Try again")
        stage = .open
        logger.error("the set-up failed: \(error)")
    }
}
