import AgentKit
import ArgumentParser

struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Show what is buffered, sent and refused.")

    @Flag(help: "As JSON.")
    var json = false

    @OptionGroup var options: StateOptions

    func run() throws {
        let report = try StatusReport(directory: options.directory)
        print(json ? report.json : report.text)
    }
}
