import Groups
import History
import Testing
import Vitals

@Suite struct ContributionTests {
    private func rollup(_ kind: DataKind, _ values: [Int64]) throws -> Rollup {
        let rule = try #require(RollupRule(kind))
        return values.reduce(into: Rollup()) { $0.take($1, by: rule) }
    }

    @Test("GRP-4: every kind with rollups has 16 classes, and no other one")
    func kinds() throws {
        #expect(GroupBins.kinds == DataKind.allCases.filter { RollupRule($0) != nil })
        for kind in GroupBins.kinds {
            let bins = try #require(GroupBins(kind))
            let last = bins.first + 16 * bins.width
            if bins.isOrdered && !["sleep", "activity"].contains(kind.entry.name) {
                #expect(kind.entry.range.contains(bins.first) && last - bins.width <= kind.entry.range.upperBound, "\(kind)")
            }
            #expect((bins.first..<last).contains(bins.typical), "\(kind)")
            for bin in 0..<16 {
                let lowest = bins.first + Int64(bin) * bins.width
                #expect(bins.bin(of: lowest) == bin && bins.bin(of: lowest + bins.width - 1) == bin)
            }
            #expect(bins.bin(of: .min) == 0 && bins.bin(of: .max) == 15)
        }
    }

    @Test("GRP-7: classes have units: middles, edges and steps")
    func units() throws {
        let rate = try #require(GroupBins(.heartRate)), weight = try #require(GroupBins(.weight)), sleep = try #require(GroupBins(.sleep))
        #expect(rate.middle(of: 0) == 42 && rate.step == 5 && rate.unit == "/min" && rate.lowest(of: 15) == 115)
        #expect(abs(weight.middle(of: 0) - 13.745) < 1e-9 && weight.step == 7.5 && weight.unit == "kg" && weight.lowest(of: 1) == 17.5)
        #expect(sleep.unit == "min" && sleep.lowest(of: 0) == 180 && sleep.value(at: 0) == 179.5)
        #expect(
            rate.edge(nearest: 101) == 12 && rate.edge(nearest: 0) == 1 && rate.edge(nearest: 1e9) == 15 && rate.edge(nearest: .nan) == 1)
        #expect(weight.edge(nearest: 70) == 8)
    }

    @Test("GRP-4: whatever a person measures, they add one class: the median of their days")
    func median() throws {
        let days = try [
            rollup(.heartRate, [60, 61, 90]), rollup(.heartRate, [200]), rollup(.heartRate, [Int64](repeating: 70, count: 5_000)),
        ]
        #expect(days.compactMap { Contribution.value(of: .heartRate, in: $0) } == [61, 200, 70])
        #expect(Contribution.bin(of: .heartRate, days: days) == 6 && Contribution.bin(of: .heartRate, days: days.reversed()) == 6)
        #expect(Contribution.bin(of: .heartRate, days: []) == nil && Contribution.bin(of: .heartRate, days: [Rollup()]) == nil)
        #expect(Contribution.median([4, 1, 3]) == 3 && Contribution.median([4, 1]) == 2 && Contribution.median([]) == nil)
        #expect(Contribution.median([.max, .max]) == .max && Contribution.median([-1, 0]) == -1)
    }

    @Test("GRP-4: amounts are sums of a day, sleep is minutes asleep, activity minutes of any")
    func measures() throws {
        #expect(Contribution.value(of: .steps, in: try rollup(.steps, [3_000, 4_500])) == 7_500)
        let sleep = try #require(RollupRule(.sleep))
        var night = Rollup()
        for (code, seconds) in [(0, 9_000), (1, 600), (2, 1_200), (3, 12_000), (4, 6_000), (5, 5_400)] as [(Int64, Int64)] {
            night.take(code, times: seconds, by: sleep)
        }
        #expect(Contribution.value(of: .sleep, in: night) == 400, "in bed and awake are no sleep")
        var awake = Rollup()
        awake.take(2, times: 9_000, by: sleep)
        #expect(Contribution.value(of: .sleep, in: awake) == nil)
        var active = Rollup()
        active.take(2, times: 1_800, by: try #require(RollupRule(.activity)))
        active.take(3, times: 900, by: try #require(RollupRule(.activity)))
        #expect(Contribution.value(of: .activity, in: active) == 45)
        #expect(Contribution.value(of: .ecg, in: active) == nil && Contribution.bin(of: .position, days: [active]) == nil)
    }

    @Test("GRP-4: weight and height count while at most a year old, others in their window alone")
    func reach() throws {
        let weight = try rollup(.weight, [7_050]), rate = try rollup(.heartRate, [70])
        #expect(Contribution.bin(of: .weight, days: [], latest: (weight, 365)) == 8)
        #expect(Contribution.bin(of: .weight, days: [], latest: (weight, 366)) == nil)
        #expect(
            Contribution.bin(of: .weight, days: [try rollup(.weight, [9_000])], latest: (weight, 9)) == 10, "the window's own goes first")
        #expect(Contribution.bin(of: .heartRate, days: [], latest: (rate, 8)) == nil)
    }
}
