import Distress
import Foundation
public import Seams

/// Plays a scenario file through the detector of AutomatedSOS and writes what was decided and why: lines of text, or one JSON object.
/// - Throws: also when the file expects something else.
public func detect(
    scenario path: String, json: Bool, machine: Machine = .system, write: (String) -> Void
) throws(AgentProblem) {
    guard let content = try? machine.files.read(path), let text = String(validating: content, as: UTF8.self) else {
        throw AgentProblem("\(path) cannot be read as text", advice: "Give the path of a scenario file")
    }
    let scenario: Scenario
    do throws(ScenarioProblem) { scenario = try Scenario(text: text) } catch {
        throw AgentProblem("\(path), line \(error.line): \(error.what)", advice: error.advice)
    }
    let report = Replay.run(scenario)
    write(try json ? jsonText(report) : report.lines.joined(separator: "\n") + "\n")
    let differences = report.differences(from: scenario.expectations)
    guard !scenario.expectations.isEmpty, !differences.isEmpty else { return }
    throw AgentProblem(
        "The scenario is not decided as \(path) expects:\n" + differences.joined(separator: "\n"),
        advice: "Correct its `expect` lines, or find out why the detector decides otherwise")
}

private func jsonText(_ report: Replay.Report) throws(AgentProblem) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    do { return String(decoding: try encoder.encode(report), as: UTF8.self) + "\n" } catch {
        throw AgentProblem("The report cannot be written as JSON: \(error)", advice: "Report this as a mistake of the program")
    }
}
