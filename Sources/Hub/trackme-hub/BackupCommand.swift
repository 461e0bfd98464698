import ArgumentParser
import Foundation
import HubWeb

struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Back the hub up beside its running, encrypted (hub.backup.to, hub.backup.recipients).",
        subcommands: [Make.self, Keys.self, List.self, Verify.self], defaultSubcommand: Make.self)

    struct Make: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Make a backup now: what has changed, or all of it once a week.")
        @OptionGroup var options: HubOptions
        @Flag(help: "Where no backup is set up, say so and go on: before an upgrade.")
        var ifSetUp = false

        func run() async throws {
            print(try await BackupCommands.make(isOptional: ifSetUp, settingsFile: options.config, options.configuration()))
        }
    }

    struct Keys: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "After a deletion, replace the keys in the backup, so that it brings nobody back. A timer runs it.")
        @OptionGroup var options: HubOptions

        func run() async throws { if let done = try await BackupCommands.keys(options.configuration()) { print(done) } }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the backups that are whole.")
        @OptionGroup var options: HubOptions
        @Option(help: "Where they lie, as hub.backup.to; that of the settings without.")
        var from: String?

        func run() async throws { for line in try await BackupCommands.list(from: from, options.configuration()) { print(line) } }
    }

    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Restore a backup into a folder that is removed again, and compare. On the machine that has the private key.")
        @OptionGroup var options: HubOptions
        @OptionGroup var source: BackupSource
        @Option(help: "A folder with room for the whole backup.")
        var scratch = "/var/tmp"

        func run() async throws {
            print(try await BackupCommands.verify(source.source, scratch: scratch, options.configuration()))
        }
    }
}

struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Restore a hub from a backup into an empty directory, and say what to do next.")
    @OptionGroup var options: HubOptions
    @OptionGroup var source: BackupSource

    func run() async throws { for line in try await BackupCommands.restore(source.source, options.configuration()) { print(line) } }
}

/// Which backup is read, and by which keys.
struct BackupSource: ParsableArguments {
    @Option(help: "Where it lies, as hub.backup.to; that of the settings without.")
    var from: String?
    @Option(help: "The file with the private key, as age-keygen made it.")
    var identity: String
    @Option(help: "The file with the master key, where it does not lie in the hub's directory.")
    var masterKey: String?
    @Option(help: "Which backup, as `backup list` shows it; the newest without.")
    var backup: String?

    var source: BackupCommands.Source { .init(from: from, identity: identity, stamp: backup, masterKey: masterKey) }
}
