import BlueZ
import Foundation
import Monitoring
import Sensing
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import AgentKit

/// What people do at the box, and what becomes of it. The sources' events are the test's; buffer, settings and monitor are the real ones.
@Suite(.timeLimit(.minutes(1)))
struct BoxTests {
    /// Late enough for the hub's time to be believed.
    private static let utcOffset: Milliseconds = 1_800_000_000_000

    @Test("EDGE-8: a pause keeps samples away, is in the series for the hub to see, and ends by itself at its time")
    func pause() async throws {
        let fixture = try BoxFixture(utcOffset: Self.utcOffset)
        try await fixture.box.begin(listening: false)
        fixture.parts.time.note(hub: fixture.clock.now + Self.utcOffset, at: fixture.clock.now)
        await fixture.beat(70)
        let reply = await fixture.box.perform(ControlRequest(.pause, minutes: 1))
        #expect(reply.isDone, "\(reply.message)")
        let end = fixture.clock.now + 60_000
        for _ in 0..<58 { await fixture.beat(71) }
        #expect(await fixture.box.status().persons[0].pausedUntil == end + Self.utcOffset)
        for _ in 0..<4 { await fixture.beat(72) }
        #expect(await fixture.box.status().persons[0].pausedUntil == nil)
        let samples = try #require(try await fixture.stored()[fixture.person])
        #expect(samples.heartRates.map(\.beatsPerMinute).filter { $0 == 71 }.isEmpty)
        #expect(samples.heartRates.contains { $0.beatsPerMinute == 70 } && samples.heartRates.contains { $0.beatsPerMinute == 72 })
        let events = samples.events.filter { $0.code == .paused || $0.code == .resumed }
        #expect(events.map(\.code) == [.paused, .resumed])
        #expect(events.first?.value == end + Self.utcOffset)
    }

    @Test("EDGE-8: a pause outlives a restart of the agent and a reboot, and is over by then if its time has come")
    func pauseRestart() async throws {
        let directory = try TemporaryDirectory()
        try await {
            let fixture = try BoxFixture(directory: directory, utcOffset: Self.utcOffset)
            try await fixture.box.begin(listening: false)
            fixture.parts.time.note(hub: fixture.clock.now + Self.utcOffset, at: fixture.clock.now)
            #expect(await fixture.box.perform(ControlRequest(.pause, minutes: 30)).isDone)
            _ = try await fixture.stored()
        }()
        // The same boot, ten minutes later.
        try await {
            let fixture = try BoxFixture(directory: directory, at: 1_600_000, utcOffset: Self.utcOffset)
            try await fixture.box.begin(listening: false)
            await fixture.box.tick()
            #expect(await fixture.box.status().persons[0].pausedUntil != nil)
            _ = try await fixture.stored()
        }()
        // Another boot, whose clock began anew; by the wall clock the pause has ended long ago.
        let fixture = try BoxFixture(directory: directory, boot: BootID(high: 8, low: 8), at: 100_000_000, utcOffset: Self.utcOffset)
        try await fixture.box.begin(listening: false)
        await fixture.box.tick()
        #expect(await fixture.box.status().persons[0].pausedUntil == nil)
        _ = try await fixture.stored()
    }

    @Test("EDGE-7: a kind that the person switched off is neither stored nor sent, and the choice outlives a restart")
    func kinds() async throws {
        let directory = try TemporaryDirectory()
        try await {
            let fixture = try BoxFixture(directory: directory)
            try await fixture.box.begin(listening: false)
            #expect(await fixture.box.perform(ControlRequest(.kinds, kinds: KindsChoice(position: false))).isDone)
            await fixture.beat(70)
            await fixture.fix()
            let samples = try #require(try await fixture.stored()[fixture.person])
            #expect(samples.heartRates.count == 1)
            #expect(samples.positions.isEmpty)
            #expect(samples.events.contains { $0.code == .kindsChosen && $0.value == 1 })
        }()
        let fixture = try BoxFixture(directory: directory)
        try await fixture.box.begin(listening: false)
        #expect(await fixture.box.status().persons[0].kinds == Kinds(heartRate: true, position: false))
        await fixture.fix()
        #expect(try await fixture.stored()[fixture.person]?.positions.isEmpty ?? true)
    }

