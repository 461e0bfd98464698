internal import Foundation
internal import Languages
public import Logging
internal import NIOPosix
internal import Peripherals
public import Seams
internal import Sensing
internal import Supervision

/// A service that was installed and not yet enrolled: it waits for `trackme-agent enrol` instead of failing again and again, says so at its
/// control socket, and uses the credential `enrolment` (a line `URL#FINGERPRINT CODE`) when the service manager brings one.
public struct EnrolmentWait: Sendable {
    /// The network may come later than the service.
    private static let firstPause = 5
    private static let longestPause = 60

    private let configuration: AgentConfiguration
    private let controlSocket: String
    private let setUp: SetUp
    private let logger: Logger
    private let machine: Machine

    /// - Parameter setUp: the set-up page, which somebody else serves.
    public init(
        configuration: AgentConfiguration, controlSocket: String, setUp: SetUp, logger: Logger, machine: Machine = .system
    ) {
        (self.configuration, self.controlSocket, self.setUp) = (configuration, controlSocket, setUp)
        (self.logger, self.machine) = (logger, machine)
    }

    /// Returns when there is an identity; at once when there is one already.
    /// - Parameter credentials: the directory that the service manager made for them.
    public func untilEnrolled(credentials: String?) async throws {
        let directory = configuration.stateDirectory
        let gone = Departure.finish(configuration, machine: machine, logger: logger)
        guard try Identity.load(from: directory, machine: machine) == nil else { return }
        let problem = AgentProblem.notEnrolled(directory)
        let server = ControlServer(
            control: UnenrolledBox(problem: problem, configuration: configuration, setUp: setUp), path: controlSocket,
            group: MultiThreadedEventLoopGroup.singleton, logger: logger, machine: machine)
        logger.saying { () throws(ServiceManagerProblem) in
            try ServiceManager.ready(status: "waiting to be enrolled: sudo trackme-agent enrol URL CODE")
        }
        let announcer = gone.isEmpty ? nil : Announcer(configuration, machine: machine, logger: logger)
        announcer?.tell(gone: gone)
        defer { announcer?.stop() }
        if configuration.setUp.isAutomatic { await setUp.open() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            group.addTask { await enrol(from: credentials) }
            while try await !isDone() {
                logger.saying { () throws(ServiceManagerProblem) in try ServiceManager.watchdog() }
                try await machine.sleep(for: .seconds(1))
            }
            group.cancelAll()
        }
        logger.notice("enrolled")
    }

    /// There is an identity, and the person has said whether settings of an earlier box are taken over.
    private func isDone() async throws -> Bool {
        guard try Identity.load(from: configuration.stateDirectory, machine: machine) != nil else { return false }
        await setUp.enrolled()
        return await !setUp.isOffering
    }

    /// Tries until the hub itself refuses the code; then another one is waited for.
    private func enrol(from credentials: String?) async {
        guard let path = credentials.map({ $0 + "/enrolment" }), machine.files.exists(path) else {
            return logger.warning("\(AgentProblem.notEnrolled(configuration.stateDirectory))")
        }
        var useless: [UInt8]?
        var pause = Self.firstPause
        while !Task.isCancelled {
            let content = (try? machine.files.read(path)) ?? []
            if content != useless {
                do {
                    let outcome = try await enrolment(content).perform(configuration: configuration, machine: machine)
                    return logger.notice("enrolled by the credential", metadata: ["key words": "\(outcome.keyWords)"])
                } catch {
                    guard !Task.isCancelled else { return }
                    logger.error("enrolling by the credential failed: \(error)")
                    guard (error as? AgentProblem)?.isFinal == true else {
                        try? await machine.sleep(for: .seconds(pause))
                        pause = min(2 * pause, Self.longestPause)
                        continue
                    }
                    logger.error("no more tries with this credential: write a new code into it, then systemctl restart trackme-agent")
                    useless = content
                    pause = Self.firstPause
                }
            }
            try? await machine.sleep(for: .seconds(Self.firstPause))
        }
    }

    private func enrolment(_ content: [UInt8]) throws(AgentProblem) -> Enrolment {
        let words = String(decoding: content, as: UTF8.self).split(whereSeparator: \.isWhitespace).map(String.init)
        guard words.count == 2 else {
            var problem = AgentProblem("The credential enrolment has not the form URL#FINGERPRINT CODE", advice: "Write both into it")
            problem.isFinal = true
            throw problem
        }
        return Enrolment(hub: words[0], code: words[1], name: String(ProcessInfo.processInfo.hostName.prefix(64)), replaces: false)
    }
}

/// The answers of a box that belongs to no hub: it can be set up, and nothing else.
private struct UnenrolledBox: BoxControl {
    let problem: AgentProblem
    let configuration: AgentConfiguration
    let setUp: SetUp

    func perform(_ request: ControlRequest) async -> ControlReply {
        // There is nobody yet whom a long press could call.
        let isPress = request.action == .help && request.isButton == true
        if request.action == .setUp || (isPress && configuration.setUp.isAutomatic) { return await setUp.open() }
        var reply = ControlReply(problem)
        reply.unenrolled = configuration.language
        return reply
    }

    func statuses() async -> AsyncStream<BoxStatus> { AsyncStream { $0.finish() } }
}
