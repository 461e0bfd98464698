import AgentKit
import ArgumentParser
import Foundation
import Languages

struct Button: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Read one physical button: a short press says \"I'm OK\", a long one asks for help.",
        discussion: "A service of its own, so that the agent itself needs no access to input devices.")

    @OptionGroup var options: StateOptions

    func run() async throws {
        try await readButton(configuration: options.configuration(), controlSocket: options.controlSocket, logger: options.logger)
    }
}

struct Desktop: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the box's notices on this desktop, with buttons.",
        discussion: "Runs in a user's session, because the agent's own service cannot reach it.")

    @Option(help: "en or it.")
    var language: String?

    @OptionGroup var options: StateOptions

    func run() async throws {
        let language = try language.map { text in
            guard let language = Language(rawValue: text) else {
                throw ValidationError("--language is one of: \(Language.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            return language
        }
        try await showOnDesktop(language: language, controlSocket: options.controlSocket, logger: options.logger)
    }
}
