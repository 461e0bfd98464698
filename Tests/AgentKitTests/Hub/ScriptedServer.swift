import NIOCore
import NIOPosix
import Synchronization

/// Answers every connection's first bytes with fixed ones: what a broken hub or a captive portal says.
final class ScriptedServer: Sendable {
    private let channel: any Channel
    let port: Int

    /// - Parameters:
    ///   - answer: sent as it is; nil answers nothing.
    ///   - closes: whether the connection ends behind it.
    convenience init(_ answer: String?, closes: Bool = true) async throws {
        try await self.init([answer], closes: closes)
    }

    /// Each connection gets the next of `answers`, and all further ones the last.
    init(_ answers: [String?], closes: Bool = true) async throws {
        let left = Answers(answers)
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Handler(left.next(), closes)) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    /// Takes connections and closes them.
    init(closingAtOnce: Void) async throws {
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { $0.close() }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    func stop() async { try? await channel.close() }

    static func http(_ status: String, _ headers: String = "", body: String = "") -> String {
        "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\(headers)\r\n\(body)"
    }

    private final class Answers: Sendable {
        private let left: Mutex<[String?]>
        init(_ answers: [String?]) { left = Mutex(answers) }
        func next() -> String? { left.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? nil } }
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let answer: String?
        private let closes: Bool
        private var isAnswered = false

        init(_ answer: String?, _ closes: Bool) {
            self.answer = answer
            self.closes = closes
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard let answer, !isAnswered else { return }
            isAnswered = true
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer)), promise: nil)
            if closes { context.close(promise: nil) }
        }
    }
}
