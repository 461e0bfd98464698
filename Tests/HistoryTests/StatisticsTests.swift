import History
import TestSupport
import Testing
import Vitals

@Suite struct StatisticsTests {
    private static func isNear(_ value: Double?, _ expected: Double) -> Bool {
        value.map { abs($0 - expected) <= 1e-9 * max(1, abs(expected)) } ?? false
    }

    /// `(square * i² + linear * i) mod modulus`.
    private static func madeUp(_ count: Int, _ square: Int, _ linear: Int, modulus: Int) -> [Int] {
        (0..<count).map { index -> Int in
            let value: Int = square * index * index + linear * index
            return value % modulus
        }
    }

    @Test("DATA-6: readings that lie far from 0 and close together lose no digits")
    func keepsDigits() throws {
        let found = try #require(Statistics(Self.madeUp(1000, 31, 17, modulus: 977).map { Double($0) / 10 + 3400 + 1e9 }))
        #expect(Self.isNear(found.mean, 1_000_003_449.2228999))
        #expect(abs((found.variance ?? 0) - 823.1144200548357) <= 1e-6)
    }

    @Test("DATA-6: one reading has no variance, and none have no statistics")
    func few() throws {
        let one = try #require(Statistics([72]))
        #expect(one.mean == 72 && one.percentiles.median == 72 && one.percentiles.p95 == 72)
        #expect(one.variance == nil && one.standardError == nil)
        #expect(Statistics([]) == nil)
    }

    @Test("DATA-6: rollups of whole numbers say the same as the readings; wider bins are off by half a bin at most, and say so")
    func fromRollups() throws {
        var generator = SeededGenerator(seed: 6)
        for kind in [DataKind.heartRate, .bodyTemperature, .weight, .rrIntervals] {
            let rule = try #require(RollupRule(kind))
            let values = (0..<5000).map { _ in Int64(3000 + generator.next() % 900) }
            var rollup = Rollup()
            for value in values { rollup.take(value, by: rule) }
            let exact = try #require(Statistics(values.map { Double($0) * 0.01 }))
            let found = try #require(Statistics(rollup, by: rule, scale: 0.01))
            #expect(found.count == exact.count && Self.isNear(found.mean, exact.mean))
            #expect(Self.isNear(found.minimum, exact.minimum) && Self.isNear(found.maximum, exact.maximum))
            #expect(found.error == Double(rule.binWidth - 1) / 2 * 0.01)
            let pairs = [
                (found.percentiles.p5, exact.percentiles.p5), (found.percentiles.median, exact.percentiles.median),
                (found.percentiles.p95, exact.percentiles.p95),
            ]
            for (value, wanted) in pairs { #expect(abs(value - wanted) <= found.error + 1e-9, "\(kind)") }
            if rule.binWidth == 1 { #expect(Self.isNear(found.variance, try #require(exact.variance))) }
            let deviation = try #require(found.standardDeviation), wanted = try #require(exact.standardDeviation)
            #expect(abs(deviation - wanted) <= found.deviationError + 1e-9, "\(kind)")
        }
    }

    @Test("DATA-8: zones follow the maximum, also one that is changed later, as the histogram keeps each heart rate")
    func zones() throws {
        let rule = try #require(RollupRule(.heartRate)), zones = try #require(HeartRateZones(age: 40))
        #expect(zones.maximum == 180 && zones.starts == [90, 108, 126, 144, 162])
        var rollup = Rollup()
        for rate in [60, 89, 90, 107, 108, 125, 143, 161, 162, 200] as [Int64] { rollup.take(rate, by: rule) }
        #expect(zones.counts(rollup) == [2, 2, 2, 1, 1, 2])
        #expect(try #require(HeartRateZones(maximum: 200)).counts(rollup) == [3, 2, 1, 1, 2, 1])
        #expect(HeartRateZones(maximum: 99) == nil && HeartRateZones(age: 4) == nil)
    }
}
