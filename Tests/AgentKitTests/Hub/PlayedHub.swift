import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import Segments
import SyncProtocol
import Synchronization
import Vitals

/// Hands out tokens, and takes every segment: a hub without anything behind it.
final class PlayedHub: Sendable {
    private let channel: any Channel
    private let shared: State
    let port: Int

    struct Taken: Sendable {
        var segments: [Segment] = []
        /// Bearer tokens of the requests.
        var used: [String] = []
        /// How many segments there were after each request.
        var totals: [Int] = []
        var tokens = 0
    }

    /// - Parameters:
    ///   - lifetime: of a token, seconds.
    ///   - questions: that wait for the box's people.
    ///   - checkIns: for a box that says that it shows them.
    init(lifetime: Int = 3600, questions: Int? = nil, checkIns: CheckInList? = nil) async throws {
        let state = State(lifetime: lifetime, questions: questions, checkIns: checkIns)
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Handler(state))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
        self.shared = state
    }

    var state: Taken { shared.taken.withLock { $0 } }
    var events: [StateEvent.Code] { state.segments.flatMap(\.samples.events).map(\.code) }

    func stop() async { try? await channel.close() }

    private final class State: Sendable {
        let taken = Mutex(Taken())
        private let lifetime: Int
        private let questions: Int?
        private let checkIns: CheckInList?

        init(lifetime: Int, questions: Int?, checkIns: CheckInList?) {
            (self.lifetime, self.questions, self.checkIns) = (lifetime, questions, checkIns)
        }

        func answer(_ head: HTTPRequestHead, _ body: [UInt8]) -> [UInt8] {
            let encoder = JSONEncoder()
            guard head.uri == SyncRoute.segments else {
                let number = taken.withLock { taken in
                    taken.tokens += 1
                    return taken.tokens
                }
                return (try? encoder.encode(TokenAnswer(accessToken: "token \(number)", expiresIn: lifetime))).map(Array.init) ?? []
            }
            let segments = body.withUnsafeBytes { bytes in
                ((try? SegmentBatch.ranges(in: bytes)) ?? []).compactMap {
                    try? Segment(decoding: UnsafeRawBufferPointer(rebasing: bytes[$0]))
                }
            }
            taken.withLock { taken in
                taken.segments += segments
                taken.totals.append(taken.segments.count)
                taken.used.append(head.headers.first(name: "Authorization").map { String($0.dropFirst(7)) } ?? "")
            }
            let streams = Dictionary(grouping: segments, by: \.header.stream).map { stream, segments in
                SyncAnswer.StreamState(stream: stream, received: [[0, segments.map(\.header.sequence).max() ?? 0]])
            }
            return SyncAnswer(
                hub: HubIncarnation(high: 1, low: 1), utc: 1_800_000_000_000, cadence: .arrival, streams: streams, questions: questions,
                checkIns: head.headers.first(name: SyncRoute.showsHeader) == SyncRoute.showsCheckIns ? checkIns : nil
            ).json()
        }
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let state: State
        private var head: HTTPRequestHead?
        private var body: [UInt8] = []

        init(_ state: State) { self.state = state }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): (self.head, body) = (head, [])
            case .body(let bytes): body += Array(bytes.readableBytesView)
            case .end:
                guard let head else { return }
                let answer = state.answer(head, body)
                let fields = HTTPHeaders([("Content-Length", "\(answer.count)")])
                context.write(wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .ok, headers: fields))), promise: nil)
                context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: answer)))), promise: nil)
                context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            }
        }
    }
}
