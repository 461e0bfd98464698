import Exchange
import Foundation
import TestSupport
import Testing
import Vitals

@Suite struct ActivityFuzzTests {
    /// More with TRACKME_FUZZ_ROUNDS.
    private static let rounds = ProcessInfo.processInfo.environment["TRACKME_FUZZ_ROUNDS"].flatMap { Int($0) } ?? 60

    /// Files of every kind, small enough for many rounds.
    private static func files() throws -> [[UInt8]] {
        let workout = try MadeWorkout.file(.fit, sport: 2)
        var hardware = MadeFIT.activity(30)
        hardware.define(2, 132, [(253, 4, 0x86), (9, 4, 0x86), (10, 3, 13), (6, 3, 2)])
        for index in 0..<10 { hardware.message(2, [(Int64(MadeFIT.start), 4), (Int64(index) * 4096, 4), (0x123456, 3), (0x777777, 3)]) }
        hardware.define(
            3, 20, [(253, 8, 0x8F), (0, 8, 0x8E), (1, 8, 0x8E), (8, 3, 13), (4, 8, 0x89), (48, 8, 0x8F)], developer: [(1, 9, 0)])
        for index in 0..<30 {
            hardware.message(
                3, [(Int64.max - Int64(index), 8), (.max, 8), (.min + 1, 8), (0xABCDEF, 3), (-2, 8), (.max, 8), (0, 8), (0, 1)])
        }
        return [
            FITWriter.write(workout), TCXWriter.write(workout), hardware.file(), hardware.file() + MadeFIT.activity(5).file(),
            Array(MadeActivityXML.tcx().utf8), Array(MadeActivityXML.gpx.utf8),
        ]
    }

    @Test("DATA-2: damaged files of any kind never crash a reader, and give no more than they hold")
    func fuzz() throws {
        let files = try Self.files()
        for seed in 0..<Self.rounds {
            var generator = SeededGenerator(seed: UInt64(seed)), bytes = files[seed % files.count]
            for _ in 0..<Int.random(in: 1...20, using: &generator) {
                guard !bytes.isEmpty else { break }
                let at = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<6, using: &generator) {
                case 0: bytes.removeSubrange(at..<min(bytes.count, at + Int.random(in: 1...40, using: &generator)))
                case 1: bytes.insert(contentsOf: bytes[at..<min(bytes.count, at + 60)], at: at)
                case 2: bytes[at] = [0, 0xFF, 0x7F, 0x80, 0x40, 0x60].randomElement(using: &generator) ?? 0
                case 3 where Int.random(in: 0..<4, using: &generator) == 0: bytes.removeLast(bytes.count - at)
                default: bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                }
            }
            guard let file = try? ActivityFile.read(bytes) else { continue }
            // A record takes a byte at least, and a point of XML more.
            #expect(file.points.count <= bytes.count && file.heartRates.count <= bytes.count, "seed \(seed)")
            #expect(file.problems.count <= 64 && file.laps.count <= bytes.count, "seed \(seed)")
            // What was read can be used and written.
            #expect(file.samples.positions.count <= file.points.count && file.measuredDistance >= 0, "seed \(seed)")
            _ = (file.summary, file.totals.end)
            let again = (FITWriter.write(file), TCXWriter.write(file))
            #expect(again.0.count >= 16 && again.1.count > 100, "seed \(seed)")
        }
    }

    @Test("DATA-2: bytes without any sense are refused or give nothing")
    func noise() {
        for seed in 0..<Self.rounds {
            var generator = SeededGenerator(seed: UInt64(seed))
            var bytes = (0..<2000).map { _ in UInt8.random(in: 0...255, using: &generator) }
            bytes.replaceSubrange(0..<14, with: [14, 0x20, 0x54, 8, 0xC2, 7, 0, 0, 0x2E, 0x46, 0x49, 0x54, 0, 0])
            if let file = try? ActivityFile.read(bytes) { #expect(file.points.count <= 2000 && !file.problems.isEmpty) }
        }
    }
}
