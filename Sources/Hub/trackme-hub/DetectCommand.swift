import ArgumentParser
import HubWeb

struct DetectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "detect",
        abstract: "Play what is stored of a person through the detector of AutomatedSOS, and print what it decides and why.",
        discussion: "Calls nobody, works beside a running hub, and stands in the audit log. docs/detection.md explains the lines.")
    @OptionGroup var options: HubOptions
    @Option(help: "The person's identifier, as `person list` prints it.")
    var person: String
    @Option(help: "From when on, like 2026-11-21T08:00:00Z; a day before the end unless it is given.")
    var from: String?
    @Option(help: "Until when; now unless it is given.")
    var to: String?
    @Flag(help: "Print one JSON object.")
    var json = false

    func run() async throws {
        print(try HubCommands.detect(person: person, from: from, to: to, json: json, try await options.configuration()))
    }
}
