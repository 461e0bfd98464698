import NIOCore
import SyncProtocol
import Synchronization
import Vitals

/// When the samples of a live run came to their readers.
final class LiveSeen: Sendable {
    struct Arrivals: Sendable {
        /// Of each person, when the sample of a time arrived first, by kind.
        var heartRates: [PersonID: [Milliseconds: Double]] = [:]
        var positions: [PersonID: [Milliseconds: Double]] = [:]
        var problem: String?
    }
    private let arrivals = Mutex(Arrivals())

    func change(_ body: (inout Arrivals) -> Void) { arrivals.withLock { body(&$0) } }

    var result: Arrivals { arrivals.withLock { $0 } }
}

/// One browser: reads a person's Server-Sent Events.
final class LiveReader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let person: PersonID
    private let request: ByteBuffer
    private let seen: LiveSeen
    private let ready: EventLoopPromise<Void>
    private var isReady = false
    private var reader = ResponseReader()
    private var line: [UInt8] = []

    /// The longest line that is kept: an event holds a few samples.
    private static let lineMax = 1 << 20

    /// - Parameter ready: succeeds when the hub began the stream.
    init(_ person: PersonID, request: ByteBuffer, seen: LiveSeen, ready: EventLoopPromise<Void>) {
        self.person = person
        self.request = request
        self.seen = seen
        self.ready = ready
    }

    func channelActive(context: ChannelHandlerContext) { context.writeAndFlush(wrapOutboundOut(request), promise: nil) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let now = Clocks.utc()
        var bytes = unwrapInboundIn(data)
        reader.append(&bytes)
        do {
            while let part = try reader.next() {
                switch part {
                case .head(200), .end: break
                case .head(let status): throw FleetError("The hub answered \(status) to a reader of \(person).")
                case .body(let body): take(body, at: now)
                }
            }
        } catch {
            fail("\(error)")
            context.close(promise: nil)
        }
    }

    private func take(_ body: ByteBuffer, at now: Double) {
        if !isReady {
            isReady = true
            ready.succeed()
        }
        for byte in body.readableBytesView {
            if byte != UInt8(ascii: "\n") {
                if line.count < Self.lineMax { line.append(byte) }
                continue
            }
            if line.starts(with: "data: ".utf8) { take(line, at: now) }
            line.removeAll(keepingCapacity: true)
        }
    }

    private func take(_ line: [UInt8], at now: Double) {
        let (heartRates, positions) = (LiveEvent.times(of: "hr", in: line), LiveEvent.times(of: "pos", in: line))
        seen.change { arrivals in
            for time in heartRates { arrivals.heartRates[person, default: [:]][time] = arrivals.heartRates[person]?[time] ?? now }
            for time in positions { arrivals.positions[person, default: [:]][time] = arrivals.positions[person]?[time] ?? now }
        }
    }

    private func fail(_ what: String) {
        seen.change { $0.problem = $0.problem ?? what }
        if !isReady {
            isReady = true
            ready.fail(FleetError(what))
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail("\(error)")
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { fail("the hub ended the stream of \(person)") }
}

/// The data of a live event, as far as it is looked at.
enum LiveEvent {
    /// The first number of each row of `"name":[[…],[…]]`.
    static func times(of name: String, in line: [UInt8]) -> [Milliseconds] {
        let key = Array("\"\(name)\":[".utf8)
        guard line.count > key.count,
            let start = (0...(line.count - key.count)).first(where: { line[$0...].starts(with: key) })
        else { return [] }
        var times: [Milliseconds] = []
        var index = start + key.count
        while index < line.count, line[index] == UInt8(ascii: "[") {
            var time: Milliseconds = 0
            index += 1
            while index < line.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(line[index]) {
                time = time &* 10 &+ Milliseconds(line[index] - UInt8(ascii: "0"))
                index += 1
            }
            times.append(time)
            guard let end = line[index...].firstIndex(of: UInt8(ascii: "]")) else { return times }
            index = end + 1
            if index < line.count, line[index] == UInt8(ascii: ",") { index += 1 }
        }
        return times
    }
}
