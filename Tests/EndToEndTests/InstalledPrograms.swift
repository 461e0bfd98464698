import Foundation
import TestSupport
import Testing

/// The real hub and agent, as built beside these tests, in a directory of their own.
struct InstalledPrograms {
    let directory: TemporaryDirectory
    let binaries: URL

    init() throws {
        directory = try TemporaryDirectory()
        let beside = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        binaries = try #require(
            [beside, Repository.url(".build/debug")].first {
                FileManager.default.isExecutableFile(atPath: $0.appendingPathComponent("trackme-hub").path)
            })
    }

    func path(_ name: String) -> String { directory.url.appendingPathComponent(name).path }

    func log(_ name: String) -> String { (try? String(contentsOfFile: path(name + ".log"), encoding: .utf8)) ?? "" }

    /// Runs a program to its end.
    func run(_ program: String, _ arguments: [String]) throws -> (status: Int32, output: String) {
        let process = Process(), pipe = Pipe()
        process.executableURL = binaries.appendingPathComponent(program)
        process.arguments = arguments
        process.standardOutput = pipe
        process.standardError = FileHandle(forWritingAtPath: "/dev/null")
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
    }

    func agent(_ arguments: String...) throws -> (status: Int32, output: String) {
        try run("trackme-agent", arguments + ["--state", path("agent")])
    }

    func startHub(port: Int) throws -> KillTests.Program {
        try? FileManager.default.removeItem(atPath: path("hub/address"))
        return try KillTests.Program(
            binaries.appendingPathComponent("trackme-hub"), ["serve", "--directory", path("hub"), "--port", "\(port)"],
            log: path("hub.log"))
    }

    func startAgent() throws -> KillTests.Program {
        try KillTests.Program(
            binaries.appendingPathComponent("trackme-agent"), ["run", "--state", path("agent"), "--config", path("agent.yaml")],
            log: path("agent.log"))
    }

    /// Of the hub, once it listens.
    func port() async throws -> Int {
        for _ in 0..<1500 {
            let address = try? String(contentsOfFile: path("hub/address"), encoding: .utf8)
            if let port = address.flatMap({ URL(string: $0.trimmingCharacters(in: .whitespacesAndNewlines))?.port }) { return port }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw CocoaError(.fileNoSuchFile)
    }
}
