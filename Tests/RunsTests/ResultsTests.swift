import Foundation
import Runs
import Testing
import Vitals

@Suite("Runs: pace, splits, arrival, results")
struct ResultsTests {
    private let course = Courses.outAndBack

    @Test("RUN-10: pace now and on the average")
    func pace() throws {
        let fixes = Walk.steady(course, to: 900, speed: 3) + Walk.steady(course, from: 904, to: 1500, speed: 4, second: 301)
        let progress = try #require(Walk.matched(course, fixes).progress)
        #expect(abs(try #require(progress.speed(over: 60)) - 4) < 0.2)
        #expect(abs(try #require(progress.averageSpeed) - 1500 / 450) < 0.05)
        #expect(Walk.matched(course, Walk.fixes(course, from: -10, [-5])).progress?.speed() == nil)
        // Since the start, where that is less ago: also where the start is between two milliseconds.
        let young = try #require(Walk.matched(course, Walk.steady(course, from: -2, to: 60, speed: 3)).progress)
        #expect(abs(try #require(young.speed(over: 300)) - 3) < 0.2)
    }

    @Test("RUN-10: splits with their times and legs; those over a tunnel are marked")
    func splits() throws {
        let fixes = Walk.steady(course, from: -3, to: 3030).filter { !(500..<600).contains(Int(($0.time - Walk.gun) / 1000)) }
        let progress = try #require(Walk.matched(course, fixes).progress)
        let splits = progress.splitTimes(of: course)
        #expect(splits.map { Int($0.metres.rounded()) } == [1000, 2000, 3000])
        for (index, split) in splits.enumerated() {
            #expect(abs(split.net - Milliseconds(index + 1) * 333_333) < 2000)
            #expect(abs(split.leg - 333_333) < 3000)
            #expect(abs(split.gun - split.net - 1000) < 500)
        }
        #expect(splits.map(\.isSeen) == [true, false, true])
        #expect(splits.last?.time == progress.finish?.time)
    }

    @Test("RUN-7: the expected arrival, with its doubt; none while resting or behind the place")
    func arrival() throws {
        let progress = try #require(Walk.matched(course, Walk.steady(course, to: 1500)).progress)
        let arrival = try #require(progress.arrival(at: 3000, now: progress.time))
        #expect(abs(arrival.time - progress.time - 500_000) < 10_000)
        #expect(arrival.earliest < arrival.time && arrival.time < arrival.latest)
        #expect(progress.arrival(at: 1000, now: progress.time) == nil)
        let late = try #require(progress.arrival(at: 1510, now: progress.time + 600_000))
        #expect(late.time == progress.time + 600_000 && late.latest > late.time)
        let resting = Walk.steady(course, to: 300) + Walk.fixes(course, from: 101, (0..<1000).map { _ in 300 })
        #expect(Walk.matched(course, resting).progress?.arrival(at: 400, now: Walk.gun + 1_101_000) == nil)
    }

    @Test("RUN-10: places overall and by category, gun and net, heart rate of those who agreed, and the same bytes again")
    func results() throws {
        func contestant(_ bib: Int, _ category: String, _ speed: Double, late: Int = 0) -> Contestant {
            let fixes = Walk.steady(course, from: -3, to: 3060, speed: speed, second: late)
            return Contestant(bib: bib, category: category, progress: Walk.matched(course, fixes).progress)
        }
        let contestants = [contestant(1, "W", 3), contestant(2, "M", 3.2), contestant(3, "W", 3.3, late: 60), contestant(4, "M", 2.5)]
        let samples = (0..<1200).map { HeartRateSample(time: Walk.gun + Milliseconds($0) * 1000, beatsPerMinute: $0 < 600 ? 140 : 160) }
        let heart = try #require(
            HeartSummary(samples, in: Walk.gun...(Walk.gun + 1_200_000), body: Body(weight: 70, age: 40, isFemale: false)))
        let results = Results.results(contestants, on: course, by: .net, now: Walk.gun + 2_000_000, hearts: [3: heart])
        #expect(results.map(\.bib) == [3, 2, 1, 4])
        #expect(results.map(\.place) == [1, 2, 3, 4])
        #expect(results.map(\.placeInCategory) == [1, 1, 2, 2])
        #expect(Results.results(contestants, on: course, by: .gun, now: Walk.gun + 2_000_000).map(\.bib) == [2, 3, 1, 4])
        let first = results[0]
        #expect(abs(try #require(first.netTime) - 909_090) < 1500)
        #expect(abs(try #require(first.gunTime) - 909_090 - 60_900) < 1500)
        #expect(abs(try #require(first.secondsPerKilometre) - 303) < 1)
        #expect(abs(try #require(first.heart).average - 150) < 1 && first.heart?.max == 160)
        // 20 minutes at 150: 0.6309 · 150 + 0.1988 · 70 + 0.2017 · 40 - 55.0969 = 61.5 kJ a minute.
        #expect(abs(try #require(first.heart?.energy) - 20 * 61.52) < 5)
        #expect(results[1].heart == nil)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let bytes = try encoder.encode(results)
        #expect(try JSONDecoder().decode([RunnerResult].self, from: bytes) == results)
        #expect(
            try encoder.encode(Results.results(contestants.reversed(), on: course, by: .net, now: Walk.gun + 2_000_000, hearts: [3: heart]))
                == bytes)
        let comparison = Comparison(results[0], results[2], by: .net)
        #expect(comparison.parts.map { Int($0.metres.rounded()) } == [1000, 2000, 3000])
        #expect(abs(comparison.parts[2].behind - 90_909) < 2000 && abs(comparison.parts[1].behindOnLeg - 30_303) < 2000)
        #expect(comparison.heartRate == nil)
    }

    @Test("RUN-10: who shares a place shares it in the category too, and the next place there is left out")
    func equalPlacesInCategory() {
        func contestant(_ bib: Int, _ category: String, _ speed: Double) -> Contestant {
            Contestant(
                bib: bib, category: category, progress: Walk.matched(course, Walk.steady(course, from: -3, to: 3060, speed: speed)).progress
            )
        }
        let results = Results.results(
            [contestant(1, "W", 3), contestant(2, "M", 3.2), contestant(3, "W", 3), contestant(4, "W", 2.8), contestant(5, "M", 3)],
            on: course, by: .gun, now: Walk.gun + 2_000_000)
        #expect(results.map(\.bib) == [2, 1, 3, 5, 4])
        #expect(results.map(\.place) == [1, 2, 2, 2, 5])
        #expect(results.map(\.placeInCategory) == [1, 1, 1, 2, 3])
    }

    @Test("no reading without contact is a heart rate, and none at all is no summary")
    func heartRates() throws {
        let range = Walk.gun...(Walk.gun + 10_000)
        #expect(HeartSummary([HeartRateSample(time: Walk.gun, beatsPerMinute: 0)], in: range) == nil)
        #expect(HeartSummary([HeartRateSample(time: Walk.gun, beatsPerMinute: 120, contact: .notDetected)], in: range) == nil)
        let one = try #require(HeartSummary([HeartRateSample(time: Walk.gun + 10_000, beatsPerMinute: 120)], in: range))
        #expect(one.average == 120 && one.max == 120 && one.energy == nil)
    }
}
