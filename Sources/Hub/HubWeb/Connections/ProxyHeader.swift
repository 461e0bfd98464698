import HubServices
import NIOCore

/// Takes the PROXY header, version 2, off a connection of a trusted proxy, before TLS and HTTP. A connection without one goes on as it is.
final class ProxyHeader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// What the first bytes of a connection are.
    enum Reading: Equatable {
        /// More bytes have to come.
        case more
        /// The connection begins with something else.
        case none
        /// The header says this, and is so long; nil for the proxy's own connection, and for what is no IP.
        case header(address: String?, bytes: Int)
        /// It begins like one, and is none.
        case wrong
    }

    static let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]
    /// Bytes behind the first 16, at most: addresses, and what the hub does not read.
    static let restMax = 4096

    private let connections: Connections
    private var first: ByteBuffer?
    private var isRead = false

    init(_ connections: Connections) { self.connections = connections }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        guard !isRead else { return context.fireChannelRead(data) }
        guard let peer = context.channel.remoteAddress?.ipAddress, connections.proxies.trusts(peer) else {
            isRead = true
            return context.fireChannelRead(data)
        }
        if var held = first {
            held.writeBuffer(&bytes)
            bytes = held
        }
        switch Self.read(bytes.readableBytesView) {
        case .more: first = bytes
        case .wrong: context.close(promise: nil)
        case .none: go(on: bytes, context)
        case .header(let address, let count):
            bytes.moveReaderIndex(forwardBy: count)
            if let address { connections.name(address, for: context.channel) }
            go(on: bytes, context)
        }
    }

    private func go(on bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        (isRead, first) = (true, nil)
        if bytes.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(bytes)) }
    }

    /// Reads what a connection begins with.
    static func read(_ bytes: some Collection<UInt8>) -> Reading {
        let head = Array(bytes.prefix(16))
        guard head.starts(with: signature.prefix(head.count)) else { return .none }
        guard head.count == 16 else { return .more }
        let (version, command, family) = (head[12] >> 4, head[12] & 0x0F, head[13] >> 4)
        let rest = Int(head[14]) << 8 | Int(head[15])
        guard version == 2, command <= 1, rest <= restMax else { return .wrong }
        guard bytes.count >= 16 + rest else { return .more }
        // LOCAL: the proxy's own look whether the hub is there.
        guard command == 1, let size = [1: 4, 2: 16][family] else { return .header(address: nil, bytes: 16 + rest) }
        guard rest >= size * 2 + 4 else { return .wrong }
        return .header(address: IPAddress(networkOrder: bytes.dropFirst(16).prefix(size))?.description, bytes: 16 + rest)
    }
}
