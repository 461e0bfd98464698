import Distress
import Foundation
import TestSupport
import Testing

@testable import AgentKit

/// `trackme-agent detect`: what it prints, and what it says of a scenario that goes otherwise or cannot be read.
@Suite struct DetectingTests {
    private static let folder = Repository.url("Tests/DistressTests/Scenarios")
    private static let names =
        (try? FileManager.default.contentsOfDirectory(atPath: folder.path))?.filter { $0.hasSuffix(".txt") }.sorted() ?? []

    private func printed(_ path: String, json: Bool = false) throws(AgentProblem) -> String {
        var text = ""
        try detect(scenario: path, json: json) { text += $0 }
        return text
    }

    /// What a file of this text gives: what is printed, and the problem.
    private func outcome(_ text: String, json: Bool = false) throws -> (printed: String, problem: AgentProblem?) {
        let directory = try TemporaryDirectory(), path = directory.url.appendingPathComponent("made-up.txt").path
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        var printed = ""
        do throws(AgentProblem) { try detect(scenario: path, json: json) { printed += $0 } } catch { return (printed, error) }
        return (printed, nil)
    }

    @Test("SOS-3, SOS-4: every scenario file is played as it expects, told as lines and as the same values in one JSON object")
    func files() throws {
        #expect(Self.names.count > 50)
        for (index, name) in Self.names.enumerated() {
            let path = Self.folder.appending(path: name).path, json = try printed(path, json: true)
            #expect(json.hasSuffix("}\n") && json.filter(\.isNewline).count == 1, "\(name)")
            let report = try JSONDecoder().decode(Replay.Report.self, from: Data(json.utf8))
            #expect(!report.decisions.isEmpty && !report.finalState.isEmpty, "\(name)")
            // All of them would play for a quarter of a minute.
            guard index.isMultiple(of: 8) else { continue }
            #expect(try printed(path) == report.lines.joined(separator: "\n") + "\n", "\(name)")
            #expect(try report == Replay.run(Scenario(text: String(contentsOfFile: path, encoding: .utf8))), "\(name)")
        }
    }

    @Test("SOS-3: what is not as the file expects is named with its line, after all that was decided", arguments: [false, true])
    func otherwise(json: Bool) throws {
        let series = "age 40\n0:00-0:10 heart 70\n"
        let (printed, problem) = try outcome(series + "expect 0:05 raised the heart\nexpect end protected\nexpect end taken\n", json: json)
        let end = json ? #""finalState":"calm""# : "end: calm, protected\n"
        #expect(printed.contains(end), "\(printed)")
        #expect(problem?.what.contains("line 3: expected raised the heart at 0:00:05, and it did not come") == true, "\(problem as Any)")
        #expect(problem?.what.contains("line 4") == false)
        #expect(problem?.what.contains("line 5: expected taken at the end, and it is calm") == true)
        #expect(problem?.advice.contains("expect") == true && problem?.status == 1)
        // What nobody expects: only where the file expects anything.
        let help = "age 40\n0:05 help\n"
        #expect(try outcome(help, json: json).problem == nil)
        let unexpected = try outcome(help + "expect end calm\n", json: json).problem
        #expect(unexpected?.what.contains("not expected: 0:00:05 test: the person asked for help") == true, "\(unexpected as Any)")
    }

    @Test("SOS-3: a mistake in the file is told with its line, a file that is not there or is no text by its path; nothing is printed")
    func mistakes() throws {
        let (printed, problem) = try outcome("age 40\n# as it was\n0:05 hart 72\n")
        #expect(printed.isEmpty && problem?.what.contains("made-up.txt, line 3: `hart` is no event") == true, "\(problem as Any)")
        #expect(problem?.advice.contains("heart") == true && problem?.status == 1)
        let directory = try TemporaryDirectory()
        let missing = directory.url.appendingPathComponent("missing.txt").path, binary = directory.url.appendingPathComponent("binary").path
        try Data([0xFF, 0xFE, 0xFF]).write(to: URL(fileURLWithPath: binary))
        for path in [missing, binary] {
            let error = #expect(throws: AgentProblem.self) { try detect(scenario: path, json: true) { _ in Issue.record("printed") } }
            #expect(error?.what == "\(path) cannot be read as text" && error?.status == 1)
        }
    }
}
