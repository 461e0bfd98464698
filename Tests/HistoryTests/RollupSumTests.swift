import History
import TestSupport
import Testing
import Vitals

@Suite struct RollupSumTests {
    private static let rule = RollupRule(measure: .readings, binWidth: 1)

    private static func rollup(_ values: [Int64]) -> Rollup { values.reduce(into: Rollup()) { $0.take($1, by: rule) } }

    @Test("DATA-8: a sum is what merging one after the other comes to, near or far apart, in any order")
    func sums() {
        for seed in 1...30 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            // Bins that are counted by their place, and in later rounds ones that lie too far away for that.
            let spread = seed < 15 ? 200 as UInt64 : 1 << (seed + 8)
            let parts = (0..<40).map { _ in
                Self.rollup((0..<generator.next() % 30).map { _ in Int64(generator.next() % spread) - Int64(spread / 2) })
            }
            let merged = parts.reduce(into: Rollup()) { $0.merge($1) }
            #expect(RollupSum(parts).rollup == merged && RollupSum(parts.reversed()).rollup == merged, "seed \(seed)")
        }
        #expect(RollupSum([Rollup()]).rollup == Rollup() && RollupSum().rollup.isEmpty)
    }

    @Test("DATA-8: no bin is too far away for a sum")
    func extremes() {
        let ends = [Int64.min + 1, -1, 0, 4095, 4096, .max].map { number in
            Rollup(meansOf: []).taking(number)
        }
        #expect(RollupSum(ends).rollup.histogram.map(\.number) == [.min + 1, -1, 0, 4095, 4096, .max])
        #expect(RollupSum(ends.reversed()).rollup.histogram == RollupSum(ends).rollup.histogram)
    }

    @Test("DATA-5: means of minutes are counted each to the whole beat, and what has no mean is not counted")
    func means() {
        let states = Rollup().taking(3, by: RollupRule(measure: .seconds, binWidth: 1))
        let minutes = [Self.rollup([60, 61, 61]), Self.rollup([70, 71]), Self.rollup([61]), states, Rollup()]
        let means = Rollup(meansOf: minutes)
        #expect(means.histogram == [.init(number: 61, count: 2), .init(number: 71, count: 1)] && means.count == 3)
        #expect(means.quantile(0.5, by: .means) == 61)
        #expect(RollupRow(Dictionary(uniqueKeysWithValues: minutes.enumerated().map { ($0.offset, $0.element) })).means == means)
    }

    @Test("DATA-8: a bin with very many readings beside rare ones is read as it was written")
    func longRuns() throws {
        for count in [55, 56, 57, 63, 64, 65, 1000, 50_000] as [Int64] {
            var rollup = Self.rollup(Array(1...20))
            rollup.take(21, times: count, by: Self.rule)
            rollup.take(1 << 40, by: Self.rule)
            let row = RollupRow([0: rollup, 59: Self.rollup([5])])
            #expect(try RollupRow(decoding: row.encoded(by: Self.rule), by: Self.rule) == row, "\(count)")
        }
    }
}

extension Rollup {
    fileprivate func taking(_ value: Int64, by rule: RollupRule = .means) -> Rollup {
        var rollup = self
        rollup.take(value, by: rule)
        return rollup
    }
}
