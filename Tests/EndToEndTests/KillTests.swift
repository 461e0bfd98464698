import Foundation
import HubStore
import Privacy
import TestSupport
import Testing
import Vitals

/// The real programs, killed at random. `TRACKME_KILLS` sets how often (40), `TRACKME_SEED` repeats a run.
@Suite(.serialized)
struct KillTests {
    private static let environment = ProcessInfo.processInfo.environment
    @Test("EDGE-5, EDGE-6, EDGE-10: agent and hub are killed again and again, and every sample of the recording is stored exactly once")
    func kills() async throws {
        let kills = Self.environment["TRACKME_KILLS"].flatMap { Int($0) } ?? 40
        let seed = Self.environment["TRACKME_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        let programs = try Programs()
        let expected = try programs.expected()
        try programs.enrol()
        // Slow enough to be still at it when the last kill comes.
        let speed = max(2, 400 / Double(kills))
        var agent = try programs.startReplay(speed: "\(speed)")
        for _ in 0..<kills {
            try await Task.sleep(for: .milliseconds(Int.random(in: 20...700, using: &generator)))
            if Bool.random(using: &generator) {
                agent.kill()
                agent = try programs.startReplay(speed: "\(speed)")
            } else {
                try programs.restartHub()
            }
        }
        agent.kill()
        agent = try programs.startReplay(speed: "max")
        try #require(await agent.finished(within: .seconds(300)) == 0, "seed \(seed): \(programs.log("agent"))")
        programs.hub?.terminate()
        let reading = try programs.stored()
        #expect(reading.heartRates.map(Stored.init) == expected.heartRates, "seed \(seed)")
        #expect(reading.positions.map(Stored.init) == expected.positions, "seed \(seed)")
        #expect(Set(reading.events).count == reading.events.count, "seed \(seed)")
        for code in [StateEvent.Code.sensorConnected, .sensorLost, .sensorBattery, .fixAcquired, .fixLost] {
            #expect(reading.events.contains { $0.code == code }, "\(code) is missing")
        }
        // It was one stream all along: a resumed replay goes on where it was.
        #expect(reading.provenance == .replay)
        // Replaying a file again needs to be asked for.
        let again = try programs.startReplay(speed: "max")
        #expect(await again.finished(within: .seconds(60)) != 0)
        #expect(programs.log("agent").contains("--again"))
    }

    /// What is compared of a sample.
    struct Stored: Hashable, Comparable, CustomStringConvertible {
        var time: Milliseconds
        var values: [Int64]

        init(time: Milliseconds, values: [Int64]) { (self.time, self.values) = (time, values) }
        init(_ sample: HeartRateSample) {
            let contact: Int64 =
                switch sample.contact {
                case .unsupported: -1
                case .notDetected: 0
                case .detected: 1
                }
            self.init(
                time: sample.time,
                values: [Int64(sample.beatsPerMinute), contact, sample.energyKilojoules.map(Int64.init) ?? -1]
                    + sample.rrIntervals.map(Int64.init))
        }
        init(_ sample: PositionSample) {
            let optional = [sample.altitude, sample.speed, sample.course, sample.horizontalError].map { $0.map(Int64.init) ?? -1 }
            self.init(
                time: sample.time,
                values: [Int64(sample.latitude), Int64(sample.longitude)] + optional + [Int64(sample.mode.rawValue)])
        }

        static func < (left: Stored, right: Stored) -> Bool { left.time < right.time }
        var description: String { "\(time) \(values)" }
    }

    /// The programs that were built beside this test, in a directory of their own.
    final class Programs {
        let directory: TemporaryDirectory
        let binaries: URL
        var hub: Program?
        var port = 0
        var person = ""

        init() throws {
            directory = try TemporaryDirectory()
            let beside = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            let candidates = [beside, Repository.url(".build/debug")]
            binaries = try #require(
                candidates.first { FileManager.default.isExecutableFile(atPath: $0.appendingPathComponent("trackme-hub").path) })
        }

        deinit { hub?.kill() }

        var nmea: String { Repository.url("packaging/demo/run.nmea").path }
        var ble: String { Repository.url("packaging/demo/run.btsnoop").path }
        private func path(_ name: String) -> String { directory.url.appendingPathComponent(name).path }
        func log(_ name: String) -> String { (try? String(contentsOfFile: path(name + ".log"), encoding: .utf8)) ?? "" }

        /// What the recording holds, as `decode` says it.
        func expected() throws -> (heartRates: [Stored], positions: [Stored]) {
            func objects(_ arguments: [String]) throws -> [[String: Any]] {
                try run("trackme-agent", ["decode"] + arguments).split(separator: "\n").map {
                    try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
                }
            }
            func time(_ object: [String: Any]) throws -> Milliseconds {
                let formatter = ISO8601DateFormatter()
                formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
                let text = try #require(object["time"] as? String)
                let date = try #require(formatter.date(from: text))
                return Milliseconds((date.timeIntervalSince1970 * 1000).rounded())
            }
            func number(_ value: Any?) throws -> Double { try #require(value as? NSNumber).doubleValue }
            let rates = try objects(["--ble", ble]).filter { $0["bpm"] != nil }.map { object in
                let intervals = (object["rr"] as? [NSNumber] ?? []).map(\.int64Value)
                let contact = (object["contact"] as? NSNumber)?.int64Value ?? -1
                let energy = (object["energy"] as? NSNumber)?.int64Value ?? -1
                return Stored(time: try time(object), values: [Int64(try number(object["bpm"])), contact, energy] + intervals)
            }
            func scaled(_ value: Any?, _ unit: Double) -> Int64 {
                (value as? NSNumber).map { Int64(($0.doubleValue * unit).rounded()) } ?? -1
            }
            let positions = try objects(["--nmea", nmea]).filter { $0["lat"] != nil }.map { fix in
                Stored(
                    time: try time(fix),
                    values: [
                        scaled(fix["lat"], 1e7), scaled(fix["lon"], 1e7), scaled(fix["alt"], 10), scaled(fix["speed"], 100),
                        scaled(fix["course"], 100), scaled(fix["error"], 10), scaled(fix["mode"], 1),
                    ])
            }
            #expect(rates.count > 1000 && positions.count > 1000)
            return (rates.sorted(), positions.sorted())
        }

        func enrol() throws {
            try restartHub()
            person = try run("trackme-hub", ["person", "add", "--directory", path("hub"), "--name", "Made up"])
            let command = try run("trackme-hub", ["enrolment-code", "--directory", path("hub"), "--person", person])
            let words = command.replacingOccurrences(of: "'", with: "").split(separator: " ").map(String.init)
            let enrolled = try run("trackme-agent", Array(words.dropFirst()) + ["--state", path("agent")])
            // What the owner compares.
            let listed = try run("trackme-hub", ["agent", "list", "--directory", path("hub")]).split(separator: " ")
            #expect(listed.count > 2 && enrolled.contains(listed[0]) && enrolled.contains(listed[1]), "\(enrolled)")
        }

        func restartHub() throws {
            hub?.kill()
            try? FileManager.default.removeItem(atPath: path("hub/address"))
            hub = try Program(
                binaries.appendingPathComponent("trackme-hub"),
                ["serve", "--directory", path("hub"), "--port", "\(port)"], log: path("hub.log"))
            guard port == 0 else { return }
            let deadline = Date(timeIntervalSinceNow: 30)
            while port == 0, Date() < deadline {
                usleep(20_000)
                let address = try? String(contentsOfFile: path("hub/address"), encoding: .utf8)
                port = address.flatMap { URL(string: $0.trimmingCharacters(in: .whitespacesAndNewlines))?.port } ?? 0
            }
            try #require(port != 0, "the hub did not start: \(log("hub"))")
        }

        func startReplay(speed: String) throws -> Program {
            try Program(
                binaries.appendingPathComponent("trackme-agent"),
                ["replay", "--nmea", nmea, "--ble", ble, "--speed", speed, "--person", person, "--state", path("agent")],
                log: path("agent.log"))
        }

        func stored() throws -> Reading {
            let hub = try HubDirectory(directory.url.appendingPathComponent("hub"))
            let keys = try KeyStore(hub)
            let series = try SeriesStore(hub, accounts: AccountStore(hub, keys: keys), keys: keys)
            let person = try #require(PersonID(person))
            return try #require(try series.reader.read(.maintenance(of: person), from: 0, to: .max / 2, now: 0))
        }

        private func run(_ program: String, _ arguments: [String]) throws -> String {
            let process = Process(), pipe = Pipe()
            process.executableURL = binaries.appendingPathComponent(program)
            process.arguments = arguments
            process.standardOutput = pipe
            process.standardError = FileHandle(forWritingAtPath: "/dev/null")
            try process.run()
            let output = pipe.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            try #require(process.terminationStatus == 0, "\(program) \(arguments.first ?? "") failed")
            return String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        }
    }

    /// A running program whose output goes to a file.
    final class Program {
        private let process = Process()

        init(_ program: URL, _ arguments: [String], log: String) throws {
            if !FileManager.default.fileExists(atPath: log) { _ = FileManager.default.createFile(atPath: log, contents: nil) }
            let output = try #require(FileHandle(forWritingAtPath: log))
            try output.seekToEnd()
            process.executableURL = program
            process.arguments = arguments
            process.standardOutput = output
            process.standardError = output
            try process.run()
        }

        var identifier: Int32 { process.processIdentifier }
        var isRunning: Bool { process.isRunning }
        /// The signal that ended it.
        var signal: Int32? { !process.isRunning && process.terminationReason == .uncaughtSignal ? process.terminationStatus : nil }

        /// SIGKILL, and gone when this returns.
        func kill() {
            if process.isRunning { Glibc.kill(process.processIdentifier, SIGKILL) }
            process.waitUntilExit()
        }

        /// SIGTERM, and gone when this returns.
        func terminate() {
            if process.isRunning { process.terminate() }
            process.waitUntilExit()
        }

        /// The exit status; killed and nil when it runs on.
        func finished(within limit: Duration) async -> Int32? {
            let deadline = ContinuousClock.now + limit
            while process.isRunning, ContinuousClock.now < deadline { try? await Task.sleep(for: .milliseconds(50)) }
            guard !process.isRunning else {
                kill()
                return nil
            }
            return process.terminationStatus
        }
    }
}
