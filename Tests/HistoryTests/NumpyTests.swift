import Foundation
import History
import TestSupport
import Testing
import Vitals

/// What numpy and scipy say of made-up readings: `Tests/Fixtures/statistics/make.py` writes it.
private struct Described: Decodable {
    struct Series: Decodable {
        let name: String, kind: String, count: Int, seed: UInt64, least: Int64, values: UInt64, scale: Double, shape: String
        let mean: Double, minimum: Double, maximum: Double, percentiles: [Double]
        let variance: Double?, deviation: Double?, standardError: Double?
    }

    struct Successive: Decodable {
        let count: Int, seed: UInt64, least: Int64, values: UInt64, rmssd: Double
    }

    let series: [Series], successive: Successive

    static func read() throws -> Described {
        try JSONDecoder().decode(Described.self, from: Data(contentsOf: Repository.url("Tests/Fixtures/statistics/statistics.json")))
    }

    /// The readings of the script, in the kind's resolution.
    static func madeUp(_ count: Int, _ seed: UInt64, _ least: Int64, _ values: UInt64, _ shape: String) -> [Int64] {
        var state = seed
        func draw() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 33) % values
        }
        return (0..<count).map { _ in
            let value = draw()
            return least + Int64(shape == "low" ? min(value, draw()) : value)
        }
    }
}

extension Described.Series {
    var readings: [Int64] { Described.madeUp(count, seed, least, values, shape) }
}

@Suite struct NumpyTests {
    /// Percentiles may lie between two values and variances near 0: the difference is of the larger of the value and a unit.
    private static func isNear(_ value: Double?, _ expected: Double?) -> Bool {
        guard let value, let expected else { return value == nil && expected == nil }
        return abs(value - expected) <= 1e-9 * max(1, abs(expected))
    }

    private static func shares(_ found: Statistics) -> [Double] {
        [found.percentiles.p5, found.percentiles.p25, found.percentiles.median, found.percentiles.p75, found.percentiles.p95]
    }

    @Test("DATA-6: mean, percentiles, variance, deviation, minimum and maximum are numpy's to 1e-9, the standard error scipy's")
    func readings() throws {
        let described = try Described.read()
        #expect(described.series.count >= 11)
        for wanted in described.series {
            let found = try #require(Statistics(wanted.readings.map { Double($0) * wanted.scale })), name = wanted.name
            #expect(found.count == wanted.count && found.error == 0 && found.deviationError == 0, "\(name)")
            #expect(Self.isNear(found.mean, wanted.mean), "\(name)")
            #expect(Self.isNear(found.minimum, wanted.minimum) && Self.isNear(found.maximum, wanted.maximum), "\(name)")
            #expect(wanted.percentiles.count == 5, "\(name)")
            #expect(zip(Self.shares(found), wanted.percentiles).allSatisfy { Self.isNear($0, $1) }, "\(name): \(found.percentiles)")
            #expect(Self.isNear(found.variance, wanted.variance) && Self.isNear(found.standardDeviation, wanted.deviation), "\(name)")
            #expect(Self.isNear(found.standardError, wanted.standardError), "\(name)")
        }
    }

    @Test("DATA-6: from histograms that keep each value all of these are numpy's as well; from wider bins no further off than is stated")
    func histograms() throws {
        var exact = 0
        for wanted in try Described.read().series {
            let kind = try #require(DataKind(name: wanted.kind)), rule = try #require(RollupRule(kind))
            // In parts, as minutes come.
            var parts = [Rollup](repeating: Rollup(), count: 7), rollup = Rollup()
            for (index, value) in wanted.readings.enumerated() { parts[index % 7].take(value, by: rule) }
            for part in parts { rollup.merge(part) }
            let found = try #require(Statistics(rollup, by: rule, scale: wanted.scale)), name = wanted.name
            #expect(found.count == wanted.count && Self.isNear(found.mean, wanted.mean), "\(name)")
            #expect(Self.isNear(found.minimum, wanted.minimum) && Self.isNear(found.maximum, wanted.maximum), "\(name)")
            #expect(zip(Self.shares(found), wanted.percentiles).allSatisfy { abs($0 - $1) <= found.error + 1e-9 * max(1, $1) }, "\(name)")
            if let deviation = wanted.deviation {
                #expect(abs((found.standardDeviation ?? .infinity) - deviation) <= found.deviationError + 1e-9 * deviation, "\(name)")
            } else {
                #expect(found.variance == nil && found.deviationError == 0)
            }
            guard rule.binWidth == 1 else {
                #expect(found.error > 0)
                continue
            }
            exact += 1
            #expect(found.error == 0 && Self.isNear(found.variance, wanted.variance), "\(name)")
            #expect(Self.isNear(found.standardError, wanted.standardError), "\(name)")
        }
        #expect(exact >= 6)
    }

    @Test("DATA-6: the variability over intervals that follow each other is numpy's to 1e-9")
    func successive() throws {
        let wanted = try Described.read().successive
        let intervals = Described.madeUp(wanted.count, wanted.seed, wanted.least, wanted.values, "flat")
        // All in one minute, so that no difference is left out.
        let beats = intervals.enumerated().map { index, interval in
            HeartRateSample(
                time: 1_795_392_000_000 + Milliseconds(index) * 20, beatsPerMinute: 70, contact: .detected, rrIntervals: [UInt16(interval)])
        }
        let minutes = SampleSet(heartRates: beats).rollups(of: .rrIntervals)
        #expect(minutes.count == 1 && Self.isNear(minutes.values.first?.successive.rmssd(), wanted.rmssd))
    }
}
