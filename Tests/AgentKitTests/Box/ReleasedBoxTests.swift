import Distress
import Foundation
import GRDB
import Segments
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import AgentKit
@testable import SampleBuffer

/// The state directory of a box of 0.3.0 (Tests/Fixtures/v0.3.0), opened by this version.
struct ReleasedBoxTests {
    private static let folder = Repository.url("Tests/Fixtures/v0.3.0/box")

    private static func copy(_ names: [String: String]) throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        for (name, new) in names {
            try FileManager.default.copyItem(at: folder.appending(path: name), to: directory.url.appending(path: new))
        }
        return directory
    }

    @Test(
        "OPS-2, SOS-7: a case that was open as 0.3.0 ended is open, and goes on after a reboot under its id",
        arguments: ["delivering", "taken"])
    func openCase(state: String) throws {
        let directory = try Self.copy(["sos-state-\(state).json": "sos-state.json"])
        let (kept, damage) = SOSStateFile.load(from: directory.url.path)
        let person = try #require(kept?.persons.first), alarm = try #require(person.watch.incident.alarm)
        #expect(damage == nil && person.isCalling == (state == "delivering"))
        let settings = SOSSettings.Person(person: person.person, distress: DistressSettings(age: 40), name: "Ada", language: "it")
        var watching = SOSStation(person: person.person, settings: settings, stream: .random(), at: 5000)
        _ = watching.restore(person, at: 5000, keptAt: try #require(kept).at, elapsed: 20_000)
        #expect(watching.watch.incident.alarm?.id == alarm.id && watching.owner == (state == "taken" ? Owner("r1") : nil))
    }

    @Test("OPS-2, SOS-9: the settings of AutomatedSOS that 0.3.0 kept are read: whom the box calls, and with what limits")
    func settings() throws {
        let directory = try Self.copy(["sos.json": "sos.json"])
        let (settings, damage) = SOSSettingsFile.load(from: directory.url.path)
        let person = try #require(settings?.people.first)
        #expect(
            damage == nil && settings?.version == 1 && person.name == "Ada Example" && person.distress.isOn && person.distress.age == 40)
        #expect(person.contacts.map(\.phone) == ["+39 333 1112222"] && person.contacts.map(\.language) == ["it"])
    }

    @Test("OPS-2, EDGE-5: the segments that 0.3.0 collected are in the buffer, and wait to be sent")
    func buffer() throws {
        let directory = try Self.copy(["buffer.sqlite": "buffer.sqlite"]), path = directory.url.appending(path: "buffer.sqlite").path
        let before = try DatabaseQueue(path: path).read { try Data.fetchAll($0, sql: "SELECT bytes FROM segment ORDER BY key") }
        #expect(!before.isEmpty)
        let buffer = try SampleBuffer(directory: directory.url.path)
        let after = try buffer.read { try Data.fetchAll($0, sql: "SELECT bytes FROM segment ORDER BY key") }
        #expect(after == before && buffer.takeNotices().isEmpty)
        let samples = try after.map { bytes in try Array(bytes).withUnsafeBytes { try Segment(decoding: $0) }.samples.count }
        #expect(samples.allSatisfy { $0 > 0 })
        #expect(try buffer.waiting().segments == before.count)
    }
}
