import Foundation
import TestSupport
import Testing
import Vitals

@testable import Distress

@Suite struct ScenarioTests {
    static let folder = Repository.url("Tests/DistressTests/Scenarios")
    static let names =
        (try? FileManager.default.contentsOfDirectory(atPath: folder.path()))?.filter { $0.hasSuffix(".txt") }.sorted() ?? []

    @Test(
        "SOS-2, SOS-3, SOS-4, SOS-5, SOS-7, SOS-8, SOS-9, SOS-10, SOS-16, SOS-18: each situation is decided as its file says",
        arguments: names)
    func situation(name: String) throws {
        let text = try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
        let scenario = try Scenario(text: text)
        let report = Replay.run(scenario)
        let differences = report.differences(from: scenario.expectations)
        #expect(differences.isEmpty, "\(name)\n\(differences.joined(separator: "\n"))\n--\n\(report.lines.joined(separator: "\n"))")
        #expect(!scenario.expectations.isEmpty, "\(name) expects nothing\n\(report.lines.joined(separator: "\n"))")
    }

    @Test("There are scenarios")
    func some() { #expect(Self.names.count > 50) }
}
