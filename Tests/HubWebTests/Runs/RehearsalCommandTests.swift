import Foundation
import HubStore
import Seams
import TestSupport
import Testing
import Vitals

@testable import HubWeb

@Suite struct RehearsalCommandTests {
    private let directory: TemporaryDirectory
    private let configuration: HubConfiguration

    init() throws {
        directory = try TemporaryDirectory()
        configuration = HubConfiguration(directory: directory.url.appendingPathComponent("hub", isDirectory: true))
    }

    private func course() throws -> String {
        let points = (0...30).map { "<trkpt lat=\"\(45.0 + Double($0) * 0.0002)\" lon=\"9\"/>" }.joined()
        let file = directory.url.appendingPathComponent("Straight.gpx")
        try Data("<gpx><trk><trkseg>\(points)</trkseg></trk></gpx>".utf8).write(to: file)
        return file.path
    }

    private func rehearse(isSure: Bool = false) async throws -> (said: String, state: [String: Any], mode: Int?) {
        let state = directory.url.appendingPathComponent("fleet.json").path
        let said = try await HubCommands.rehearse(
            .init(course: course(), laps: 1, runners: 3, startsIn: 20, state: state, isSure: isSure), configuration)
        let data = try Data(contentsOf: URL(fileURLWithPath: state))
        let mode = try FileManager.default.attributesOfItem(atPath: state)[.posixPermissions] as? Int
        return (said, try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any]), mode)
    }

    private func addRealPerson() throws {
        _ = try HubCommands.addPeople(names: ["Real"], configuration)
    }

    @Test("the stage is set in a directory: run, address, and a state file that only its owner reads")
    func stage() async throws {
        let (said, state, mode) = try await rehearse()
        let run = try #require(state["run"] as? [String: Any]), code = try #require(run["code"] as? String)
        #expect(said.contains("/runs/\(code)/live") && said.contains("trackme-fleet run --state"))
        #expect((run["runners"] as? [Any])?.count == 3 && (run["points"] as? [Any])?.count == 62)
        #expect((state["persons"] as? [Any])?.count == 3 && state["clock"] == nil)
        #expect((state["certificateAuthority"] as? String)?.contains("BEGIN CERTIFICATE") == true)
        #expect(mode == 0o600)
        #expect(try HubCommands.agents(configuration).count == 1)
    }

    @Test("among real people nothing is rehearsed, unless somebody is sure; and there no clock goes faster, sure or not")
    func realPeople() async throws {
        try addRealPerson()
        await #expect(throws: HubConfigurationError.self) { _ = try await rehearse() }
        _ = try await rehearse(isSure: true)
        #expect(throws: HubConfigurationError.self) { try RehearsalClock.begin(configuration, speed: 10) }
        #expect(try RehearsalClock.read(configuration.directory) == nil)
        #expect(try RehearsalClock.begin(configuration, speed: nil) == nil)
    }

    @Test("a clock that goes faster stays with its directory, also after a restart, and never where somebody real came to")
    func clock() async throws {
        let clock = try #require(try RehearsalClock.begin(configuration, speed: 10))
        #expect(abs(clock.origin - Machine.system.utc) < 60_000 && clock.speed == 10)
        let again = try #require(try RehearsalClock.begin(configuration, speed: nil))
        #expect(again.origin == clock.origin && again.speed == 10)
        #expect(throws: HubConfigurationError.self) { try RehearsalClock.begin(configuration, speed: 5) }
        #expect(throws: HubConfigurationError.self) {
            try RehearsalClock.begin(HubConfiguration(directory: directory.url.appendingPathComponent("other")), speed: 1000)
        }
        let state = try await rehearse().state
        #expect((state["clock"] as? [String: Any])?["speed"] as? Int == 10)
        // 20 seconds of whoever waits are 200 of the race.
        let starts = try #require((state["run"] as? [String: Any])?["starts"] as? Milliseconds)
        #expect(abs(starts - again.now(at: Machine.system.utc) - 200_000) < 300_000)
        try addRealPerson()
        #expect(throws: HubConfigurationError.self) { try RehearsalClock.begin(configuration, speed: nil) }
    }
}
