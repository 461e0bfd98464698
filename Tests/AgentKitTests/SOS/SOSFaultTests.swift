import Distress
import Foundation
import Logging
import Peripherals
import SyncProtocol
import Synchronization
import TestSupport
import Testing
import Vitals

@testable import AgentKit
@testable import SampleBuffer

/// Design rule 7: the alarm needs neither database, disk, name service nor a right clock.
@Suite(.timeLimit(.minutes(2)))
struct SOSFaultTests {
    @Test(
        "EDGE-11: disk full, database hanging, clock of 1970 and no hub or name service at once: the box asks, raises and calls all the same"
    )
    func everythingAtOnce() async throws {
        let sos = SOSFixture(settings: SOSFixture.settings())
        // 1970-01-01: the wall clock is the boot clock.
        let fixture = try BoxFixture(utcOffset: 0, sos: sos)
        // The settings and the state of the alarm cannot be written: their names are taken by directories.
        let files = FileManager.default, path = fixture.directory.url.path
        for name in ["sos-state.json.new", "sos.json.new", "sos-access.json.new"] {
            try files.createDirectory(atPath: "\(path)/\(name)", withIntermediateDirectories: false)
        }
        try await fixture.box.begin(listening: false)
        await fixture.rest()
        let hang = try await HangingDisk(fixture.buffer)
        await fixture.distress(6)
        #expect(sos.caller.calls == 1)
        let attempt = try #require(await fixture.sos?.alarm)
        #expect(attempt.phase == .calling)
        let began = ContinuousClock.now
        let reply = await fixture.box.perform(ControlRequest(.falseAlarm))
        #expect(reply.isDone && ContinuousClock.now - began < .seconds(20), "\(reply.message)")
        #expect(sos.caller.asked.last == .stopped)
        await hang.end()
        _ = try await fixture.stored()
    }

    @Test("EDGE-11: a database that is garbage at the start is set aside, and the settings of AutomatedSOS hold")
    func garbage() async throws {
        let directory = try TemporaryDirectory(), path = directory.url.path
        try Data(repeating: 0x5a, count: 8192).write(to: URL(filePath: path + "/buffer.sqlite"))
        try {
            let state = try StateDirectory(path)
            try state.write(Array(try JSONEncoder().encode(SOSFixture.settings())), to: "sos.json")
        }()
        let (settings, damage) = SOSSettingsFile.load(from: path)
        #expect(settings == SOSFixture.settings() && damage == nil)
        let sos = SOSFixture(settings: settings), fixture = try BoxFixture(directory: directory, sos: sos)
        try await fixture.box.begin(listening: false)
        await fixture.rest()
        await fixture.distress(6)
        #expect(sos.caller.calls == 1)
        _ = try await fixture.stored()
    }

    @Test("SOS-1: damaged settings do not turn AutomatedSOS off, and that is told; without any nobody has turned it on")
    func damagedSettings() async throws {
        let directory = try TemporaryDirectory(), path = directory.url.path
        #expect(SOSSettingsFile.load(from: path).settings == nil)
        try Data("{nonsense".utf8).write(to: URL(filePath: path + "/sos.json"))
        let (settings, damage) = SOSSettingsFile.load(from: path)
        #expect(settings?.people.isEmpty == true && damage?.contains("usual limits") == true)
        #expect(FileManager.default.fileExists(atPath: path + "/sos.json.damaged"))
        let sos = SOSFixture(settings: settings, isLost: true), fixture = try BoxFixture(directory: directory, sos: sos)
        try await fixture.box.begin(listening: false)
        await fixture.rest()
        let shown = try #require(await fixture.sos)
        #expect(shown.isOn && shown.weaknesses.contains(.settingsLost))
        await fixture.distress(6)
        #expect(sos.caller.calls == 1)
        _ = try await fixture.stored()
    }

