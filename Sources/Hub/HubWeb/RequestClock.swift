import NIOCore
import Synchronization

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

    /// A deadline was set while no timer ran.
    fileprivate enum Wake { case timer }

    /// Bytes of an answer that every line carries in time; a longer one takes the time that it takes.
    static let shortAnswer = 1 << 20

    /// From the connection to the first head.
    private let head: TimeAmount
    private let deadline: RequestDeadline
    private let clocks: RequestClocks
    private var check: Scheduled<Void>?

    fileprivate init(head: TimeAmount, clocks: RequestClocks) {
        (self.head, self.clocks) = (head, clocks)
        deadline = RequestDeadline(pause: head * 6)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        clocks.set(deadline, of: context.channel)
        if deadline.set(NIODeadline.now() + head) { look(context) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        clocks.set(nil, of: context.channel)
        check?.cancel()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is Wake { look(context) } else { context.fireUserInboundEventTriggered(event) }
    }

    /// One timer for all of a connection's requests: it looks at the deadline when it comes.
    private func look(_ context: ChannelHandlerContext) {
        switch deadline.look(at: NIODeadline.now()) {
        case nil: check = nil
        case .over: context.close(promise: nil)
        case .until(let time):
            let loop = NIOLoopBound(self, eventLoop: context.eventLoop), channel = NIOLoopBound(context, eventLoop: context.eventLoop)
            check = context.eventLoop.scheduleTask(deadline: time) { loop.value.look(channel.value) }
        }
    }
}

/// Until when something has to come on a connection. Requests are answered on other threads than the connection's; these set it without
/// waking that one for each request.
final class RequestDeadline: Sendable {
    enum Verdict: Equatable {
        case over
        case until(NIODeadline)
    }

    private struct State {
        var time: NIODeadline?
        /// A timer will look at the time.
        var isTimed = false
    }

    private let state = Mutex(State())
    /// From a head to the answer, and from an answer, which is sent meanwhile, to the next head.
    private let pause: TimeAmount

    init(pause: TimeAmount) { self.pause = pause }

    func tell(_ event: RequestClock.Event, on channel: any Channel) {
        switch event {
        case .began(let isBounded), .answered(let isBounded):
            if set(isBounded ? NIODeadline.now() + pause : nil) { channel.pipeline.fireUserInboundEventTriggered(RequestClock.Wake.timer) }
        }
    }

    /// - Returns: whether a timer has to be started.
    func set(_ time: NIODeadline?) -> Bool {
        state.withLock { state in
            state.time = time
            guard time != nil, !state.isTimed else { return false }
            state.isTimed = true
            return true
        }
    }

    /// What a timer finds; nil where it has to look no more.
    func look(at now: NIODeadline) -> Verdict? {
        state.withLock { state in
            state.isTimed = state.time.map { $0 > now } ?? false
            return state.time.map { $0 > now ? .until($0) : .over }
        }
    }
}

/// The deadlines of all open connections.
final class RequestClocks: Sendable {
    private let deadlines = Mutex<[ObjectIdentifier: RequestDeadline]>([:])
    private let head: TimeAmount

    /// - Parameter head: from the connection to the first head; six times as long for what follows.
    init(head: TimeAmount) { self.head = head }

    /// For a new connection.
    func clock() -> RequestClock { RequestClock(head: head, clocks: self) }

    /// nil for a connection that has ended.
    func deadline(of channel: any Channel) -> RequestDeadline? { deadlines.withLock { $0[ObjectIdentifier(channel)] } }

    fileprivate func set(_ deadline: RequestDeadline?, of channel: any Channel) {
        deadlines.withLock { $0[ObjectIdentifier(channel)] = deadline }
    }
}
