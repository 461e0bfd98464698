import AgentKit
import ArgumentParser

struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the state of this box: each link from the sensor to the hub, what waits, what was sent.")

    @OptionGroup var options: ControlOptions

    func run() async throws {
        do {
            let reply = try await options.client.send(ControlRequest(.status))
            guard let status = reply.status else { return try options.show(reply) }
            print(options.json ? try status.json() : status.text)
        } catch let problem as AgentProblem {
            // Without the agent, what is in its directory can still be told.
            say(problem.description)
            let report = try StatusReport(directory: stateDirectory(options.state))
            print(options.json ? report.json : report.text)
            throw ExitCode(3)
        }
    }
}
