import ArgumentParser
import HubWeb

struct GroupsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "groups", abstract: "Figures about groups of people.", subcommands: [Plan.self, Attack.self, WasOff.self])

    struct Plan: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show how sure figures about groups are, and what they cost people's privacy, for settings before they hold.",
            discussion: """
                Without options it plans with the settings as they are; each option takes the place of one. Reads nothing of anybody, changes \
                nothing. docs/groups.md explains the words.
                """)
        @OptionGroup var options: HubOptions
        @Option(help: "A kind and its parts of the budget, like heart_rate=3; repeat it: no other kind is then grouped.")
        var kind: [String] = []
        @Option(help: "A level and its parts of the budget, like region=3; repeat it: no other level is then released.")
        var level: [String] = []
        @Option(help: "Parts of the budget for the windows that are released without being asked.")
        var cube: Int?
        @Option(help: "Parts of the budget for questions with ranges of health values.")
        var secondDoor: Int?
        @Option(help: "What a person may lose in a year, as epsilon: above 0, 4.5 at most.")
        var epsilon: Double?
        @Option(help: "How long a window is: week, day or hour.")
        var window: String?
        @Option(help: "The least size of a group: 1000 or more.")
        var minimum: Int?
        @Option(help: "How many questions with ranges are answered in a year.")
        var questions: Int?
        @Option(help: "How many of them one organisation may have.")
        var questionsOfOrganisation: Int?
        @Flag(help: "Print one JSON object.")
        var json = false

        func run() async throws {
            let wanted = HubCommands.GroupPlanning(
                kinds: kind, levels: level, cube: cube, secondDoor: secondDoor, epsilon: epsilon, window: window, minimum: minimum,
                questions: questions, questionsOfOrganisation: questionsOfOrganisation)
            print(try HubCommands.planGroups(wanted, json: json, try await options.configuration()))
        }
    }

    struct WasOff: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "was-off", abstract: "Close the windows that are held because the hub did not run for a while.",
            discussion: """
                Say this only if the hub was off. If its databases were put back to a backup, what was closed since then was told already: drawn \
                again, it would cost people more than was promised. docs/groups.md says more.
                """)
        @OptionGroup var options: HubOptions

        func run() async throws { print(try HubCommands.groupsWereOff(try await options.configuration())) }
    }

    struct Attack: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Attack the figures about groups of a hub of made-up people over HTTP; exit code 1 when an attack does too well.",
            discussion: """
                Starts a hub on loopback in a new directory (--directory), makes people up, closes windows by the rules of all, and guesses who \
                counts, as somebody would who knows everybody else. Then people with accounts, some too new, some who object or leave. Prints \
                success beside chance and what the budget allows. The directory stays.
                """)
        @OptionGroup var options: HubOptions
        @Option(help: "How many towns, with 63 targets each: 2 to \(GroupAttacking.townsRange.upperBound).")
        var towns = 4
        @Option(help: "How many targets at least, in the place of towns.")
        var targets: Int?
        @Option(help: "How many windows are read: 1 to 53.")
        var windows = 53

        func validate() throws {
            guard options.directory != nil else { throw ValidationError("Name a new directory with --directory.") }
        }

        func run() async throws {
            let wanted = GroupAttacking(
                towns: targets.map(GroupAttacking.towns(for:)) ?? towns, windows: windows)
            let (text, isHeld) = try await GroupAttacking.attackGroups(wanted, try await options.configuration())
            print(text)
            if !isHeld { throw ExitCode.failure }
        }
    }
}
