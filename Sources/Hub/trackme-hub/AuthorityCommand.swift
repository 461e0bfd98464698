import ArgumentParser
import HubWeb

struct AuthorityCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "authority", abstract: "The CA that boxes pin when they enrol.", subcommands: [Renew.self])

    struct Renew: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Announce a new CA to all boxes; it takes over after 180 days.",
            discussion: "The hub does this by itself two years before its CA ends. Works beside a running hub.")
        @OptionGroup var options: HubOptions

        func run() async throws { print(try await HubCommands.renewAuthority(options.configuration())) }
    }
}
