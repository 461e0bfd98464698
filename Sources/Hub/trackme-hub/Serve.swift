import ArgumentParser
import HubWeb

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Run the hub.")
    @OptionGroup var options: HubOptions

    @Option(help: "Address to listen on.")
    var host: String?
    @Option(help: "Port to listen on; 0 takes a free one.")
    var port: Int?
    @Flag(help: "Without TLS: only on loopback, behind a proxy that does TLS.")
    var plain = false
    @Option(help: "Let the clock go so many times as fast, for good, in a directory where nobody is real: 2 to 20.")
    var rehearsalSpeed: Int?
    @Flag(help: "Only look at the settings, and print all mistakes; the status is 1 where there are any.")
    var check = false

    func run() async throws {
        var configuration = try await options.configuration()
        if let host { configuration.listen.host = host }
        if let port { configuration.listen.port = port }
        if plain { configuration.tls.enabled = false }
        guard !check else { return try report(HubSettingsCheck.mistakes(in: configuration)) }
        try await HubCommands.serve(configuration, rehearsalSpeed: rehearsalSpeed)
    }

    private func report(_ mistakes: [String]) throws {
        for mistake in mistakes { print(mistake) }
        guard mistakes.isEmpty else { throw ExitCode.failure }
        print("The settings are in order. What they name, trackme-hub doctor looks at.")
    }
}
