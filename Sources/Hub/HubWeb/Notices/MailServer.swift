import Alerts
import NIOCore
import NIOPosix
import NIOSSL

/// The server that takes the hub's mails, for a look at its greeting (RFC 5321, 3.1).
struct MailServer: Sendable, Hashable {
    let host: String
    let port: Int
    /// TLS from the first byte.
    let isTLS: Bool

    private static let greetingMax = 2000

    /// `smtp://HOST[:PORT]` (587) or `smtps://HOST[:PORT]` (465); nil for anything else.
    /// - Parameter isPlain: without TLS, on this machine: port 25 unless told otherwise.
    init?(_ text: String, isPlain: Bool = false) {
        let forms = [("smtp://", false, isPlain ? 25 : 587), ("smtps://", true, 465)]
        guard let (scheme, isTLS, usual) = forms.first(where: { text.hasPrefix($0.0) }) else { return nil }
        var rest = text.dropFirst(scheme.count)
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        var place = rest, port = usual
        if let colon = rest.lastIndex(of: ":"), !rest.hasSuffix("]") {
            guard let number = Int(rest[rest.index(after: colon)...]), (1...65_535).contains(number) else { return nil }
            (place, port) = (rest[..<colon], number)
        }
        if place.hasPrefix("["), place.hasSuffix("]") { place = place.dropFirst().dropLast() }
        guard !place.isEmpty, !place.contains(where: { "/@ ".contains($0) }) else { return nil }
        (host, self.port, self.isTLS) = (String(place), port, isTLS)
    }

    /// Waits for the server's first line, and takes leave.
    /// - Throws: `WayFailure` where it cannot be reached, says nothing, or says that it takes no mail.
    func greeting(limit: TimeAmount) async throws -> String {
        let loop = MultiThreadedEventLoopGroup.singleton.next(), heard = loop.makePromise(of: String.self)
        let timeout = loop.scheduleTask(in: limit) {
            heard.fail(WayFailure("\(host):\(port) says nothing"))
        }
        defer { timeout.cancel() }
        let channel: any Channel
        do {
            channel = try await ClientBootstrap(group: loop).connectTimeout(limit)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        if isTLS {
                            let context = try NIOSSLContext(configuration: .makeClientConfiguration())
                            let isAddress = (try? SocketAddress(ipAddress: host, port: port)) != nil
                            try channel.pipeline.syncOperations.addHandler(
                                NIOSSLClientHandler(context: context, serverHostname: isAddress ? nil : host))
                        }
                        try channel.pipeline.syncOperations.addHandler(Greeting(heard, max: Self.greetingMax))
                    }
                }
                .connect(host: host, port: port).get()
        } catch {
            heard.fail(error)
            throw WayFailure("the mail server \(host):\(port) cannot be reached: \(error)")
        }
        defer { channel.close(promise: nil) }
        let line: String
        do { line = try await heard.futureResult.get() } catch let failure as WayFailure { throw failure } catch {
            throw WayFailure("the mail server \(host):\(port) cannot be used: \(error)")
        }
        guard line.hasPrefix("220") else { throw WayFailure("the mail server \(host):\(port) takes no mail: \(line.prefix(100))") }
        try? await channel.writeAndFlush(ByteBuffer(string: "QUIT\r\n"))
        return "the mail server greets"
    }

    /// Takes the first line.
    private final class Greeting: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let heard: EventLoopPromise<String>
        private let max: Int
        private var line = ""

        init(_ heard: EventLoopPromise<String>, max: Int) { (self.heard, self.max) = (heard, max) }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            line += String(decoding: unwrapInboundIn(data).readableBytesView, as: UTF8.self)
            if let end = line.firstIndex(where: \.isNewline) { heard.succeed(String(line[..<end])) }
            if line.utf8.count > max { heard.fail(WayFailure("what answers there is no mail server")) }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            heard.fail(error)
            context.close(promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) { heard.fail(WayFailure("the mail server hung up before its greeting")) }
    }
}
