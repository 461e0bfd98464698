import HTTPTypes
import NIOCore
import NIOHTTP1

/// Stands between the bytes of a connection and the hub: refuses what could be read in two ways and what is too much, and sees to it that every
/// answer carries the headers, those of the HTTP library too.
final class RequestGuard: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// Why nothing more is answered on a connection.
    enum Refusal: Equatable {
        case hosts
        case coding
        case tunnel
        case address
        case crowded

        var status: HTTPResponseStatus {
            switch self {
            case .hosts: .badRequest
            case .coding, .tunnel: .notImplemented
            case .address, .crowded: .serviceUnavailable
            }
        }

        /// Seconds.
        var retryAfter: Int? { self == .address ? 10 : self == .crowded ? 5 : nil }

        var text: String {
            switch self {
            case .hosts: "A request names the host that it is for in one Host header. Send exactly one."
            case .coding: "The hub knows no transfer coding but chunked. Send the body in it, or with a Content-Length."
            case .tunnel: "The hub is no proxy, and opens no tunnels by CONNECT."
            case .address: "Too many connections are open from this address. Close some and try again."
            case .crowded: "Too many connections are open. What is left is kept for emergencies. Try again."
            }
        }
    }

    private let connections: Connections
    private let headers: SecurityHeaders
    /// Whether the other end is known for good: with the first request a PROXY header was read, where there is one.
    private var isCounted = false
    private var place: Connections.Place?
    /// Requests that were handed on and not answered yet.
    private var open = 0
    /// Answers whose end was not sent yet.
    private var unsent = 0
    private var refusal: (why: Refusal, isHead: Bool)?
    private var isOver = false
    /// Something was asked on this connection.
    private var hasAsked = false
    /// The hub ends.
    private var isLeaving = false

    /// A connection on which nothing is answered ends after so long.
    private static let patience = TimeAmount.seconds(5)
    /// Whoever came before a hub ended has this long to ask, TLS included: nobody else would know that the request was lost.
    static let patienceWithNew = TimeAmount.seconds(1)

    init(_ connections: Connections, _ headers: SecurityHeaders) { (self.connections, self.headers) = (connections, headers) }

    // MARK: Connections

    func handlerAdded(context: ChannelHandlerContext) {
        connections.opened(context.channel)
        if context.channel.isActive { count(context, isLast: false) }
        if connections.isLeaving { leave(context) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        connections.closed(context.channel)
        place = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        count(context, isLast: false)
        context.fireChannelActive()
    }

    /// By the address of the connection at once; by that of a PROXY header when it was read.
    private func count(_ context: ChannelHandlerContext, isLast: Bool) {
        guard !isCounted else { return }
        let peer = connections.peer(of: context.channel).address
        guard !peer.isEmpty, !connections.proxies.trusts(peer) else {
            isCounted = isLast
            return
        }
        isCounted = true
        place = connections.enter(peer)
        guard let place, place.isTooMuch else { return }
        if place.isFarTooMuch { return context.close(promise: nil) }
        let channel = NIOLoopBound(context, eventLoop: context.eventLoop)
        _ = context.eventLoop.scheduleTask(in: Self.patience) { channel.value.close(promise: nil) }
    }

    // MARK: The end of the hub

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is Connections.Leave else { return context.fireUserInboundEventTriggered(event) }
        leave(context)
    }

    /// A connection on which something was answered may end at any time (RFC 9112, 9.5): its client asks again on another.
    private func leave(_ context: ChannelHandlerContext) {
        isLeaving = true
        guard !hasAsked else { return endIfDone(context) }
        let own = NIOLoopBound(self, eventLoop: context.eventLoop), channel = NIOLoopBound(context, eventLoop: context.eventLoop)
        _ = context.eventLoop.scheduleTask(in: Self.patienceWithNew) { own.value.endIfDone(channel.value) }
    }

    private func endIfDone(_ context: ChannelHandlerContext) {
        if isLeaving, open <= 0, unsent == 0, refusal == nil { context.close(promise: nil) }
    }

    /// Sends the end of an answer, and knows when it is sent: before that the connection does not end.
    private func send(_ end: NIOAny, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        let sent = promise ?? context.eventLoop.makePromise(of: Void.self)
        let own = NIOLoopBound(self, eventLoop: context.eventLoop), channel = NIOLoopBound(context, eventLoop: context.eventLoop)
        unsent += 1
        sent.futureResult.hop(to: context.eventLoop).whenComplete { _ in
            own.value.unsent -= 1
            own.value.endIfDone(channel.value)
        }
        context.write(end, promise: sent)
        if isLeaving { context.flush() }
    }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard refusal == nil else { return }
        guard case .head(let head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        hasAsked = true
        count(context, isLast: true)
        guard let why = Self.refusal(of: head) ?? refusal(at: head.uri) else {
            open += 1
            return context.fireChannelRead(data)
        }
        refusal = (why, head.method == .HEAD)
        connections.refusals?.note(Int(why.status.code), .get, head.uri)
        if open == 0 { refuse(context) }
    }

    /// What could be read in another way by whoever stands before the hub.
    static func refusal(of head: HTTPRequestHead) -> Refusal? {
        var hosts = 0, codings = 0
        for (name, value) in head.headers {
            if name.isSameField("host") {
                hosts += 1
                guard !value.isEmpty, value.utf8.allSatisfy({ isOfHost($0) }) else { return .hosts }
            } else if name.isSameField("transfer-encoding") {
                codings += value.lowercased() == "chunked" ? 1 : 2
            }
        }
        guard hosts == 1 else { return .hosts }
        // Behind it the HTTP library reads no further requests: whoever shares the connection would never be answered.
        guard head.method != .CONNECT else { return .tunnel }
        return codings > 1 ? .coding : nil
    }

    /// A host and a port are ASCII without spaces (RFC 3986, section 3.2.2); a comma would be a list, and before `@` stands a name.
    private static func isOfHost(_ byte: UInt8) -> Bool {
        byte > UInt8(ascii: " ") && byte < 0x7F && byte != UInt8(ascii: ",") && byte != UInt8(ascii: "@")
    }

    private func refusal(at path: String) -> Refusal? {
        if place?.isTooMuch == true { return .address }
        return connections.isCrowded && !UrgentRoutes.contains(path) ? .crowded : nil
    }

    private func refuse(_ context: ChannelHandlerContext) {
        guard let (why, isHead) = refusal, !isOver else { return }
        isOver = true
        var fields: HTTPHeaders = [
            "content-type": "text/plain; charset=utf-8", "cache-control": "no-store", "connection": "close",
            "content-length": "\(why.text.utf8.count)",
        ]
        if let seconds = why.retryAfter { fields.add(name: "retry-after", value: "\(seconds)") }
        headers.add(to: &fields)
        context.write(wrapOutboundOut(.head(.init(version: .http1_1, status: why.status, headers: fields))), promise: nil)
        if !isHead { context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: why.text)))), promise: nil) }
        let channel = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in channel.value.close(promise: nil) }
    }

    // MARK: Answers

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        // The library has its own word on what was refused.
        guard !isOver else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        switch unwrapOutboundIn(data) {
        case .head(var head) where head.status.code >= 200:
            headers.add(to: &head.headers)
            if isLeaving, open == 1 { head.headers.replaceOrAdd(name: "connection", value: "close") }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .end:
            open -= 1
            send(data, context, promise)
            if refusal != nil, open <= 0 {
                context.flush()
                refuse(context)
            }
        default: context.write(data, promise: promise)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if refusal == nil { context.fireErrorCaught(error) }
    }
}

extension String {
    /// Whether it names this header field, in upper or lower case.
    fileprivate func isSameField(_ lowercased: StaticString) -> Bool {
        guard utf8.count == lowercased.utf8CodeUnitCount else { return false }
        var at = lowercased.utf8Start
        for byte in utf8 {
            guard byte | 0x20 == at.pointee else { return false }
            at += 1
        }
        return true
    }
}
