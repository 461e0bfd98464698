import ArgumentParser
import HubWeb

struct RehearseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rehearse",
        abstract: "Make a run with made-up people who are enrolled and checked in, and the state file with which trackme-fleet plays it.",
        discussion: """
            For demonstrations and load tests. Works beside a running hub. The run is called a rehearsal, its people have user names and no \
            addresses, and what their boxes send is a drill. `trackme-hub serve --rehearsal-speed 10` plays races ten times as fast.
            """)
    @OptionGroup var options: HubOptions
    @Option(help: "A GPX file: its longest line is the course.")
    var course: String
    @Option(help: "How often it is run.")
    var laps = 1
    @Option(help: "How many people.")
    var runners = 200
    @Option(help: "Seconds until the start, from the moment when the people are made; checking in 1,000 takes half a minute.")
    var startsIn = 60
    @Option(help: "Where to write the state file for trackme-fleet.")
    var state: String
    @Flag(help: "Also in a hub with real people, who will find the run among theirs.")
    var yes = false

    func validate() throws {
        guard laps > 0, runners > 0, startsIn > 0 else { throw ValidationError("--laps, --runners and --starts-in are 1 or more.") }
    }

    func run() async throws {
        let wanted = HubCommands.Rehearsing(
            course: course, laps: laps, runners: runners, startsIn: startsIn, state: state, isSure: yes)
        print(try await HubCommands.rehearse(wanted, options.configuration()))
    }
}
