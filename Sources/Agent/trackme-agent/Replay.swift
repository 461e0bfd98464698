import AgentKit
import ArgumentParser

struct Replay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Play recordings through the same path as live sensors.",
        discussion: "Started again after it was stopped or killed, a replay goes on where it was.")

    @Option(help: "An NMEA 0183 log.")
    var nmea: String?

    @Option(help: "A Bluetooth capture: btsnoop, pcap or pcapng.")
    var ble: String?

    @Option(help: "So many times as fast as recorded, or max.")
    var speed = "1"

    @Option(help: "For whom: an identifier or a name. Needed where this box is bound to several persons.")
    var person: String?

    @Option(parsing: .unconditional, help: "Seconds to add to the times of the Bluetooth capture.")
    var offset: Double = 0

    @Option(parsing: .unconditional, help: "Seconds to add to all times, as for a recording that is to be of today.")
    var shift: Double = 0

    @Option(help: "The attribute handle of the heart rate, where the capture does not tell it. Decimal, or hexadecimal with 0x.")
    var bleHandle: AttributeHandle?

    @Flag(help: "Replay what was replayed before once more.")
    var again = false

    @Flag(help: "Do not wait for the hub at the end.")
    var once = false

    @Option(help: "Compare what is played with the lines of this file, as --result writes them, and fail where they differ.")
    var expect: String?

    @Option(help: "Write what the recording gives to this file: samples, and the questions, alarms and endings of AutomatedSOS.")
    var result: String?

    @OptionGroup var options: StateOptions

    func validate() throws {
        guard nmea != nil || ble != nil else { throw ValidationError("Give --nmea FILE, --ble FILE, or both.") }
        guard abs(offset) < 1e10, abs(shift) < 1e10 else {
            throw ValidationError("--offset and --shift are in seconds, up to 10,000,000,000.")
        }
    }

    func run() async throws {
        let replay = ReplayOptions(
            nmea: nmea, bluetooth: ble, speed: try ReplaySpeed(speed), person: person, offset: Int64((offset * 1000).rounded()),
            shift: Int64((shift * 1000).rounded()), handle: bleHandle?.value, again: again, once: once, expected: expect, result: result)
        try await buildAgent(
            configuration: options.configuration(), task: .replay(replay), logger: options.logger, say: say
        ).run()
    }
}

/// 1 to 65,535.
struct AttributeHandle: ExpressibleByArgument {
    var value: UInt16

    init?(argument: String) {
        let parsed = argument.lowercased().hasPrefix("0x") ? UInt16(argument.dropFirst(2), radix: 16) : UInt16(argument)
        guard let parsed, parsed > 0 else { return nil }
        value = parsed
    }
}
