import NIOCore
import NIOPosix
import Synchronization

/// A server on loopback that says one thing to everybody, and can be taken away and put back at the same port.
final class LineServer: Sendable {
    enum Manner: Sendable {
        /// As soon as somebody connects, or for each datagram. Headers of a SIP request that stand in `{}` are filled in.
        case says(String)
        case silent
        /// The same to requests of one method, as OPTIONS, and nothing to all others.
        case saysOnly(String, to: String)
        case hangsUp
    }

    private let state: Mutex<Manner>
    private let channel = Mutex<(any Channel)?>(nil)
    private let isDatagram: Bool
    private let known = Mutex(0)
    var port: Int { known.withLock { $0 } }

    init(_ manner: Manner, isDatagram: Bool = false) async throws {
        state = Mutex(manner)
        self.isDatagram = isDatagram
        try await open()
    }

    func become(_ manner: Manner) { state.withLock { $0 = manner } }

    func close() async throws {
        let old = channel.withLock { channel in
            defer { channel = nil }
            return channel
        }
        try await old?.close()
    }

    func open() async throws {
        guard channel.withLock({ $0 == nil }) else { return }
        let group = MultiThreadedEventLoopGroup.singleton, bound: any Channel
        if isDatagram {
            bound = try await DatagramBootstrap(group: group).channelOption(.socketOption(.so_reuseaddr), value: 1)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Datagrams(self)) }
                }
                .bind(host: "127.0.0.1", port: port).get()
        } else {
            bound = try await ServerBootstrap(group: group).serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Lines(self)) }
                }
                .bind(host: "127.0.0.1", port: port).get()
        }
        known.withLock { $0 = bound.localAddress?.port ?? 0 }
        channel.withLock { $0 = bound }
    }

    private var manner: Manner { state.withLock { $0 } }

    private final class Lines: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer
        let server: LineServer

        init(_ server: LineServer) { self.server = server }

        func channelActive(context: ChannelHandlerContext) {
            switch server.manner {
            case .says(let line): context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: line)), promise: nil)
            case .silent, .saysOnly: break
            case .hangsUp: context.close(promise: nil)
            }
        }
    }

    private final class Datagrams: ChannelInboundHandler {
        typealias InboundIn = AddressedEnvelope<ByteBuffer>
        typealias OutboundOut = AddressedEnvelope<ByteBuffer>
        let server: LineServer

        init(_ server: LineServer) { self.server = server }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let request = unwrapInboundIn(data), text = String(buffer: request.data)
            var answer: String
            switch server.manner {
            case .says(let said): answer = said
            case .saysOnly(let said, let method) where text.hasPrefix("\(method) "): answer = said
            case .saysOnly, .silent, .hangsUp: return
            }
            for line in text.split(separator: "\r\n") {
                guard let colon = line.firstIndex(of: ":") else { continue }
                answer = answer.replacing("{\(line[..<colon])}", with: line)
            }
            let envelope = AddressedEnvelope(remoteAddress: request.remoteAddress, data: ByteBuffer(string: answer))
            context.writeAndFlush(wrapOutboundOut(envelope), promise: nil)
        }
    }
}
