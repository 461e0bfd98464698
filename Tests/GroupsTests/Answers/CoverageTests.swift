import Foundation
import TestSupport
import Testing
import Vitals

@testable import Groups

/// Whether the intervals hold: in made-up worlds of people with values, cells and noise, how often is the truth inside?
@Suite struct CoverageTests {
    /// As many that the share of an interval that holds is known to a third of a percent.
    private static let worlds = 4_000

    /// The truth about a group, from its people.
    private struct Truth {
        var bins = [Int64](repeating: 0, count: 16)
        var sum: Int64 = 0
        var count: Double { Double(bins.reduce(0, +)) }

        static func += (one: inout Truth, other: Truth) {
            one.bins = zip(one.bins, other.bins).map(+)
            one.sum += other.sum
        }

        /// By the definition of ``GroupAnswer/percentile(_:)``: the people of a class evenly over it.
        func percentile(_ share: Double, _ classes: GroupBins) -> Double {
            var left = share * count
            for (number, here) in bins.enumerated() {
                if Double(here) >= left { return classes.value(at: Double(number) + left / Double(here)) }
                left -= Double(here)
            }
            return classes.value(at: 16)
        }
    }

    /// People whose values have a mean, a deviation and a tail, in the resolution. Any that stand beside each other are a group.
    private struct People {
        static let count = 30_000
        /// Of the first ones, by how many.
        private var sums = [Truth()]

        init(_ classes: GroupBins, _ mean: Double, _ deviation: Double, _ generator: inout SeededGenerator) {
            let low = classes.first, high = classes.first + 16 * classes.width - 1
            var sum = Truth()
            for _ in 0..<Self.count {
                let tail = Int.random(in: 0..<10, using: &generator) == 0 ? 1.5 * deviation : 0
                let value = Int64((mean + tail + deviation * MadeNormal.draw(using: &generator)).rounded())
                sum.bins[classes.bin(of: value)] += 1
                sum.sum += min(max(value, low), high)
                sums.append(sum)
            }
        }

        func group(_ size: Int, _ generator: inout SeededGenerator) -> Truth {
            let from = Int.random(in: 0..<Self.count - size, using: &generator)
            let bins = zip(sums[from + size].bins, sums[from].bins).map(-)
            return Truth(bins: bins, sum: sums[from + size].sum - sums[from].sum)
        }
    }

    @Test(
        "GRP-4: in 95 of 100 made-up worlds the truth is within the interval, for every figure",
        arguments: [
            (.heartRate, 70, 10, 2_000...4_000, 1), (.sleep, 410, 60, 1_700...2_200, 3), (.weight, 7_000, 1_500, 4_000...9_000, 2),
        ] as [(DataKind, Double, Double, ClosedRange<Int>, Int)])
    func coverage(kind: DataKind, mean: Double, deviation: Double, sizes: ClosedRange<Int>, cells: Int) throws {
        let classes = try #require(GroupBins(kind)), edge = classes.edge(nearest: classes.middle(of: 7))
        let rule = ReleaseRule(variance: try #require(NoiseVariance(1665, over: 16)), chance: 1e-13)
        var generator = SeededGenerator(seed: 95), inside: [String: Int] = [:]
        let people = People(classes, mean, deviation, &generator)
        for _ in 0..<Self.worlds {
            var truth = Truth(), noisy = [Int64](repeating: 0, count: 16)
            for _ in 0..<cells {
                let cell = people.group(Int.random(in: sizes, using: &generator), &generator)
                let released = try #require(rule.release(TrueCounts(cell.bins), using: &generator))
                noisy = zip(noisy, released).map(+)
                truth += cell
            }
            let answer = GroupAnswer(bins: classes, counts: noisy, variance: rule.variance.value * Double(cells))
            func note(_ name: String, _ estimate: Estimate?, _ truth: Double) {
                guard let estimate, estimate.low <= truth, truth <= estimate.high else { return }
                inside[name, default: 0] += 1
            }
            let scale = pow(10, Double(classes.decimals))
            note("count", answer.count, truth.count)
            note("mean", answer.mean, Double(truth.sum) / truth.count / scale)
            note("median", answer.median, truth.percentile(0.5, classes))
            note("quarter", answer.percentile(0.25), truth.percentile(0.25, classes))
            note("tenth", answer.percentile(0.9), truth.percentile(0.9, classes))
            note("share", answer.share(from: edge), Double(truth.bins[edge...].reduce(0, +)) / truth.count)
            note("bin", answer.histogram[7], Double(truth.bins[7]))
        }
        for name in ["count", "mean", "median", "quarter", "tenth", "share", "bin"] {
            let share = Double(inside[name] ?? 0) / Double(Self.worlds)
            #expect((0.936...0.964).contains(share), "\(name) of \(kind): \(share)")
        }
    }

    @Test("GRP-7: without noise to speak of, figures are those of the people")
    func figures() throws {
        let classes = try #require(GroupBins(.heartRate))
        var counts = [Int64](repeating: 0, count: 16)
        (counts[4], counts[5], counts[6], counts[7]) = (1_000, 3_000, 4_000, 2_000)
        let answer = GroupAnswer(bins: classes, counts: counts, variance: 1e-9)
        #expect(answer.count.value == 10_000 && answer.histogram.map(\.value) == counts.map(Double.init))
        let mean = try #require(answer.mean), median = try #require(answer.median), share = try #require(answer.share(from: 6))
        #expect(abs(mean.value - (62 * 0.1 + 67 * 0.3 + 72 * 0.4 + 77 * 0.2)) < 1e-9)
        #expect(abs(mean.error - 1.96 * 5 / (12 * 10_000.0).squareRoot()) < 1e-4, "what classes alone leave open")
        #expect(abs(median.value - 70.75) < 1e-6 && median.error < 1e-4)
        #expect(abs(share.value - 0.6) < 1e-9 && share.low <= 0.6 && share.high >= 0.6)
        let low = try #require(answer.percentile(0.1)), high = try #require(answer.percentile(0.99))
        #expect(low.value < 65 && low.value > 64.4 && high.value < 79.5 && high.value > 79)
        #expect(answer.percentile(0) == nil && answer.percentile(1) == nil && answer.share(from: 0) == nil && answer.share(from: 16) == nil)
        let places = GroupAnswer(bins: try #require(GroupBins(.position)), counts: counts, variance: 4)
        #expect(places.mean == nil && places.median == nil && places.share(from: 3) == nil && places.histogram[6].value == 4_000)
    }

    @Test("GRP-7: what noise makes impossible is not said: no count below 0, no share outside 0 to 1, no value outside the classes")
    func bounds() throws {
        let classes = try #require(GroupBins(.steps))
        var counts = [Int64](repeating: -30, count: 16)
        (counts[0], counts[1]) = (1_500, 400)
        let answer = GroupAnswer(bins: classes, counts: counts, variance: 400)
        #expect(answer.histogram.allSatisfy { $0.low >= 0 && $0.value >= 0 && $0.high >= $0.low })
        let share = try #require(answer.share(from: 15)), mean = try #require(answer.mean)
        #expect(share.value == 0 && share.low == 0 && share.high > 0 && share.high < 0.2)
        #expect(mean.low >= classes.value(at: 0) && mean.high <= classes.value(at: 16) && mean.low <= mean.high)
        for percent in 1..<100 {
            let found = try #require(answer.percentile(Double(percent) / 100))
            #expect(found.low >= classes.value(at: 0) && found.high <= classes.value(at: 16))
            #expect(found.low <= found.value && found.value <= found.high)
        }
    }
}
