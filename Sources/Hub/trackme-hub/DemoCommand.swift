import ArgumentParser
import HubWeb

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Make somebody up, with a relative and a run next week, and print one-time links that log in as them.",
        discussion: """
            Works beside a running hub of this machine alone that nobody real uses. In a directory where they are, it only makes new links, which \
            work for a quarter of an hour. `trackme-fleet history` sends their year, `make demo` does it all.
            """)
    @OptionGroup var options: HubOptions
    @Option(help: "A GPX file: its longest line is the course of the run.")
    var course: String
    @Option(help: "Where to write the state file for trackme-fleet. One that is there stays as it is.")
    var state: String

    func run() async throws { print(try await HubCommands.demonstrate(course: course, state: state, options.configuration())) }
}
