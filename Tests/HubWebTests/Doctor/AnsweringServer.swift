import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// Answers every request alike, on loopback and without TLS.
final class AnsweringServer: Sendable {
    private let channel: any Channel
    let port: Int

    init(status: Int, type: String, body: String) async throws {
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Answering(status: status, type: type, body: body))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    /// Of a port on which nobody listens any more.
    static func freePort() async throws -> Int {
        let server = try await AnsweringServer(status: 200, type: "", body: "")
        try await server.channel.close()
        return server.port
    }

    deinit { channel.close(promise: nil) }
}

private final class Answering: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let status: Int, type: String, body: String

    init(status: Int, type: String, body: String) { (self.status, self.type, self.body) = (status, type, body) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .end = unwrapInboundIn(data) else { return }
        let headers = HTTPHeaders([("content-type", type), ("content-length", String(body.utf8.count)), ("connection", "close")])
        context.write(
            wrapOutboundOut(.head(.init(version: .http1_1, status: .init(statusCode: status), headers: headers))), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: body)))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}
