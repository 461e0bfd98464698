import Foundation
import TestSupport
import Testing

/// `trackme-agent detect` as scripts see it.
@Suite struct DetectCommandTests {
    private let programs: KillTests.Programs

    init() throws { programs = try KillTests.Programs() }

    private func detect(_ words: String...) throws -> (status: Int32, output: String, error: String) {
        let process = Process(), output = Pipe(), error = Pipe()
        process.executableURL = programs.binaries.appendingPathComponent("trackme-agent")
        process.arguments = ["detect"] + words
        process.standardOutput = output
        process.standardError = error
        try process.run()
        // A few hundred lines: neither fills a pipe while the other is read.
        let said = output.fileHandleForReading.readDataToEndOfFile(), problem = error.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: said, as: UTF8.self), String(decoding: problem, as: UTF8.self))
    }

    private func file(_ name: String, _ text: String) throws -> String {
        let url = programs.directory.url.appendingPathComponent(name)
        try Data(text.utf8).write(to: url)
        return url.path
    }

    @Test("SOS-3: the command prints decisions as lines or JSON and ends with 0; with 1 and the reason where they are not as expected")
    func status() throws {
        let series = "age 40\n0:00-0:10 heart 70\n"
        let right = try file("right.txt", series + "expect end calm\n"), wrong = try file("wrong.txt", series + "expect 0:05 raised\n")
        let lines = try detect("--scenario", right)
        #expect(lines.status == 0 && lines.error.isEmpty && lines.output.hasSuffix("\nend: calm, protected\n"), "\(lines)")
        let json = try detect("--scenario", right, "--json")
        #expect(json.status == 0 && json.error.isEmpty, "\(json)")
        let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
        #expect(object?["finalState"] as? String == "calm")
        let other = try detect("--scenario", wrong)
        #expect(other.status == 1 && other.output == lines.output, "\(other)")
        #expect(other.error.contains("line 3: expected raised") && other.error.contains("Correct its `expect` lines"), "\(other)")
    }

    @Test("SOS-3: a file that is missing or has a mistake ends the command with 1, a missing option with 64; standard error says why")
    func mistakes() throws {
        let missing = try detect("--scenario", programs.directory.url.appendingPathComponent("missing.txt").path)
        #expect(missing.status == 1 && missing.output.isEmpty && missing.error.contains("Give the path of a scenario file"), "\(missing)")
        let mistake = try detect("--scenario", try file("mistake.txt", "age 40\n0:05 hart 72\n"), "--json")
        #expect(mistake.status == 1 && mistake.output.isEmpty && mistake.error.contains("line 2: `hart` is no event"), "\(mistake)")
        let none = try detect()
        #expect(none.status == 64 && none.output.isEmpty && none.error.contains("--scenario"), "\(none)")
    }
}
