internal import NIOCore

/// Carries out one transaction on one connection, in bytes, and a second one where the first is challenged. It decides nothing:
/// ``SIPTransaction`` does.
final class SIPHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var transaction: SIPTransaction
    private var reader = SIPReader()
    private var timer: Scheduled<Void>?
    private let isDatagram: Bool
    private let transport: SIPTarget.Transport
    private var request: SIPRequest
    private let patience: Moment
    private let result: SIPOnce<SIPTransaction.Ending>
    private var problem: String?

    init(_ request: SIPRequest, by transport: SIPTarget.Transport, patience: Moment, result: SIPOnce<SIPTransaction.Ending>) {
        (self.request, self.transport, self.patience, self.result) = (request, transport, patience, result)
        isDatagram = !transport.isReliable
        transaction = SIPTransaction(request, isReliable: transport.isReliable, patience: patience)
    }

    func channelActive(context: ChannelHandlerContext) { handle(.started, context) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = Array(unwrapInboundIn(data).readableBytesView)
        if isDatagram {
            // Bytes that are no SIP are not ours: the answer may still come.
            if let message = SIPReader.message(datagram: bytes) { handle(.received(message), context) }
            return
        }
        do {
            for message in try reader.append(bytes) { handle(.received(message), context) }
        } catch {
            handle(.lost(error == .tooLarge ? "the answer is larger than any answer may be" : "the answer is no SIP"), context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        problem = SIPProblem.text(error)
        if isDatagram { handle(.lost(problem ?? ""), context) } else { context.close(promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        handle(.lost(problem ?? "the connection was closed before an answer came"), context)
    }

    private func handle(_ event: SIPTransaction.Event, _ context: ChannelHandlerContext) {
        for effect in transaction.handle(event, now: Moment(context.eventLoop.now.uptimeNanoseconds / 1_000_000)) {
            carryOut(effect, context)
        }
    }

    private func carryOut(_ effect: SIPTransaction.Effect, _ context: ChannelHandlerContext) {
        switch effect {
        case .send: write(request.bytes(local: SIPHandler.local(context.channel), transport: transport), context)
        case .reply(let message, let status, let reason): write(message.reply(status, reason), context)
        case .wake(let moment):
            timer?.cancel()
            let deadline = NIODeadline.uptimeNanoseconds(UInt64(max(moment, 0)) * 1_000_000)
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            timer = context.eventLoop.scheduleTask(deadline: deadline) {
                let (handler, context) = bound.value
                handler.handle(.timer, context)
            }
        case .finish(let ending):
            timer?.cancel()
            if case .answered(let response, _) = ending, let next = request.answering(response, random: SIPDelivery.random) {
                request = next
                transaction = SIPTransaction(next, isReliable: transport.isReliable, patience: patience)
                return handle(.started, context)
            }
            result.finish(ending)
            // After what is still to be written: a reply must go out first.
            context.close(promise: nil)
        }
    }

    private func write(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(bytes: bytes)), promise: nil)
    }

    private static func local(_ channel: any Channel) -> String {
        guard let address = channel.localAddress, let ip = address.ipAddress else { return "localhost" }
        return SIPTarget.authority(ip, address.port ?? 5060)
    }
}

extension SIPTransaction {
    fileprivate init(_ request: SIPRequest, isReliable: Bool, patience: Moment) {
        self.init(
            branch: request.identity.branch, method: request.message.method, isReliable: isReliable,
            expectsAnswer: request.message.expectsAnswer, patience: patience)
    }
}

/// Takes a datagram out of its envelope, and puts one into it, so that one handler serves all transports.
final class SIPEnvelopes: ChannelDuplexHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = AddressedEnvelope<ByteBuffer>

    private let peer: SocketAddress

    init(peer: SocketAddress) { self.peer = peer }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        context.fireChannelRead(wrapInboundOut(unwrapInboundIn(data).data))
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        context.write(wrapOutboundOut(AddressedEnvelope(remoteAddress: peer, data: unwrapOutboundIn(data))), promise: promise)
    }
}

extension SIPIncoming {
    /// A response to this request (RFC 3261, 8.2.6).
    func reply(_ status: Int, _ reason: String) -> [UInt8] {
        var lines = ["SIP/2.0 \(status) \(reason)"]
        lines += headers.filter { $0.name == "via" }.map { "Via: \($0.value.headerSafe)" }
        for (name, key) in [("From", "from"), ("To", "to"), ("Call-ID", "call-id"), ("CSeq", "cseq")] {
            guard let value = header(key)?.headerSafe else { continue }
            lines.append("\(name): \(value)" + (name == "To" && !value.contains("tag=") ? ";tag=trackme" : ""))
        }
        if status == 405 { lines.append("Allow: MESSAGE") }
        lines += ["Content-Length: 0", "", ""]
        return Array(lines.joined(separator: "\r\n").utf8)
    }
}
