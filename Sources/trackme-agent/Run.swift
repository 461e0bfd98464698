import AgentKit
import ArgumentParser

struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Collect from live sensors until stopped.")

    @Option(help: "The heart-rate sensor's Bluetooth address, such as C4:01:02:03:04:05, with /public or /random if needed.")
    var sensor: String?

    @Option(help: "Where gpsd is: HOST or HOST:PORT.")
    var gpsd: String?

    @Option(help: "For whom: an identifier or a name. Needed where this box is bound to several persons.")
    var person: String?

    @OptionGroup var options: StateOptions

    func run() async throws {
        let live = LiveOptions(sensor: sensor, gpsd: gpsd, person: person)
        try await buildAgent(configuration: options.configuration, task: .run(live), logger: options.logger, say: say).run()
    }
}
