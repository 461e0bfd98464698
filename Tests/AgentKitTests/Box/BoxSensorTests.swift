import BlueZ
import Foundation
import Languages
import Logging
import Monitoring
import Peripherals
import Positioning
import Sensing
import SyncProtocol
import Synchronization
import TestSupport
import Testing
import Vitals

@testable import AgentKit

/// Sensors that are changed, persons whom nobody knows, and what several people of one box share.
@Suite(.timeLimit(.minutes(1)))
struct BoxSensorTests {
    @Test("EDGE-13: what the old strap still tells after another was chosen is not taken for the new one's")
    func changed() async throws {
        let fixture = try BoxFixture()
        defer { fixture.parts.sources.stop() }
        try await fixture.box.begin(listening: false)
        await fixture.beat(70)
        let new = try #require(SensorAddress("C4:01:02:03:04:99"))
        let reply = await fixture.box.perform(ControlRequest(.use, address: "C4:01:02:03:04:99"))
        #expect(reply.isDone, "\(reply.message)")
        await fixture.beat(171)
        let sample = HeartRateSample(time: fixture.clock.now, beatsPerMinute: 72, contact: .detected, rrIntervals: [800])
        await fixture.box.take(.heartRate(.measurement(sample), fixture.person, new))
        let stored = try #require(try await fixture.stored()[fixture.person])
        #expect(stored.heartRates.map(\.beatsPerMinute) == [70, 72])
        #expect(stored.events.contains { $0.code == .sensorLost })
    }

    @Test("EDGE-1: chosen sensors are listed with their battery, the signal that a scan heard last, and its age")
    func listed() async throws {
        let fixture = try BoxFixture(), strap = try #require(SensorAddress("C4:01:02:03:04:A7"))
        defer { fixture.parts.sources.stop() }
        try await fixture.box.begin(listening: false)
        #expect(await fixture.box.perform(ControlRequest(.use, address: "C4:01:02:03:04:A7")).isDone)
        let before = await fixture.box.status()
        #expect(before.persons[0].sensor?.signal == nil && !before.sensorTable.contains("dBm"), "\(before.sensorTable)")
        SensorSearch.note([FoundSensor(address: strap, name: "HR-SIM", rssi: -61)], at: fixture.clock.now)
        await fixture.box.take(.heartRate(.battery(percent: 87, time: fixture.clock.now), fixture.person, strap))
        fixture.clock.advance(5000)
        // Connected, it does not advertise: the next scan knows nothing of its signal, and perhaps not its name.
        SensorSearch.note([FoundSensor(address: strap)], at: fixture.clock.now)
        let status = await fixture.box.status()
        #expect(status.persons[0].sensor?.signal == -61 && SensorSearch.heard(strap)?.name == "HR-SIM")
        #expect(status.sensorTable.contains(", -61 dBm, heard 5 s ago, battery 87 %"), "\(status.sensorTable)")
        _ = try await fixture.stored()
    }

    @Test("EDGE-12: help for somebody whom the box does not know is refused with what to do, and nothing claims that it was recorded")
    func unknownPerson() async throws {
        let fixture = try BoxFixture()
        try await fixture.box.begin(listening: false)
        let reply = await fixture.box.perform(ControlRequest(.help, person: "Nobody"))
        #expect(!reply.isDone && reply.message.hasPrefix("Nothing was recorded"), "\(reply.message)")
        #expect(reply.advice?.contains("112") == true)
        let nobody = try BoxFixture(people: [])
        #expect(await nobody.box.perform(ControlRequest(.help)).advice?.contains("112") == true)
        _ = try await nobody.stored()
        #expect(try await fixture.stored()[fixture.person]?.events.contains { $0.code == .help } != true)
    }

    @Test("EDGE-7: choosing one kind leaves the other as it was")
    func oneKind() async throws {
        let fixture = try BoxFixture()
        try await fixture.box.begin(listening: false)
        #expect(await fixture.box.perform(ControlRequest(.kinds, kinds: KindsChoice(heartRate: false))).isDone)
        #expect(await fixture.box.perform(ControlRequest(.kinds, kinds: KindsChoice(position: false))).isDone)
        #expect(await fixture.box.status().persons[0].kinds == Kinds(heartRate: false, position: false))
        #expect(await !fixture.box.perform(ControlRequest(.kinds, kinds: KindsChoice())).isDone)
        _ = try await fixture.stored()
    }

    @Test(
        "EDGE-8: a pause that ended while the box was off is recorded as over once, and is gone from the settings",
        .timeLimit(.minutes(1)))
    func endedPause() async throws {
        let directory = try TemporaryDirectory()
        // A report of the box before, still on its way, holds the directory for a moment.
        func opened(at start: Milliseconds) async throws -> BoxFixture {
            while true {
                do { return try BoxFixture(directory: directory, at: start) } catch let problem as AgentProblem {
                    guard problem.what.contains("in use by another program") else { throw problem }
                    try await Task.sleep(for: .milliseconds(5))
                }
            }
        }
        try await {
            let fixture = try BoxFixture(directory: directory)
            try await fixture.box.begin(listening: false)
            #expect(await fixture.box.perform(ControlRequest(.pause, minutes: 1)).isDone)
            _ = try await fixture.stored()
        }()
        for start in [Milliseconds(2_000_000), 3_000_000] {
            let fixture = try await opened(at: start)
            try await fixture.box.begin(listening: false)
            await fixture.box.end()
            #expect(BoxSettings.load(from: fixture.state).settings[fixture.person].pause == nil)
            let events = try await fixture.stored()[fixture.person]?.events ?? []
            #expect(events.count { $0.code == .resumed } == 1)
        }
    }

