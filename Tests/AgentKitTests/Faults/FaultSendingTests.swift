import Foundation
import GRDB
import Logging
import Segments
import ServiceLifecycle
import SyncProtocol
import Synchronization
import TestSupport
import Testing
import Vitals

@testable import AgentKit
@testable import SampleBuffer

/// The sync loop with a disk that fails: SOS records arrive nevertheless.
@Suite(.timeLimit(.minutes(5)))
struct FaultSendingTests {
    private func sending(
        _ fixture: FaultRecorderTests.Fixture, to hub: PlayedHub, clock: BoxClock? = nil
    ) throws -> Task<Void, any Error> {
        let path = fixture.directory.url.path, configuration = AgentConfiguration(stateDirectory: path)
        let clock = clock ?? fixture.clock, time = TokenClock(clock)
        let client = try HubClient(
            try HubAddress("http://127.0.0.1:\(hub.port)"), trust: .system, configuration: configuration, clock: time)
        let sync = SyncService(
            client: client, tokens: TokenRequest(agent: AgentID(high: 1, low: 1), key: Identity.newKey(), clock: time),
            recorder: fixture.recorder, nudges: fixture.nudges, clock: clock, logger: Logger(label: "test"),
            directory: try StateDirectory(path))
        return Task { try await sync.run() }
    }

    /// The test's time limit ends it.
    private func wait(until condition: () -> Bool) async throws {
        while !condition() { try await Task.sleep(for: .milliseconds(10)) }
    }

    @Test("EDGE-5, EDGE-6: with a full disk SOS records arrive though no token can be stored, and samples when it can be")
    func fullDisk() async throws {
        let fixture = try FaultRecorderTests.Fixture(), hub = try await PlayedHub(lifetime: 1)
        try fixture.fillDisk()
        try fixture.buffer.write {
            try $0.execute(
                sql: "CREATE TRIGGER fullSetting BEFORE INSERT ON setting BEGIN SELECT raise(ABORT, 'database or disk is full'); END")
        }
        let running = try sending(fixture, to: hub)
        for (index, code) in [StateEvent.Code.help, .falseAlarm, .help].enumerated() {
            await fixture.heartRate()
            await fixture.press(code)
            try await wait { hub.events.count > index }
            // The token expires meanwhile.
            fixture.boottime.advance(2000)
        }
        #expect(hub.events == [.help, .falseAlarm, .help] && hub.state.segments.allSatisfy(\.samples.heartRates.isEmpty))
        #expect(Set(hub.state.used).count > 1)
        try fixture.buffer.write { try $0.execute(sql: "DROP TRIGGER fullSetting") }
        try fixture.emptyDisk()
        try await fixture.recorder.seal()
        fixture.nudges.signal(.urgent)
        try await wait { hub.state.segments.flatMap(\.samples.heartRates).count == 3 }
        running.cancel()
        _ = await running.result
        #expect(try fixture.buffer.token() == hub.state.used.last)
        await hub.stop()
    }

    @Test("EDGE-5: while the disk hangs SOS records arrive, one after the other, and once each")
    func hangingDisk() async throws {
        let fixture = try FaultRecorderTests.Fixture(), hub = try await PlayedHub()
        let running = try sending(fixture, to: hub)
        await fixture.heartRate()
        fixture.nudges.signal(.urgent)
        try await wait { hub.state.segments.count == 1 }
        let hang = try await HangingDisk(fixture.buffer)
        // The loop gets stuck in a seal.
        let reading = Task { await fixture.heartRate() }
        fixture.nudges.signal(.collected)
        var presses: [Task<Void, Never>] = []
        for (index, code) in [StateEvent.Code.help, .falseAlarm, .help].enumerated() {
            fixture.boottime.advance(1000)
            presses.append(Task { await fixture.press(code) })
            try await wait { hub.events.count > index }
        }
        #expect(hub.events == [.help, .falseAlarm, .help])
        await hang.end()
        await reading.value
        for press in presses { await press.value }
        fixture.nudges.signal(.urgent)
        try await wait { hub.state.segments.flatMap(\.samples.heartRates).count >= 2 }
        running.cancel()
        _ = await running.result
        // What the hub got again has the name that it knows.
        let names = hub.state.segments.filter(\.samples.holdsSOS).map { "\($0.header.stream) \($0.header.sequence)" }
        #expect(Set(names).count == 3)
        await hub.stop()
    }

    @Test("EDGE-14: when everything was sent the loop rests, whatever was signalled while it was busy")
    func rests() async throws {
        let fixture = try FaultRecorderTests.Fixture(), hub = try await PlayedHub(), turns = Atomic(0)
        var clock = fixture.clock
        let boottime = clock.boottime
        clock.boottime = {
            turns.add(1, ordering: .relaxed)
            return boottime()
        }
        await fixture.heartRate()
        fixture.nudges.signal(.collected)
        let running = try sending(fixture, to: hub, clock: clock)
        try await wait { hub.state.segments.count == 1 }
        // A loop that turned for nothing would never stand still, and the suite's time limit ends it.
        var before = -1
        while before != turns.load(ordering: .relaxed) {
            before = turns.load(ordering: .relaxed)
            try await Task.sleep(for: .milliseconds(300))
        }
        running.cancel()
        _ = await running.result
        await hub.stop()
    }

    @Test("EDGE-6: while a backlog drains, samples that come meanwhile are in one of the next two requests")
    func backlog() async throws {
        let fixture = try FaultRecorderTests.Fixture(), hub = try await PlayedHub()
        let part = SealPart(
            person: FaultRecorderTests.person, clock: .recorded,
            samples: SampleSet(
                heartRates: (0..<100).map { HeartRateSample(time: $0 * 1000, beatsPerMinute: 60, rrIntervals: [UInt16($0 * 7919 % 2000)]) })
        )
        let count = 10_000
        for _ in 0..<10 {
            try fixture.buffer.seal(
                Array(repeating: part, count: count / 10), to: .live, at: BufferTime(boot: 1, milliseconds: fixture.boottime.now))
        }
        let running = try sending(fixture, to: hub)
        fixture.nudges.signal(.urgent)
        var late: [Int] = []
        while hub.state.segments.count < count {
            fixture.boottime.advance(1000)
            let time = fixture.boottime.now, before = hub.state.used.count
            await fixture.heartRate()
            // Those of the backlog have intervals.
            func holds(_ segment: Segment) -> Bool { segment.samples.heartRates.contains { $0.time == time && $0.rrIntervals.isEmpty } }
            try await wait { hub.state.segments.contains(where: holds) }
            let taken = hub.state, index = try #require(taken.segments.firstIndex(where: holds))
            late.append(try #require(taken.totals.firstIndex { $0 > index }) + 1 - before)
        }
        running.cancel()
        _ = await running.result
        #expect(late.count > 3 && late.allSatisfy { $0 <= 3 }, "requests until a sample was there: \(late)")
        #expect(hub.state.segments.flatMap(\.samples.heartRates).filter(\.rrIntervals.isEmpty).count == late.count, "each once")
        await hub.stop()
    }
}
