import History
import Testing
import Vitals

@Suite struct WindowValueTests {
    private func rollup(_ kind: DataKind, _ values: [Int64], times: Int64 = 1) throws -> Rollup {
        let rule = try #require(RollupRule(kind))
        return values.reduce(into: Rollup()) { $0.take($1, times: times, by: rule) }
    }

    @Test("GRP-4: of readings the median counts, however many there are of an hour")
    func readings() throws {
        let hours: [Int64: Rollup] = try [
            0: rollup(.heartRate, [60, 61, 62]), 5: rollup(.heartRate, [100]), 30: rollup(.heartRate, [70]),
        ]
        #expect(WindowValue.value(of: .heartRate, hours: hours) == 62)
        #expect(WindowValue.value(of: .heartRate, hours: [:]) == nil)
    }

    @Test("GRP-4: of amounts the median of the days' sums counts")
    func amounts() throws {
        // 600 on the first day, 1000 on the second, none on the third, 200 on the fourth; before 1970 as well.
        let hours: [Int64: Rollup] = try [
            1: rollup(.steps, [500]), 23: rollup(.steps, [100]), 24: rollup(.steps, [1000]), 80: rollup(.steps, [200]),
        ]
        #expect(WindowValue.value(of: .steps, hours: hours) == 600)
        #expect(WindowValue.value(of: .steps, hours: hours.filter { $0.key > 20 }) == 200)
        #expect(WindowValue.value(of: .steps, hours: hours.filter { $0.key < 30 }) == 800)
        #expect(WindowValue.value(of: .steps, hours: try [-1: rollup(.steps, [7]), 0: rollup(.steps, [9])]) == 8)
    }

    @Test("GRP-4: of sleep the seconds asleep of a night count, over midnight, and not those in bed or awake")
    func sleep() throws {
        func code(_ name: String) throws -> Int64 { Int64(try #require(DataKind.sleep.entry.codes.firstIndex(of: name))) }
        let hours: [Int64: Rollup] = try [
            22: rollup(.sleep, [code("light")], times: 3600), 23: rollup(.sleep, [code("in_bed")], times: 3600),
            25: rollup(.sleep, [code("deep"), code("rem")], times: 1800), 26: rollup(.sleep, [code("awake")], times: 600),
            48: rollup(.sleep, [code("asleep")], times: 3000),
        ]
        #expect(WindowValue.value(of: .sleep, hours: hours.filter { $0.key < 30 }) == 7200)
        #expect(WindowValue.value(of: .sleep, hours: hours) == 5100)
        #expect(WindowValue.value(of: .sleep, hours: hours.filter { $0.key == 23 }) == nil)
    }

    @Test("GRP-4: what has no single value has none")
    func none() throws {
        #expect(WindowValue.value(of: .position, hours: try [0: rollup(.position, [1])]) == nil)
        #expect(WindowValue.value(of: .activity, hours: try [0: rollup(.activity, [1], times: 60)]) == nil)
        #expect(WindowValue.value(of: .event, hours: [0: Rollup()]) == nil)
    }
}
