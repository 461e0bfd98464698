import Glibc
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import Seams
import ServiceLifecycle

/// Takes connections, on sockets of systemd's or on one of its own, and ends without losing who comes meanwhile: what waits in a socket of systemd's
/// is taken by the next hub.
struct HubServer<Child: ServerChildChannel>: Service {
    typealias Listener = NIOAsyncChannel<Child.Value, Never>

    let child: Child
    let connections: Connections
    /// Those that listen already; none: the hub binds its own.
    let sockets: HandedSockets
    let host: String
    let port: Int
    let loops: MultiThreadedEventLoopGroup
    let logger: Logger
    let machine: Machine
    /// Is told the port.
    let listens: @Sendable (Int?) -> Void
    /// Ends answers that go on for as long as their readers stay.
    let endStreams: @Sendable () -> Void

    /// Connections that may wait to be taken; Linux takes its own limit (net.core.somaxconn) where that is lower.
    static var waitingMax: Int32 { 4096 }
    /// What is asked when the hub ends has this long to be answered: whoever comes meanwhile waits for the next hub.
    static var answering: Duration { .seconds(2) }

    func run() async throws {
        let listeners = try await open()
        // NIO does not say where a socket listens that it was given.
        let own = listeners.compactMap { $0.channel.localAddress }.map {
            HandedSockets.Address(host: $0.ipAddress ?? host, port: $0.port ?? port)
        }
        let addresses = sockets.addresses.isEmpty ? own : sockets.addresses
        for address in addresses { logger.info("server started and listening on \(address)") }
        listens(addresses.first?.port)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                guard (try? await gracefulShutdown()) != nil else { return }
                await leave(listeners)
            }
            await withDiscardingTaskGroup { serving in
                for listener in listeners { serving.addTask { await serve(listener) } }
            }
            group.cancelAll()
        }
    }

    private func open() async throws -> [Listener] {
        guard !sockets.descriptors.isEmpty else {
            let listener = try await bootstrap(nil).bind(host: host, port: port) { child.setup(channel: $0, logger: logger) }
            return [listener]
        }
        var listeners: [Listener] = []
        for socket in sockets.descriptors {
            listeners.append(try await bootstrap(socket).bind(socket) { child.setup(channel: $0, logger: logger) })
        }
        return listeners
    }

    private func bootstrap(_ socket: Int32?) -> ServerBootstrap {
        ServerBootstrap(group: loops)
            .serverChannelOption(ChannelOptions.backlog, value: Self.waitingMax)
            .serverChannelOption(ChannelOptions.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(ChannelOptions.allowRemoteHalfClosure, value: true)
            .serverChannelInitializer { [connections] channel in
                channel.eventLoop.makeCompletedFuture {
                    // NIO made the line of a socket that was handed in as short as that of its own ones.
                    if let socket { _ = listen(socket, Self.waitingMax) }
                    try channel.pipeline.syncOperations.addHandler(
                        AvailableConnectionsChannelHandler(delegate: ConnectionPlaces(connections: connections)))
                }
            }
    }

    private func serve(_ listener: Listener) async {
        await withDiscardingTaskGroup { group in
            do {
                try await listener.executeThenClose { inbound in
                    for try await connection in inbound {
                        group.addTask { await child.handle(value: connection, logger: logger) }
                    }
                }
            } catch { logger.error("connections are taken no more", metadata: ["error": "\(error)"]) }
        }
    }

    private func leave(_ listeners: [Listener]) async {
        connections.beginLeaving()
        for listener in listeners { try? await listener.channel.setOption(ChannelOptions.autoRead, value: false).get() }
        // What was taken before that goes to its own thread, back, to its own again, and back: it is not to end with its listener.
        for _ in 0..<3 {
            for loop in loops.makeIterator() { try? await loop.submit {}.get() }
        }
        for listener in listeners { try? await listener.channel.close().get() }
        connections.leave()
        endStreams()
        // Cut short when all are gone.
        guard (try? await machine.sleep(for: Self.answering)) != nil else { return }
        logger.notice("ended connections that were still in use")
        connections.end()
    }
}

/// Whether the server takes one more connection.
private struct ConnectionPlaces: AvailableConnectionsDelegate {
    let connections: Connections
    private var count = 0

    init(connections: Connections) { self.connections = connections }

    mutating func connectionOpened() { count += 1 }
    mutating func connectionClosed() { count -= 1 }
    func isAcceptingNewConnections() -> Bool { count < connections.most && !connections.isLeaving }
}
