import AgentKit
import ArgumentParser
import Foundation
import Logging

/// Options of every command that has a state.
struct StateOptions: ParsableArguments {
    @Option(help: "The directory with this box's key and buffer.")
    var state: String?

    @Option(help: "trace, debug, info, notice, warning or error.")
    var logLevel = LogLevel.notice

    @Option(help: "The configuration; /etc/trackme/agent.yaml unless told.")
    var config: String?

    var directory: String { stateDirectory(state) }

    func configuration() async throws -> AgentConfiguration {
        try await AgentConfiguration.load(stateDirectory: directory, file: config)
    }

    /// Where the running agent is; asked for anew at each connection, as its directory comes and goes with the service.
    var controlSocket: @Sendable () -> String {
        { [state] in ControlSocket.path(state: state, environment: ProcessInfo.processInfo.environment) }
    }

    var logger: Logger {
        var logger = Logger(label: "trackme-agent") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = logLevel.level
        return logger
    }
}

enum LogLevel: String, ExpressibleByArgument, CaseIterable {
    case trace, debug, info, notice, warning, error

    var level: Logger.Level { Logger.Level(rawValue: rawValue) ?? .notice }
}

/// The one that was given, or where it is when nobody says.
func stateDirectory(_ given: String?) -> String {
    given
        ?? AgentConfiguration.defaultStateDirectory(environment: ProcessInfo.processInfo.environment) {
            FileManager.default.isWritableFile(atPath: $0)
        }
}
