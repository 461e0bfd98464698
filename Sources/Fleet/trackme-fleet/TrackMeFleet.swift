import ArgumentParser
import FleetKit
import Foundation

@main
struct TrackMeFleet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trackme-fleet",
        abstract: "Simulated boxes that talk to a hub as real ones do: for load, and to see how fast a hub is.",
        subcommands: [Enrol.self, Bodies.self, Load.self, Live.self, Race.self, History.self])
}

struct Enrol: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Become a gateway of a hub with a code from `trackme-hub enrolment-code`.")
    @Argument(help: "The hub's address with the fingerprint of its CA, as it printed it: URL#FINGERPRINT.")
    var address: String
    @Argument(help: "The code.")
    var code: String
    @Option(help: "The file to keep the key in.")
    var state: String

    func run() async throws { try await Fleet.enrol(address: address, code: code, state: state) }
}

/// The work that is sent.
struct WorkOptions: ParsableArguments {
    @Option(help: "How many people.")
    var people = 2000
    @Option(help: "Seconds of data of each.")
    var seconds = 600
    @Option(help: "A recorded activity (CSV, see docs/benchmarks.md) that everybody wears, instead of made-up runs.")
    var activity: String?
    @Option(help: "What segments hold: both, heart-rate or position.", transform: kinds)
    var kind = Workload.Kinds.both

    func workload() throws -> Workload {
        if let activity { return try Workload(people: people, activity: activity, kinds: kind) }
        return try Workload(people: people, seconds: seconds, kinds: kind)
    }
}

@Sendable private func kinds(_ text: String) throws -> Workload.Kinds {
    guard let kinds = Workload.Kinds(rawValue: text) else {
        throw ValidationError("--kind is one of \(Workload.Kinds.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return kinds
}

struct Bodies: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write request bodies for another load generator: [path length][body length][path][body], 4 bytes little-endian each.")
    @Option(help: "The state file of `enrol`; a fresh token stands in it afterwards.")
    var state: String
    @OptionGroup var work: WorkOptions
    @Option(help: "The file to write.")
    var out: String

    func run() async throws {
        var fleet = try Fleet(state: state)
        print(try await fleet.writeBodies(work.workload(), to: out))
    }
}

struct Load: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Send as fast as the hub answers, and print what was measured as JSON.")
    @Option(help: "The state file of `enrol`.")
    var state: String
    @OptionGroup var work: WorkOptions
    @Option(help: "Connections, one request in flight on each.")
    var connections = 64
    @Option(help: "Another address of the same hub.")
    var url: String?

    func run() async throws {
        var fleet = try Fleet(state: state, url: url)
        let result = try await fleet.load(work.workload(), connections: connections)
        print(try resultLine(result))
        if result.errors > 0 { throw ExitCode.failure }
    }
}

struct Live: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Send a heart rate and a position of each person every second, watch them, and print how old they are when seen.")
    @Option(help: "The state file of `enrol`.")
    var state: String
    @Option(help: "A file with one-time links (`trackme-hub link`), one a line; each becomes a reader.")
    var links: String
    @Option(help: "How many people.")
    var people = 500
    @Option(help: "How long.")
    var seconds = 30

    func run() async throws {
        var fleet = try Fleet(state: state)
        guard let text = try? String(contentsOfFile: links, encoding: .utf8) else {
            throw ValidationError("\(links) cannot be read: it holds one-time links, one a line.")
        }
        let all = text.split(whereSeparator: \.isNewline).map(String.init)
        let result = try await fleet.live(people: people, links: all, seconds: seconds)
        print(try resultLine(result))
        if result.errors > 0 || result.delivered < result.expected { throw ExitCode.failure }
    }
}
