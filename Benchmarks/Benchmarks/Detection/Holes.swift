import Distress
import Vitals

/// A signal that goes away or turns to nonsense, in a healthy person: no heart alarm may come of it.
enum Holes {
    static let kinds = [
        "nothing comes", "no contact, zeros", "no contact, wild values", "frozen", "RR of nowhere", "zeros without contact bit",
        "values out of range", "one or two beats missed", wildThenNothing,
    ]

    /// By design no drop-out: an abnormal reading that counts, and then silence, is "critical, then lost". Counted apart.
    static let wildThenNothing = "one wild value, then nothing"

    struct Result: Codable { var kind: String, context: String, alarms: [String] }

    static func one(_ seed: UInt64) -> Result {
        var chance = Chance(seed: seed &* 104_729 &+ 3)
        let kind = kinds[Int(seed % UInt64(kinds.count))]
        let context = chance.pick(["still", "no fix", "run"])
        let age = chance.whole(18...90)
        let settings = DistressSettings(age: age)
        let usual = context == "run" ? (208 - 0.7 * Double(age)) * chance.real(0.7...0.92) : chance.real(52...95)
        var strap = Strap(&chance)
        var replay = Replay(Scenario(provenance: .replay, side: .hub, settings: settings))
        let from = 600, to = from + chance.whole(3...400), end = to + 200
        for second in 0..<end {
            let time = Milliseconds(second) * 1000
            if context != "no fix" {
                replay.take(.init(time: time, event: moving(context == "run" ? 3 : abs(chance.normal()) * 0.2, at: time)))
            }
            let rate = min(usual, 75 + Double(second) * 0.5) + 1.5 * chance.normal()
            guard second >= from, second < to else {
                replay.take(.init(time: time, event: strap.reading(rate, at: time, &chance)))
                continue
            }
            for event in Self.events(kind, second - from, rate, &strap, at: time, &chance) { replay.take(.init(time: time, event: event)) }
        }
        let report = replay.finish(at: Milliseconds(end + 120) * 1000)
        return Result(
            kind: kind, context: context,
            alarms: report.alarms.map {
                "seed \(seed): \($0.abnormalities[0].trigger.text) \($0.abnormalities[0].latest.value) at \(Reason.clock($0.raisedAt)), lost \($0.isLost)"
            })
    }

    private static func events(
        _ kind: String, _ second: Int, _ rate: Double, _ strap: inout Strap, at time: Milliseconds, _ chance: inout Chance
    ) -> [DistressEvent] {
        switch kind {
        case "nothing comes": []
        case "no contact, zeros": [strap.raw(0, at: time, contact: .notDetected)]
        case "no contact, wild values": [strap.raw(chance.whole(0...255), at: time, contact: .notDetected)]
        case "frozen":
            [strap.raw(Int(min(rate, 128)), at: time)].filter { _ in second == 0 } + (second > 0 ? [strap.raw(88, at: time)] : [])
        case "one or two beats missed": [Self.missing(&strap, rate, at: time, &chance)]
        case "RR of nowhere": [Self.nowhere(&strap, rate, at: time, &chance)]
        case "zeros without contact bit": [strap.raw(0, at: time, contact: .unsupported)]
        case wildThenNothing: second == 0 ? [strap.raw(chance.whole(25...240), at: time)] : []
        default: [strap.raw(chance.pick([3, 12, 20, 245, 260, 299]), at: time)]
        }
    }

    /// Now and then the sensor does not see a beat or two: an interval of two or three.
    private static func missing(_ strap: inout Strap, _ rate: Double, at time: Milliseconds, _ chance: inout Chance) -> DistressEvent {
        guard case .heartRate(var sample, let key) = strap.raw(Int(rate.rounded()), at: time) else { return .tick }
        let interval = 60_000 / rate
        // Intervals of more than 3 s come once in three seconds or less.
        if interval > 1000, time / 1000 % 3 != 0 { return .heartRate(sample, key) }
        let times = chance.happens(0.3) ? chance.pick([2.0, 3.0]) : 1
        sample.rrIntervals = [UInt16(min(60_000, times * interval * (1 + 0.03 * chance.normal()) * 1.024))]
        return .heartRate(sample, key)
    }

    /// Muscles and cloth: a rate that its own intervals contradict.
    private static func nowhere(_ strap: inout Strap, _ rate: Double, at time: Milliseconds, _ chance: inout Chance) -> DistressEvent {
        let wild = chance.pick([chance.real(26...38), min(238, max(190, rate * 1.3))])
        guard case .heartRate(var sample, let key) = strap.raw(Int(wild), at: time) else { return .tick }
        sample.rrIntervals = (0..<4).map { _ in UInt16(60_000 / rate * 1.024) }
        return .heartRate(sample, key)
    }
}
