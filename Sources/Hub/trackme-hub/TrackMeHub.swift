import ArgumentParser
import Foundation
import HubWeb

@main
struct TrackMeHub: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trackme-hub",
        abstract: "The hub: takes in what agents measure, keeps it, and shows it to those who may see it.",
        version: HubVersion.current,
        subcommands: [
            Serve.self, ClaimCode.self, LogOut.self, PersonCommand.self, EnrolmentCode.self, Link.self, AgentCommand.self, Merge.self,
            KeysCommand.self, AuditCommand.self, DetectCommand.self, PlacesCommand.self, MapCommand.self, RehearseCommand.self,
            DemoCommand.self, AuthorityCommand.self, GroupsCommand.self, PasswordsCommand.self, HelperCommand.self,
            SettingsCommand.self, SetupCommand.self, BackupCommand.self, RestoreCommand.self, DoctorCommand.self,
        ])
}

/// Options of every command.
struct HubOptions: ParsableArguments {
    @Option(help: "Where the hub keeps its files (also HUB_DIRECTORY).")
    var directory: String?

    @Option(help: "A YAML file with the configuration; /etc/trackme/hub.yaml where it is there and no directory is named.")
    var config: String?

    func configuration() async throws -> HubConfiguration { try await .ofShell(file: config, directory: directory) }
}

struct PersonCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "person", abstract: "People whose data the hub keeps.", subcommands: [Add.self, List.self, Delete.self])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Add a person and print the identifier.")
        @OptionGroup var options: HubOptions
        @Option(help: "The name that readers see; repeat it for several people.")
        var name: [String]

        func run() async throws { for id in try await HubCommands.addPeople(names: name, options.configuration()) { print(id) } }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List identifiers and names.")
        @OptionGroup var options: HubOptions

        func run() async throws { for line in try await HubCommands.people(options.configuration()) { print(line) } }
    }
}

struct EnrolmentCode: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the command that enrols a box: a code valid for 10 minutes, once.")
    @OptionGroup var options: HubOptions
    @Option(help: "For whom the box may send; repeat it for a gateway with several people.")
    var person: [String]

    func run() async throws { print(try await HubCommands.enrolmentCode(people: person, options.configuration())) }
}

struct Link: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print a one-time link to a person's live page. A person with an account is asked before it opens.")
    @OptionGroup var options: HubOptions
    @Option(help: "Whose page.")
    var person: String

    func run() async throws {
        let made = try await HubCommands.link(person: person, options.configuration())
        print(made.url)
        FileHandle.standardError.write(Data("trackme-hub: \(made.shown)\n".utf8))
    }
}

struct AgentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "agent", abstract: "Enrolled boxes.", subcommands: [List.self, Revoke.self, ForgetName.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List boxes with the key words that each showed when it enrolled, and whether copies of a card were seen.")
        @OptionGroup var options: HubOptions

        func run() async throws { for line in try await HubCommands.agents(options.configuration()) { print(line) } }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Revoke a box: nothing is taken from it any more.")
        @OptionGroup var options: HubOptions
        @Argument(help: "The agent's identifier, as it printed it when it enrolled.")
        var agent: String

        func run() async throws { print(try await HubCommands.revoke(agent: agent, options.configuration())) }
    }

    struct ForgetName: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "End that a box of an older hub goes on using a name that is none of the hub's; `list` shows which.")
        @OptionGroup var options: HubOptions
        @Argument(help: "The agent's identifier.")
        var agent: String

        func run() async throws { print(try await HubCommands.forgetName(agent: agent, options.configuration())) }
    }
}

struct Merge: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Merge all that was received into hourly blocks now. Only while the hub is stopped.")
    @OptionGroup var options: HubOptions

    func run() async throws { print(try await HubCommands.merge(options.configuration())) }
}
