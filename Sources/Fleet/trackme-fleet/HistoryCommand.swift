import ArgumentParser
import FleetKit

struct History: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Send the made-up life of one person until now, the newest day first. Prints what came of it as JSON.",
        discussion: """
            Heart rate by day and night, runs with their ways, sleep, steps and weight, as an import. What the hub has is not sent again: a later \
            call goes on where the one before ended. The state file comes from `trackme-hub demo`, or from `enrol`.
            """)
    @Option(help: "The state file.")
    var state: String
    @Option(help: "Everything about that life comes from this number. The first call fixes it.")
    var seed: UInt64 = 1
    @Option(help: "How many days there are before today. The first call fixes it.")
    var days = 365
    @Option(help: "Until when, in seconds since 1970; now unless it is given. What comes behind it, others may send.")
    var until: Int64?
    @Flag(help: "Send a heart rate of each second instead, and nothing else, as a strap does that is never taken off; all with each call.")
    var eachSecond = false
    @Option(help: "Another address of the same hub.")
    var url: String?

    func run() async throws {
        var fleet = try Fleet(state: state, url: url)
        guard !eachSecond else { return print(try resultLine(try await fleet.sendSeconds(seed: seed, days: days))) }
        print(try resultLine(try await fleet.sendYear(seed: seed, days: days, until: until.map { $0 * 1000 })))
    }
}
