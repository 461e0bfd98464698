import Distress
import Vitals

/// A heart in trouble, injected into somebody's rest: what must be found.
enum Episodes {
    static let kinds = [
        "fast, sudden", "fast, slowly rising", "slow, sudden", "slow, slowly falling", "fast, then lost", "slow, then lost",
    ]

    struct Result: Codable {
        var kind: String, context: String, rr: Bool, lasts: Double, found: Bool, seconds: Double?, why: String
    }

    static func one(_ seed: UInt64) -> Result {
        var chance = Chance(seed: seed)
        let kind = kinds[Int(seed % UInt64(kinds.count))]
        let age = chance.whole(18...90)
        let resting = chance.real(50...85)
        let context = chance.pick(["still", "no fix", "bus", "after exercise"])
        let hasBaseline = chance.happens(0.5)
        let personal = PersonalLimits(
            version: 1, computedAt: 0, restingMedian: Int(resting), restingDeviation: chance.whole(1...5), days: 14)
        let settings = DistressSettings(age: age, personal: hasBaseline ? personal : nil)
        let limits = EffectiveLimits(settings)!.rest
        let isFast = kind.hasPrefix("fast")
        let target = isFast ? Double(limits.criticalHigh) + chance.real(5...90) : Double(limits.criticalLow) - chance.real(3...10)
        let rise = kind.contains("slowly") ? chance.real(20...90) : chance.real(0...3)
        // As long as an episode may last; none of the detector's times is known here.
        let lasts = chance.real(60...600)
        var strap = Strap(&chance)
        var replay = Replay(Scenario(provenance: .replay, side: .hub, settings: settings))
        let onset = context == "after exercise" ? 1300 : 420
        var rate = resting, shown = 0
        for second in 0..<onset + Int(rise + lasts) + 1 {
            let time = Milliseconds(second) * 1000
            if let now = Self.speed(context, second, &chance) { replay.take(.init(time: time, event: moving(now, at: time))) }
            var wanted = context == "after exercise" ? Self.afterExercise(second, resting) : resting + 3 * chance.normal() * 0.5
            if second >= onset {
                let share = rise == 0 ? 1 : min(1, Double(second - onset + 1) / max(rise, 1))
                wanted = resting + (target - resting) * share
                if share == 1 { wanted = target + (isFast ? 1 : -1) * abs(chance.normal()) }
                rate = wanted
            } else {
                rate += (wanted - rate) * 0.3
            }
            if chance.happens(0.01), second < onset { continue }
            // Lost once the sensor has shown two readings beyond the limit: what it never showed, nobody can find.
            if kind.contains("lost"), shown == 2 { continue }
            let event = strap.reading(max(rate, 26), at: time, &chance)
            if case .heartRate(let sample, _) = event {
                let value = Int(sample.beatsPerMinute)
                if second >= onset, value <= limits.criticalLow || value >= limits.criticalHigh { shown += 1 }
            }
            replay.take(.init(time: time, event: event))
        }
        let end = Milliseconds(onset + Int(rise + lasts)) * 1000
        let report = replay.finish(at: end + 5_000)
        let alarm = report.alarms.first { $0.raisedAt >= Milliseconds(onset) * 1000 }
        let early = report.alarms.contains { $0.raisedAt < Milliseconds(onset) * 1000 }
        let seconds = alarm.map { Double($0.raisedAt) / 1000 - Double(onset) }
        let tail = report.decisions.suffix(4).map { "\(Reason.clock($0.time)) \($0.text)" }.joined(separator: " | ")
        return Result(
            kind: kind, context: context, rr: strap.sendsRR, lasts: lasts, found: alarm != nil && !early, seconds: seconds,
            why: alarm == nil || early ? tail : "")
    }

    private static func speed(_ context: String, _ second: Int, _ chance: inout Chance) -> Double? {
        switch context {
        case "still": abs(chance.normal()) * 0.2
        case "bus": 12 + chance.normal()
        case "after exercise": second < 600 ? 3 + 0.3 * chance.normal() : abs(chance.normal()) * 0.2
        default: nil
        }
    }

    private static func afterExercise(_ second: Int, _ resting: Double) -> Double {
        if second < 600 { return min(150, resting + Double(second) * 0.6) }
        // Down by two thirds in two minutes.
        let share = max(0, 1 - Double(second - 600) / 180)
        return resting + 12 + (150 - resting - 12) * share
    }
}
