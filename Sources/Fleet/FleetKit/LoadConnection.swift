import NIOCore
import SyncProtocol
import Synchronization

/// Requests that were made before the clock starts, and what came of them. Shared by all connections.
final class LoadRun: Sendable {
    /// Whole requests, head and body.
    let requests: [ByteBuffer]
    private let taken = Atomic<Int>(0)
    private let outcome = Mutex(Outcome())

    struct Outcome: Sendable {
        var answers = 0
        var errors = 0
        var firstError: String?
        var delays = Delays()
    }

    init(requests: [ByteBuffer]) { self.requests = requests }

    /// The next request; nil when all are taken.
    func next() -> ByteBuffer? {
        let index = taken.wrappingAdd(1, ordering: .relaxed).oldValue
        return index < requests.count ? requests[index] : nil
    }

    func add(_ part: Outcome) {
        outcome.withLock {
            $0.answers += part.answers
            $0.errors += part.errors
            $0.firstError = $0.firstError ?? part.firstError
            $0.delays.add(part.delays)
        }
    }

    var result: Outcome { outcome.withLock { $0 } }
}

/// One connection of a closed loop: the next request follows the answer.
final class LoadConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Fired into the pipeline when all connections are ready.
    enum Order { case begin }

    private enum Phase {
        case warming
        case ready
        case loading
        case done
    }

    private let run: LoadRun
    private let warmUp: ByteBuffer
    private let ready: EventLoopPromise<Void>
    private let finished: EventLoopPromise<Void>
    private var phase = Phase.warming
    private var reader = ResponseReader()
    private var outcome = LoadRun.Outcome()
    private var sent = NIODeadline.now()
    private var status = 0
    private var answer = ByteBuffer()

    /// - Parameter warmUp: a request for the handshake, answered before `ready`.
    init(_ run: LoadRun, warmUp: ByteBuffer, ready: EventLoopPromise<Void>, finished: EventLoopPromise<Void>) {
        self.run = run
        self.warmUp = warmUp
        self.ready = ready
        self.finished = finished
    }

    func channelActive(context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(warmUp), promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is Order else { return context.fireUserInboundEventTriggered(event) }
        phase = .loading
        send(context)
    }

    private func send(_ context: ChannelHandlerContext) {
        guard let request = run.next() else { return end(context) }
        sent = .now()
        context.writeAndFlush(wrapOutboundOut(request), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        reader.append(&bytes)
        do {
            while let part = try reader.next() {
                switch part {
                case .head(let status):
                    self.status = status
                    answer.clear()
                case .body(var part):
                    if answer.readableBytes == 0 { answer = part } else { answer.writeBuffer(&part) }
                case .end: answered(context)
                }
            }
        } catch { fail(context, "\(error)") }
    }

    private func answered(_ context: ChannelHandlerContext) {
        switch phase {
        case .warming:
            phase = .ready
            ready.succeed()
        case .loading:
            outcome.answers += 1
            outcome.delays.add(Double((NIODeadline.now() - sent).nanoseconds) / 1e6)
            // A hub may answer 200 and still refuse a segment.
            if status != 200 || Self.refuses(answer) { error("status \(status): \(String(buffer: answer).prefix(300))") }
            send(context)
        case .ready, .done: break
        }
    }

    private static let refusals = [Array("\"refused\":".utf8), Array("\"forked\":".utf8)]

    /// Whether a hub that answers 200 still refuses a segment.
    static func refuses(_ answer: ByteBuffer) -> Bool {
        answer.withUnsafeReadableBytes { bytes in
            var index = 0
            while let quote = bytes[index...].firstIndex(of: UInt8(ascii: "\"")) {
                if refusals.contains(where: { bytes[quote...].starts(with: $0) }) { return true }
                index = quote + 1
            }
            return false
        }
    }

    private func error(_ what: String) {
        outcome.errors += 1
        outcome.firstError = outcome.firstError ?? what
    }

    private func fail(_ context: ChannelHandlerContext, _ what: String) {
        switch phase {
        case .warming: ready.fail(FleetError("A connection to the hub failed before it was used: \(what)"))
        case .loading: error(what)
        case .ready, .done: break
        }
        end(context)
    }

    private func end(_ context: ChannelHandlerContext) {
        guard phase != .done else { return }
        phase = .done
        run.add(outcome)
        finished.succeed()
        context.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { fail(context, "\(error)") }

    func channelInactive(context: ChannelHandlerContext) { fail(context, "the hub closed the connection") }
}
