import ArgumentParser
import HubWeb

struct ClaimCode: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print a code with which you become an operator of this hub: valid for a day, once.")
    @OptionGroup var options: HubOptions

    func run() async throws { print(try await HubCommands.claimCode(options.configuration())) }
}
