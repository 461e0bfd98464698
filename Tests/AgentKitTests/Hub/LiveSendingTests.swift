import Foundation
import GRDB
import Logging
import Segments
import Sensing
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import AgentKit
@testable import SampleBuffer

/// The recorder while the hub acknowledges: samples go there first.
struct LiveSendingTests {
    typealias Fixture = FaultRecorderTests.Fixture

    /// A hub that knows the box.
    private func fixture() async throws -> Fixture {
        let fixture = try Fixture()
        await fixture.heartRate()
        try await fixture.recorder.seal()
        _ = try await fixture.drain()
        return fixture
    }

    private func second(_ fixture: Fixture) async {
        fixture.boottime.advance(1000)
        await fixture.heartRate()
    }

    private func stored(_ fixture: Fixture) throws -> Int {
        try fixture.buffer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM segment") ?? 0 }
    }

    @Test("EDGE-5: samples are on the disk within 10 s; where the hub acknowledges they go there after 25 s, and to the disk minutes later")
    func waits() async throws {
        let fixture = try Fixture()
        func secondsUntil(_ condition: () async throws -> Bool) async throws -> Int {
            for second in 0..<400 {
                await fixture.heartRate()
                if try await condition() { return second }
                fixture.boottime.advance(1000)
            }
            return 400
        }
        #expect(try await secondsUntil { try stored(fixture) == 1 } == 9)
        _ = try await fixture.drain()
        #expect(try await secondsUntil { try await fixture.recorder.waiting().segments == 1 } == 25)
        #expect(try stored(fixture) == 1)
        _ = try await fixture.drain()
        // It goes on so for five minutes after the first of them came.
        var seconds = 0
        while try stored(fixture) == 1, seconds < 400 {
            await second(fixture)
            _ = try await fixture.drain()
            seconds += 1
        }
        #expect(seconds == 300 - 25)
        let status = try fixture.buffer.status()
        #expect(status.unsentSegments == 0 && status.acknowledgedSegments > 10)
    }

    @Test("EDGE-5: what the hub does not acknowledge in 30 s is on the disk, and in 10 s once it is known that the hub does not answer")
    func silentHub() async throws {
        let fixture = try await fixture()
        for index in 0...29 {
            await second(fixture)
            #expect(try stored(fixture) == (index < 29 ? 1 : 3), "\(index)")
        }
        #expect(try await fixture.drain().flatMap(\.samples.heartRates).count == 30)
        for _ in 0..<12 { await second(fixture) }
        #expect(try fixture.buffer.waiting().segments == 0)
        await fixture.recorder.noteNoAnswer()
        #expect(try fixture.buffer.waiting().segments == 1)
    }

    @Test("EDGE-5: whenever in its second the look comes, the write begins more than half a second before 10 s, and 30 s, are over")
    func phases() {
        let configuration = AgentConfiguration(stateDirectory: "")
        for phase in stride(from: Milliseconds(0), to: 1000, by: 50) {
            for (acknowledged, limit) in [(nil, 10_000), (0, 30_000)] as [(Milliseconds?, Milliseconds)] {
                let looks = stride(from: phase, to: 60_000, by: 1000)
                let first = looks.first { now in
                    SealDue(
                        now: now, pendingSince: 0, live: LiveOutbox(stream: .random()),
                        acknowledged: acknowledged, retryAt: 0, configuration) == .disk
                }
                #expect(first.map { (limit - 2000..<limit - 500).contains($0) } == true, "\(phase): \(String(describing: first))")
            }
        }
    }

    @Test("EDGE-5: while somebody watches, samples go out as they come, and none is written before minutes have passed")
    func watched() async throws {
        let fixture = try await fixture()
        var seen: [Milliseconds] = []
        for _ in 0..<120 {
            await second(fixture)
            try await fixture.recorder.sealLive()
            seen += try await fixture.drain().flatMap(\.samples.heartRates).map(\.time)
        }
        #expect(seen == (0..<120).map { 11_000 + $0 * 1000 })
        #expect(try stored(fixture) == 1)
        let status = try await fixture.recorder.bufferStatus()
        #expect(status.acknowledgedSegments == 121 && status.unsentSegments == 0, "and the box says where they are")
        try await fixture.recorder.seal()
        #expect(try stored(fixture) == 121 && fixture.buffer.waiting().segments == 0)
    }

    @Test("EDGE-6: each start sends from memory under another stream, which has a clock of its own")
    func streams() async throws {
        let fixture = try await fixture()
        var segments: [Segment] = []
        for start in 0..<2 {
            let recorder = try Recorder(
                buffer: fixture.buffer, target: .live, boot: BootID(high: 1, low: 1), clock: fixture.clock,
                configuration: AgentConfiguration(stateDirectory: fixture.directory.url.path), nudges: SyncSignals(),
                logger: Logger(label: "test"))
            await recorder.take(
                HeartRateEvent.measurement(HeartRateSample(time: 20_000 + Int64(start), beatsPerMinute: 60)),
                of: FaultRecorderTests.person)
            try await recorder.sealLive()
            segments += try fixture.segments(try await recorder.nextBatch(bytesMax: 1 << 20))
        }
        #expect(segments.map(\.header.sequence) == [0, 0] && segments[0].header.stream != segments[1].header.stream)
        #expect(segments.allSatisfy { !$0.samples.clocks.isEmpty && $0.header.provenance == .live })
    }

    @Test("EDGE-5: with a full disk samples go on arriving")
    func fullDisk() async throws {
        let fixture = try await fixture()
        try fixture.fillDisk()
        var seen = 0
        for _ in 0..<100 {
            await second(fixture)
            try? await fixture.recorder.sealLive()
            seen += try await fixture.drain().flatMap(\.samples.heartRates).count
        }
        #expect(seen == 100)
    }

    @Test("EDGE-5: the gap of a damaged file is told before samples go out from memory")
    func owedGap() async throws {
        let fixture = try await fixture()
        try fixture.buffer.write { try $0.set(.pendingGap, String(GapRecord.Reason.corruption.rawValue)) }
        await second(fixture)
        try await fixture.recorder.sealLive()
        #expect(try await fixture.drain().flatMap(\.samples.gaps).map(\.reason) == [.corruption])
    }

    @Test("EDGE-6: after an order to begin new streams nothing goes to the old one")
    func newStream() async throws {
        let fixture = try await fixture()
        var streams: [StreamID] = []
        for round in 0..<2 {
            await second(fixture)
            try await fixture.recorder.sealLive()
            // The hub is asked what it misses of the old ones, too.
            let now = fixture.boottime.now
            streams += try await fixture.drain().filter { $0.samples.heartRates.first?.time == now }.map(\.header.stream)
            if round == 0 { try await fixture.recorder.store(token: "next", newStream: true) }
        }
        #expect(streams.count == 2 && streams.first != streams.last)
    }

    @Test("EDGE-6: that the hub ordered new streams, as for a copied card, is logged; a token alone is not")
    func newStreamTold() async throws {
        let fixture = try await fixture(), log = KeptLog()
        let recorder = try Recorder(
            buffer: fixture.buffer, target: .live, boot: BootID(high: 1, low: 1), clock: fixture.clock,
            configuration: AgentConfiguration(stateDirectory: fixture.directory.url.path), nudges: SyncSignals(), logger: log.logger)
        try await recorder.store(token: "next", newStream: false)
        #expect(log.lines.isEmpty)
        try await recorder.store(token: "another", newStream: true)
        #expect(log.lines.count == 1 && log.lines.first?.contains("copied card") == true, "\(log.lines)")
    }
}
