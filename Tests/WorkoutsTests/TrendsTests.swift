import Foundation
import TestSupport
import Testing
import Vitals
import Workouts

@Suite struct TrendsTests {
    private static func statistics(_ seconds: Int, _ speed: Double) -> WorkoutStatistics {
        var track = MadeUpTrack(seed: 1, noise: 0)
        track.go(seconds, speed)
        return WorkoutStatistics(WorkoutLine(track.fixes, [HeartRateSample](), in: MadeUpTrack.start...track.time, rules: .recorded))
    }

    private static let slow = statistics(1000, 2.5), fast = statistics(500, 4)

    @Test("DATA-17: weeks begin on Monday and months on their first day, as the calendar says, from 1900 to 2100")
    func periods() throws {
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
        var week: Int64?, month: Int64?
        for day in -25_567...47_481 as ClosedRange<Int64> where day % 13 == 0 || (10_000...12_000).contains(day) {
            let date = Date(timeIntervalSince1970: Double(day) * 86_400), parts = calendar.dateComponents([.year, .month], from: date)
            let number = TrendPeriod.month.number(ofDay: day)
            #expect(number == Int64((parts.year ?? 0) - 1970) * 12 + Int64(parts.month ?? 0) - 1)
            if number != month {
                let first = Date(timeIntervalSince1970: Double(TrendPeriod.month.firstDay(of: number)) * 86_400)
                #expect(
                    calendar.dateComponents([.year, .month, .day], from: first)
                        == DateComponents(year: parts.year, month: parts.month, day: 1))
            }
            let weekNumber = TrendPeriod.week.number(ofDay: day), monday = TrendPeriod.week.firstDay(of: weekNumber)
            if weekNumber != week { #expect(calendar.component(.weekday, from: Date(timeIntervalSince1970: Double(monday) * 86_400)) == 2) }
            #expect((0..<7).contains(day - monday))
            (week, month) = (weekNumber, number)
        }
    }

    @Test("DATA-17: sums by week and kind, in whatever order the workouts are taken")
    func sums() throws {
        let entries = try (0..<40 as Range<Int64>).map { index in
            try #require(
                TrendEntry(kind: index % 4 == 0 ? .walking : .running, day: 20_000 + index, index % 3 == 0 ? Self.fast : Self.slow))
        }
        var trends = TrendsByPeriod(.week)
        for entry in entries { trends.take(entry) }
        for seed in 1...5 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed), mixed = TrendsByPeriod(.week)
            for entry in entries.shuffled(using: &generator) { mixed.take(entry) }
            #expect(mixed == trends)
        }
        let running = trends.sums(of: .running), all = trends.sums()
        #expect(all.values.reduce(0) { $0 + $1.workouts } == 40 && running.values.reduce(0) { $0 + $1.workouts } == 30)
        let metres = entries.reduce(0) { $0 + $1.statistics.metres }
        #expect(abs(all.values.reduce(0) { $0 + $1.metres } - metres) < 3)
        #expect(all.keys.allSatisfy { (TrendPeriod.week.number(ofDay: 20_000)...TrendPeriod.week.number(ofDay: 20_039)).contains($0) })
    }

    @Test("DATA-17: records are the longest way and the fastest piece, on the first day that had them")
    func records() throws {
        var trends = TrendsByPeriod(.month)
        for (day, statistics) in [(9, Self.fast), (5, Self.slow), (7, Self.fast)] as [(Int64, WorkoutStatistics)] {
            trends.take(try #require(TrendEntry(kind: .running, day: day, statistics)))
        }
        let records = try #require(trends.records[.running])
        #expect(records[.distance]?.day == 5 && abs((records[.distance]?.value ?? 0) - 2500) < 5)
        #expect(records[.effort(metres: 1000)]?.day == 7 && abs((records[.effort(metres: 1000)]?.value ?? 0) - 250_000) < 500)
        #expect(records[.effort(metres: 5000)] == nil && trends.records[.cycling] == nil)
        #expect(TrendEntry(kind: .running, day: .max, Self.slow) == nil)
    }

    @Test("DATA-17: a week is compared with the four before it, those without a workout included")
    func change() throws {
        var trends = TrendsByPeriod(.week)
        let week = TrendPeriod.week.number(ofDay: 20_000)
        for (before, count) in [(0, 3), (1, 2), (3, 2)] as [(Int64, Int)] {
            for _ in 0..<count {
                trends.take(try #require(TrendEntry(kind: .running, day: TrendPeriod.week.firstDay(of: week - before), Self.slow)))
            }
        }
        #expect(abs((try #require(trends.change(in: week))) - 2) < 0.01)
        #expect(trends.change(in: week - 10) == nil && trends.change(in: .max) == nil && trends.change(of: .cycling, in: week) == nil)
    }
}
