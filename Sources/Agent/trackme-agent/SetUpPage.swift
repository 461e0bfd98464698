import AgentKit
import ArgumentParser

struct SetUpPage: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup",
        abstract: "Open the set-up page of a box that belongs to no hub, for 30 minutes.",
        discussion: "The page is open in the box's network, for the first browser that uses it. The hub's page Boxes has a link to it.")
    @OptionGroup var options: ControlOptions
    func run() async throws { try await options.perform(ControlRequest(.setUp)) }
}
