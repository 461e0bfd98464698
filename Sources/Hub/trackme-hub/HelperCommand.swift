import ArgumentParser
import HubWeb

struct HelperCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "helper",
        abstract: "Start programs outside of the hub's sandbox. systemd runs it: trackme-hub-lines, trackme-hub-messages.")
    @Argument(help: "The paths of what may be started.")
    var programs: [String] = []
    @Option(help: "Settings whose hub.mail.sendmail and hub.sms.command may be started as well.")
    var config: String?

    func run() async throws { try await HubHelper.run(programs: programs, config: config) }
}
