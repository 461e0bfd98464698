import Foundation
import HubStore
import Privacy
import TestSupport
import Testing
import Vitals

/// `packaging/demo/run` with the programs as they are built.
@Suite(.serialized)
struct DemoTests {
    /// Plays the demo to its end.
    private func demo(_ programs: InstalledPrograms, days: Int) throws -> (status: Int32, said: String) {
        let process = Process(), pipe = Pipe()
        process.executableURL = Repository.url("packaging/demo/run")
        let settings = [
            "BIN": programs.binaries.path, "TRACKME_DEMO_DIR": programs.path("demo"), "TRACKME_DEMO_DAYS": "\(days)",
            "TRACKME_DEMO_SPEED": "max", "TRACKME_DEMO_ONCE": "yes",
        ]
        process.environment = ProcessInfo.processInfo.environment.merging(settings) { $1 }
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let said = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: said, as: UTF8.self))
    }

    private func samples(_ programs: InstalledPrograms) throws -> (sent: Int, parts: Int) {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: programs.path("demo/history.json")))
        let result = try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
        return (try #require(result["samples"] as? Int), try #require(result["parts"] as? Int))
    }

    @Test("DATA-1: the demo opens somebody with days of history and a run of now, and again with the same data, each sample once")
    func demo() throws {
        let programs = try InstalledPrograms(), first = try demo(programs, days: 9)
        try #require(first.status == 0, "\(first.said)")
        for line in ["Open: https://127.0.0.1:", "Relative: https://127.0.0.1:", "Watch: https://127.0.0.1:"] {
            #expect(first.said.contains(line), "\(first.said)")
        }
        #expect(first.said.contains("/log-in/demo/") && first.said.contains("made-up history are there"))
        let sent = try samples(programs)
        #expect(sent.parts >= 9 && sent.sent > 9000)
        let again = try demo(programs, days: 9)
        try #require(again.status == 0, "\(again.said)")
        // The newest part is sent to learn what the hub has, and at most one more has come since.
        #expect(try samples(programs).sent < sent.sent / 2)

        let directory = try HubDirectory(URL(fileURLWithPath: programs.path("demo/hub"), isDirectory: true))
        let keys = try KeyStore(directory), accounts = try AccountStore(directory, keys: keys)
        let series = try SeriesStore(directory, accounts: accounts, keys: keys), people = try accounts.people()
        let person = try #require(people.first)
        #expect(people.count == 1)
        let account = AccountID(person.id), now = Milliseconds(Date().timeIntervalSince1970 * 1000)
        let grant = try #require(try accounts.consents.authority(over: person.id).grant(to: account, at: now))
        let history = try #require(try series.reader.read(grant, from: 0, to: now, of: [.import], now: now))
        #expect(Set(history.heartRates.map(\.time)).count == history.heartRates.count)
        #expect(history.samples.count >= sent.sent)
        // The recording, whose times are those of now.
        let run = try #require(try series.reader.read(grant, from: now - 3_600_000, to: now, of: [.replay], now: now))
        #expect(run.positions.count > 1000 && run.heartRates.count > 1000)
    }
}
