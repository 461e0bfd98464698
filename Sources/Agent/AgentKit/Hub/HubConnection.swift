internal import Glibc
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import Synchronization
internal import Vitals

/// Opens connections to one hub, and notices when the other end is gone.
struct HubConnector: Sendable {
    /// Data that nobody confirms for so long, or silence on an idle connection, means that the line is dead (half-open TCP).
    static let silenceMax: Milliseconds = 15_000

    let address: HubAddress
    let connectLimit: Milliseconds
    /// nil for plain HTTP.
    let tls: NIOSSLContext?
    /// nil where nothing is verified.
    let certificate: ServerCertificate?
    /// The numeric address where the hub was reached last is tried before its name: nobody waits for a name service that hangs.
    var knownFirst = false

    /// A connection, and what its server's certificate was found to be; nil before the handshake, and where nothing is verified.
    struct Opened: Sendable {
        let channel: any Channel
        let verdict: Verdict
        /// Where the hub was reached: a channel that is closed does not know it any more.
        let address: String?
    }

    final class Verdict: Sendable {
        private let made = Mutex<ServerCertificate.Verdict?>(nil)
        var value: ServerCertificate.Verdict? {
            get { made.withLock { $0 } }
            set { made.withLock { $0 = newValue } }
        }
    }

    /// By name, and when that leads nowhere to the numeric address that is given.
    func open(orAt last: String?) async throws -> Opened {
        if knownFirst, let last, let known = try? SocketAddress(ipAddress: last, port: address.portNumber),
            let opened = try? await open({ $0.connect(to: known) })
        {
            return opened
        }
        do {
            return try await open { $0.connect(host: address.hostName, port: address.portNumber) }
        } catch {
            guard let last, last != address.hostName, let known = try? SocketAddress(ipAddress: last, port: address.portNumber)
            else { throw error }
            do { return try await open { $0.connect(to: known) } } catch { throw error }
        }
    }

    private func open(_ connect: (ClientBootstrap) -> EventLoopFuture<any Channel>) async throws -> Opened {
        let verdict = Verdict()
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(.milliseconds(connectLimit))
            .channelOption(.socketOption(.so_keepalive), value: 1)
            .channelOption(Self.tcp(TCP_KEEPIDLE), value: 10)
            .channelOption(Self.tcp(TCP_KEEPINTVL), value: 5)
            .channelOption(Self.tcp(TCP_USER_TIMEOUT), value: SocketOptionValue(Self.silenceMax))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let handler = try tlsHandler(verdict) { try pipeline.addHandler(handler) }
                    try pipeline.addHTTPClientHandlers()
                    try pipeline.addHandler(NIOHTTPClientResponseAggregator(maxContentLength: HubClient.answerBytesMax))
                    try pipeline.addHandler(ExchangeHandler())
                }
            }
        let channel = try await connect(bootstrap).get()
        return Opened(channel: channel, verdict: verdict, address: channel.remoteAddress?.ipAddress)
    }

    private static func tcp(_ name: CInt) -> ChannelOptions.Types.SocketOption {
        ChannelOptions.Types.SocketOption(level: .init(IPPROTO_TCP), name: .init(name))
    }

    private func tlsHandler(_ verdict: Verdict) throws -> NIOSSLClientHandler? {
        guard let tls else { return nil }
        // Numeric addresses are no server names (RFC 6066, section 3).
        let name = address.isNumeric ? nil : address.hostName
        guard let certificate else { return try NIOSSLClientHandler(context: tls, serverHostname: name) }
        return try NIOSSLClientHandler(context: tls, serverHostname: name) { chain, promise in
            promise.completeWithTask {
                let judged = await certificate.judge(chain)
                verdict.value = judged
                if case .trusted = judged { return .certificateVerified }
                return .failed
            }
        }
    }
}

/// One request on its way, and who waits for the answer.
struct Exchange: Sendable {
    var head: HTTPRequestHead
    var body: ByteBuffer?
    var answer: EventLoopPromise<NIOHTTPClientResponseFull>
}

/// Sends a request, and hands its whole answer to whoever waits. One at a time.
private final class ExchangeHandler: ChannelDuplexHandler {
    typealias InboundIn = NIOHTTPClientResponseFull
    typealias OutboundIn = Exchange
    typealias OutboundOut = HTTPClientRequestPart

    private var answer: EventLoopPromise<NIOHTTPClientResponseFull>?

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let exchange = unwrapOutboundIn(data)
        guard answer == nil else {
            promise?.fail(ChannelError.operationUnsupported)
            return exchange.answer.fail(ChannelError.operationUnsupported)
        }
        answer = exchange.answer
        context.write(wrapOutboundOut(.head(exchange.head)), promise: nil)
        if let body = exchange.body { context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil) }
        context.write(wrapOutboundOut(.end(nil)), promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        answer?.succeed(unwrapInboundIn(data))
        answer = nil
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(ChannelError.eof)
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { fail(ChannelError.eof) }

    private func fail(_ error: any Error) {
        answer?.fail(error)
        answer = nil
    }
}
