import NIOCore
import Segments
import SyncProtocol
import Vitals

/// The box of one runner: sends what the race says when the race says it, one request in flight, and again until the hub has it.
///
/// It outlives its connections, and stays on one event loop.
final class RaceBox: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The shared part of all boxes of a race.
    struct Shared: Sendable {
        let hub: HubConnection
        let head: RaceHead
        let clock: RaceClock
        let provenance: Provenance
        let sent: RaceSent
    }

    private struct Request {
        var bytes: [UInt8]
        var samples: Int
        var isWritten = false
        var since = NIODeadline.now()
    }

    private let person: PersonID
    private let shared: Shared
    private let loop: any EventLoop
    private let stream = StreamID.random()
    private(set) var play: RacePlay
    private var sequence: UInt64 = 0
    private var request: Request?
    private var isAnswered = true
    private var context: ChannelHandlerContext?
    private var reader = ResponseReader()
    private var status = 0
    private var answer = ByteBuffer()
    private var isStopped = false
    private var isBroken = false

    /// After a failure, and between two looks at a race that goes faster than it is.
    private static let pause = TimeAmount.seconds(1)

    init(_ person: PersonID, _ play: RacePlay, _ shared: Shared, on loop: any EventLoop) {
        (self.person, self.play, self.shared, self.loop) = (person, play, shared, loop)
    }

    // MARK: Time

    /// Connects and goes on until all is sent or somebody stops it. On its loop.
    func begin() {
        connect()
        tick()
    }

    func stop() {
        isStopped = true
        context?.close(promise: nil)
    }

    var isDone: Bool { isStopped || (play.isOver && request == nil) }

    private func tick() {
        guard !isStopped, let due = play.due else { return }
        let now = shared.clock.now
        if due <= now { send() }
        guard let next = play.due else { return }
        // While a request is in flight its answer brings the next one.
        let left = max(next - now, 0) / Milliseconds(shared.clock.speed)
        let wait = shared.clock.speed > 1 || next <= now ? max(left, 1000) : left + 1
        let bound = NIOLoopBound(self, eventLoop: loop)
        loop.scheduleTask(in: .milliseconds(wait)) { bound.value.tick() }
    }

    private func send() {
        guard request == nil else { return }
        let now = shared.clock.now, samples = play.take(until: now)
        guard !samples.isEmpty else { return }
        sequence += 1
        let segment = Segment(
            stream: stream, sequence: sequence, person: person, provenance: shared.provenance, clock: .wall, samples: samples)
        var batch = SegmentBatch()
        guard batch.append(segment.encoded()) else { return problem("a segment is too large to send") }
        // Before it leaves: spectators may see a fix before its box hears that the hub has it.
        let late = samples.positions.map(\.time).filter { now - $0 > RaceSent.lateAfter }, bib = play.bib
        if !late.isEmpty { shared.sent.change { sent in for time in late { sent.late[bib, default: [:]][time] = now } } }
        request = Request(bytes: batch.bytes, samples: samples.count)
        write()
    }

    private func write() {
        guard let context, let request, isAnswered else { return }
        let head = shared.head.current
        var buffer = context.channel.allocator.buffer(capacity: head.utf8.count + request.bytes.count + 32)
        buffer.writeString(head)
        buffer.writeString("Content-Length: \(request.bytes.count)\r\n\r\n")
        buffer.writeBytes(request.bytes)
        isAnswered = false
        if request.isWritten { shared.sent.change { $0.repeats += 1 } }
        self.request?.isWritten = true
        context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
    }

    // MARK: Connection

    private func connect() {
        let bound = NIOLoopBound(self, eventLoop: loop)
        shared.hub.open(on: loop) { bound.value }.whenFailure { error in
            let box = bound.value
            box.problem("\(error)")
            box.later { $0.connect() }
        }
    }

    private func later(_ act: @escaping @Sendable (RaceBox) -> Void) {
        guard !isStopped else { return }
        let bound = NIOLoopBound(self, eventLoop: loop)
        loop.scheduleTask(in: Self.pause) { act(bound.value) }
    }

    func channelActive(context: ChannelHandlerContext) {
        self.context = context
        (reader, isAnswered, isBroken) = (ResponseReader(), true, false)
        write()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        guard !isDone else { return }
        if !isBroken { problem("the hub closed a connection") }
        later { $0.connect() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        isBroken = true
        problem("\(error)")
        context.close(promise: nil)
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
                case .body(var part): if answer.readableBytes == 0 { answer = part } else { answer.writeBuffer(&part) }
                case .end: answered()
                }
            }
        } catch { errorCaught(context: context, error: error) }
    }

    private func answered() {
        isAnswered = true
        guard let request else { return }
        guard status == 200 else {
            // A new token is on its way, or the hub has too much to do: a box tries again.
            problem("the hub answered \(status): \(String(buffer: answer).prefix(200))")
            return later { $0.write() }
        }
        self.request = nil
        let isRefused = LoadConnection.refuses(answer)
        if isRefused { problem(String(String(buffer: answer).prefix(300))) }
        shared.sent.change {
            $0.requests += 1
            $0.samples += isRefused ? 0 : request.samples
            $0.refused += isRefused ? 1 : 0
            $0.answerDelays.add(Double((NIODeadline.now() - request.since).nanoseconds) / 1e6)
        }
        if let due = play.due, due <= shared.clock.now { send() }
        if isDone { context?.close(promise: nil) }
    }

    private func problem(_ what: String) { shared.sent.change { $0.firstProblem = $0.firstProblem ?? what } }
}