    @Test("SOS-18: what is wrong with the whole box is said once, however many people it looks after")
    func boxNotices() async throws {
        let log = KeptLog()
        let fixture = try BoxFixture(people: ["Ada", "Berta"], role: .gateway, logger: log.logger)
        try await fixture.box.begin(listening: false)
        // The hub of the fixture is not there.
        for _ in 0..<60 {
            fixture.clock.advance(1000)
            await fixture.box.tick()
        }
        #expect(log.lines.count { $0 == "notice: hub-unreachable" } == 1)
        #expect(log.lines.count { $0 == "notice: sensor-lost" } == 2)
        _ = try await fixture.stored()
    }

    @Test("EDGE-13: the place that was set for a gateway is where it is, whatever becomes of the satellite receiver")
    func fixedPlace() async throws {
        let fixture = try BoxFixture(role: .gateway)
        defer { fixture.parts.sources.stop() }
        let place = FixedPosition(latitude: 45.4519, longitude: 9.1752, error: 20)
        try fixture.parts.sources.start(PositionSources.Configuration(fixed: place))
        try await fixture.box.begin(listening: false)
        let lost = SourceProblem(what: "gpsd is gone", advice: "Start it", retries: true)
        await fixture.box.take(.position(.lost(lost, time: fixture.clock.now)))
        let position = try #require(await fixture.box.status().position)
        #expect(position.isCurrent)
        #expect(abs(position.latitude - 45.4519) < 0.000_01)
        _ = try await fixture.stored()
    }

    @Test("EDGE-10: a recording that runs when the agent stops is whole on the disk")
    func recording() async throws {
        let fixture = try BoxFixture()
        try await fixture.box.begin(listening: false)
        let path = fixture.directory.url.path + "/walk"
        #expect(await fixture.box.perform(ControlRequest(.record, path: path)).isDone)
        let sample = HeartRateSample(time: fixture.clock.now, beatsPerMinute: 70)
        let strap = fixture.strap(of: fixture.person)
        await fixture.box.take(.heartRate(.connected(time: fixture.clock.now), fixture.person, strap))
        await fixture.box.take(.heartRate(.measurement(sample), fixture.person, strap))
        await fixture.box.end()
        #expect(await fixture.box.recording.path == nil)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path + ".btsnoop")).count > 24)
        _ = try await fixture.stored()
    }

    @Test("EDGE-7, EDGE-8: a place is in no recording while position is off or monitoring is paused, unless another person lets it be kept")
    func recordedPlaces() async throws {
        let fixture = try BoxFixture(people: ["Ada", "Berta"]), box = fixture.box, path = fixture.directory.url.path + "/walk"
        try await box.begin(listening: false)
        #expect(await box.perform(ControlRequest(.record, path: path)).isDone)
        await fixture.fix(latitude: 410_000_000)
        #expect(await box.perform(ControlRequest(.kinds, person: "Ada", kinds: KindsChoice(position: false))).isDone)
        await fixture.fix(latitude: 420_000_000)
        #expect(await box.perform(ControlRequest(.pause, person: "Berta", minutes: 5)).isDone)
        await fixture.fix(latitude: 430_000_000)
        #expect(await box.perform(ControlRequest(.resume, person: "Berta")).isDone)
        await fixture.fix(latitude: 440_000_000)
        await box.end()
        let text = try String(contentsOfFile: path + ".nmea", encoding: .utf8)
        let places = text.split(whereSeparator: \.isNewline).filter { $0.hasPrefix("$GPRMC") }.map { $0.split(separator: ",")[3].prefix(2) }
        #expect(places == ["41", "42", "44"], "\(text)")
        _ = try await fixture.stored()
    }

    @Test("SOS-18: on the desktop a notice about the box stands once, and its buttons are everybody's")
    func desktop() {
        var status = BoxStatus.sample
        status.persons.append(.sample("Berta Example", at: status.time))
        for index in status.persons.indices { status.persons[index].notices = [.hubUnreachable, .sensorLost] }
        var notices = DesktopNotifications(language: .english)
        let shown = notices.update(status).shown
        #expect(shown.count == 3)
        let ofBox = shown.filter { DesktopNotifications.person(of: $0.key) == nil }
        #expect(ofBox.count == 1)
        #expect(notices.update(status).shown.isEmpty)
    }
}

/// Keeps what is logged.
final class KeptLog: Sendable {
    private let kept = Mutex<[String]>([])

    var lines: [String] { kept.withLock { $0 } }
    var logger: Logger { Logger(label: "test") { _ in Handler(log: self) } }

    private struct Handler: LogHandler {
        let log: KeptLog
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.notice

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            log.kept.withLock { $0.append(event.message.description) }
        }
    }
}
