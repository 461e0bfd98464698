import Foundation
import TestSupport
import Testing

/// The real hub and the real fleet: a race that is rehearsed and played, twenty times as fast as people run.
@Suite(.serialized)
struct RacePlayTests {
    private static let binaries = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    private static func program(_ name: String) throws -> URL {
        let candidates = [binaries, Repository.url(".build/debug")].map { $0.appendingPathComponent(name) }
        return try #require(candidates.first { FileManager.default.isExecutableFile(atPath: $0.path) })
    }

    private static func run(_ program: String, _ arguments: [String], in directory: URL? = nil) throws -> (status: Int32, output: String) {
        let process = Process(), pipe = Pipe()
        if let directory { process.currentDirectoryURL = directory }
        process.executableURL = try Self.program(program)
        process.arguments = arguments
        process.standardOutput = pipe
        process.standardError = FileHandle.standardError
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }

    @Test(
        "RUN-7, RUN-14: a made-up race is staged by one command and played by another, over TLS, faster than it is, with every sample taken"
    )
    func plays() async throws {
        let directory = try TemporaryDirectory()
        func path(_ name: String) -> String { directory.url.appendingPathComponent(name).path }
        let points = (0...20).map { "<trkpt lat=\"\(45.0 + Double($0) * 0.0002)\" lon=\"9\"/>" }.joined()
        try Data("<gpx><trk><trkseg>\(points)</trkseg></trk></gpx>".utf8).write(to: URL(fileURLWithPath: path("course.gpx")))
        let hub = try KillTests.Program(
            Self.program("trackme-hub"), ["serve", "--directory", path("hub"), "--port", "0", "--rehearsal-speed", "20"],
            log: path("hub.log"))
        defer { hub.kill() }
        func log() -> String { (try? String(contentsOfFile: path("hub.log"), encoding: .utf8)) ?? "" }
        for _ in 0..<1500 where !FileManager.default.fileExists(atPath: path("hub/address")) {
            try await Task.sleep(for: .milliseconds(20))
        }
        try #require(FileManager.default.fileExists(atPath: path("hub/address")), "\(log())")
        let staged = try Self.run(
            "trackme-hub",
            [
                "rehearse", "--directory", path("hub"), "--course", path("course.gpx"), "--runners", "5", "--starts-in", "6", "--state",
                path("fleet.json"),
            ])
        try #require(staged.status == 0, "\(log())")
        #expect(staged.output.contains("/live"))
        // The state file is the one of that name where it is started.
        let played = try Self.run(
            "trackme-fleet", ["run", "--course", path("course.gpx"), "--runners", "5", "--drop-outs", "60"], in: directory.url)
        try #require(played.status == 0, "\(log())")
        let result = try #require(try JSONSerialization.jsonObject(with: Data(played.output.utf8)) as? [String: Any])
        #expect(result["finished"] as? Int == 5 && result["refused"] as? Int == 0)
        #expect(result["samples"] as? Int ?? 0 > 5 * 150)
        #expect(log().contains("A REHEARSAL"))
        #expect(!log().contains(" error "), "\(log())")
        // Nobody real may be among them from now on.
        _ = try Self.run("trackme-hub", ["person", "add", "--directory", path("hub"), "--name", "Real"])
        hub.terminate()
        let again = try Self.run("trackme-hub", ["serve", "--directory", path("hub"), "--port", "0"])
        #expect(again.status != 0)
    }
}
