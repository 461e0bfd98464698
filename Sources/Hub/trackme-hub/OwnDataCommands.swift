import ArgumentParser
import HubWeb

extension PersonCommand {
    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete a person with all data, for good: no backup brings them back.")
        @OptionGroup var options: HubOptions
        @Argument(help: "The person's identifier, as `person list` prints it.")
        var person: String
        @Flag(help: "Do it. Nothing is deleted without this.")
        var forGood = false

        func validate() throws {
            guard forGood else { throw ValidationError("This cannot be undone. Say so with --for-good.") }
        }

        func run() async throws { print(try await HubCommands.delete(person: person, options.configuration())) }
    }
}

struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys", abstract: "The keys that people's data is sealed with.", subcommands: [Rotate.self])

    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Wrap everybody's key with a new master key. Only while the hub is stopped; it can be interrupted at any moment.")
        @OptionGroup var options: HubOptions
        @Option(help: "Where systemd hands out the master key: a file with the new one, 64 hexadecimal digits.")
        var newKey: String?

        func run() async throws { print(try await HubCommands.rotateKeys(newKeyFile: newKey, options.configuration())) }
    }
}

struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "The record of what was done to people's data.", subcommands: [Verify.self])

    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Check that no row was changed, removed or moved; exit code 1 when one was.")
        @OptionGroup var options: HubOptions

        func run() async throws {
            let (text, isWhole) = try await HubCommands.verifyAudit(options.configuration())
            print(text)
            if !isWhole { throw ExitCode.failure }
        }
    }
}
