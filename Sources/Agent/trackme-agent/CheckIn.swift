import AgentKit
import ArgumentParser

struct CheckIn: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-in", abstract: "Show the check-ins of runs that wait for an answer here, or answer one.",
        discussion: "Without an answer it says what the organiser would read and until when, and how earlier answers stand.")

    @Argument(help: "accept or refuse; without it, show.")
    var answer: Answer?
    @Argument(help: "The run's code, where several wait.")
    var run: String?
    @OptionGroup var options: ControlOptions

    enum Answer: String, ExpressibleByArgument, CaseIterable { case accept, refuse }

    func run() async throws {
        if let answer {
            let said: ControlRequest.Answer = answer == .accept ? .accept : .refuse
            return try await options.perform(ControlRequest(.checkIn, answer: said, checkIn: run))
        }
        let reply = try await options.client.send(ControlRequest(.status))
        guard !options.json, let status = reply.status else { return try options.show(reply) }
        print(status.checkInText)
    }
}
