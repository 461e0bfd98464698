internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import Seams
internal import SyncProtocol
internal import Synchronization
internal import Vitals

/// HTTP to one hub: no redirections, bounded answers, time limits, and one trust root.
final class HubClient: Sendable {
    enum Trust: Sendable {
        /// Only what these CAs signed, for the name in the address.
        case pinned(PinnedRoots)
        case system
        /// For what is public and compared otherwise.
        case nobody
    }

    enum Method: String {
        case get = "GET"
        case post = "POST"
    }

    /// No answer came, for this reason.
    struct Unreachable: Error, CustomStringConvertible {
        var description: String
    }

    struct Response: Sendable {
        var status: Int
        var retryAfter: Int?
        var location: String?
        /// The other side's clock, UTC milliseconds.
        var date: Milliseconds?
        var body: [UInt8]
    }

    static let answerBytesMax = 1 << 20

    let address: HubAddress
    private let connector: HubConnector
    private let requestLimit: Milliseconds
    private let machine: Machine
    private let state: Mutex<State>

    private struct State {
        /// Open and unused, for the next request.
        var kept: HubConnector.Opened?
        /// Where the hub was reached last.
        var lastAddress: String?
        /// When the certificates of the last answer are valid.
        var life: ClosedRange<Milliseconds>?
    }

    /// - Parameters:
    ///   - clock: says what time it is for certificates.
    ///   - lastAddress: where to look when there is no name service; the certificate is held against the name nevertheless.
    ///   - knownFirst: look there before the name is asked for.
    init(
        _ address: HubAddress, trust: Trust, configuration: AgentConfiguration, clock: TokenClock = TokenClock(.system),
        lastAddress: String? = nil, knownFirst: Bool = false
    ) throws(AgentProblem) {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        tls.applicationProtocols = ["http/1.1"]
        // ServerCertificate decides, and has its own roots.
        tls.trustRoots = .certificates([])
        var roots: TrustedRoots?
        switch trust {
        case .pinned(let pinned): roots = .pinned(pinned)
        case .system: roots = address.scheme == "https" ? .system : nil
        case .nobody: tls.certificateVerification = .none
        }
        var context: NIOSSLContext?
        if address.scheme == "https" {
            do { context = try NIOSSLContext(configuration: tls) } catch {
                throw AgentProblem("TLS cannot be set up (\(error))", advice: "Report this as an error of trackme-agent")
            }
        }
        connector = HubConnector(
            address: address, connectLimit: configuration.connectLimit, tls: context,
            certificate: roots.map {
                ServerCertificate(roots: $0, host: address.hostName, isAddress: address.isNumeric, clock: clock)
            }, knownFirst: knownFirst)
        self.address = address
        (requestLimit, machine) = (configuration.requestLimit, clock.machine)
        state = Mutex(State(lastAddress: lastAddress))
    }

    /// The numeric address at which the hub was reached last; nil before that.
    var lastAddress: String? { state.withLock { $0.lastAddress } }

    /// When the certificates that the hub showed last are valid; nil before that and for plain HTTP. A hub whose clock is outside of it has
    /// a wrong clock.
    var certificateLife: ClosedRange<Milliseconds>? { state.withLock { $0.life } }

    func shutdown() async {
        let kept = state.withLock { state in
            defer { state.kept = nil }
            return state.kept
        }
        try? await kept?.channel.close()
    }

    /// One request; the whole of it within the time limit, whatever it waits for.
    /// - Parameter repeatable: false for what the hub takes once only: it goes over a connection of its own, and is never sent twice.
    func send(
        _ method: Method, _ path: String, headers: [(String, String)] = [], body: [UInt8]? = nil, repeatable: Bool = true
    ) async throws(Unreachable) -> Response {
        var head = HTTPRequestHead(version: .http1_1, method: .init(rawValue: method.rawValue), uri: path, headers: HTTPHeaders(headers))
        head.headers.add(name: "Host", value: address.authority)
        head.headers.add(name: ProtocolVersion.header, value: String(ProtocolVersion.current))
        if let body { head.headers.add(name: "Content-Length", value: String(body.count)) }
        let content = body.map { ByteBuffer(bytes: $0) }
        do {
            return try await withinLimit { [head] in try await self.perform(head, content, repeatable: repeatable) }
        } catch let error as Unreachable {
            throw error
        } catch {
            throw Unreachable(description: reason(error))
        }
    }

    /// Waits for the work no longer than the limit, even where it does not heed that it was cancelled.
    private func withinLimit(_ work: @escaping @Sendable () async throws -> Response) async throws -> Response {
        let (ends, end) = AsyncThrowingStream.makeStream(of: Response.self)
        let request = machine.start {
            do { end.yield(try await work()) } catch { end.finish(throwing: error) }
        }
        let late = Unreachable(description: "\(address) took longer than \(requestLimit / 1000) s to answer")
        let limit = machine.start { [machine, requestLimit] in
            guard (try? await machine.sleep(for: .milliseconds(requestLimit))) != nil else { return }
            end.finish(throwing: late)
        }
        defer {
            request.cancel()
            limit.cancel()
        }
        for try await response in ends { return response }
        throw CancellationError()
    }

