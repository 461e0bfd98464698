import History
import TestSupport
import Testing
import Vitals

@Suite struct RollupTests {
    private static let noon: Milliseconds = 1_764_244_800_000

    private static func heartRates(_ count: Int, seed: UInt64) -> [HeartRateSample] {
        var generator = SeededGenerator(seed: seed), rate = 70
        return (0..<count).map { index in
            // As much as a strap's readings move while its wearer runs.
            if generator.next() % 3 == 0 { rate = min(190, max(45, rate + Int(generator.next() % 5) - 2)) }
            return HeartRateSample(time: noon + Milliseconds(index) * 1000, beatsPerMinute: UInt16(rate))
        }
    }

    @Test("DATA-8: each minute has count, sum, least, greatest and how often each heart rate came, as counted one by one")
    func minutes() throws {
        let samples = Self.heartRates(3700, seed: 1)
        let rollups = SampleSet(heartRates: samples).rollups(of: .heartRate)
        let groups = Dictionary(grouping: samples) { Int64($0.time / 60_000) }
        #expect(Set(rollups.keys) == Set(groups.keys))
        for (minute, group) in groups {
            let rates = group.map { Int64($0.beatsPerMinute) }, rollup = try #require(rollups[minute])
            #expect(rollup.count == Int64(rates.count) && rollup.sum == rates.reduce(0, +))
            #expect(rollup.minimum == rates.min() && rollup.maximum == rates.max())
            let counts = Dictionary(grouping: rates) { $0 }.map { Rollup.Bin(number: $0, count: Int64($1.count)) }
            #expect(rollup.histogram == counts.sorted { $0.number < $1.number })
        }
    }

    @Test("DATA-8: a strap without skin contact tells no heart rate, and times before 1970 have minutes of their own")
    func leavesOut() {
        let samples = [
            HeartRateSample(time: -1, beatsPerMinute: 60), HeartRateSample(time: 0, beatsPerMinute: 61),
            HeartRateSample(time: 1000, beatsPerMinute: 0), HeartRateSample(time: 2000, beatsPerMinute: 62, contact: .notDetected),
        ]
        let rollups = SampleSet(heartRates: samples).rollups(of: .heartRate)
        #expect(rollups.mapValues(\.sum) == [-1: 60, 0: 61])
    }

    @Test("DATA-8: whatever the order and the parts, merging gives what rolling up everything at once gives")
    func merges() throws {
        for seed in 1...20 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let samples = Self.heartRates(600, seed: seed)
            let whole = SampleSet(heartRates: samples).rollups(of: .heartRate).values.reduce(into: Rollup()) { $0.merge($1) }
            var parts: [[HeartRateSample]] = [[], [], []]
            for sample in samples.shuffled(using: &generator) { parts[Int(generator.next() % 3)].append(sample) }
            let merged = parts.flatMap { SampleSet(heartRates: $0).rollups(of: .heartRate).values }.shuffled(using: &generator)
                .reduce(into: Rollup()) { $0.merge($1) }
            #expect(merged == whole, "seed \(seed)")
        }
    }

    @Test("DATA-5: an amount counts where its span begins, sleep by the seconds of each stage")
    func spans() throws {
        let first = RollupBuilder.minute(of: Self.noon)
        let steps = [
            ScalarSample(.steps, time: Self.noon, value: 600, end: Self.noon + 3_600_000),
            ScalarSample(.steps, time: Self.noon + 59_999, value: 40),
        ].compactMap(\.self)
        #expect(SampleSet(scalars: steps).rollups(of: .steps).mapValues(\.sum) == [first: 640])
        let night = [
            ScalarSample(.sleep, time: Self.noon, value: 3, end: Self.noon + 90_000),
            ScalarSample(.sleep, time: Self.noon + 90_000, value: 4, end: Self.noon + 150_000),
        ].compactMap(\.self)
        let stages = SampleSet(scalars: night).rollups(of: .sleep)
        #expect(stages[first]?.histogram == [Rollup.Bin(number: 3, count: 90)])
        #expect(stages[first + 1]?.histogram == [Rollup.Bin(number: 4, count: 60)] && stages[first + 1]?.mean == nil)
    }

    @Test("DATA-8: the variability is the RMSSD of normal beats that follow each other within a minute")
    func variability() throws {
        let intervals: [UInt16] = [1024, 1034, 1014, 1600, 1024, 1030]
        let samples = [HeartRateSample(time: Self.noon, beatsPerMinute: 60, rrIntervals: intervals)]
        let rollup = try #require(SampleSet(heartRates: samples).rollups(of: .rrIntervals).values.first)
        // To 1600 and back is no fifth: an extra beat.
        #expect(rollup.successive.count == 3)
        let expected = ((100.0 + 400 + 36) / 3).squareRoot() * 1000 / 1024
        #expect(abs(try #require(rollup.successive.rmssd(least: 1)) - expected) < 1e-9)
        #expect(rollup.successive.rmssd() == nil)
    }

    // MARK: - Rows

    private static func row(_ kind: DataKind, seed: UInt64) throws -> (RollupRow, RollupRule) {
        var generator = SeededGenerator(seed: seed), slots: [Int: Rollup] = [:]
        let rule = try #require(RollupRule(kind)), range = kind.entry.range
        for slot in 0..<60 where generator.next() % 4 != 0 {
            var rollup = Rollup()
            for _ in 0...generator.next() % 20 {
                rollup.take(Int64.random(in: range, using: &generator), times: Int64(1 + generator.next() % 3), by: rule)
            }
            slots[slot] = rollup
        }
        return (RollupRow(slots), rule)
    }

    @Test(
        "DATA-8: rows of rollups are read as they were written, for each kind",
        arguments: DataKind.allCases.filter { RollupRule($0) != nil })
    func readsWhatWasWritten(_ kind: DataKind) throws {
        for seed in 1...20 as ClosedRange<UInt64> {
            let (row, rule) = try Self.row(kind, seed: seed)
            #expect(try RollupRow(decoding: row.encoded(by: rule), by: rule) == row, "seed \(seed)")
        }
    }

    @Test("DATA-8: a row whose bytes are damaged is refused or read, and never crashes")
    func damagedRows() throws {
        for kind in [DataKind.heartRate, .rrIntervals, .steps] {
            let (row, rule) = try Self.row(kind, seed: 7), bytes = row.encoded(by: rule)
            for cut in stride(from: 1, to: bytes.count, by: 3) { _ = try? RollupRow(decoding: Array(bytes[..<cut]), by: rule) }
            var generator = SeededGenerator(seed: 8)
            for _ in 0..<2000 {
                var damaged = bytes
                for _ in 0..<3 { damaged[Int(generator.next() % UInt64(damaged.count))] = UInt8(truncatingIfNeeded: generator.next()) }
                _ = try? RollupRow(decoding: damaged, by: rule)
            }
        }
        #expect(throws: RollupRow.Malformed.self) { try RollupRow(decoding: [1], by: #require(RollupRule(.heartRate))) }
    }

    @Test("DATA-8: an hour of heart rates takes a quarter of a byte a sample at most, its hour in the day included")
    func isSmall() throws {
        let rule = try #require(RollupRule(.heartRate)),
            rollups = SampleSet(heartRates: Self.heartRates(3600, seed: 3)).rollups(of: .heartRate)
        let hour = RollupRow(Dictionary(uniqueKeysWithValues: rollups.map { (Int($0.key % 60), $0.value) }))
        let day = RollupRow([12: hour.total])
        #expect(hour.encoded(by: rule).count + day.encoded(by: rule).count <= 900)
    }
}
