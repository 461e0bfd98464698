import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization
import Testing

/// A connection on which a test says what it likes, byte by byte.
struct RawConnection: Sendable {
    private let channel: any Channel
    private let heard: Heard

    /// What came back so far, and whether the other side hung up.
    final class Heard: Sendable {
        fileprivate let state = Mutex((bytes: "", isClosed: false))
        var text: String { state.withLock { $0.bytes } }
        var isClosed: Bool { state.withLock { $0.isClosed } }
    }

    private final class Ear: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer
        let heard: Heard
        init(_ heard: Heard) { self.heard = heard }
        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let text = String(buffer: unwrapInboundIn(data))
            heard.state.withLock { $0.bytes += text }
        }
        func channelInactive(context: ChannelHandlerContext) { heard.state.withLock { $0.isClosed = true } }
        // A reset is an end too.
        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }

    /// - Parameter authority: the hub's CA, PEM; nil for a hub without TLS.
    init(port: Int, authority: URL?) async throws {
        let context = try authority.map { authority in
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .certificates([try NIOSSLCertificate(bytes: Array(try Data(contentsOf: authority)), format: .pem)])
            return try NIOSSLContext(configuration: tls)
        }
        let heard = Heard()
        self.heard = heard
        channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup).channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                if let context {
                    try channel.pipeline.syncOperations.addHandler(NIOSSLClientHandler(context: context, serverHostname: nil))
                }
                try channel.pipeline.syncOperations.addHandler(Ear(heard))
            }
        }.connect(host: "127.0.0.1", port: port).get()
    }

    /// The certificate that the hub shows on a new connection, DER.
    static func certificate(port: Int, authority: URL) async throws -> [UInt8] {
        let connection = try await RawConnection(port: port, authority: authority)
        await connection.say("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        _ = try await connection.answer { !$0.text.isEmpty || $0.isClosed }
        let shown = try await connection.channel.nioSSL_peerCertificate().get()?.toDERBytes()
        await connection.close()
        return try #require(shown)
    }

    /// Says it; a connection that is closed already hears nothing.
    func say(_ bytes: [UInt8]) async { try? await channel.writeAndFlush(ByteBuffer(bytes: bytes)) }

    /// Says it; a connection that is closed already hears nothing.
    func say(_ text: String) async { try? await channel.writeAndFlush(ByteBuffer(string: text)) }

    /// What the hub answered when it hung up, or after so long; the test's time limit is above that.
    func answer(within seconds: Double = 20, until isEnough: (Heard) -> Bool = { $0.isClosed }) async throws -> Heard {
        let end = ContinuousClock.now + .seconds(seconds)
        while !isEnough(heard), ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(10)) }
        return heard
    }

    func close() async { try? await channel.close() }
}
