import Foundation
import TestSupport
import Testing

@Suite struct DispatchScenarioTests {
    static let folder = Repository.url("Tests/EmergencyDispatchTests/Scenarios")
    static let names =
        (try? FileManager.default.contentsOfDirectory(atPath: folder.path()))?.filter { $0.hasSuffix(".txt") }.sorted() ?? []

    @Test(
        "SOS-7, SOS-11, SOS-16, SOS-19, SOS-20, SOS-21, SOS-23: each case goes as its file says, and nothing else follows", arguments: names
    )
    func situation(name: String) throws {
        let scenario = try DispatchScenario(text: try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8))
        let lines = try DispatchReplay.run(scenario)
        let differences = lines.difference(from: scenario.expected).map { change in
            switch change {
            case .insert(_, let line, _): "not expected: \(line)"
            case .remove(_, let line, _): "did not come: \(line)"
            }
        }
        #expect(differences.isEmpty, "\(name)\n\(differences.joined(separator: "\n"))")
        #expect(!scenario.expected.isEmpty, "\(name) expects nothing")
    }

    @Test("SOS-20: the same file plays the same way each time", arguments: names)
    func sameEachTime(name: String) throws {
        let scenario = try DispatchScenario(text: try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8))
        #expect(try DispatchReplay.run(scenario) == DispatchReplay.run(scenario))
    }

    @Test("There are scenarios")
    func some() { #expect(Self.names.count >= 65) }

    @Test(
        "A mistake in a scenario file is told with its line",
        arguments: [
            ("0:00 alarm", "no `end`"), ("0:05 alarm\n0:01 end", "line 2"), ("colour red\n0:00 end", "line 1"),
            ("contact Anna pigeon\n0:00 end", "text, mail and call"), ("0:00\n0:01 end", "line 1"), ("search slow\n0:00 end", "1 to 60 s"),
            ("crew A1 far\n0:00 end", "metres"), ("person Maria\nperson Paolo\nperson Rosa\ncrew A1 1 2\n0:00 end", "2 people, of 3"),
        ])
    func mistakes(text: String, words: String) {
        #expect(throws: DispatchScenario.Problem.self) { try DispatchScenario(text: text) }
        do { _ = try DispatchScenario(text: text) } catch { #expect("\(error)".contains(words)) }
    }

    @Test("What a file does not expect, and what does not come, fails it")
    func canFail() throws {
        let scenario = try DispatchScenario(text: "contact Anna text\n0:00 alarm\n0:10 end\nexpect 0:00 text Berta alert")
        let lines = try DispatchReplay.run(scenario)
        #expect(lines.contains("0:00 text Anna alert") && !lines.contains("0:00 text Berta alert"))
    }

    @Test("Where there are several people, an event names whom it is about", arguments: ["alarm", "Maria", "Rosa alarm"])
    func unnamed(event: String) throws {
        let scenario = try DispatchScenario(text: "person Maria\nperson Paolo\n0:00 \(event)\n0:10 end")
        #expect(throws: DispatchScenario.Problem.self) { try DispatchReplay.run(scenario) }
    }
}
