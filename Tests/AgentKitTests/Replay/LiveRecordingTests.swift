import Foundation
import Sensing
import TestSupport
import Testing
import Vitals

@testable import AgentKit

@Suite struct LiveRecordingTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.url.appendingPathComponent("walk").path }

    init() throws { directory = try TemporaryDirectory() }

    private func bytes(_ ending: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path + ending))) }

    private func fixes() throws -> [PositionSample] {
        var decoder = NMEADecoder(), samples: [PositionSample] = []
        decoder.feed(try bytes(".nmea")) { samples.append($0.sample) }
        try decoder.finish { samples.append($0.sample) }
        #expect(decoder.report.damaged == 0)
        return samples
    }

    private func heartRates() throws -> [HeartRateEvent] {
        var reader = BluetoothCaptureReader(), events: [HeartRateEvent] = []
        try reader.feed(try bytes(".btsnoop")) { events.append($0.event) }
        try reader.finish { events.append($0.event) }
        #expect(reader.report.damaged == 0 && reader.guess == nil)
        return events
    }

    @Test("EDGE-10: what live sensors deliver is read back as the same samples", arguments: 0..<12)
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let recording = try LiveRecording(path: path)
        var expectedFixes: [PositionSample] = [], expectedRates: [HeartRateEvent] = []
        var utc = Milliseconds.random(in: 946_684_800_000..<2_500_000_000_000, using: &random)
        for _ in 0..<600 {
            utc += Milliseconds.random(in: 1...3_000_000, using: &random)
            if Bool.random(using: &random) {
                let sample = Self.position(utc, &random)
                expectedFixes.append(sample)
                var live = sample
                live.time = 5
                #expect(recording.take(.fix(live, utc: utc), utc: utc, at: utc) == nil)
            } else {
                let event = Self.heartRate(utc, &random)
                if case .connected = event {} else { expectedRates.append(event) }
                #expect(recording.take(event, of: UInt64.random(in: 1...3, using: &random), utc: utc, at: utc) == nil)
            }
        }
        #expect(recording.stop() == nil)
        #expect(recording.leftOut == 0)
        #expect(try fixes() == expectedFixes)
        #expect(try heartRates().filter { if case .connected = $0 { false } else { true } } == expectedRates)
    }

    private static func position(_ utc: Milliseconds, _ random: inout SeededGenerator) -> PositionSample {
        func sometimes(_ range: ClosedRange<Int32>) -> Int32? {
            Bool.random(using: &random) ? Int32.random(in: range, using: &random) : nil
        }
        let altitude = sometimes(-5000...90_000)
        return PositionSample(
            time: utc, latitude: .random(in: -900_000_000...900_000_000, using: &random),
            longitude: .random(in: -1_800_000_000...1_800_000_000, using: &random), altitude: altitude, speed: sometimes(0...15_000),
            course: sometimes(0...35_999), horizontalError: sometimes(0...100_000),
            mode: Bool.random(using: &random) ? .twoDimensional : .threeDimensional)
    }

    private static func heartRate(_ utc: Milliseconds, _ random: inout SeededGenerator) -> HeartRateEvent {
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return .battery(percent: .random(in: 0...100, using: &random), time: utc)
        case 1: return .bodyLocation(.random(in: 0...255, using: &random), time: utc)
        case 2: return .connected(time: utc)
        default:
            let intervals = (0..<Int.random(in: 0...9, using: &random)).map { _ in UInt16.random(in: 0...65_535, using: &random) }
            return .measurement(
                HeartRateSample(
                    time: utc, beatsPerMinute: .random(in: 0...(Bool.random(using: &random) ? 255 : 65_535), using: &random),
                    contact: SensorContact.allCases.randomElement(using: &random) ?? .unsupported,
                    energyKilojoules: Bool.random(using: &random) ? .random(in: 0...65_535, using: &random) : nil, rrIntervals: intervals))
        }
    }

    @Test("EDGE-10: after a second everything taken stands in the files")
    func flushes() throws {
        let recording = try LiveRecording(path: path)
        let fix = PositionEvent.fix(PositionSample(time: 0, latitude: 1, longitude: 1), utc: nil)
        #expect(recording.take(fix, utc: 1_800_000_000_000, at: 0) == nil)
        #expect(try bytes(".nmea").isEmpty)
        #expect(recording.take(fix, utc: 1_800_000_001_000, at: 1000) == nil)
        #expect(try fixes().count == 2)
        #expect(recording.take(.noFix(time: 0), utc: 1_800_000_002_000, at: 1500) == nil)
        #expect(recording.flush() == nil)
        #expect(try fixes().count == 2)
    }

    @Test("EDGE-10: files that exist are never touched, and a half-made recording leaves nothing")
    func existing() throws {
        try Data("mine".utf8).write(to: URL(fileURLWithPath: path + ".btsnoop"))
        #expect(throws: SourceProblem.self) { try LiveRecording(path: path) }
        #expect(try bytes(".btsnoop") == Array("mine".utf8))
        #expect(!FileManager.default.fileExists(atPath: path + ".nmea"))
        #expect(throws: SourceProblem.self) { try LiveRecording(path: path + "/nowhere/walk") }
    }

    @Test("EDGE-10: a recording is for its owner's eyes only")
    func permissions() throws {
        let recording = try LiveRecording(path: path)
        for ending in [".nmea", ".btsnoop"] {
            #expect(try FileManager.default.attributesOfItem(atPath: path + ending)[.posixPermissions] as? Int == 0o600)
        }
        #expect(recording.stop() == nil)
    }

    @Test("EDGE-10: at its limit, or when the disk gets full, a recording stops, says so once, and what is there stays readable")
    func limits() throws {
        for (limits, word) in [
            (LiveRecording.Limits(bytesMax: 5000, bytesFreeMin: 0), "reached"),
            (LiveRecording.Limits(bytesMax: 1 << 20, bytesFreeMin: 1 << 60), "left"),
        ] {
            let recording = try LiveRecording(path: path, limits: limits)
            var problems: [SourceProblem] = []
            for second in 0..<500 {
                let utc = 1_800_000_000_000 + Milliseconds(second) * 1000
                let sample = HeartRateSample(time: 0, beatsPerMinute: 70, rrIntervals: [900])
                if let problem = recording.take(.measurement(sample), of: 1, utc: utc, at: utc) { problems.append(problem) }
            }
            #expect(problems.count == 1 && problems[0].what.contains(word))
            #expect(recording.stop() == nil)
            let size = try bytes(".btsnoop").count
            #expect(size < 6000)
            if size > 0 { #expect(try heartRates().count > 50) }
            for ending in [".nmea", ".btsnoop"] { try FileManager.default.removeItem(atPath: path + ending) }
        }
    }

    @Test("EDGE-10: a link in the place of a file is not followed")
    func link() throws {
        try FileManager.default.createSymbolicLink(atPath: path + ".nmea", withDestinationPath: path + ".elsewhere")
        #expect(throws: SourceProblem.self) { try LiveRecording(path: path) }
        #expect(!FileManager.default.fileExists(atPath: path + ".elsewhere"))
    }

    @Test("EDGE-10: what the files cannot hold is counted")
    func leftOut() throws {
        let recording = try LiveRecording(path: path)
        func fix(_ source: PositionSource, _ utc: Milliseconds) {
            #expect(
                recording.take(.fix(PositionSample(time: 0, latitude: 0, longitude: 0, source: source), utc: nil), utc: utc, at: 0) == nil)
        }
        fix(.gnss, 1_800_000_000_000)
        fix(.gnss, 1_800_000_000_000)
        fix(.network, 1_800_000_001_000)
        fix(.fixed, 1_800_000_002_000)
        fix(.gnss, 3000)
        for address in 1...17 { #expect(recording.take(.connected(time: 0), of: UInt64(address), utc: 1_800_000_000_000, at: 0) == nil) }
        #expect(recording.leftOut == 5)
        #expect(recording.stop() == nil)
        #expect(try fixes().count == 1)
    }
}
