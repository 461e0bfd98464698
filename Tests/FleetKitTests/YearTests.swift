import Foundation
import SyncProtocol
import Testing
import Vitals
import Workouts

@testable import FleetKit

@Suite("A made-up year")
struct YearTests {
    private static let now: Milliseconds = 1_795_800_000_000
    private static let day: Milliseconds = 86_400_000

    private func sent(seed: UInt64 = 1, days: Milliseconds = 365, zone: String = "Europe/Rome") -> YearSent {
        var sent = YearSent(seed: seed, zone: zone, stream: StreamID(high: 1, low: 1), begins: Self.now - days * Self.day)
        sent.reach(Self.now)
        return sent
    }

    private func samples(_ sent: YearSent) -> [SampleSet] {
        let year = sent.year
        return sent.parts.map { year.samples($0.day, within: $0.span) }
    }

    @Test("the same seed makes the same days, another one others")
    func seeds() {
        #expect(samples(sent(days: 12)) == samples(sent(days: 12)))
        #expect(samples(sent(days: 12)) != samples(sent(seed: 2, days: 12)))
    }

    @Test("what was sent stays as it is when more days follow, over a change of the clocks too", arguments: ["Europe/Rome", "UTC"])
    func later(zone: String) {
        var sent = sent(days: 40, zone: zone)
        let before = sent.parts
        #expect(before.map(\.sequence) == (1...UInt64(before.count)).map { $0 })
        #expect(before.first?.day == 0 && before.last?.span.upperBound == Self.now)
        #expect(zip(before, before.dropFirst()).allSatisfy { $0.span.upperBound == $1.span.lowerBound })
        sent.reach(Self.now + 60_000)
        #expect(sent.parts == before, "a minute is not worth a segment")
        sent.reach(Self.now + 3 * 3_600_000)
        sent.reach(Self.now + 50 * 3_600_000)
        let after = sent.parts
        #expect(Array(after.prefix(before.count)) == before && after.count >= before.count + 3)
        #expect(zip(after, after.dropFirst()).allSatisfy { $0.span.upperBound == $1.span.lowerBound })
    }

    @Test("a day in parts has what the whole day has, each sample once, and nothing is of the time to come")
    func parts() {
        let year = sent().year
        for index in 300..<307 {
            let span = year.day(index).span, cut = span.lowerBound + 19 * 3_600_000, whole = year.samples(index)
            let before = year.samples(index, within: span.lowerBound..<cut), after = year.samples(index, within: cut..<span.upperBound)
            #expect(before.heartRates + after.heartRates == whole.heartRates && before.positions + after.positions == whole.positions)
            #expect(Set(before.scalars).union(after.scalars) == Set(whole.scalars))
            #expect(before.scalars.count + after.scalars.count == whole.scalars.count)
            #expect(before.scalars.allSatisfy { ($0.end ?? $0.time) <= cut } && before.heartRates.allSatisfy { $0.time < cut })
        }
    }

    @Test("somebody lived it: 120 to 160 workouts, a heart that gets calmer, nights, days without a watch, and values that a hub takes")
    func life() throws {
        let sent = sent(), year = sent.year, all = samples(sent)
        #expect((120...160).contains(sent.parts.reduce(0) { $0 + year.workouts($1.day).count }))
        for set in all {
            #expect(!set.isEmpty && zip(set.heartRates, set.heartRates.dropFirst()).allSatisfy { $0.time <= $1.time })
            #expect(set.heartRates.allSatisfy { (38...190).contains($0.beatsPerMinute) })
            #expect(set.scalars.allSatisfy { $0.problem == nil })
        }
        func resting(_ sets: ArraySlice<SampleSet>) throws -> UInt16 {
            let rates = sets.flatMap { $0.heartRates.map(\.beatsPerMinute) }.sorted()
            return try #require(rates.isEmpty ? nil : rates[rates.count / 20])
        }
        #expect(try resting(all.prefix(30)) >= resting(all.suffix(30)) + 5)
        let asleep = all.map { $0.scalars.filter { $0.kind == .sleep && $0.value != 2 }.reduce(0) { $0 + ($1.end ?? $1.time) - $1.time } }
        #expect(asleep.reduce(0, +) / Milliseconds(all.count) > 6 * 3_600_000)
        #expect(all.contains { $0.heartRates.isEmpty } && all.filter { $0.heartRates.isEmpty }.count < 25)
        let weights = all.flatMap { $0.scalars.filter { $0.kind == .weight }.map(\.value) }
        #expect(weights.count >= 50 && weights.last.map { $0 < weights[0] } == true)
        #expect(all.flatMap(\.heartRates).contains { !$0.rrIntervals.isEmpty })
        // What a person may keep is 10 MB; it has to be there within half a minute.
        #expect(all.reduce(0) { $0 + $1.count } < 1_000_000)
    }

    @Test("workouts are found where somebody trained, and nowhere else")
    func found() {
        let sent = sent(days: 45), year = sent.year
        var finder = WorkoutFinder(FinderRules(maximum: Int(MadeUpWorkout.maximum)), motion: .recorded)
        for set in samples(sent) { finder.take(set.positions, set.heartRates, set.scalars) }
        let planned = sent.parts.flatMap { year.workouts($0.day) }.filter { $0.span.upperBound <= Self.now }, found = finder.workouts
        #expect(planned.count > 12 && found.count == planned.count)
        for (workout, found) in zip(planned, found) {
            #expect(workout.span.contains(found.span.lowerBound) && found.span.upperBound <= workout.span.upperBound)
            #expect(found.kind == (workout.effort == .ride ? .cycling : .running))
            #expect(abs(found.metres / workout.recorded().way - 1) < 0.05)
        }
    }
}
