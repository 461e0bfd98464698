import ArgumentParser
import HubWeb

struct ClaimCode: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print a code with which you become an operator of this hub: valid for a day, once.")
    @OptionGroup var options: HubOptions

    func run() async throws { print(try await HubCommands.claimCode(options.configuration())) }
}

struct LogOut: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Log an account out of every browser, such as one whose device was stolen.")
    @OptionGroup var options: HubOptions
    @Argument(help: "The e-mail address with which it logs in.")
    var email: String

    func run() async throws { print(try await HubCommands.endSessions(of: email, options.configuration())) }
}
