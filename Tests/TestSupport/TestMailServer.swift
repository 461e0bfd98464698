import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A mail server that a test plays, on loopback: it keeps what it gets, and answers as the test wants.
public final class TestMailServer: Sendable {
    public struct Behaviour: Sendable {
        /// Whether it can speak TLS behind STARTTLS.
        public var offersTLS = true
        /// Whom it lets send; everybody without.
        public var login: (user: String, password: String)?
        /// How long it thinks about a message, in milliseconds.
        public var delay: Int64 = 0
        /// What it answers to a command (`MAIL`, `RCPT`, `DATA`, `.`) in place of what is usual, by the recipient; "" stands for all.
        public var answers: [String: [String: String]] = [:]
        /// After this command, or `.` for the end of a message, it says nothing any more.
        public var fallsSilentAt: String?
        /// It hangs up when it gets this command.
        public var hangsUpAt: String?
        /// Connections end before the next message when they had so many.
        public var messagesPerConnection = Int.max

        public init() {}
    }

    public struct Got: Sendable {
        /// From 1, in the order in which they came.
        public let connection: Int
        public var from = "", to = ""
        /// With CR LF, without the final dot; doubled dots are single.
        public var text = ""
        public var isSecure = false
        public var user: String?
        public var at = ContinuousClock.now
    }

    private struct State {
        var behaviour: Behaviour
        var got: [Got] = []
        var connections = 0, open = 0, openMost = 0
        var commands: [String] = []
    }

    private let state: Mutex<State>
    private let channel: Mutex<(any Channel)?> = Mutex(nil)
    /// A loop of its own: a real server does not wait for what a hub and its readers do.
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    fileprivate let tls: NIOSSLContext
    private let directory: TemporaryDirectory

    public init(_ behaviour: Behaviour = Behaviour()) async throws {
        state = Mutex(State(behaviour: behaviour))
        directory = try TemporaryDirectory()
        let certificate = try NIOSSLCertificate(bytes: Array(TestMailCertificate.server.utf8), format: .pem)
        let key = try NIOSSLPrivateKey(bytes: Array(TestMailCertificate.key.utf8), format: .pem)
        tls = try NIOSSLContext(
            configuration: .makeServerConfiguration(certificateChain: [.certificate(certificate)], privateKey: .privateKey(key)))
        try Data(TestMailCertificate.authority.utf8).write(to: directory.url.appendingPathComponent("authority.pem"))
        let bound = try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(TestMailConversation(server: self, number: self.opened()))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        channel.withLock { $0 = bound }
    }

    public var port: Int { channel.withLock { $0?.localAddress?.port ?? 0 } }
    /// A PEM file with the authority of its certificate, which is for 127.0.0.1 and localhost.
    public var authority: String { directory.url.appendingPathComponent("authority.pem").path }
    public var behaviour: Behaviour {
        get { state.withLock { $0.behaviour } }
        set { state.withLock { $0.behaviour = newValue } }
    }
    /// The messages that it said it takes, or fell silent about.
    public var got: [Got] { state.withLock { $0.got } }
    /// So many connections there were, and so many at a time at most.
    public var connections: Int { state.withLock { $0.connections } }
    public var openMost: Int { state.withLock { $0.openMost } }
    /// Now.
    public var open: Int { state.withLock { $0.open } }
    /// All commands of all connections, without what stands behind them.
    public var commands: [String] { state.withLock { $0.commands } }

    public func close() async throws { try await channel.withLock { $0 }?.close() }

    deinit { group.shutdownGracefully { _ in } }

    private func opened() -> Int {
        state.withLock { state in
            state.connections += 1
            state.open += 1
            state.openMost = max(state.openMost, state.open)
            return state.connections
        }
    }

    fileprivate func closed() { state.withLock { $0.open -= 1 } }
    fileprivate func keep(_ got: Got) { state.withLock { $0.got.append(got) } }
    fileprivate func heard(_ command: String) { state.withLock { $0.commands.append(command) } }
}

