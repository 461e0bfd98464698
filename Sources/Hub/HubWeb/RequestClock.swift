import Hummingbird
import NIOCore

/// Hangs up on who holds a connection for nothing: a head, a form and the next request have to come in time, however steadily their bytes drip.
/// The HTTP library itself only ends connections on which nothing comes at all.
final class RequestClock: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Never

    /// What becomes known of a request beside the connection's bytes.
    enum Event: Sendable {
        /// Its head is there; `isBounded`: its body is short.
        case began(isBounded: Bool)
        /// Its answer is there; `isBounded`: it is no stream, and short.
        case answered(isBounded: Bool)
    }

    /// Bytes of an answer that every line carries in time; a longer one takes the time that it takes.
    static let shortAnswer = 1 << 20

    /// From the connection to the first head.
    private let head: TimeAmount
    /// From a head to the answer, and from an answer, which is sent meanwhile, to the next head.
    private let next: TimeAmount

    private var deadline: NIODeadline?
    private var check: Scheduled<Void>?

    init(head: TimeAmount) { (self.head, next) = (head, head * 6) }

    func handlerAdded(context: ChannelHandlerContext) { set(head, context) }
    func handlerRemoved(context: ChannelHandlerContext) { check?.cancel() }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event as? Event {
        case .began(let isBounded), .answered(let isBounded): set(isBounded ? next : nil, context)
        case nil: context.fireUserInboundEventTriggered(event)
        }
    }

    /// One timer for all of a connection's requests: it looks at the deadline when it comes.
    private func set(_ time: TimeAmount?, _ context: ChannelHandlerContext) {
        deadline = time.map { .now() + $0 }
        guard let deadline, check == nil else { return }
        schedule(deadline, context)
    }

    private func schedule(_ time: NIODeadline, _ context: ChannelHandlerContext) {
        let loop = NIOLoopBound(self, eventLoop: context.eventLoop), channel = NIOLoopBound(context, eventLoop: context.eventLoop)
        check = context.eventLoop.scheduleTask(deadline: time) { loop.value.look(channel.value) }
    }

    private func look(_ context: ChannelHandlerContext) {
        check = nil
        guard let deadline else { return }
        if deadline <= .now() { context.close(promise: nil) } else { schedule(deadline, context) }
    }
}
