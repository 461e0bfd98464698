import Exchange
import TestSupport
import Testing
import Vitals

@Suite struct DuplicateRuleTests {
    @Test("DATA-2: a second import of the same file adds nothing", arguments: 0..<4 as Range<UInt64>)
    func twice(seed: UInt64) throws {
        var samples = SampleSet.madeUp(seed: seed)
        samples.scalars = try SampleSet.everyScalar().scalars
        let rule = DuplicateRule(), first = rule.split(samples, present: SampleSet())
        let again = rule.split(samples, present: first.new)
        #expect(again.new.isEmpty && again.duplicates.values.reduce(0, +) == samples.count)
        #expect(first.new.count + first.duplicates.values.reduce(0, +) == samples.count)
    }

    @Test("DATA-2: samples are the same by kind, time and value, and the first of them is kept")
    func same() throws {
        let weight = try #require(ScalarSample(.weight, time: someTime, value: 7000))
        var later = weight, heavier = weight
        later.time += 1
        heavier.value += 1
        let steps = try #require(ScalarSample(.steps, time: someTime, value: 7000, end: someTime + 1))
        var longer = steps
        longer.end = someTime + 2
        let rates = [
            HeartRateSample(time: someTime, beatsPerMinute: 70), HeartRateSample(time: someTime, beatsPerMinute: 70, rrIntervals: [9]),
        ]
        let samples = SampleSet(heartRates: rates, scalars: [weight, later, weight, heavier, steps, longer, steps])
        let exact = DuplicateRule().split(samples, present: SampleSet())
        #expect(exact.new == SampleSet(heartRates: [rates[0]], scalars: [weight, later, heavier, steps, longer]))
        #expect(exact.duplicates == [.heartRate: 1, .weight: 1, .steps: 1])
        let coarse = DuplicateRule(grain: 1000)
        #expect(coarse.split(samples, present: SampleSet()).new.scalars == [weight, heavier, steps])
        #expect(coarse.span(of: samples) == 1_795_230_245_000...1_795_230_245_999)
        #expect(DuplicateRule(grain: 0).span(of: samples) == someTime...someTime + 1)
        #expect(coarse.span(of: SampleSet(scalars: [try #require(ScalarSample(.weight, time: .max, value: 1))])) != nil)
    }
}
