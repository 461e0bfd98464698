import AgentKit
import ArgumentParser
import Foundation

struct Enrol: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Make this box an agent of a hub.")

    @Argument(help: "The hub's address as it printed it: https://HOST:PORT#FINGERPRINT. Without a fingerprint the system's trust decides.")
    var hub: String

    @Argument(help: "The code of `trackme-hub enrolment-code`.")
    var code: String

    @Option(help: "What to call this box, 1 to 64 characters.")
    var name: String = ProcessInfo.processInfo.hostName

    @Flag(help: "Forget an earlier enrolment. What waits to be sent is kept.")
    var replace = false

    @Option(help: "Take over the settings of an earlier box: its name, or last, or none. Without it a terminal asks.")
    var settings: String?

    @OptionGroup var options: StateOptions

    func run() async throws {
        try StateOwner.become(of: options.directory)
        let enrolment = Enrolment(hub: hub, code: code, name: String(name.prefix(64)), replaces: replace)
        let configuration = try await options.configuration()
        let choice = EarlierSettings(
            wanted: settings, language: configuration.language, say: { print($0) }, ask: isatty(0) == 1 ? { readLine() } : nil)
        let outcome = try await enrolment.perform(configuration: configuration, choose: choice.choose)
        print("Enrolled at \(outcome.identity.hub) as \(outcome.identity.name) (\(outcome.identity.agent)).")
        if let taken = outcome.taken { print("Took over the settings of \(taken.box).") }
        if let damage = outcome.damage { print(damage) }
        print("For: \(outcome.identity.personList)")
        print("Key words: \(outcome.keyWords)")
        print("Compare them with those that the hub shows; if they differ, somebody stands between.")
    }
}
