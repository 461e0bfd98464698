import AgentKit
import ArgumentParser
import Foundation

/// How the commands below reach the running agent.
struct ControlOptions: ParsableArguments {
    @Option(help: "The directory with this box's key and buffer, where it is not the service's.")
    var state: String?

    @Option(help: "For whom: an identifier or a name. Needed where this box looks after several.")
    var person: String?

    @Flag(help: "Print the answer as JSON.")
    var json = false

    var client: ControlClient {
        ControlClient(path: ControlSocket.path(state: state, environment: ProcessInfo.processInfo.environment))
    }

    /// Asks the running agent and prints its answer; an answer of "no" ends the command with 1.
    func perform(_ request: ControlRequest) async throws {
        var request = request
        request.person = request.person ?? person
        try show(try await client.send(request))
    }

    func show(_ reply: ControlReply) throws {
        if json {
            print(try reply.json())
        } else if reply.isDone {
            print(reply.message)
        } else {
            say(AgentProblem(reply.message, advice: reply.advice ?? "Look at `trackme-agent status`").description)
        }
        if !reply.isDone { throw ExitCode.failure }
    }
}

struct OK: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "ok", abstract: "Say \"I'm OK\".")
    @OptionGroup var options: ControlOptions
    func run() async throws { try await options.perform(ControlRequest(.ok)) }
}

struct GetHelp: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "help", abstract: "Ask for help.")
    @OptionGroup var options: ControlOptions
    func run() async throws { try await options.perform(ControlRequest(.help)) }
}

struct FalseAlarm: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Report that an alarm was false.")
    @OptionGroup var options: ControlOptions
    func run() async throws { try await options.perform(ControlRequest(.falseAlarm)) }
}

struct Reactivate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Watch again after an alarm.")
    @OptionGroup var options: ControlOptions
    func run() async throws { try await options.perform(ControlRequest(.reactivate)) }
}

struct Pause: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Collect nothing for a while; it ends by itself.")
    @Option(help: "For how long, 1 to 1440.")
    var minutes = 60
    @OptionGroup var options: ControlOptions
    func run() async throws { try await options.perform(ControlRequest(.pause, minutes: minutes)) }
}

struct Resume: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "End a pause.")
    @OptionGroup var options: ControlOptions
    func run() async throws { try await options.perform(ControlRequest(.resume)) }
}

struct Sync: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Send what waits now, or say why that cannot be done.")
    @OptionGroup var options: ControlOptions
    func run() async throws { try await options.perform(ControlRequest(.sync)) }
}

struct ChooseKinds: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "kinds", abstract: "Choose what is collected and sent.")
    @Option(help: "on or off; without it, as it is.")
    var heartRate: Switch?
    @Option(help: "on or off; without it, as it is.")
    var position: Switch?
    @OptionGroup var options: ControlOptions

    enum Switch: String, ExpressibleByArgument, CaseIterable { case on, off }

    func validate() throws {
        if heartRate == nil, position == nil { throw ValidationError("Give --heart-rate, --position or both, on or off") }
    }

    func run() async throws {
        let choice = KindsChoice(heartRate: heartRate.map { $0 == .on }, position: position.map { $0 == .on })
        try await options.perform(ControlRequest(.kinds, kinds: choice))
    }
}
