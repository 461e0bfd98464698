import AgentKit
import ArgumentParser
import Foundation

struct Watch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Show what live sensors deliver, without storing anything.")

    @Option(help: "The heart-rate sensor's Bluetooth address, such as C4:01:02:03:04:05, with /public or /random if needed.")
    var sensor: String?

    @Option(help: "How to reach the sensor: auto, bluez (through bluetoothd) or att (without it).")
    var transport = "auto"

    @Option(help: "Where gpsd is: HOST or HOST:PORT.")
    var gpsd: String?

    @Option(help: "End after so many seconds.")
    var seconds: Int?

    @Option(help: "End after so many heart rates and positions.")
    var count: Int?

    func run() async throws {
        let watched = try WatchOptions(sensor: sensor, transport: transport, gpsd: gpsd, seconds: seconds, count: count)
        signal(SIGPIPE, SIG_DFL)
        try await watch(watched) { FileHandle.standardOutput.write(Data(($0 + "\n").utf8)) }
    }
}
