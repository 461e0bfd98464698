internal import Foundation
public import Logging
public import NIOCore
internal import NIOPosix
public import Seams
public import ServiceLifecycle

/// The agent's control socket: who may write to it may ask the box (EDGE-12).
///
/// One JSON ``ControlRequest`` a line in, one JSON ``ControlReply`` a line out, in order.
public struct ControlServer: Service {
    struct Limits: Sendable {
        var connections = 16
        var lineBytes = 64 << 10
        /// How long a connection may stand there without a request.
        var idle = TimeAmount.seconds(60)
        /// How long a client may leave what it asked for unread.
        var slow = TimeAmount.seconds(10)
        var quiet = StatusFeed.quietMax
    }

    let control: any BoxControl
    let limits: Limits
    let machine: Machine
    private let file: ControlServerFile
    private let group: any EventLoopGroup
    private let logger: Logger
    private let onListening: @Sendable () -> Void

    /// - Parameter onListening: called each time the socket has been opened.
    public init(
        control: any BoxControl, path: String, group: any EventLoopGroup, logger: Logger, machine: Machine = .system,
        onListening: @escaping @Sendable () -> Void = {}
    ) {
        self.init(
            control: control, path: path, limits: Limits(), group: group, logger: logger, machine: machine, onListening: onListening)
    }

    init(
        control: any BoxControl, path: String, limits: Limits, group: any EventLoopGroup, logger: Logger, machine: Machine = .system,
        onListening: @escaping @Sendable () -> Void
    ) {
        self.control = control
        (self.limits, self.machine) = (limits, machine)
        self.file = ControlServerFile(path: path)
        self.group = group
        self.logger = logger
        self.onListening = onListening
    }

    /// Until graceful shutdown. A socket that cannot be opened is told in the log and tried again.
    public func run() async throws {
        await keepListening(logger, on: machine) { try await listen() }
    }

    /// - Throws: ``AgentProblem``: another agent lives there, or the place cannot be written.
    func listen() async throws {
        try file.check()
        let listener = Listener(connectionsMax: limits.connections, on: machine, answer)
        let channel: any Channel
        do {
            channel = try await ServerBootstrap(group: group)
                // Scripts end their side when they have asked, and read the answer then.
                .childChannelOption(.allowRemoteHalfClosure, value: true)
                .childChannelInitializer { channel in channel.eventLoop.makeCompletedFuture { try listener.take(channel) } }
                .bind(unixDomainSocketPath: file.draft, cleanupExistingSocketFile: true).get()
        } catch {
            throw file.problem("\(error)")
        }
        do {
            let mark = try file.publish()
            defer { file.remove(mark) }
            onListening()
            await listener.run(channel)
        } catch {
            try? await channel.close()
            throw error
        }
    }
}