    @Test("SOS-7, EDGE-11: an agent that is started anew in the middle of a case goes on with it, under its id and as an update")
    func restart() async throws {
        let directory = try TemporaryDirectory()
        var id: IncidentID?
        try await {
            let sos = SOSFixture(settings: SOSFixture.settings()), fixture = try BoxFixture(directory: directory, sos: sos)
            try await fixture.box.begin(listening: false)
            await fixture.rest()
            await fixture.distress(6)
            id = await fixture.sos?.alarm?.id
            await fixture.box.end()
            _ = try await fixture.stored()
        }()
        let (state, damage) = SOSStateFile.load(from: directory.url.path)
        #expect(state != nil && damage == nil)
        // The same boot, and another.
        for (boot, start) in [(BoxFixture.boot, Milliseconds(1_030_000)), (BootID(high: 8, low: 8), 5000)] {
            let sos = SOSFixture(settings: SOSFixture.settings(), state: state)
            let fixture = try BoxFixture(boot: boot, at: start, sos: sos)
            try await fixture.box.begin(listening: false)
            await fixture.box.tick()
            let alarm = try #require(await fixture.sos?.alarm)
            #expect(alarm.id == id && alarm.phase == .calling && alarm.raisedAt <= start)
            #expect(sos.caller.asked.first == .raised(isDrill: false, isUpdate: true))
            #expect(try await eventually { sos.hub.reports.contains { $0.alarm?.id == id } })
            #expect(await fixture.box.perform(ControlRequest(.falseAlarm)).isDone)
            #expect(sos.caller.asked.last == .stopped)
            _ = try await fixture.stored()
        }
    }

    @Test("SOS-7: an agent that is started anew while it asks raises at the question's own time")
    func restartWhileAsking() async throws {
        let directory = try TemporaryDirectory()
        try await {
            let sos = SOSFixture(settings: SOSFixture.settings()), fixture = try BoxFixture(directory: directory, sos: sos)
            try await fixture.box.begin(listening: false)
            await fixture.rest()
            await fixture.distress(4)
            await fixture.box.end()
            _ = try await fixture.stored()
        }()
        let sos = SOSFixture(settings: SOSFixture.settings(), state: SOSStateFile.load(from: directory.url.path).state)
        let fixture = try BoxFixture(directory: directory, at: 1_019_000, sos: sos)
        try await fixture.box.begin(listening: false)
        #expect(await fixture.sos?.question != nil)
        #expect(sos.caller.calls == 0)
        fixture.clock.advance(3000)
        await fixture.box.tick()
        #expect(sos.caller.calls == 1)
        _ = try await fixture.stored()
    }

    @Test("EDGE-11: the hub is reached at its last address when the name leads nowhere, with the token as it is and a clock of 1970")
    func nameService() async throws {
        let authority = try TestAuthority(), name = "hub.invalid"
        let hub = try await TLSServer(try authority.server([name]))
        let directory = try TemporaryDirectory(), path = directory.url.path, state = try StateDirectory(path)
        try state.write(Array(#"{"token":"expired long ago","address":"127.0.0.1"}"#.utf8), to: "sos-access.json")
        let access = SOSAccess(state, logger: .silent)
        let clock = TokenClock(BoxClock(boottime: { 5000 }, utc: { 1000 }))
        let client = try HubClient(
            try HubAddress("https://\(name):\(hub.port)"), trust: .pinned(try PinnedRoots(authority.pem)),
            configuration: AgentConfiguration(stateDirectory: path), clock: clock, lastAddress: access.address, knownFirst: true)
        let report = SOSReport(person: PersonID(high: 1, low: 1), boot: BoxFixture.boot, revision: 1, sentAt: 1, provenance: .live)
        let began = ContinuousClock.now
        _ = await SOSLink(client: client, access: access).report(report)
        #expect(hub.requests == ["/sync/v1/sos"] && ContinuousClock.now - began < .seconds(2))
        await client.shutdown()
        await hub.stop()
    }

    @Test("EDGE-11: what the box needs to reach the hub is kept in a file of its own for its owner alone")
    func access() async throws {
        let directory = try TemporaryDirectory(), path = directory.url.path, state = try StateDirectory(path)
        let access = SOSAccess(state, logger: .silent)
        access.note(token: "a")
        access.note(address: "192.0.2.1")
        let file = path + "/sos-access.json"
        #expect(try await eventually { SOSAccess(state, logger: .silent).address == "192.0.2.1" })
        #expect(SOSAccess(state, logger: .silent).token == "a")
        let rights = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(rights == 0o600)
        try Data("{".utf8).write(to: URL(filePath: file))
        #expect(SOSAccess(state, logger: .silent).token == nil)
    }
}