/// One connection (RFC 5321).
private final class TestMailConversation: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let server: TestMailServer, number: Int
    private var buffer = ByteBuffer()
    private var isSecure = false, isSilent = false, isData = false
    private var user: String?
    private var message: TestMailServer.Got
    private var count = 0

    init(server: TestMailServer, number: Int) {
        (self.server, self.number, message) = (server, number, .init(connection: number))
    }

    func channelActive(context: ChannelHandlerContext) {
        if server.behaviour.fallsSilentAt == "greeting" { isSilent = true } else { say("220 test", context) }
    }

    func channelInactive(context: ChannelHandlerContext) { server.closed() }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var part = unwrapInboundIn(data)
        buffer.writeBuffer(&part)
        while let end = buffer.readableBytesView.firstIndex(of: 0x0A) {
            let line = buffer.readString(length: end - buffer.readerIndex + 1) ?? ""
            // CR LF is one character.
            take(line.dropLast() + (line.hasSuffix("\r\n") ? "" : "(bare LF)"), context)
        }
    }

    private func say(_ text: String, _ context: ChannelHandlerContext) {
        guard !isSilent else { return }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text + "\r\n")), promise: nil)
    }

    private func take(_ line: String, _ context: ChannelHandlerContext) {
        if isData { return takeText(line, context) }
        let word = String(line.prefix { $0 != " " }).uppercased(), behaviour = server.behaviour
        server.heard(word)
        if behaviour.hangsUpAt == word { return context.close(promise: nil) }
        if behaviour.fallsSilentAt == word { isSilent = true }
        if word == "RCPT" { message.to = address(line) }
        if let answer = behaviour.answers[word]?[message.to] ?? behaviour.answers[word]?[""] { return say(answer, context) }
        switch word {
        case "EHLO", "HELO":
            let offers = (behaviour.offersTLS && !isSecure ? ["STARTTLS"] : []) + (behaviour.login != nil ? ["AUTH PLAIN LOGIN"] : [])
            say((["250-test"] + offers.map { "250-\($0)" } + ["250 8BITMIME"]).joined(separator: "\r\n"), context)
        case "STARTTLS":
            say("220 go ahead", context)
            isSecure = true
            try? context.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: server.tls), position: .first)
        case "AUTH": logIn(line, context)
        case "MAIL":
            if count >= behaviour.messagesPerConnection {
                say("421 test has had enough", context)
                return context.close(promise: nil)
            }
            if behaviour.login != nil, user == nil { return say("530 5.7.0 log in first", context) }
            (message, message.from, message.isSecure, message.user) = (.init(connection: number), address(line), isSecure, user)
            say("250 ok", context)
        case "RCPT", "RSET", "NOOP": say("250 ok", context)
        case "DATA":
            isData = true
            say("354 go ahead", context)
        case "QUIT":
            say("221 bye", context)
            context.close(promise: nil)
        default: say("500 unknown", context)
        }
    }

    private func address(_ line: String) -> String { String(line.drop { $0 != "<" }.dropFirst().prefix { $0 != ">" }) }

    private func logIn(_ line: String, _ context: ChannelHandlerContext) {
        let words = line.split(separator: " "), code = words.count == 3 ? String(words[2]) : nil
        guard words.count == 3, words[1] == "PLAIN", let code, let data = Data(base64Encoded: code) else {
            return say("504 PLAIN only", context)
        }
        let parts = data.split(separator: 0, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
        guard let login = server.behaviour.login, parts == ["", login.user, login.password] else {
            return say("535 5.7.8 wrong password", context)
        }
        user = login.user
        say("235 welcome", context)
    }

    private func takeText(_ line: String, _ context: ChannelHandlerContext) {
        guard line == "." else {
            message.text += (line.hasPrefix("..") ? String(line.dropFirst()) : line) + "\r\n"
            return
        }
        isData = false
        count += 1
        server.heard(".")
        let behaviour = server.behaviour
        if let answer = behaviour.answers["."]?[message.to] ?? behaviour.answers["."]?[""] { return say(answer, context) }
        message.at = .now
        server.keep(message)
        if behaviour.hangsUpAt == "." { return context.close(promise: nil) }
        if behaviour.fallsSilentAt == "." { isSilent = true }
        guard behaviour.delay > 0 else { return say("250 2.0.0 taken", context) }
        let bound = NIOLoopBound((context, self), eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: .milliseconds(behaviour.delay)) { bound.value.1.say("250 2.0.0 taken", bound.value.0) }
    }
}
