import AgentKit
import ArgumentParser
import Foundation
import Logging

@main
struct TrackMeAgent: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trackme-agent",
        abstract: "Collects heart rate and position on this box and brings them to a TrackMe hub.",
        subcommands: [Enrol.self, Run.self, Replay.self, Decode.self, Watch.self, Status.self])

    static func main() async {
        // What the agent writes holds health data and keys.
        umask(0o077)
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            exit(withError: error)
        }
    }
}

/// A line for the person at the terminal.
@Sendable func say(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
}
