import Distress
import Foundation
import Logging
import Seams
import Segments
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import AgentKit
@testable import BlueZ
@testable import SampleBuffer

/// People of a gateway who were deleted at the hub, or left it.
struct DepartureTests {
    private let ada = BoundPerson(person: PersonID(high: 0xA1B2_C3D4_E5F6_0718, low: 0x1122_3344_5566_7788), name: "Ada Made-Up")
    private let bruno = BoundPerson(person: PersonID(high: 1, low: 2), name: "Bruno")

    private func box(_ directory: TemporaryDirectory, leaving: Set<PersonID>) throws -> AgentConfiguration {
        let state = try StateDirectory(directory.url.path)
        let identity = Identity(
            agent: AgentID(high: 9, low: 9), name: "box", hub: try HubAddress("https://hub.example"), certificateAuthority: nil,
            persons: [ada, bruno])
        try identity.save(key: Identity.newKey(), to: state)
        var chosen = BoxSettings()
        for (index, person) in [ada, bruno].enumerated() {
            chosen.use(try #require(SensorAddress("C4:01:02:03:04:0\(index)")), name: person.name, for: person.person)
        }
        try chosen.save(to: state)
        let people = [ada, bruno].map {
            SOSSettings.Person(person: $0.person, distress: DistressSettings(), name: $0.name, language: "en")
        }
        try state.write(Array(JSONEncoder().encode(SOSSettings(version: 3, people: people))), to: "sos.json")
        let position = LastPosition(PositionSample(time: 1, latitude: 1, longitude: 2, horizontalError: 40))
        let places = [ada, bruno].map { StoredPosition(person: $0.person, boot: BoxFixture.boot, position: position, utc: nil) }
        try state.write(Array(JSONEncoder().encode(places)), to: "sos-place.json")
        try state.write(Array("torn".utf8), to: "settings.json.damaged")
        let buffer = try SampleBuffer(directory: directory.url.path)
        let samples = SampleSet(heartRates: [HeartRateSample(time: 0, beatsPerMinute: 60)])
        try buffer.seal(
            [ada, bruno].map { SealPart(person: $0.person, clock: .recorded, samples: samples) }, to: .live,
            at: BufferTime(boot: 1, milliseconds: 0))
        try state.write(Array(JSONEncoder().encode(leaving)), to: Departure.file)
        return AgentConfiguration(stateDirectory: directory.url.path)
    }

    private let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    @Test("DATA-10: what a gateway holds of one who left is erased from every file, and the others stay as they were")
    func one() throws {
        let directory = try TemporaryDirectory(), configuration = try box(directory, leaving: [ada.person]), path = directory.url.path
        #expect(Departure.finish(configuration, machine: .system, logger: quiet) == [ada])
        #expect(try Identity.load(from: path)?.persons == [bruno])
        let state = try StateDirectory(path), settings = BoxSettings.load(from: state).settings
        #expect(settings[ada.person].sensor == nil && settings[bruno.person].sensorName == "Bruno")
        #expect(SOSSettingsFile.load(from: path).settings?.people.map(\.person) == [bruno.person])
        #expect(LastPlaceFile.load(from: path).places.map(\.person) == [bruno.person])
        #expect(try SampleBuffer(directory: path).status().unsentSegments == 1)
        for name in try FileManager.default.contentsOfDirectory(atPath: path) {
            let content = try Data(contentsOf: directory.url.appendingPathComponent(name))
            #expect(
                content.range(of: Data(ada.person.description.utf8)) == nil && content.range(of: Data(ada.person.bytes)) == nil, "\(name)")
            #expect(content.range(of: Data("Ada Made-Up".utf8)) == nil && !name.hasSuffix(".damaged"), "\(name)")
        }
        #expect(Departure.finish(configuration, machine: .system, logger: quiet).isEmpty, "once")
    }

