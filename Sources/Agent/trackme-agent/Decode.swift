import AgentKit
import ArgumentParser
import Foundation

struct Decode: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what a recording holds: one JSON object a line, and at the end what was skipped and why.")

    @Option(help: "An NMEA 0183 log.")
    var nmea: String?

    @Option(help: "A Bluetooth capture: btsnoop, pcap or pcapng.")
    var ble: String?

    @Option(help: "The attribute handle of the heart rate, where the capture does not tell it. Decimal, or hexadecimal with 0x.")
    var bleHandle: AttributeHandle?

    @Option(help: "Compare with the lines of this file, as decode printed them once, and fail where they differ.")
    var expect: String?

    func validate() throws {
        guard (nmea == nil) != (ble == nil) else { throw ValidationError("Give either --nmea FILE or --ble FILE.") }
    }

    func run() throws {
        let file: DecodedFile = nmea.map { .nmea($0) } ?? .bluetooth(ble ?? "", handle: bleHandle?.value)
        if let expect { return try decode(file, expected: expect, say: say) }
        // A reader such as `head` may close the pipe early.
        signal(SIGPIPE, SIG_DFL)
        let report = try decode(file) { FileHandle.standardOutput.write(Data($0.utf8)) }
        say(report)
    }
}
