import AgentKit
import ArgumentParser
import Foundation
import Logging

@main
struct TrackMeAgent: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trackme-agent",
        abstract: "Collects heart rate and position on this box and brings them to a TrackMe hub.",
        version: AgentVersion.current,
        subcommands: [
            Enrol.self, SetUpPage.self, Run.self, Status.self, Sensors.self, OK.self, GetHelp.self, FalseAlarm.self, Reactivate.self,
            ReportFlag.self, Pause.self, Resume.self, CheckIn.self, Sync.self, ChooseKinds.self, Record.self, Replay.self, Decode.self,
            Compare.self, Detect.self,
            SOS.self,
            Watch.self,
            Button.self, Desktop.self,
        ])

    static func main() async {
        // Files of the agent hold health data and keys.
        umask(0o077)
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            end(error)
        }
    }

    /// As `exit(withError:)`, which would advise a subcommand `help` of its own: here, that one calls for help.
    private static func end(_ error: any Error) -> Never {
        let message = fullMessage(for: error).replacing(/See 'trackme-agent help (.*)<subcommand>'/) { match in
            "See 'trackme-agent \(match.1)<subcommand> --help'"
        }
        let code = (error as? AgentProblem).map { ExitCode($0.status) } ?? exitCode(for: error)
        if !message.isEmpty, code.isSuccess { print(message) } else if !message.isEmpty { say(message) }
        exit(withError: code)
    }
}

/// A line for the person at the terminal.
@Sendable func say(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
}
