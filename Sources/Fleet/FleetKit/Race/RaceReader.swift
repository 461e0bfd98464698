import NIOCore

/// One spectator: reads the public stream of a run.
final class RaceReader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let request: ByteBuffer
    private let seen: RaceSeen
    private let looks: Int?
    private let ready: EventLoopPromise<Void>
    private var isReady = false
    private var reader = ResponseReader()
    private var lines: RaceLines
    private var last: Int?
    private var isOver = false

    /// - Parameters:
    ///   - looks: the number under which its events are decoded, and not only counted; nil for most.
    ///   - ready: succeeds with the first event.
    init(request: ByteBuffer, seen: RaceSeen, looks: Int?, ready: EventLoopPromise<Void>) {
        (self.request, self.seen, self.looks, self.ready) = (request, seen, looks, ready)
        lines = RaceLines(keepsAll: looks != nil)
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
                case .head(let status): throw FleetError("The hub answered \(status) to a spectator.")
                case .body(let body):
                    if seen.isCounting { seen.change { $0.bytes += body.readableBytes } }
                    body.withUnsafeReadableBytes { bytes in lines.take(bytes) { take($0, at: now) } }
                }
            }
        } catch {
            fail("\(error)")
            context.close(promise: nil)
        }
    }

    private func take(_ event: RaceLines.Event, at now: Double) {
        if !isReady {
            isReady = true
            ready.succeed()
        }
        if event.kind == .end { isOver = true }
        guard let sequence = event.sequence else { return }
        let gap = last.map { sequence - $0 - 1 } ?? 0, isSnapshot = event.kind == .snapshot
        last = sequence
        seen.change { counts in
            counts.events += 1
            if isSnapshot {
                // A slow reader gets one in place of updates that were left out.
                counts.snapshots += 1
                counts.snapshotBytes = event.size
            } else if gap > 0 {
                counts.lost += gap
            }
            if gap < 0 { counts.twice += 1 }
        }
        if let looks { seen.look(event.data, event.kind, by: looks, at: now) }
    }

    private func fail(_ what: String) {
        isOver = true
        // Before its first event whoever opened it says so.
        if isReady { return seen.refuse(what) }
        isReady = true
        ready.fail(FleetError(what))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if !isOver { fail("\(error)") }
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { if !isOver { fail("the hub ended the stream of a spectator") } }
}
