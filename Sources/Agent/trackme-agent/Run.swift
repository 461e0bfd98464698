import AgentKit
import ArgumentParser
import Foundation

struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Collect from live sensors until stopped: what the service runs.",
        discussion: "The sensors are those chosen with `sensors use`; the options below count for this run alone.")

    @Option(help: "The heart-rate sensor's Bluetooth address, such as C4:01:02:03:04:05, with /public or /random if needed.")
    var sensor: String?

    @Option(help: "Where gpsd is: HOST or HOST:PORT; none for no gpsd.")
    var gpsd: String?

    @Option(help: "How to reach the sensor: auto, bluez (through bluetoothd) or att (without it).")
    var transport: String?

    @Option(help: "For whom the sensor of --sensor is: an identifier or a name.")
    var person: String?

    @OptionGroup var options: StateOptions

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        var configuration = try await options.configuration().overridden(gpsd: gpsd, transport: transport)
        let controlSocket = ControlSocket.path(forState: configuration.stateDirectory, environment: environment)
        let setUp = SetUp(configuration: configuration, controlSocket: controlSocket, logger: options.logger)
        let wait = EnrolmentWait(configuration: configuration, controlSocket: controlSocket, setUp: setUp, logger: options.logger)
        // The set-up page stays for its sensors when the box has been enrolled.
        let page = Task { await setUp.run() }
        defer { page.cancel() }
        try await wait.untilEnrolled(credentials: environment["CREDENTIALS_DIRECTORY"])
        // Now with what the box took over of an earlier one.
        configuration = try await options.configuration().overridden(gpsd: gpsd, transport: transport)
        let live = LiveOptions(sensor: sensor, person: person, controlSocket: controlSocket)
        try await buildAgent(configuration: configuration, task: .run(live), logger: options.logger, say: say).run()
    }
}