    @Test("DATA-10, EDGE-12: a box whose last person is gone holds nothing and can be set up anew, also after a power cut in between")
    func all() throws {
        let directory = try TemporaryDirectory(), people: Set = [ada.person, bruno.person]
        let configuration = try box(directory, leaving: people), path = directory.url.path
        // As after a cut behind the first file that went.
        try FileManager.default.removeItem(atPath: path + "/identity.json")
        #expect(Departure.noted(in: path, machine: .system) == people)
        _ = Departure.finish(configuration, machine: .system, logger: quiet)
        #expect(try Identity.load(from: path) == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: path) == ["lock"])
    }

    @Test("DATA-10: where the identity cannot be read nothing is erased: nobody knows who stays")
    func unreadable() throws {
        let directory = try TemporaryDirectory(), configuration = try box(directory, leaving: [ada.person]), path = directory.url.path
        let identity = try Data(contentsOf: directory.url.appendingPathComponent("identity.json"))
        try Data("torn".utf8).write(to: directory.url.appendingPathComponent("identity.json"))
        let names = try Set(FileManager.default.contentsOfDirectory(atPath: path))
        #expect(Departure.finish(configuration, machine: .system, logger: quiet).isEmpty)
        #expect(try Set(FileManager.default.contentsOfDirectory(atPath: path)).isSuperset(of: names))
        #expect(Departure.noted(in: path, machine: .system) == [ada.person], "it is tried again")
        try identity.write(to: directory.url.appendingPathComponent("identity.json"))
        #expect(Departure.finish(configuration, machine: .system, logger: quiet) == [ada])
        #expect(try SampleBuffer(directory: path).status().unsentSegments == 1)
    }

    @Test("DATA-10: the agent ends for its own people alone, and not for those whose old data waits", .timeLimit(.minutes(1)))
    func ends() async throws {
        let directory = try TemporaryDirectory(), state = try StateDirectory(directory.url.path)
        let identity = Identity(
            agent: AgentID(high: 9, low: 9), name: "box", hub: try HubAddress("https://hub.example"), certificateAuthority: nil,
            persons: [ada, bruno])
        let departures = Departures(identity, state, logger: quiet)
        await departures.note([PersonID(high: 5, low: 5)])
        await departures.note(BoxConditionAnswer(bound: [ada.person, bruno.person], gone: [PersonID(high: 6, low: 6)]))
        #expect(Departure.noted(in: state.path, machine: .system).isEmpty)
        await departures.note(BoxConditionAnswer(bound: [ada.person], gone: [bruno.person]))
        #expect(Departure.noted(in: state.path, machine: .system) == [bruno.person] && departures.unbound.isEmpty)
        try await departures.run()
    }

    @Test("OPS-2: a hub that merely does not know somebody ends nobody: the box says so, until it knows them again")
    func unbound() async throws {
        let directory = try TemporaryDirectory(), state = try StateDirectory(directory.url.path)
        let identity = Identity(
            agent: AgentID(high: 9, low: 9), name: "box", hub: try HubAddress("https://hub.example"), certificateAuthority: nil,
            persons: [ada, bruno])
        let departures = Departures(identity, state, logger: quiet)
        await departures.note(BoxConditionAnswer(bound: [ada.person], gone: []))
        #expect(departures.unbound == [bruno.person])
        departures.note(unbound: [ada.person, PersonID(high: 5, low: 5)])
        #expect(departures.unbound == [ada.person, bruno.person])
        // A hub that does not say, as release 0.3.0, changes nothing.
        await departures.note(BoxConditionAnswer())
        #expect(departures.unbound == [ada.person, bruno.person])
        await departures.note(BoxConditionAnswer(bound: [], gone: nil))
        #expect(departures.unbound == [ada.person, bruno.person])
        await departures.note(BoxConditionAnswer(bound: [ada.person, bruno.person], gone: []))
        #expect(departures.unbound.isEmpty && Departure.noted(in: state.path, machine: .system).isEmpty)
    }
}
