import History
import TestSupport
import Testing
import Vitals

@Suite struct DerivedTests {
    private static let noon: Milliseconds = 1_764_244_800_000

    private static func steps(_ from: Int64, _ to: Int64?, _ value: Int64 = 10) throws -> ScalarSample {
        try #require(ScalarSample(.steps, time: noon + from * 60_000, value: value, end: to.map { noon + $0 * 60_000 }))
    }

    // MARK: - What yields

    @Test("DATA-1: a derived value yields to another one of its span, and not to one that only touches it")
    func yields() throws {
        let rule = DerivedRule(.steps, beside: try [Self.steps(10, 20), Self.steps(15, 30), Self.steps(40, nil)])
        for (from, to, isKept) in [(0, 10, true), (9, 11, false), (12, 13, false), (20, 21, false), (29, 31, false), (30, 40, true)]
            as [(Int64, Int64, Bool)]
        {
            #expect(rule.keeps(try Self.steps(from, to)) == isKept, "\(from) to \(to)")
        }
        // The value at minute 40 is an instant: it stands in the minute that begins with it, and in none before.
        let near = try [Self.steps(40, 41), Self.steps(41, 42), Self.steps(40, nil), Self.steps(39, nil)]
        #expect(near.map(rule.keeps) == [false, true, false, true])
        #expect(rule.keeps(try #require(ScalarSample(.distance, time: Self.noon, value: 1))) == false, "another kind is none of its own")
    }

