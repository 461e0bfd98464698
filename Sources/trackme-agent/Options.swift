import AgentKit
import ArgumentParser
import Configuration
import Foundation
import Logging

/// What every command that has a state takes.
struct StateOptions: ParsableArguments {
    @Option(help: "The directory with this box's key and buffer.")
    var state: String?

    @Option(help: "trace, debug, info, notice, warning or error.")
    var logLevel = LogLevel.notice

    var directory: String {
        state
            ?? AgentConfiguration.defaultStateDirectory(environment: ProcessInfo.processInfo.environment) {
                FileManager.default.isWritableFile(atPath: $0)
            }
    }

    var configuration: AgentConfiguration {
        AgentConfiguration(stateDirectory: directory, config: ConfigReader(provider: EnvironmentVariablesProvider()))
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
