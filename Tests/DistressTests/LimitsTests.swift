import Testing
import Vitals

@testable import Distress

@Suite struct LimitsTests {
    @Test(
        "SOS-2: limits by age, and none for the youngest",
        arguments: [(8, 50, 151), (13, 40, 151), (16, 40, 131), (40, 40, 131), (90, 40, 131)])
    func table(age: Int, low: Int, high: Int) {
        let limits = EffectiveLimits(DistressSettings(age: age))
        #expect(limits?.rest.criticalLow == low)
        #expect(limits?.rest.criticalHigh == high)
        #expect(EffectiveLimits(DistressSettings(age: 3)) == nil)
        #expect(EffectiveLimits(DistressSettings(age: nil))?.rest.criticalHigh == 131)
    }

    @Test("SOS-2: neither a baseline nor a person moves a limit beyond the outer bounds, for any figures")
    func bounds() throws {
        for age in [nil, 4, 11, 12, 15, 16, 40, 90, 150] as [Int?] {
            let row = try #require(AgeTable.row(age: age))
            for median in stride(from: 25, through: 240, by: 5) {
                for deviation in [0, 3, 10, 40, 100] {
                    var settings = DistressSettings(
                        age: age,
                        personal: PersonalLimits(
                            version: 1, computedAt: 0, restingMedian: median, restingDeviation: deviation, days: 7, maximum: 240))
                    for override in [
                        LimitOverrides(), LimitOverrides(criticalLow: 0, criticalHigh: 250),
                        LimitOverrides(criticalLow: 90, criticalHigh: 60),
                    ] {
                        settings.overrides = override
                        let limits = try #require(EffectiveLimits(settings))
                        #expect(row.criticalLow.contains(limits.rest.criticalLow))
                        #expect(row.criticalHigh.contains(limits.rest.criticalHigh))
                        #expect(limits.rest.criticalLow <= limits.rest.warningLow && limits.rest.warningLow < limits.rest.warningHigh)
                        #expect(limits.rest.warningHigh <= limits.rest.criticalHigh && limits.rest.criticalHigh <= limits.exerciseHigh)
                        #expect(limits.exerciseHigh <= AgeTable.exerciseHighMax)
                    }
                }
            }
        }
    }

    @Test("SOS-2: a baseline widens the critical limits, and moves warnings both ways")
    func baseline() throws {
        func limits(_ median: Int, _ deviation: Int) throws -> HeartRateLimits {
            try #require(
                EffectiveLimits(
                    DistressSettings(
                        age: 40,
                        personal: PersonalLimits(version: 1, computedAt: 0, restingMedian: median, restingDeviation: deviation, days: 14)))
            ).rest
        }
        #expect(try limits(44, 2) == HeartRateLimits(criticalLow: 35, warningLow: 35, warningHigh: 100, criticalHigh: 131))
        #expect(try limits(65, 3) == HeartRateLimits(criticalLow: 40, warningLow: 40, warningHigh: 100, criticalHigh: 131))
        #expect(try limits(100, 7) == HeartRateLimits(criticalLow: 40, warningLow: 58, warningHigh: 140, criticalHigh: 142))
        #expect(try limits(110, 9) == HeartRateLimits(criticalLow: 40, warningLow: 56, warningHigh: 140, criticalHigh: 146))
    }

    @Test("SOS-2: exercise raises only the high limit, and recovery brings it down evenly")
    func exercise() throws {
        let limits = try #require(EffectiveLimits(DistressSettings(age: 40)))
        #expect(limits.limits(in: .exercise, recovered: 0).criticalHigh == 200)
        #expect(limits.limits(in: .exercise, recovered: 0).criticalLow == 40)
        #expect(limits.limits(in: .recovery, recovered: 0.5).criticalHigh == 166)
        #expect(limits.limits(in: .recovery, recovered: 1).criticalHigh == 131)
        #expect(limits.limits(in: .unknown, recovered: 0) == limits.rest)
    }

    @Test("SOS-2: an unsafe override is refused with what would be safe")
    func overrides() {
        #expect(LimitOverrides(criticalLow: 45, criticalHigh: 120).problem(age: 40) == nil)
        #expect(LimitOverrides(criticalLow: 20).problem(age: 40) == .low(20, safe: 30...50))
        #expect(LimitOverrides(criticalHigh: 200).problem(age: 40) == .high(200, safe: 111...150))
        #expect(LimitOverrides().problem(age: 2) == .ageNotCovered)
    }

    @Test("SOS-2: a baseline widens a critical limit by 5 low and 15 high at most, at any age; an override may go on to the outer bounds")
    func cap() throws {
        for age in [4, 11, 12, 15, 16, 40, 90, nil] as [Int?] {
            let row = try #require(AgeTable.row(age: age))
            for (median, low, high) in [
                (30, row.limits.criticalLow - 5, row.limits.criticalHigh), (200, row.limits.criticalLow, row.limits.criticalHigh + 15),
            ] {
                let personal = PersonalLimits(version: 1, computedAt: 0, restingMedian: median, restingDeviation: 1, days: 14)
                let limits = try #require(EffectiveLimits(DistressSettings(age: age, personal: personal)))
                #expect(limits.rest.criticalLow == low && limits.rest.criticalHigh == high, "age \(age ?? 0), median \(median)")
                let wide = LimitOverrides(criticalLow: row.criticalLow.lowerBound, criticalHigh: row.criticalHigh.upperBound)
                let chosen = try #require(EffectiveLimits(DistressSettings(age: age, personal: personal, overrides: wide)))
                #expect(chosen.rest.criticalLow == row.criticalLow.lowerBound && chosen.rest.criticalHigh == row.criticalHigh.upperBound)
            }
        }
    }

    /// As version 0.3.0 found critical limits.
    private func of030(_ settings: DistressSettings, _ row: AgeRow) -> (low: Int, high: Int) {
        var (low, high) = (row.limits.criticalLow, row.limits.criticalHigh)
        func clamp(_ value: Int, _ range: ClosedRange<Int>) -> Int { min(max(value, range.lowerBound), range.upperBound) }
        if let personal = settings.personal {
            low = clamp(min(low, personal.restingMedian - personal.spread), row.criticalLow)
            high = clamp(max(high, personal.restingMedian + personal.spread), row.criticalHigh)
        }
        return (
            clamp(settings.overrides.criticalLow ?? low, row.criticalLow), clamp(settings.overrides.criticalHigh ?? high, row.criticalHigh)
        )
    }

    @Test("SOS-2: with the cap as an override version 0.3.0 comes to the same critical limits, for any figures")
    func capFor030() throws {
        var differed = 0
        for age in [nil, 4, 11, 12, 15, 16, 40, 90] as [Int?] {
            let row = try #require(AgeTable.row(age: age))
            for median in stride(from: 30, through: 200, by: 3) {
                for deviation in [1, 8, 20] {
                    for overrides in [LimitOverrides(), LimitOverrides(criticalLow: 37), LimitOverrides(criticalHigh: 140)] {
                        let personal = PersonalLimits(
                            version: 1, computedAt: 0, restingMedian: median, restingDeviation: deviation, days: 14)
                        let settings = DistressSettings(age: age, personal: personal, overrides: overrides)
                        let own = try #require(EffectiveLimits(settings)).rest, old = of030(settings.cappedFor030, row)
                        #expect(old.low == own.criticalLow && old.high == own.criticalHigh)
                        if of030(settings, row) != old { differed += 1 }
                    }
                }
            }
        }
        #expect(differed > 0)
    }
}
