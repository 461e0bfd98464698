import Crypto
import Foundation
import NIOCore
import NIOPosix
import Runs
import Segments
import SyncProtocol
import Synchronization
import Testing
import Vitals

@testable import FleetKit

@Suite("Boxes of a race, at a hub that a test plays")
struct RaceBoxTests {
    @Test(
        "EDGE-6: everything arrives once, as drill of the right person, also when the hub is busy, closes a connection, or refuses a token")
    func everything() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let hub = try await PlayedHub.start(on: group)
        let course = try RaceGround.course(), clock = RaceClock(origin: Clocks.utcMilliseconds(), speed: 20)
        var settings = RaceGround.settings(runners: 3)
        // 800 m at 5.5 m/s, twenty times as fast: eight seconds.
        (settings.gun, settings.speed, settings.speedDeviation, settings.after) = (clock.now + 4000, 5.5, 0, 5)
        let people = (1...3).map { PersonID(high: 0, low: $0) }
        let stage = RaceStage(course: course, settings: settings, people: people, bibs: nil, now: clock.now)
        let answer = EnrolmentAnswer(
            agent: AgentID(high: 1, low: 1), hub: HubIncarnation(high: 2, low: 2),
            persons: people.map { BoundPerson(person: $0, name: "P") })
        let state = FleetState(
            url: "http://127.0.0.1:\(hub.port)", certificateAuthority: nil, answer: answer, key: P256.Signing.PrivateKey())
        let connection = try HubConnection(state), sent = RaceSent()
        let head = RaceHead(connection.head("POST", SyncRoute.segments, Fleet.segmentFields(token: "one")))
        let boxes = try await RaceBoxes(
            stage, .init(hub: connection, head: head, clock: clock, provenance: .drill, sent: sent), on: group.next())
        try await boxes.begin(over: 1)
        let deadline = ContinuousClock.now + .seconds(60)
        while try await boxes.status(at: clock.now).done < 3, ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(50))
        }
        let status = try await boxes.status(at: clock.now)
        #expect(status.done == 3 && status.finished == 3, "\(sent.result)")
        try await boxes.stop()
        let taken = hub.taken
        for (person, play) in zip(people, stage.plays) {
            let segments = taken.filter { $0.header.person == person }
            #expect(Set(segments.map(\.header.stream)).count == 1)
            #expect(segments.map(\.header.sequence) == (1...UInt64(segments.count)).map { $0 })
            #expect(segments.allSatisfy { $0.header.provenance == .drill && $0.header.clock == .wall })
            var whole = play
            let all = whole.take(until: .max / 2)
            #expect(segments.flatMap(\.samples.heartRates) == all.heartRates)
            #expect(segments.flatMap(\.samples.positions) == all.positions)
            #expect(Set(sent.result.late[play.bib, default: [:]].keys).isSubset(of: all.positions.map(\.time)))
            #expect(sent.result.late[play.bib, default: [:]].allSatisfy { $1 - $0 > RaceSent.lateAfter })
        }
        let counts = sent.result
        #expect(counts.repeats >= 3 && counts.refused == 0 && counts.requests == taken.count)
        #expect(counts.samples == taken.reduce(0) { $0 + $1.samples.count })
        try await group.shutdownGracefully()
    }
}

/// As much of a hub as a box sees. Its second request finds it busy, its third a token that is none, and its fifth a connection that closes.
final class PlayedHub: Sendable {
    private struct State {
        var requests = 0
        var segments: [Segment] = []
    }
    private let state = Mutex(State())
    let port: Int

    /// Each once: what comes again under a sequence is the same.
    var taken: [Segment] {
        var seen: Set<String> = []
        return state.withLock { $0.segments.filter { seen.insert("\($0.header.stream) \($0.header.sequence)").inserted } }
    }

    private init(port: Int) { self.port = port }

    static func start(on group: any EventLoopGroup) async throws -> PlayedHub {
        let made = Mutex<PlayedHub?>(nil)
        let channel = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Connection { made.withLock { $0 } })
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let hub = PlayedHub(port: channel.localAddress?.port ?? 0)
        made.withLock { $0 = hub }
        return hub
    }

    /// The status to answer with; nil to close.
    fileprivate func take(_ body: [UInt8]) -> Int? {
        state.withLock { state in
            state.requests += 1
            switch state.requests {
            case 2: return 503
            case 3: return 401
            default: break
            }
            guard let ranges = try? body.withUnsafeBytes({ try SegmentBatch.ranges(in: $0) }) else { return 400 }
            state.segments += ranges.compactMap { try? Segment(decoding: Array(body[$0])) }
            // Stored, and the answer is lost.
            return state.requests == 5 ? nil : 200
        }
    }

    private final class Connection: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let hub: () -> PlayedHub?
        private var bytes: [UInt8] = []

        init(_ hub: @escaping () -> PlayedHub?) { self.hub = hub }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            bytes += Array(unwrapInboundIn(data).readableBytesView)
            let blank = Array("\r\n\r\n".utf8), field = Array("Content-Length: ".utf8)
            while let end = bytes.firstRange(of: blank) {
                let digits = bytes.firstRange(of: field).map { bytes[$0.upperBound...].prefix { (0x30...0x39).contains($0) } } ?? []
                let length = Int(String(decoding: digits, as: UTF8.self)) ?? 0, start = end.upperBound
                guard bytes.count >= start + length else { return }
                let body = Array(bytes[start..<(start + length)])
                bytes.removeFirst(start + length)
                guard let status = hub()?.take(body) else {
                    context.close(promise: nil)
                    return
                }
                let answer = ByteBuffer(string: "HTTP/1.1 \(status) X\r\nContent-Length: 2\r\n\r\n{}")
                context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
            }
        }
    }
}
