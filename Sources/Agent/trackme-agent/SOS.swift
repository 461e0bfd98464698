import AgentKit
import ArgumentParser
import Foundation

struct SOS: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sos", abstract: "AutomatedSOS on this box: how it stands, and a test of the alarm.",
        subcommands: [SOSStatus.self, Drill.self], defaultSubcommand: SOSStatus.self)
}

struct SOSStatus: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Protected or not and why, whom the box would call, and the last decisions.")
    @OptionGroup var options: ControlOptions

    func run() async throws {
        let reply = try await options.client.send(ControlRequest(.status))
        guard !options.json, let status = reply.status else { return try options.show(reply) }
        print(status.sosText)
    }
}

struct Drill: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Test the alarm's whole way: hub, texts, calls, hooks, sound. Everything says that it is a test.")
    @OptionGroup var options: ControlOptions

    func run() async throws {
        let reply = try await options.client.send(ControlRequest(.drill, person: options.person))
        try options.show(reply)
        guard !options.json else { return }
        var told = 0
        for try await status in options.client.watch() {
            guard let drill = status.drill(of: options.person) else { continue }
            for line in drill.lines.dropFirst(told) { print(line) }
            told = max(told, drill.lines.count)
            if drill.isOver, drill.hub != nil { break }
        }
    }
}
