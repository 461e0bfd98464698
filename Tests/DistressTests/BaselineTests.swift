import TestSupport
import Testing
import Vitals

@testable import Distress

@Suite struct BaselineTests {
    private let now: Milliseconds = 1_800_000_000_000
    private let day: Milliseconds = 86_400_000

    /// So many days, each with rest of `resting`, an hour's run and bad minutes.
    private func minutes(days: Int, resting: Int, perDay: Int = 300, run: Int? = 165, speed: Int? = 300) -> [Baseline.Minute] {
        var generator = SeededGenerator(seed: 7)
        var minutes: [Baseline.Minute] = []
        for day in 0..<days {
            let start = now - Milliseconds(day + 1) * self.day
            for minute in 0..<perDay {
                minutes.append(
                    .init(
                        start: start + Milliseconds(minute) * 60_000, heartRate: resting + Int.random(in: -4...4, using: &generator),
                        count: 55))
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
        #expect(Baseline.compute(minutes(days: 20, resting: 60, perDay: 100), age: 40, now: now, version: 1) == .tooFewDays(0))
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
        #expect(abs(limits.restingMedian - 52) <= 1)
        #expect(limits.restingDeviation <= 3)
        // Only where the person was seen to move is a high rate their own maximum.
        #expect(limits.maximum == (speed == nil ? nil : 165))
    }
}