    @Test("DATA-1: the rule says for any spans what comparing each with each says, in any order")
    func yieldsLikeAll() throws {
        for seed in 1...30 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            func span() throws -> ScalarSample {
                let from = Int64(generator.next() % 200)
                return try Self.steps(from, from + 1 + Int64(generator.next() % 12))
            }
            let others = try (0..<12).map { _ in try span() }, derived = try (0..<60).map { _ in try span() }
            let expected = derived.filter { one in
                !others.contains { other in one.time < (other.end ?? other.time) && other.time < (one.end ?? one.time) }
            }
            let values = derived.map { DerivedValue($0, by: .stepsFromCadence) }
            let found = DerivedRule(.steps, beside: others.shuffled(using: &generator)).split(values)
            #expect(found.kept.map(\.sample) == expected && found.yielding == derived.count - expected.count, "seed \(seed)")
        }
    }

    // MARK: - Steps

    private static func cadence(_ second: Int64, _ perMinute: Int64) throws -> ScalarSample {
        try #require(ScalarSample(.cadence, time: noon + second * 1000, value: perMinute * 10))
    }

    @Test("DATA-1: ten minutes at 170 steps a minute are 1,700 steps, a reading each second or each eight")
    func walks() throws {
        for spacing in [1, 8] as [Int64] {
            let samples = try (0..<600 / spacing).map { try Self.cadence($0 * spacing, 170) }
            let steps = StepsFromCadence(samples)
            // Behind the last reading nobody knows how long it held: ten seconds at most.
            #expect(abs(steps.total - 1700) <= 28, "\(steps.total)")
            #expect(steps.values.allSatisfy { $0.method == .stepsFromCadence && $0.sample.problem == nil })
            #expect(abs(steps.values.reduce(0) { $0 + $1.sample.value } - steps.total) <= 1)
        }
    }

    @Test("DATA-1: a hole in the readings is no steps, strides count twice, and the order of samples makes no difference")
    func holes() throws {
        var samples = try (0..<60).map { try Self.cadence($0, 90) } + (600..<660).map { try Self.cadence($0, 90) }
        let steps = StepsFromCadence(samples, unit: .strides)
        // 69 s each: the last reading holds for ten.
        #expect(abs(steps.total - 414) <= 1, "\(steps.total)")
        #expect(Set(steps.minutes.keys.map { $0 - Self.noon / 60_000 }) == [0, 1, 10, 11])
        var generator = SeededGenerator(seed: 5)
        samples.shuffle(using: &generator)
        #expect(StepsFromCadence(samples, unit: .strides) == steps)
    }

    @Test("DATA-1: what is no cadence of feet is counted and left out")
    func skips() throws {
        let other = try #require(ScalarSample(.speed, time: Self.noon, value: 1))
        let samples = try [
            Self.cadence(0, 170), Self.cadence(0, 160), Self.cadence(5, 350), Self.cadence(20, 10), Self.cadence(100, 90), other,
        ]
        let span = Self.noon + 90_000...Self.noon + 110_000
        let steps = StepsFromCadence(samples, excluding: [span])
        #expect(steps.skipped.implausible == 1 && steps.skipped.repeated == 1)
        #expect(steps.skipped.otherKind == 1 && steps.skipped.excluded == 1)
        #expect(steps.total == 28, "170 a minute for ten seconds; 10 is standing: \(steps.total)")
    }

    @Test("DATA-1: cadences of impossible times and values never crash")
    func hostileCadence() throws {
        for time in [Milliseconds.min, -1, 0, .max - 1, .max] {
            let sample = try #require(ScalarSample(.cadence, time: time, value: .max)),
                other = try #require(ScalarSample(.cadence, time: time, value: 1700))
            _ = StepsFromCadence([sample, other]).values
        }
    }

    // MARK: - Energy

    private static func body(_ weight: Double = 70, _ height: Double = 175, _ age: Int = 30, isFemale: Bool = false) throws -> EnergyBody {
        try #require(EnergyBody(weight: weight, height: height, age: age, isFemale: isFemale))
    }

    @Test("DATA-1: resting energy is Mifflin's and St Jeor's")
    func resting() throws {
        #expect(try Self.body().restingPerDay == 1648.75)
        #expect(try Self.body(60, 165, 50, isFemale: true).restingPerDay == 1220.25)
        let day = EnergyFromHeartRate(try Self.body()).resting(0..<24)
        #expect(day.count == 24 && day.allSatisfy { $0.sample.problem == nil && $0.method == .restingEnergyFromBody && !$0.isExtrapolated })
        #expect(abs(Double(day.reduce(0) { $0 + $1.sample.value }) / 10 - 1648.75) < 1.3)
        #expect(EnergyFromHeartRate(try Self.body(70, 175, 85)).resting(0..<1).first?.isExtrapolated == true)
    }

    @Test("DATA-1: active energy is Keytel's less the resting one, above the flex heart rate alone")
    func active() throws {
        let man = EnergyFromHeartRate(try Self.body())
        // 59.5051 kJ.
        let expected: Double = 59.5051 / 4.184 - 1648.75 / 1440
        #expect(abs(man.activePerMinute(heartRate: 150) - expected) < 1e-9 && (12...14).contains(expected))
        #expect(man.activePerMinute(heartRate: 86) == 0 && man.activePerMinute(heartRate: .nan) == 0)
        #expect(man.activePerMinute(heartRate: 90) >= 0)
        let woman = EnergyFromHeartRate(try Self.body(60, 165, 40, isFemale: true))
        // 37.5878 kJ.
        let hers: Double = 37.5878 / 4.184 - woman.restingPerMinute
        #expect(abs(woman.activePerMinute(heartRate: 140) - hers) < 1e-9 && woman.activePerMinute(heartRate: 96) == 0)
    }

    @Test("DATA-1: more heart is never less energy, and no minute takes more than the oxygen of the fittest gives")
    func bounds() throws {
        for (weight, age, isFemale) in [(45.0, 20, true), (70, 30, false), (140, 70, false), (60, 100, true), (25, 18, false)] {
            let energy = EnergyFromHeartRate(try Self.body(weight, 170, age, isFemale: isFemale))
            let all = (0...400).map { energy.activePerMinute(heartRate: Double($0)) }
            #expect(zip(all, all.dropFirst()).allSatisfy { $0 <= $1 } && all[0] == 0)
            #expect((all.last ?? 0) <= 81 * weight / 1000 * 5)
        }
        #expect(EnergyBody(weight: 20, height: 170, age: 30, isFemale: false) == nil)
        #expect(EnergyBody(weight: 70, height: 170, age: 12, isFemale: false) == nil, "the formulas are of adults")
        #expect(EnergyBody(weight: .nan, height: 170, age: 30, isFemale: false) == nil)
    }

    @Test("DATA-1: an hour of running is a value for each minute, marked as derived; single readings tell nothing")
    func minutes() throws {
        let energy = EnergyFromHeartRate(try Self.body(70, 175, 50))
        let samples = (0..<3600).map { HeartRateSample(time: Self.noon + Milliseconds($0) * 1000, beatsPerMinute: $0 < 1800 ? 70 : 150) }
        let values = energy.active(SampleSet(heartRates: samples).rollups(of: .heartRate))
        #expect(values.count == 30)
        #expect(values.allSatisfy { $0.isExtrapolated && $0.sample.problem == nil && $0.method == .activeEnergyFromHeartRate })
        let sum = Double(values.reduce(0) { $0 + $1.sample.value }) / 10
        #expect(abs(sum - 30 * energy.activePerMinute(heartRate: 150)) < 0.1)
        let single = SampleSet(heartRates: [HeartRateSample(time: Self.noon, beatsPerMinute: 150)]).rollups(of: .heartRate)
        #expect(energy.active(single).isEmpty)
    }

    @Test("DATA-1: each derivation has a name for its text, and formulas have a citation")
    func methods() {
        #expect(DerivationMethod.allCases.map(\.key) == DerivationMethod.allCases.map { "derived.\($0.rawValue)" })
        #expect(DerivationMethod.allCases.compactMap(\.citation).count == 2)
    }
}
