import Foundation
import Processes
import SourceThread
import SystemBus
import TestSupport
import Testing

@testable import Peripherals

/// A bus of its own for one test, and programs that live on it.
final class DesktopSession {
    static func has(_ programs: String...) -> Bool { programs.allSatisfy { FileManager.default.isExecutableFile(atPath: $0) } }

    private(set) var environment = ProcessInfo.processInfo.environment
    private var processes: [Process] = []

    private let directory: TemporaryDirectory
    var socket: String { directory.url.appendingPathComponent("bus").path }

    /// - Parameter screen: whether there is one, which nobody looks at.
    init(screen: Bool = false) throws {
        directory = try TemporaryDirectory()
        if screen {
            let server = ["/usr/bin/Xvfb", "-displayfd", "1", "-screen", "0", "640x360x24", "-nolisten", "tcp"]
            environment["DISPLAY"] = ":" + (try Self.firstLine(of: server, environment, &processes))
        }
        let file = directory.url.appendingPathComponent("bus.conf")
        // Starts none of the programs that this machine's own session would.
        let text = """
            <busconfig><type>session</type><listen>unix:path=\(directory.url.path)/bus</listen><servicedir>\(directory.url.path)</servicedir>
            <policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
            </busconfig>
            """
        try Data(text.utf8).write(to: file)
        let daemon = ["/usr/bin/dbus-daemon", "--config-file=\(file.path)", "--nofork", "--nopidfile", "--print-address"]
        let line = try Self.firstLine(of: daemon, environment, &processes)
        environment["DBUS_SESSION_BUS_ADDRESS"] = line
        address = .address(line)
    }

    /// From here on the bus starts this program when somebody wants its name.
    func offer(_ name: String, _ command: String) throws {
        let text = "[D-BUS Service]\nName=\(name)\nExec=\(command)\n"
        try Data(text.utf8).write(to: directory.url.appendingPathComponent("\(name).service"))
        try run([
            "/usr/bin/dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.DBus", "/", "org.freedesktop.DBus.ReloadConfig",
        ])
    }

    /// What the tested code is given.
    let address: BusAddress

    deinit {
        for process in processes.reversed() where process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// Starts a program of the session. It ends with the session, or by ``end(_:)``.
    @discardableResult
    func start(_ command: [String]) throws -> Process {
        let process = Self.process(command, environment)
        try process.run()
        processes.append(process)
        return process
    }

    func end(_ process: Process) { kill(process.processIdentifier, SIGKILL) }

    /// Runs a program of the session to its end.
    func run(_ command: [String]) throws {
        let variables = ["DBUS_SESSION_BUS_ADDRESS", "DISPLAY"].compactMap { name in environment[name].map { "\(name)=\($0)" } }
        let outcome = ChildProcess.run(
            ["/usr/bin/env"] + variables + command, by: .system, limit: 20_000, cut: try #require(StopSignal()))
        #expect(outcome == .succeeded, "\(command)")
    }

    private static func process(_ command: [String], _ environment: [String: String]) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        return process
    }

    private static func firstLine(
        of command: [String], _ environment: [String: String], _ processes: inout [Process]
    ) throws -> String {
        let process = process(command, environment), output = Pipe()
        process.standardOutput = output
        try process.run()
        processes.append(process)
        var text = ""
        while !text.hasSuffix("\n"), let byte = try output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty {
            text += String(decoding: byte, as: UTF8.self)
        }
        return try #require(text.isEmpty ? nil : text.trimmingCharacters(in: .whitespacesAndNewlines))
    }
}
