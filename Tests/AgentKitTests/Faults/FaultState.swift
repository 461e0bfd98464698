import Foundation
import Segments
import SyncProtocol
import Synchronization
import TestSupport
import Testing
import Vitals

@testable import AgentKit
@testable import SampleBuffer

/// The state of an enrolled box whose hub is never there, and the real program on it, which plays a walk into its buffer.
struct FaultState {
    let directory: TemporaryDirectory
    private let recording: TemporaryDirectory
    static let seconds = 95

    init() throws {
        (directory, recording) = (try TemporaryDirectory(), try TemporaryDirectory())
        let identity = Identity(
            agent: AgentID(high: 1, low: 1), name: "box", hub: try HubAddress("https://127.0.0.1:1"), certificateAuthority: nil,
            persons: [BoundPerson(person: PersonID(high: 5, low: 5), name: "Ada")])
        try identity.save(key: Identity.newKey(), to: StateDirectory(path))
        try Data(ReplayTests.log(seconds: Self.seconds).utf8).write(to: URL(fileURLWithPath: nmea))
    }

    private init(copyOf other: FaultState) throws {
        directory = try TemporaryDirectory(copyOf: other.directory.url)
        recording = other.recording
    }

    func copy() throws -> FaultState { try FaultState(copyOf: self) }

    /// Puts so many segments into the buffer, which the hub has.
    func deliver(_ count: Int) throws {
        let buffer = try SampleBuffer(directory: path), time = BufferTime(boot: try buffer.beginBoot(.random()), milliseconds: 0)
        let rates = (0..<60).map {
            HeartRateSample(time: Milliseconds($0) * 1000, beatsPerMinute: 60, rrIntervals: [UInt16($0 * 7919 % 2000)])
        }
        let part = SealPart(person: PersonID(high: 5, low: 5), clock: .recorded, samples: SampleSet(heartRates: rates))
        try buffer.seal(Array(repeating: part, count: count), to: .live, at: time)
        while let batch = try buffer.nextBatch(bytesMax: 1 << 20, at: time) {
            let answer = SyncAnswer(
                hub: HubIncarnation(high: 1, low: 1), utc: 1_790_000_000_000, cadence: .interval,
                streams: batch.sent.sequences.map { stream, sequences in
                    SyncAnswer.StreamState(stream: stream, received: [[0, sequences.max() ?? 0]])
                })
            _ = try buffer.apply(answer, to: batch.sent)
        }
    }

    var path: String { directory.url.path }
    var nmea: String { recording.url.appendingPathComponent("walk.nmea").path }
    /// Outside of the state, so that it can be written whatever becomes of that.
    var out: String { path + ".out" }

    /// The program that was built beside this test; nil where only the tests were built.
    static var program: String? {
        let beside = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") }.map { URL(fileURLWithPath: $0).deletingLastPathComponent() }
        return [bundle, beside, Repository.url(".build/debug")].compactMap { $0?.appendingPathComponent("trackme-agent").path }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    func arguments(state: String? = nil) -> [String] {
        ["replay", "--nmea", nmea, "--speed", "max", "--once", "--state", state ?? path]
    }

    /// Plays the walk. `wrapper` is a command that runs the program.
    func replay(wrapper: [String] = [], environment: [String: String] = [:], limit: Duration = .seconds(60)) async throws -> FaultRun {
        let program = try #require(Self.program)
        return try await FaultRun.of(wrapper + [program] + arguments(), environment: environment, limit: limit)
    }

    func withShim(_ values: [String: Int]) throws -> [String: String] {
        var environment = ["LD_PRELOAD": try FaultShim.path(), "FAULT_DIRECTORY": path, "FAULT_OUT": out]
        for (name, value) in values { environment[name] = "\(value)" }
        return environment
    }

    func takeOut() throws -> Data {
        defer { unlink(out) }
        return (try? Data(contentsOf: URL(fileURLWithPath: out))) ?? Data()
    }

    /// What lies in the buffer; also proves that it opens, and takes a write.
    func stored() throws -> FaultStored { try FaultStored(directory: path) }
}

/// What a buffer holds for the hub.
struct FaultStored {
    var notices: [String]
    var sequences: [UInt64]
    var samples = SampleSet()

    init(directory: String) throws {
        let buffer = try SampleBuffer(directory: directory)
        let count = try buffer.beginBoot(.random())
        let batch = try buffer.nextBatch(bytesMax: 4 << 20, at: BufferTime(boot: count, milliseconds: 0))
        let segments = try (batch?.body ?? []).withUnsafeBytes { body in
            try SegmentBatch.ranges(in: body).map { try Segment(decoding: UnsafeRawBufferPointer(rebasing: body[$0])) }
        }.sorted { $0.header.sequence < $1.header.sequence }
        notices = buffer.takeNotices()
        sequences = segments.map(\.header.sequence)
        for segment in segments { samples.append(segment.samples) }
    }

    /// Which seconds of the walk are there.
    var times: [Milliseconds] { samples.positions.map(\.time) }

    /// Each that there is: once and in order.
    var isOrdered: Bool { zip(times, times.dropFirst()).allSatisfy { $0 < $1 } }
}

/// How a program ended.
struct FaultRun: CustomStringConvertible {
    var status: Int32
    var wasKilled: Bool
    var timedOut: Bool
    var text: String

    var succeeded: Bool { !wasKilled && status == 0 }
    var description: String { "\(timedOut ? "timed out, " : "")\(wasKilled ? "signal" : "exit") \(status): \(text)" }

    static func of(_ command: [String], environment: [String: String] = [:], limit: Duration) async throws -> FaultRun {
        let directory = try TemporaryDirectory(), log = directory.url.appendingPathComponent("log").path
        _ = FileManager.default.createFile(atPath: log, contents: nil)
        let output = try #require(FileHandle(forWritingAtPath: log)), process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        // A program that looks for the place of a crash would wait for ever where it gets no descriptors either.
        let quiet = ["SWIFT_BACKTRACE": "enable=no"]
        process.environment = ProcessInfo.processInfo.environment.merging(quiet) { $1 }.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let deadline = ContinuousClock.now + limit
        while process.isRunning, ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(20)) }
        let timedOut = process.isRunning
        if timedOut { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
        return FaultRun(
            status: process.terminationStatus, wasKilled: process.terminationReason == .uncaughtSignal, timedOut: timedOut,
            text: (try? String(contentsOfFile: log, encoding: .utf8)) ?? "")
    }
}
