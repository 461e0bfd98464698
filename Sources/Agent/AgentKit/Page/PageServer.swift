public import Languages
public import Logging
public import NIOCore
internal import NIOHTTP1
internal import NIOPosix
public import Seams
public import ServiceLifecycle

/// The large-button page of the box, for a browser on the box itself (EDGE-12).
public struct PageServer: Service {
    struct Limits: Sendable {
        /// A browser opens six to one server.
        var connections = 32
        var bodyBytes = 4096
        /// How long a connection stays open between two requests.
        var idle = TimeAmount.seconds(60)
        /// How long a request may take to come, and an answer to be read.
        var slow = TimeAmount.seconds(10)
        var quiet = StatusFeed.quietMax
    }

    let control: any BoxControl
    /// Of a page whose reader says no other.
    let language: Language
    let limits: Limits
    let machine: Machine
    let content = PageContent()
    private let port: Int
    private let group: any EventLoopGroup
    private let logger: Logger
    private let onListening: @Sendable (_ port: Int) -> Void

    /// - Parameters:
    ///   - port: on 127.0.0.1; 0 takes a free one.
    ///   - onListening: called with the port each time it has been opened.
    public init(
        control: any BoxControl, port: Int, language: Language, group: any EventLoopGroup, logger: Logger, machine: Machine = .system,
        onListening: @escaping @Sendable (_ port: Int) -> Void = { _ in }
    ) {
        self.init(
            control: control, port: port, language: language, limits: Limits(), group: group, logger: logger, machine: machine,
            onListening: onListening)
    }

    init(
        control: any BoxControl, port: Int, language: Language, limits: Limits, group: any EventLoopGroup, logger: Logger,
        machine: Machine = .system, onListening: @escaping @Sendable (_ port: Int) -> Void
    ) {
        self.control = control
        self.port = port
        self.language = language
        (self.limits, self.machine) = (limits, machine)
        self.group = group
        self.logger = logger
        self.onListening = onListening
    }

    /// Until graceful shutdown. A port that is taken is told in the log and tried again.
    public func run() async throws {
        await keepListening(logger, on: machine) { try await listen() }
    }

    private func listen() async throws {
        let listener = Listener(connectionsMax: limits.connections, on: machine) { connection, isTooMany in
            try await answer(connection, isTooMany: isTooMany)
        }
        let channel: any Channel
        do {
            channel = try await Self.open("127.0.0.1", port, group: group, listener)
        } catch {
            throw AgentProblem(
                "The box's page cannot be opened at http://127.0.0.1:\(port): \(error)",
                advice: "Stop what uses this port (`ss -ltnp` names it), or choose another port for the page")
        }
        onListening(channel.localAddress?.port ?? port)
        await listener.run(channel)
    }

    /// A connection from where nobody is answered: it is closed.
    private struct Unwanted: Error {}

    /// Listens for HTTP.
    /// - Parameter isWanted: whether somebody with this address is answered.
    static func open(
        _ host: String, _ port: Int, group: any EventLoopGroup, _ listener: Listener<HTTPServerRequestPart, HTTPServerResponsePart>,
        isWanted: @escaping @Sendable (SocketAddress?) -> Bool = { _ in true }
    ) async throws -> any Channel {
        try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard isWanted(channel.remoteAddress) else { throw Unwanted() }
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline(withErrorHandling: true)
                    try listener.take(channel)
                }
            }
            .bind(host: host, port: port).get()
    }
}
