import AgentKit
import ArgumentParser

struct Sensors: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Find, choose and forget sensors.", subcommands: [Scan.self, List.self, Use.self, Add.self, Forget.self])

    struct Scan: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the sensors in range. Wear yours: most sleep otherwise.")
        @Option(help: "How long to listen, 1 to 60.")
        var seconds = 8
        @OptionGroup var options: ControlOptions

        func run() async throws {
            let reply = try await SensorSearch.perform(seconds: seconds, over: options.client)
            try options.show(reply)
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the chosen sensors with their state, battery, and the signal that a scan heard last.")
        @OptionGroup var options: ControlOptions

        func run() async throws {
            let reply = try await options.client.send(ControlRequest(.status))
            guard !options.json, let status = reply.status else { return try options.show(reply) }
            print(status.sensorTable)
        }
    }

    struct Use: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Choose the sensor of the heart rate, or another one than before.")
        @Argument(help: "Its address, as scan lists it.")
        var address: String
        @OptionGroup var options: ControlOptions
        func run() async throws { try await options.perform(ControlRequest(.use, address: address)) }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Use a thermometer, running pod or cadence sensor beside the heart rate; up to three.")
        @Argument(help: "Its address, as scan lists it.")
        var address: String
        @OptionGroup var options: ControlOptions
        func run() async throws { try await options.perform(ControlRequest(.add, address: address)) }
    }

    struct Forget: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Forget a chosen sensor; its pairing too.")
        @Argument(help: "Its address; not needed for the only one.")
        var address: String?
        @OptionGroup var options: ControlOptions
        func run() async throws { try await options.perform(ControlRequest(.forget, address: address)) }
    }
}
