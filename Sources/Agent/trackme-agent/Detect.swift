import AgentKit
import ArgumentParser
import Foundation

struct Detect: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Play a scenario through AutomatedSOS and show what it decides and why. Nobody is called.",
        discussion: "docs/detection.md describes scenario files. Fails where the decisions are not those that the file expects.")

    @Option(help: "A scenario file.")
    var scenario: String

    @Flag(help: "One JSON object instead of lines.")
    var json = false

    func run() throws {
        // A reader such as `head` may close the pipe early.
        signal(SIGPIPE, SIG_DFL)
        try detect(scenario: scenario, json: json) { FileHandle.standardOutput.write(Data($0.utf8)) }
    }
}
