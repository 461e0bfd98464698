import ArgumentParser
import FleetKit

struct Race: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Play a race: a box for each runner sends what a made-up race says, when it says it. Prints what came of it as JSON.",
        discussion: """
            The state file comes from `trackme-hub rehearse`, which also says when the race starts and on which course; with one of `enrol` and \
            --course it starts in ten seconds. How fast the race goes is the hub's to say: `trackme-hub serve --rehearsal-speed`.
            """)
    @Option(help: "The state file of `trackme-hub rehearse`, or of `enrol`.")
    var state = "fleet.json"
    @Option(help: "A GPX file; without it the course of the run that was rehearsed.")
    var course: String?
    @Option(help: "How often that course is run.")
    var laps = 1
    @Option(help: "How many run; without it everybody of the state file.")
    var runners: Int?
    @Option(help: "Everything about the race comes from this number.")
    var seed: UInt64 = 1
    @Option(help: "Metres by which positions are off, in each direction.")
    var noise = 5.0
    @Option(
        help:
            "Seconds between two losses of satellites or network of one runner, on the average; 0 for none. What the network held back comes late."
    )
    var dropOuts = 900.0
    @Option(help: "End after so many seconds from the gun; without it when everybody is through.")
    var seconds: Int?
    @Option(help: "People who watch; what they see is measured.")
    var spectators = 0
    @Option(help: "Another address of the same hub.")
    var url: String?

    func validate() throws {
        guard (0...50).contains(noise), dropOuts >= 0, laps > 0, (0...20_000).contains(spectators), (runners ?? 1) > 0, (seconds ?? 1) > 0
        else { throw ValidationError("--noise is 0 to 50 m, --drop-outs 0 or more, --spectators up to 20,000; the others are 1 or more.") }
    }

    func run() async throws {
        var options = RaceOptions()
        (options.course, options.laps, options.runners) = (course, laps, runners)
        (options.settings.seed, options.settings.noise, options.settings.dropOutEvery) = (seed, noise, dropOuts)
        (options.seconds, options.spectators) = (seconds, spectators)
        var fleet = try Fleet(state: state, url: url)
        let result = try await fleet.race(options)
        print(try resultLine(result))
        if result.refused > 0 || result.samples == 0 { throw ExitCode.failure }
    }
}
