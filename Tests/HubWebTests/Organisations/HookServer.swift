import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization
import TestSupport

@testable import HubWeb

/// An organisation's server: HTTPS on loopback, with what it got and a will of its own.
final class HookServer: Sendable {
    struct Got: Sendable {
        let path: String
        let headers: HTTPHeaders
        let body: [UInt8]
        let at = ContinuousClock.now
        func header(_ name: String) -> String? { headers.first(name: name) }
    }

    enum Answer: Sendable {
        case status(Int)
        /// 204, so many milliseconds later.
        case slow(Int64)
        case redirect(to: String)
        /// 429, with a word on when to come again.
        case later(seconds: Int)
        /// Nothing, until another answer is set: then the connection is closed.
        case silence
        /// A head, and then a byte now and then for ever.
        case trickle
        /// A body far beyond what anybody reads.
        case large
    }

    private struct State {
        var got: [Got] = []
        var connections = 0
        var open: [ObjectIdentifier: any Channel] = [:]
        var silent: [any Channel] = []
        var answer: Answer = .status(204)
        var answers: [String: Answer] = [:]
        /// Numbers of deliveries that are refused, the first time.
        var refused: Set<String> = []
        /// Requests to a path that wait for their answer: now, and at most.
        var asked: [String: Int] = [:], openMax: [String: Int] = [:]

        mutating func answer(to got: Got) -> Answer {
            self.got.append(got)
            asked[got.path, default: 0] += 1
            openMax[got.path] = max(openMax[got.path, default: 0], asked[got.path, default: 0])
            if refused.remove(got.header("TrackMe-Delivery") ?? "") != nil { return .status(503) }
            return answers[got.path] ?? answer
        }
    }

    private let state = Mutex(State())
    private let directory: TemporaryDirectory
    private let channel: Mutex<(any Channel)?> = Mutex(nil)
    private let known = Mutex(0)
    /// What it shows to whoever connects.
    private let context: Mutex<NIOSSLContext>
    private let own: NIOSSLContext
    private let names: [String]
    let trust: TLSConfiguration

    var got: [Got] { state.withLock { $0.got } }
    var connections: Int { state.withLock { $0.connections } }
    /// It keeps its port when it is closed and opened again.
    var port: Int { known.withLock { $0 } }
    /// Connections that were left without an answer go: a client waits for seconds for the end of TLS, and has only some for each server.
    func answer(_ answer: Answer) {
        let silent = state.withLock { state in
            defer { (state.answer, state.silent) = (answer, []) }
            return state.silent
        }
        for channel in silent { channel.close(mode: .all, promise: nil) }
    }

    func answer(_ answer: Answer, at path: String) { state.withLock { $0.answers[path] = answer } }
    func refuseOnce(_ deliveries: [Int]) { state.withLock { $0.refused = Set(deliveries.map(String.init)) } }
    func openMax(at path: String) -> Int { state.withLock { $0.openMax[path] ?? 0 } }
    func got(at path: String) -> [Got] { got.filter { $0.path == path } }

    init(names: [String] = ["127.0.0.1", "hook.test"]) async throws {
        directory = try TemporaryDirectory()
        let authority = try CertificateAuthority.make(in: directory.url, now: Date())
        let (chain, key) = try authority.server(names: names, now: Date())
        var trust = TLSConfiguration.makeClientConfiguration()
        trust.trustRoots = .certificates([try NIOSSLCertificate(bytes: Array(authority.pem.utf8), format: .pem)])
        self.trust = trust
        own = try NIOSSLContext(configuration: .makeServerConfiguration(certificateChain: chain, privateKey: key))
        context = Mutex(own)
        self.names = names
        try await open()
    }

    /// Listens at its port; nothing where it does already.
    func open() async throws {
        guard channel.withLock({ $0 == nil }) else { return }
        let bound = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                self.state.withLock { state in
                    state.connections += 1
                    state.open[ObjectIdentifier(channel)] = channel
                }
                channel.closeFuture.whenComplete { _ in self.state.withLock { $0.open[ObjectIdentifier(channel)] = nil } }
                let context = self.context.withLock { $0 }
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Handler(server: self))
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
        known.withLock { $0 = bound.localAddress?.port ?? 0 }
        channel.withLock { $0 = bound }
    }

    /// From now on it shows a certificate of an authority that nobody trusts, or its own again; connections that are open end.
    func becomeStranger(_ isStranger: Bool) async throws {
        var shown = own
        if isStranger {
            let other = try TemporaryDirectory()
            let (chain, key) = try CertificateAuthority.make(in: other.url, now: Date()).server(names: names, now: Date())
            shown = try NIOSSLContext(configuration: .makeServerConfiguration(certificateChain: chain, privateKey: key))
        }
        context.withLock { $0 = shown }
        await closeConnections()
    }

    /// The certificate of its authority, PEM.
    var authority: String { directory.url.appendingPathComponent("ca.pem").path }

    /// The server is gone, with all its connections.
    func close() async throws {
        let old = channel.withLock { channel in
            defer { channel = nil }
            return channel
        }
        try await old?.close()
        await closeConnections()
    }

    private func closeConnections() async {
        for channel in state.withLock({ Array($0.open.values) }) { try? await channel.close() }
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart
        let server: HookServer
        var head: HTTPRequestHead?
        var body: [UInt8] = []

        init(server: HookServer) { self.server = server }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): (self.head, body) = (head, [])
            case .body(let part): body += Array(buffer: part)
            case .end:
                guard let head else { return }
                let got = Got(path: head.uri, headers: head.headers, body: body)
                respond(server.state.withLock { $0.answer(to: got) }, to: got.path, context)
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

        private func respond(_ answer: Answer, to path: String, _ context: ChannelHandlerContext) {
            func send(_ status: Int, _ headers: HTTPHeaders = [:], body: String = "", ends: Bool = true) {
                var headers = headers
                // The end of a chunked body behind the answer to HEAD would be the beginning of the next one.
                if body.isEmpty, status != 204 { headers.replaceOrAdd(name: "content-length", value: "0") }
                let head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: status), headers: headers)
                context.write(wrapOutboundOut(.head(head)), promise: nil)
                context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: body)))), promise: nil)
                if ends { context.write(wrapOutboundOut(.end(nil)), promise: nil) }
                context.flush()
            }
            func close() { server.state.withLock { $0.asked[path, default: 1] -= 1 } }
            if case .slow(let milliseconds) = answer {
                let bound = NIOLoopBound((context, self), eventLoop: context.eventLoop)
                context.eventLoop.scheduleTask(in: .milliseconds(milliseconds)) {
                    bound.value.1.respond(.status(204), to: path, bound.value.0)
                }
                return
            }
            close()
            switch answer {
            case .slow: break
            case .status(let status): send(status)
            case .later(let seconds): send(429, ["retry-after": "\(seconds)"])
            case .redirect(let target): send(302, ["location": target])
            case .silence: server.state.withLock { $0.silent.append(context.channel) }
            case .trickle: send(200, ["transfer-encoding": "chunked"], body: ".", ends: false)
            case .large: send(200, ["transfer-encoding": "chunked"], body: String(repeating: ".", count: 1 << 20), ends: false)
            }
        }
    }
}
