import ArgumentParser
import Foundation
import HubWeb

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Say what is wrong with this hub, where, and what to do. The status is 0 for nothing, 1 for warnings, 2 for faults.")
    @OptionGroup var options: HubOptions
    @Flag(help: "Print JSON, and ask nothing.")
    var json = false
    @Flag(help: "Mend without a question what the command can mend itself.")
    var fix = false

    func run() async throws {
        let wish = HubDoctorCommand.Wish(file: options.config, directory: options.directory, isJSON: json, fixes: fix)
        var ask: ((String) -> Bool)?
        if !json, !fix, isatty(0) == 1, isatty(1) == 1 { ask = { Self.ask($0) } }
        let status = try await HubDoctorCommand.run(wish, ask: ask, say: { print($0) })
        throw ExitCode(status)
    }

    private static func ask(_ question: String) -> Bool {
        print(question, terminator: "")
        fflush(nil)
        return readLine()?.lowercased().hasPrefix("y") ?? false
    }
}