    @Test(
        "EDGE-12, EDGE-13: OK, help, false alarm and reactivate are stored at once; help and what ends it for one person, who stands for all"
    )
    func presses() async throws {
        let fixture = try BoxFixture(people: ["Ada", "Berta"], role: .gateway)
        try await fixture.box.begin(listening: false)
        for action in [ControlRequest.Action.ok, .help, .falseAlarm, .reactivate] {
            fixture.clock.advance(1000)
            let reply = await fixture.box.perform(ControlRequest(action))
            #expect(reply.isDone, "\(reply.message)")
        }
        let stored = try await fixture.stored()
        let codes = fixture.identity.persons.map { stored[$0.person]?.events.map(\.code).filter(\.isSOS) }
        #expect(codes == [[.ok, .help, .falseAlarm, .reactivated], [.ok, .reactivated]])
    }

    @Test("EDGE-13: a gateway keeps several people's readings apart, and a sensor belongs to one of them only")
    func gateway() async throws {
        let fixture = try BoxFixture(people: ["Ada", "Berta"], role: .gateway)
        try await fixture.box.begin(listening: false)
        let ada = fixture.identity.persons[0].person, berta = fixture.identity.persons[1].person
        let ambiguous = await fixture.box.perform(ControlRequest(.pause, minutes: 5))
        #expect(!ambiguous.isDone && ambiguous.message.contains("several"))
        var settings = BoxSettings()
        let strap = try #require(SensorAddress("C4:01:02:03:04:05"))
        settings.use(strap, name: "Strap", for: ada)
        settings.use(strap, name: "Strap", for: berta)
        #expect(settings[ada].sensor == nil)
        #expect(settings[berta].sensor == strap)
        await fixture.beat(70, of: ada)
        await fixture.beat(90, of: berta)
        let stored = try await fixture.stored()
        #expect(stored[ada]?.heartRates.map(\.beatsPerMinute) == [70])
        #expect(stored[berta]?.heartRates.map(\.beatsPerMinute) == [90])
    }

    @Test("EDGE-9: on the mains nobody is tracked, and one position a minute is kept so that the place is known")
    func mains() async throws {
        let fixture = try BoxFixture(role: .gateway)
        try await fixture.box.begin(listening: false)
        for _ in 0..<5 { await fixture.beat(70) }
        for _ in 0..<120 { await fixture.fix() }
        let samples = try #require(try await fixture.stored()[fixture.person])
        #expect((2...4).contains(samples.positions.count), "\(samples.positions.count)")
    }

    @Test("SOS-18: whoever watches sees a change within a tick, and the same state is not told twice")
    func watching() async throws {
        let fixture = try BoxFixture()
        try await fixture.box.begin(listening: false)
        var states = await fixture.box.statuses().makeAsyncIterator()
        let first = try #require(await states.next())
        #expect(first.persons[0].wearing == .unknown)
        await fixture.box.tick()
        await fixture.box.tick()
        for _ in 0..<4 { await fixture.beat(70) }
        var next = try #require(await states.next())
        while next.persons[0].heartRate == nil { next = try #require(await states.next()) }
        #expect(next.persons[0].heartRate == 70)
        #expect(next.persons[0].wearing == .worn)
        await fixture.box.end()
        _ = try await fixture.stored()
    }

    @Test("EDGE-1: damaged settings are set aside and said, and do not keep the box from working")
    func damagedSettings() throws {
        let directory = try TemporaryDirectory(), state = try StateDirectory(directory.url.path)
        try state.write(Array("{nonsense".utf8), to: "settings.json")
        let (settings, damage) = BoxSettings.load(from: state)
        #expect(settings == BoxSettings())
        #expect(damage?.contains("sensors use") == true)
        #expect(FileManager.default.fileExists(atPath: directory.url.path + "/settings.json.damaged"))
    }

    @Test("EDGE-1, EDGE-11: damaged settings that the disk does not set aside, or that it does not give, do not keep the box from working")
    func unusableSettings() throws {
        // A directory in a file's place can neither be read nor written, whoever asks.
        for (obstacle, problem) in [("settings.json.damaged.new", "could not be set aside"), ("settings.json", "cannot be read")] {
            let directory = try TemporaryDirectory(), path = directory.url.path, state = try StateDirectory(path)
            try FileManager.default.createDirectory(atPath: "\(path)/\(obstacle)", withIntermediateDirectories: false)
            if obstacle != "settings.json" { try state.write(Array("{nonsense".utf8), to: "settings.json") }
            let (settings, damage) = BoxSettings.load(from: state)
            #expect(settings == BoxSettings())
            #expect(damage?.contains(problem) == true && damage?.contains("sensors use") == true, "\(damage ?? "nothing told")")
        }
    }
}
