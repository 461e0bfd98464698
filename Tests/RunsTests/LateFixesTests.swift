import Runs
import TestSupport
import Testing
import Vitals

@testable import FleetKit

@Suite("Runs: late fixes")
struct LateFixesTests {
    private func fixes(seed: UInt64) -> [PositionSample] {
        var settings = RaceSettings()
        settings.seed = seed
        settings.dropOutEvery = 400
        var simulator = RaceSimulator(course: Courses.lapsAndBack, settings: settings)
        return simulator.runner(Int(seed)).fixes
    }

    private func timely(_ fixes: [PositionSample]) -> Progress? {
        var matcher = Matcher(course: Courses.lapsAndBack, gun: RaceSettings().gun)
        for fix in fixes { matcher.insert([fix]) }
        return matcher.progress
    }

    @Test("RUN-14: shuffled, repeated and delayed fixes give the identical result", arguments: [1, 2, 3, 4] as [UInt64])
    func anyOrder(seed: UInt64) throws {
        let fixes = fixes(seed: seed), expected = try #require(timely(fixes))
        var generator = SeededGenerator(seed: seed)
        // All at once, in any order, a third twice.
        var rules = MatchRules()
        rules.fixesKept = 16_384
        var shuffled = Matcher(course: Courses.lapsAndBack, gun: RaceSettings().gun, rules: rules)
        let twice = (fixes + fixes.filter { _ in Bool.random(using: &generator) }).shuffled(using: &generator)
        let insertion = shuffled.insert(twice)
        #expect(insertion.used == fixes.count && insertion.known == twice.count - fixes.count)
        #expect(shuffled.progress == expected)
        // In batches of some minutes, the batches in any order within half an hour.
        var batches: [ArraySlice<PositionSample>] = [], rest = fixes[...]
        while !rest.isEmpty {
            batches.append(rest.prefix(Int.random(in: 1...200, using: &generator)))
            rest = rest.dropFirst(batches[batches.count - 1].count)
        }
        for first in stride(from: 0, to: batches.count, by: 8) {
            batches[first..<min(first + 8, batches.count)].shuffle(using: &generator)
        }
        var delayed = Matcher(course: Courses.lapsAndBack, gun: RaceSettings().gun)
        for batch in batches {
            let insertion = delayed.insert(batch.shuffled(using: &generator))
            #expect(insertion.tooOld == 0)
            if Bool.random(using: &generator) { delayed.insert(batch) }
        }
        #expect(delayed.progress == expected)
    }

    @Test("RUN-14: what is older than what is kept is told, and a new matching gives the identical result")
    func tooOld() throws {
        let fixes = fixes(seed: 9), expected = try #require(timely(fixes))
        var rules = MatchRules()
        rules.fixesKept = 512
        var matcher = Matcher(course: Courses.lapsAndBack, gun: RaceSettings().gun, rules: rules)
        let late = fixes[100..<200]
        matcher.insert(fixes[..<100])
        for fix in fixes[200...] { matcher.insert([fix]) }
        let insertion = matcher.insert(late)
        #expect(insertion.tooOld == 100 && insertion.used == 0)
        #expect(matcher.progress != expected)
        var again = Matcher(course: Courses.lapsAndBack, gun: RaceSettings().gun, rules: rules)
        again.insert(fixes)
        #expect(again.progress == expected)
    }

    @Test("of several fixes in a second the last one stands for it, in whatever order they come")
    func severalASecond() {
        let course = Courses.straight
        let fixes = Walk.steady(course, to: 600).flatMap { fix in
            (0..<5).map { part -> PositionSample in
                var other = fix
                other.time += Milliseconds(part) * 200
                return other
            }
        }
        var timely = Matcher(course: course, gun: Walk.gun), reversed = timely
        var used = 0
        for fix in fixes { used += timely.insert([fix]).used }
        for fix in fixes.reversed() { reversed.insert([fix]) }
        #expect(used == fixes.count)
        #expect(timely.progress == reversed.progress)
        #expect(timely.progress?.time == fixes.last?.time)
    }
}
