import NIOCore
import Segments
import SyncProtocol
import Synchronization
import Vitals

/// The samples that the simulated boxes of a live run sent.
final class LiveSent: Sendable {
    struct Counts: Sendable {
        /// Of each person, the times of the samples that the hub acknowledged: one heart rate and one position each.
        var acknowledged: [PersonID: [Milliseconds]] = [:]
        var requests = 0
        var errors = 0
        var firstError: String?
        var answerDelays = Delays()
    }
    private let counts = Mutex(Counts())

    func change(_ body: (inout Counts) -> Void) { counts.withLock { body(&$0) } }

    var result: Counts { counts.withLock { $0 } }
}

/// One person's box: measures every second, and sends as samples arrive, one request in flight.
final class LivePerson: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Fired into the pipeline: the first one starts, the second one ends the measuring.
    enum Order {
        case begin(after: TimeAmount)
        case stop
    }

    private let person: PersonID
    private let head: String
    private let sent: LiveSent
    private let stream = StreamID.random()
    private var runner: Runner
    private var sequence: UInt64 = 0
    private var ticks: RepeatedTask?
    private var collected = SampleSet()
    private var inFlight: (times: [Milliseconds], since: NIODeadline)?
    private var reader = ResponseReader()
    private var status = 0

    /// - Parameter head: of every request, up to the length of its body.
    init(_ person: PersonID, number: Int, head: String, sent: LiveSent) {
        self.person = person
        self.head = head
        self.sent = sent
        runner = Runner(number: number)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event as? Order {
        case .begin(let delay):
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            ticks = context.eventLoop.scheduleRepeatedTask(initialDelay: delay, delay: .seconds(1)) { _ in
                let (handler, context) = bound.value
                handler.measure(context)
            }
        case .stop:
            ticks?.cancel()
            ticks = nil
        case nil: context.fireUserInboundEventTriggered(event)
        }
    }

    private func measure(_ context: ChannelHandlerContext) {
        let (heartRate, position) = runner.step(at: Clocks.utcMilliseconds())
        collected.heartRates.append(heartRate)
        collected.positions.append(position)
        if inFlight == nil { send(context) }
    }

    private func send(_ context: ChannelHandlerContext) {
        guard !collected.isEmpty else { return }
        sequence += 1
        let segment = Segment(stream: stream, sequence: sequence, person: person, provenance: .live, clock: .wall, samples: collected)
        inFlight = (collected.heartRates.map(\.time), .now())
        collected = SampleSet()
        var batch = SegmentBatch()
        guard batch.append(segment.encoded()) else { return fail("a segment is too large to send") }
        var request = context.channel.allocator.buffer(capacity: head.utf8.count + batch.bytes.count + 32)
        request.writeString(head)
        request.writeString("Content-Length: \(batch.bytes.count)\r\n\r\n")
        request.writeBytes(batch.bytes)
        context.writeAndFlush(wrapOutboundOut(request), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        reader.append(&bytes)
        do {
            while let part = try reader.next() {
                switch part {
                case .head(let status): self.status = status
                case .body: break
                case .end: answered(context)
                }
            }
        } catch {
            fail("\(error)")
            context.close(promise: nil)
        }
    }

    private func answered(_ context: ChannelHandlerContext) {
        if let (times, since) = inFlight {
            inFlight = nil
            let delay = Double((NIODeadline.now() - since).nanoseconds) / 1e6
            if status == 200 {
                sent.change {
                    $0.requests += 1
                    $0.acknowledged[person, default: []] += times
                    $0.answerDelays.add(delay)
                }
            } else {
                fail("the hub answered \(status)")
            }
        }
        send(context)
    }

    private func fail(_ what: String) {
        sent.change {
            $0.errors += 1
            $0.firstError = $0.firstError ?? what
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail("\(error)")
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        if ticks != nil { fail("the hub closed a connection") }
        ticks?.cancel()
        ticks = nil
    }
}
