import Foundation
import SourceThread
import SystemBus
import Testing

/// A dbus-daemon of its own for one test.
final class PrivateBus {
    static let program = ["/usr/bin/dbus-daemon", "/bin/dbus-daemon"].first { FileManager.default.isExecutableFile(atPath: $0) }
    static var isMissing: Bool { program == nil }

    let address: BusAddress
    private let process = Process()
    private let output = Pipe()

    init() throws {
        process.executableURL = URL(fileURLWithPath: Self.program ?? "")
        process.arguments = ["--session", "--nofork", "--nopidfile", "--print-address"]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        var text = ""
        while !text.hasSuffix("\n"), let byte = try output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty {
            text += String(decoding: byte, as: UTF8.self)
        }
        address = .address(text.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    deinit { stop() }

    func stop() {
        // Children of a test's thread may have SIGTERM blocked; the end of its output is the end of the process.
        kill(process.processIdentifier, SIGKILL)
        _ = try? output.fileHandleForReading.readToEnd()
    }
}

/// Lets all of `buses` work until `done`, at most 20 s.
func drive(_ buses: Bus..., until done: () -> Bool) throws {
    let stop = try #require(StopSignal())
    let limit = Date(timeIntervalSinceNow: 20)
    while !done(), Date() < limit {
        for bus in buses {
            _ = bus.wait(stop: stop, milliseconds: buses.count > 1 ? 5 : 200)
            try bus.process()
        }
    }
}
