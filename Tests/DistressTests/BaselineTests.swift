import TestSupport
import Testing
import Vitals

@testable import Distress

@Suite struct BaselineTests {
    private let now: Milliseconds = 1_800_000_000_000
    private let day: Milliseconds = 86_400_000

    /// So many days, each with rest of `resting`, which fixes show or not, an hour's run and bad minutes.
    private func minutes(
        days: Int, resting: Int, perDay: Int = 300, run: Int? = 165, speed: Int? = 300, restSpeed: Int? = nil
    ) -> [Baseline.Minute] {
        var generator = SeededGenerator(seed: 7)
        var minutes: [Baseline.Minute] = []
        for day in 0..<days {
            let start = now - Milliseconds(day + 1) * self.day
            for minute in 0..<perDay {
                minutes.append(
                    .init(
                        start: start + Milliseconds(minute) * 60_000, heartRate: resting + Int.random(in: -3...3, using: &generator),
                        count: 55, speed: restSpeed))
            }
            if let run {
                for minute in 0..<60 {
                    minutes.append(.init(start: start + Milliseconds(perDay + minute) * 60_000, heartRate: run, count: 55, speed: speed))
                }
            }
            minutes.append(.init(start: start + Milliseconds(perDay + 200) * 60_000, heartRate: 200, count: 2))
            minutes.append(.init(start: start + Milliseconds(perDay + 201) * 60_000, heartRate: 3000, count: 60))
        }
        return minutes.shuffled(using: &generator)
    }

    @Test("SOS-2: at least seven days of rest, of the last fourteen")
    func days() {
        #expect(Baseline.compute(minutes(days: 6, resting: 60), age: 40, now: now, version: 1) == .tooFewDays(6))
        #expect(Baseline.compute(minutes(days: 20, resting: 60, perDay: 50, restSpeed: 0), age: 40, now: now, version: 1) == .tooFewDays(0))
        guard case .limits(let limits) = Baseline.compute(minutes(days: 20, resting: 60), age: 40, now: now, version: 3) else {
            Issue.record("no limits")
            return
        }
        #expect(limits.days == 14 && limits.version == 3 && limits.computedAt == now)
    }

    @Test("SOS-2: exercise with and without a fix, and impossible values, leave the figures as they are", arguments: [300, nil] as [Int?])
    func robust(speed: Int?) {
        guard case .limits(let limits) = Baseline.compute(minutes(days: 10, resting: 52, speed: speed), age: 40, now: now, version: 1)
        else {
            Issue.record("no limits")
            return
        }
        // Of the calmest third.
        #expect((49...52).contains(limits.restingMedian))
        #expect(limits.restingDeviation <= 3)
        // Only where the person was seen to move is a high rate their own maximum.
        #expect(limits.maximum == (speed == nil ? nil : 165))
    }

    private func resting(_ minutes: [Baseline.Minute]) -> Int? {
        guard case .limits(let limits) = Baseline.compute(minutes, age: 40, now: now, version: 1) else { return nil }
        return limits.restingMedian
    }

    /// Ten days of so many minutes each, with a rate of the minute's.
    private func days(_ count: Int, speed: Int? = nil, rate: (Int) -> Int) -> [Baseline.Minute] {
        (1...10).flatMap { back in
            (0..<count).map { minute in
                Baseline.Minute(
                    start: now - Milliseconds(back) * day + Milliseconds(minute) * 60_000, heartRate: rate(minute), count: 55, speed: speed)
            }
        }
    }

    @Test("SOS-2: where nothing tells of movement, only the calmest third of a day's minutes is rest")
    func calmestThird() {
        // 200 minutes asleep, 400 of quiet housework: half of the day's minutes would be 84.
        #expect(resting(days(600) { $0 < 200 ? 55 : 84 }) == 55)
        // Less than a third lies: 60 minutes a day are not there.
        #expect(resting(days(170) { $0 < 56 ? 55 : 84 }) == nil)
    }

    @Test("SOS-2: where nothing tells of movement, a minute counts only amid ten without a hole that differ by less than 8")
    func calm() {
        // The calmest third is up and down by 8 from minute to minute: somebody who is busy, and by 7: somebody who rests.
        #expect(resting(days(600) { $0 < 240 ? 60 + $0 % 2 * 8 : 90 }) == nil)
        #expect(resting(days(600) { $0 < 240 ? 60 + $0 % 2 * 7 : 90 }) != nil)
        // A hole in each ten.
        #expect(resting(days(600) { _ in 60 }.filter { $0.start / 60_000 % 10 != 0 }) == nil)
        // Fixes that show somebody who stands need neither.
        #expect(resting(days(100, speed: 20) { 60 + $0 % 2 * 8 }) != nil)
        // Fixes that show somebody who walks leave nothing.
        #expect(resting(days(600, speed: 80) { _ in 60 }) == nil)
    }
}