    /// Over the kept connection where there is one. When that turns out to be dead, over a new one, if the request can be repeated: hubs
    /// close idle connections.
    private func perform(_ head: HTTPRequestHead, _ body: ByteBuffer?, repeatable: Bool) async throws -> Response {
        let (kept, last) = state.withLock { state in
            defer { state.kept = nil }
            return (state.kept, state.lastAddress)
        }
        if !repeatable { kept?.channel.close(promise: nil) }
        if repeatable, let kept, kept.channel.isActive {
            do { return try await exchange(head, body, over: kept) } catch  where !(error is NIOHTTPObjectAggregatorError) {
                try Task.checkCancellation()
            }
        }
        return try await exchange(head, body, over: connector.open(orAt: last))
    }

    private func exchange(_ head: HTTPRequestHead, _ body: ByteBuffer?, over opened: HubConnector.Opened) async throws -> Response {
        let channel = opened.channel, answer = channel.eventLoop.makePromise(of: NIOHTTPClientResponseFull.self)
        let full: NIOHTTPClientResponseFull
        do {
            full = try await withTaskCancellationHandler {
                // A connection whose handlers are gone drops what is written, and only says so here.
                let written = channel.eventLoop.makePromise(of: Void.self)
                written.futureResult.whenFailure { answer.fail($0) }
                channel.writeAndFlush(Exchange(head: head, body: body, answer: answer), promise: written)
                return try await answer.futureResult.get()
            } onCancel: {
                channel.close(promise: nil)
            }
        } catch {
            channel.close(promise: nil)
            try Task.checkCancellation()
            if case .refused(let why) = opened.verdict.value { throw Unreachable(description: "\(address) \(why)") }
            throw error
        }
        let isKept = full.head.isKeepAlive
        state.withLock { state in
            if isKept { state.kept = opened }
            if let reached = opened.address { state.lastAddress = reached }
            if case .trusted(let life) = opened.verdict.value { state.life = life }
        }
        if !isKept { channel.close(promise: nil) }
        let fields = full.head.headers
        return Response(
            status: Int(full.head.status.code), retryAfter: fields.first(name: "Retry-After").flatMap { Int($0) },
            location: fields.first(name: "Location"), date: fields.first(name: "Date").flatMap(HTTPDate.utc),
            body: full.body.map { Array($0.readableBytesView) } ?? [])
    }

    private func reason(_ error: any Error) -> String {
        switch error {
        case is NIOHTTPObjectAggregatorError: "\(address) answered with more than \(Self.answerBytesMax >> 10) KiB, which no hub does"
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
            "\(address) does not speak TLS as a hub does: a login page of the network? (\(error))"
        case let error as NIOConnectionError where error.connectionErrors.isEmpty:
            "the name \(address.hostName) leads nowhere: no name service, or no network"
        case let error as NIOConnectionError:
            "\(address) cannot be reached (\(error.connectionErrors.first.map { "\($0.error)" } ?? "no address"))"
        case ChannelError.connectTimeout: "\(address) cannot be reached (no answer in time)"
        case ChannelError.eof: "\(address) broke off the connection"
        case is CancellationError: "the agent stops"
        default: "\(address) cannot be reached (\(error))"
        }
    }
}

extension HubAddress {
    /// Without the brackets of an IPv6 address.
    var hostName: String { host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host }
    var portNumber: Int { port ?? (scheme == "https" ? 443 : 80) }
    var isNumeric: Bool { (try? SocketAddress(ipAddress: hostName, port: 0)) != nil }
    /// For the `Host` field.
    var authority: String { host + (port.map { ":\($0)" } ?? "") }
}

extension Uploader.Reply where Answer: Decodable {
    /// The meaning of a response: only a hub's JSON is believed.
    init(_ result: Result<HubClient.Response, HubClient.Unreachable>, from address: HubAddress) {
        let response: HubClient.Response
        switch result {
        case .success(let value): response = value
        case .failure(let error):
            self = .unreachable(error.description)
            return
        }
        let decoder = JSONDecoder()
        switch response.status {
        case 200..<300:
            guard let answer = try? decoder.decode(WireForm<Answer>.self, from: Data(response.body)).message else {
                self = .notTheHub(
                    "\(address) answered with something that is no hub's answer (\(response.body.count) bytes): a login page of the network?"
                )
                return
            }
            self = .answer(answer)
        case 300..<400:
            self = .notTheHub("\(address) sends us elsewhere (\(response.status)): a login page of the network?")
        default:
            let error = try? decoder.decode(ErrorAnswer.self, from: Data(response.body))
            // A proxy on the way can answer these too, and must not stop the agent for good.
            if error == nil, response.status == 403 || response.status == 426 {
                self = .notTheHub("\(address) answered \(response.status) without a hub's explanation")
            } else {
                self = .refused(status: response.status, retryAfter: response.retryAfter, error: error)
            }
        }
    }
}
