import Distress
import Foundation
import Sensing
import TestSupport
import Testing
import Vitals

@testable import AgentKit

private let captures = ProcessInfo.processInfo.environment["TRACKME_CAPTURES"].map { URL(filePath: $0) }

/// What a recording gives, as files that can be compared.
@Suite(.timeLimit(.minutes(2)))
struct ReplayResultTests {
    private static let stop = ScriptedServer.http("403 Forbidden", body: #"{"error":"gone","error_description":"agent was removed"}"#)
    private static let speeds: [ReplaySpeed] = [.factor(1), .factor(60), .max]

    /// A person of 40 with AutomatedSOS on.
    private static let settings = DistressSettings(age: 40)

    /// A made-up strap: at rest; a climb to 190 beats a minute within two minutes and down again; and later a leap to 215 without an end.
    static func strap() -> [(time: Milliseconds, rate: UInt16)] {
        let start: Milliseconds = 1_795_000_000_000
        let climb = (70...190).map { UInt16($0) }
        let rates =
            [UInt16](repeating: 70, count: 60) + climb + .init(repeating: 190, count: 10) + climb.reversed()
            + .init(repeating: 72, count: 90) + .init(repeating: 215, count: 60)
        return rates.enumerated().map { (start + Milliseconds($0.offset) * 1000, $0.element) }
    }

    static func write(_ strap: [(time: Milliseconds, rate: UInt16)], to path: String) throws {
        var writer = BtsnoopWriter(), bytes = BtsnoopWriter.header
        for reading in strap {
            let sample = HeartRateSample(
                time: reading.time, beatsPerMinute: reading.rate, contact: .detected, rrIntervals: [60 * 1024 / reading.rate])
            let records = writer.records(for: .measurement(sample), of: 1 << 48 | 0x0102_0304_0506, utc: reading.time)
            bytes += try #require(records)
        }
        try Data(bytes).write(to: URL(filePath: path))
    }

    private func result(
        of bluetooth: String?, nmea: String? = nil, _ speed: ReplaySpeed, person: PersonID? = nil, pace: PlayedTime? = nil
    ) async throws -> String {
        let fixture = try ReplayTests.Fixture(seconds: 1), path = fixture.directory.url.appending(path: "result").path
        let options = ReplayOptions(nmea: nmea, bluetooth: bluetooth, speed: speed, once: true, result: path)
        let (problem, said) = try await fixture.replay(options, answers: [Self.stop], pace: pace ?? PlayedTime(), distress: Self.settings)
        #expect(problem == nil, "\(said)")
        return try String(contentsOfFile: path, encoding: .utf8)
    }

    @Test("EDGE-10: a result holds questions, alarms and endings beside the samples, at recorded times, and says the same at every speed")
    func result() async throws {
        let directory = try TemporaryDirectory(), path = directory.url.appending(path: "strap.btsnoop").path
        try Self.write(Self.strap(), to: path)
        let pace = PlayedTime()
        let first = try await result(of: path, .factor(1), pace: pace)
        #expect((450_000...480_000).contains(pace.passed), "played at \(pace.passed) ms")
        for speed in Self.speeds.dropFirst() { #expect(try await result(of: path, speed) == first) }
        let lines = first.split(separator: "\n"), found = lines.filter { $0.contains("\"sos\":") }
        #expect(lines.count { $0.contains("\"bpm\":") } == Self.strap().count)
        for kind in ["question", "alarm", "ending"] { #expect(found.contains { $0.contains("\"sos\":\"\(kind)\"") }, "\(found)") }
        // In the order of time, but for what comes behind the last sample.
        let times = lines.map { $0.prefix(33) }
        #expect(times == times.sorted())
    }

    @Test("EDGE-10: the incidents of a recording have their names from it: the same on another box, others for other content")
    func names() async throws {
        let directory = try TemporaryDirectory(), path = directory.url.appending(path: "a.btsnoop").path
        let copy = directory.url.appending(path: "b.btsnoop").path, other = directory.url.appending(path: "c.btsnoop").path
        try Self.write(Self.strap(), to: path)
        try Self.write(Self.strap(), to: copy)
        try Self.write([(1_794_999_999_000, 70)] + Self.strap(), to: other)
        func names(_ path: String) async throws -> Set<String> {
            Set(try await result(of: path, .max).matches(of: /"id":"([0-9a-f]+)"/).map { String($0.1) })
        }
        let own = try await names(path)
        #expect(!own.isEmpty)
        #expect(try await names(copy) == own)
        #expect(try await names(other).isDisjoint(with: own))
    }

    @Test("EDGE-10: a replay that gives what is expected passes; one that asks, raises or ends otherwise fails and says so in words")
    func compared() async throws {
        let directory = try TemporaryDirectory(), path = directory.url.appending(path: "strap.btsnoop").path
        let expected = directory.url.appending(path: "expected").path
        try Self.write(Self.strap(), to: path)
        let lines = try await result(of: path, .max).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        func replayed(_ lines: [String]) async throws -> (problem: AgentProblem?, said: String) {
            try Data(lines.joined(separator: "\n").utf8).write(to: URL(filePath: expected))
            let fixture = try ReplayTests.Fixture(seconds: 1)
            let options = ReplayOptions(nmea: nil, bluetooth: path, speed: .max, once: true, expected: expected)
            let (problem, said) = try await fixture.replay(options, answers: [Self.stop], distress: Self.settings)
            return (problem, said.joined(separator: "\n"))
        }
        #expect(try await replayed(lines).problem == nil)
        let alarm = try #require(lines.firstIndex { $0.contains("\"alarm\"") })
        var without = lines
        without.remove(at: alarm)
        let unexpected = try await replayed(without)
        #expect(unexpected.problem != nil)
        #expect(unexpected.said.contains("an alarm (heartRateHigh, 215) at 2026-"), "\(unexpected.said)")
        #expect(unexpected.said.contains("is not expected"))
        var changed = lines
        changed[5] = changed[5].replacing("\"bpm\":70", with: "\"bpm\":71")
        #expect(try await replayed(changed).said.contains("bpm is 70 instead of 71"))
    }

    @Test("EDGE-10: what was played before is compared all the same")
    func again() async throws {
        let fixture = try ReplayTests.Fixture(seconds: 30)
        var options = ReplayOptions(nmea: fixture.nmea, bluetooth: nil, speed: .max, once: true)
        _ = try await fixture.replay(options, answers: [Self.stop])
        options.expected = fixture.directory.url.appending(path: "expected").path
        try Data("nothing of this\n".utf8).write(to: URL(filePath: options.expected ?? ""))
        let (problem, _) = try await fixture.replay(options, answers: [Self.stop])
        #expect(problem?.what.contains("does not give what") == true)
    }

    @Test("EDGE-10: two written results are compared, and a result that cannot be written ends the replay before it begins")
    func files() async throws {
        let directory = try TemporaryDirectory()
        func file(_ name: String, _ text: String) throws -> String {
            let path = directory.url.appending(path: name).path
            try Data(text.utf8).write(to: URL(filePath: path))
            return path
        }
        let lines = (0..<30_000).map { #"{"time":"2026-01-01T00:00:00.\#($0)Z","bpm":\#($0 % 90),"who":"Zoë"}"# }
        let whole = try file("whole", lines.joined(separator: "\n") + "\n")
        let missing = try file("missing", lines.enumerated().filter { $0.offset != 20_000 }.map(\.element).joined(separator: "\n"))
        try compare(expected: whole, result: whole) { _ in }
        var said = ""
        #expect(throws: AgentProblem.self) { try compare(expected: whole, result: missing) { said += $0 } }
        #expect(said.contains("29999 events as expected, 0 different, 1 missing, 0 unexpected"))
        #expect(said.contains("line 20001: a heart rate of 20 at 2026-01-01T00:00:00.20000Z is missing"))
        #expect(throws: AgentProblem.self) {
            try ReplayResult(expected: nil, writingTo: directory.url.path + "/no/such/folder", watched: nil)
        }
    }

    @Test(
        "EDGE-10: every capture of the rig gives the same result at 1x, 60x and as fast as possible",
        .enabled(if: captures != nil, "TRACKME_CAPTURES does not name the directory of the captures"),
        arguments: [
            "rig/captures/hr-conf-h4.btsnoop", "rig/captures/hr-dbus.btsnoop", "rig/captures/hr-faults.btsnoop",
            "rig/captures/hr-raw-att.btsnoop", "captures/ble/horizon__btsnoop_hci.log",
            "captures/ble/crackle__le_secure_connections.pcapng", "captures/ble/crackle__pairing_and_ltk_exchange.pcap",
            "captures/ble/whad__ble_pairing.pcap",
        ])
    func everyCapture(name: String) async throws {
        let path = try #require(captures).deletingLastPathComponent().appending(path: name).path
        let results = try await Self.speeds.asyncMap { try await result(of: path, $0) }
        #expect(Set(results).count == 1)
        #expect(name.contains("rig/") == results[0].contains("\"bpm\":"))
    }

    /// TRACKME_WRITE_FIXTURES=1 writes both anew, after AutomatedSOS was made to decide otherwise: look at what changed.
    @Test("EDGE-10: the recording in the repository gives the result beside it")
    func kept() async throws {
        let folder = Repository.url("Tests/Fixtures/replay")
        if ProcessInfo.processInfo.environment["TRACKME_WRITE_FIXTURES"] != nil {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Self.write(Self.strap(), to: folder.appending(path: "distress.btsnoop").path)
            let result = try await result(of: folder.appending(path: "distress.btsnoop").path, .max)
            try Data(result.utf8).write(to: folder.appending(path: "distress.jsonl"))
        }
        let expected = try String(contentsOf: folder.appending(path: "distress.jsonl"), encoding: .utf8)
        for speed in Self.speeds { #expect(try await result(of: folder.appending(path: "distress.btsnoop").path, speed) == expected) }
    }
}

extension Sequence {
    fileprivate func asyncMap<Value>(_ transform: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await transform(element)) }
        return values
    }
}
