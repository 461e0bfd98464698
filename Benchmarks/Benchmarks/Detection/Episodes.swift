import Distress
import Vitals

/// A heart in trouble, injected into somebody's rest: what must be found. What trouble is, fixed physiology says, and not the limit in force:
/// adults at the table's limits 38 and less, 140 and more; adults at the widest limits that a baseline gives 33 and less, 148 and more; children
/// 3 beyond their row.
enum Episodes {
    static let kinds = [
        "fast, sudden", "fast, slowly rising", "slow, sudden", "slow, slowly falling", "fast, then lost", "slow, then lost",
    ]

    private static let noFix = "no fix", contexts = ["still", noFix, "bus", "after exercise"]

    /// How an episode is played.
    enum Way: String { case usual, home, strict }
    /// Where the rate ends: beyond what must be found, or between the limit in force and that.
    enum Depth { case sure, between }

    struct Result: Codable {
        var kind: String, who: String, context: String, rr: Bool, lasts: Double, found: Bool, seconds: Double?, why: String
    }

    /// Somebody, and from which rates on something must be found.
    private struct Person {
        var who: String, settings: DistressSettings, resting: Double
        var low: Int, high: Int

        init(_ isFast: Bool, _ chance: inout Chance) {
            func personal(_ median: Double, _ deviation: Int) -> PersonalLimits {
                PersonalLimits(version: 1, computedAt: 0, restingMedian: Int(median), restingDeviation: deviation, days: 14)
            }
            switch chance.whole(0...9) {
            case 0, 1:
                let age = chance.whole(4...15), row = AgeTable.row(age: age)!.limits
                (who, resting) = ("child", chance.real(68...95))
                settings = DistressSettings(age: age)
                (low, high) = (row.criticalLow - 3, row.criticalHigh + 3)
            case 2, 3, 4:
                // Whom the baseline has given the widest limits: a low median, or a high one.
                (who, resting) = ("adult, widest limits", isFast ? chance.real(90...105) : chance.real(45...58))
                settings = DistressSettings(age: chance.whole(18...90), personal: personal(resting, isFast ? 10 : 2))
                (low, high) = (33, 148)
            default:
                (who, resting) = ("adult, limits of the table", chance.real(66...85))
                settings = DistressSettings(
                    age: chance.whole(18...90), personal: chance.happens(0.5) ? personal(resting, chance.whole(1...4)) : nil)
                (low, high) = (38, 140)
            }
        }
    }

    static func one(_ seed: UInt64) -> Result { one(seed, .usual, .sure) }

    /// - Returns: nil for `home` and `strict` where movement is known: there they change nothing.
    static func other(_ seed: UInt64, _ way: Way) -> Result? {
        var chance = Chance(seed: seed)
        return chance.pick(contexts) == noFix ? one(seed, way, .sure) : nil
    }

    static func one(_ seed: UInt64, _ way: Way, _ depth: Depth) -> Result {
        var chance = Chance(seed: seed)
        // The first draw: ``other(_:_:)`` counts on it.
        let context = chance.pick(contexts)
        let kind = kinds[Int(seed % UInt64(kinds.count))], isFast = kind.hasPrefix("fast")
        var person = Person(isFast, &chance)
        let limits = EffectiveLimits(person.settings)!.rest, resting = person.resting
        let target: Double =
            switch (depth, isFast) {
            case (.sure, true): Double(person.high) + chance.real(0...80)
            case (.sure, false): Double(person.low) - chance.real(0...6)
            case (.between, true): chance.real(Double(limits.criticalHigh)...Double(person.high - 1))
            case (.between, false): chance.real(Double(person.low + 1)...Double(limits.criticalLow))
            }
        person.settings.strict = way == .strict ? true : nil
        let rise = kind.contains("slowly") ? chance.real(20...90) : chance.real(0...3)
        // As long as an episode may last; none of the detector's times is known here.
        let lasts = chance.real(60...600)
        var strap = Strap(&chance)
        var replay = Replay(Scenario(provenance: .replay, side: .hub, settings: person.settings))
        if way == .home { replay.take(.init(time: 0, event: .box(Strap.stream, isFixed: true))) }
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
            kind: kind, who: person.who, context: context, rr: strap.sendsRR, lasts: lasts, found: alarm != nil && !early, seconds: seconds,
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

/// A heart at rest that pauses for 3 to 10 s, once or twice within a minute, under a sensor that sends its intervals.
enum Pauses {
    struct Result: Codable { var kind: String, asked: Bool, told: Bool, alarm: Bool, isMultiple: Bool }

    static func one(_ seed: UInt64) -> Result {
        var chance = Chance(seed: seed &* 2_654_435 &+ 11)
        let isTwo = seed % 2 == 1, rate = chance.real(45...110), interval = 60 / rate
        let lengths = (0...(isTwo ? 1 : 0)).map { _ in chance.real(3.1...10) }
        let pausesAt = [100.0, 100 + lengths[0] + chance.real(10...35)]
        var beats: [Double] = [], beat = 0.0, place = 0
        while beat < 300 {
            beats.append(beat)
            let isPause = place < lengths.count && beat >= pausesAt[place]
            beat += isPause ? lengths[place] : interval * (1 + 0.02 * chance.normal())
            if isPause { place += 1 }
        }
        let report = play(beats)
        let asked = report.decisions.contains { $0.kind == .asked && $0.time >= 100_000 }
        let multiples = lengths.contains { length in [2, 3].contains { abs(length - $0 * interval) <= 0.17 * $0 * interval } }
        return Result(
            kind: isTwo ? "two pauses within 60 s" : "one pause", asked: asked, told: !report.warnings.isEmpty,
            alarm: !report.alarms.isEmpty,
            isMultiple: multiples)
    }

    /// Once a second the rate over the last eight beats, and the intervals that ended in it.
    private static func play(_ beats: [Double]) -> Replay.Report {
        var replay = Replay(Scenario(provenance: .live, side: .hub, settings: DistressSettings(age: 70))), next = 1
        for second in 1..<300 {
            var fresh: [UInt16] = []
            while next < beats.count, beats[next] <= Double(second) {
                fresh.append(UInt16((beats[next] - beats[next - 1]) * 1024))
                next += 1
            }
            guard next > 8 else { continue }
            let mean = 60 * 8 / (beats[next - 1] - beats[next - 9]), time = Milliseconds(second) * 1000
            let sample = HeartRateSample(time: time, beatsPerMinute: UInt16(mean.rounded()), contact: .detected, rrIntervals: fresh)
            let key = SampleKey(stream: Strap.stream, sequence: UInt64(second), kind: .heartRate, index: 0)
            replay.take(.init(time: time, event: .heartRate(sample, key)))
        }
        return replay.finish(at: 400_000)
    }
}
