import ArgumentParser
import HubWeb

struct SettingsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings", abstract: "Print the file of settings as the package installs it: each setting with its explanation.")

    func run() { print(HubSettings.file, terminator: "") }
}
