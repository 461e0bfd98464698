import Distress
import Vitals

/// Whether the rhythm is irregular: recorded beats and made-up ones. Nothing of it calls anybody.
enum Rhythm {
    struct Result: Codable {
        var kind: String
        var hours: Double
        var isNoticed: Bool
        /// Minutes of rest that were judged, and those with too few clean intervals.
        var judged: Double, unclear: Double
    }

    struct Played: Codable {
        /// Seconds of the series, of each notice.
        var notices: [Double] = []
        var judged = 0.0, unclear = 0.0
    }

    /// - Parameter isRestKnown: false leaves out what tells of movement.
    static func play(_ events: [Scenario.Timed], isRestKnown: Bool) -> Played {
        var rhythm = HeartRhythm(), played = Played()
        for timed in events {
            switch timed.event {
            case .position(let sample) where isRestKnown: rhythm.take(sample)
            case .heartRate(let sample, let key):
                if let found = rhythm.take(sample, of: key.stream) { played.notices.append(Double(found.to) / 1000) }
            default: break
            }
        }
        (played.judged, played.unclear) = (Double(rhythm.standing.judged) / 60_000, Double(rhythm.standing.unclear) / 60_000)
        return played
    }

    // MARK: - Made up

    enum Kind: String, CaseIterable {
        case breathing = "sinus, with breathing"
        case deepBreathing = "sinus, deep slow breathing"
        case ventricular = "sinus, ventricular ectopy"
        case bigeminy = "bigeminy and trigeminy"
        case atrial = "sinus, atrial ectopy"
        case missed = "sinus, missed beats"
        case extra = "sinus, false beats"
        case exercise = "exercise, no fix"
        case fibrillation = "fibrillation"
        case fibrillationMissed = "fibrillation, missed beats"
    }

    /// Half an hour each, of somebody of whose movement nothing is known.
    static func one(_ seed: UInt64) -> Result {
        var chance = Chance(seed: seed &+ 900_000_000)
        let kind = Kind.allCases[Int(seed) % Kind.allCases.count], length = 1800.0
        var heart = Heart(kind, &chance), beats: [Double] = []
        while beats.last ?? 0 < length { beats.append((beats.last ?? 0) + heart.next(after: beats.last ?? 0, of: length, &chance)) }
        let played = play(strap(beats), isRestKnown: false)
        return Result(
            kind: kind.rawValue, hours: length / 3600, isNoticed: !played.notices.isEmpty, judged: played.judged, unclear: played.unclear)
    }

    /// What a strap sends each second: the rate of the last eight intervals, and those that are new.
    private static func strap(_ beats: [Double]) -> [Scenario.Timed] {
        let stream = StreamID(high: 2, low: 2)
        var events: [Scenario.Timed] = [], fresh: [UInt16] = [], place = 1
        for second in 1..<Int(beats.last ?? 0) {
            while place < beats.count, beats[place] <= Double(second) {
                fresh.append(UInt16(min(65_535, (beats[place] - beats[place - 1]) * 1024)))
                place += 1
            }
            guard place > 8 else { continue }
            let rate = 8 * 60 / (beats[place - 1] - beats[place - 9]), time = Milliseconds(second) * 1000
            let sample = HeartRateSample(time: time, beatsPerMinute: UInt16(min(300, rate)), contact: .detected, rrIntervals: fresh)
            let key = SampleKey(stream: stream, sequence: UInt64(second), kind: .heartRate, index: 0)
            events.append(Scenario.Timed(time: time, event: .heartRate(sample, key)))
            fresh = []
        }
        return events
    }

    /// A heart, and what the strap makes of its beats.
    private struct Heart {
        let kind: Kind
        let mean: Double, breathing: Double, breath: Double, slow: Double
        /// How often something happens that is no sinus beat, or how much a fibrillating ventricle's intervals scatter.
        let share: Double
        private var owed: [Double] = []

        init(_ kind: Kind, _ chance: inout Chance) {
            self.kind = kind
            let isFibrillation = kind == .fibrillation || kind == .fibrillationMissed
            mean = 60 / chance.real(isFibrillation ? 55...92 : 50...90)
            breathing = kind == .deepBreathing ? chance.real(0.1...0.25) : chance.real(0.01...0.1)
            breath = kind == .deepBreathing ? chance.real(8...12) : chance.real(3...5)
            slow = chance.real(0.01...0.04)
            share = isFibrillation ? chance.real(0.15...0.28) : chance.real(0.01...0.15)
        }

        mutating func next(after time: Double, of length: Double, _ chance: inout Chance) -> Double {
            if !owed.isEmpty { return owed.removeFirst() }
            let sinus = self.sinus(at: time, of: length, &chance), happens = chance.happens(share)
            switch kind {
            case .breathing, .deepBreathing: return sinus
            case .exercise: return chance.happens(0.02) ? sinus * chance.real(0.5...1.8) : sinus
            case .ventricular where happens: return early(sinus, chance.real(0.5...0.75), isMadeUpFor: true)
            case .atrial where happens: return early(sinus, chance.real(0.6...0.85), isMadeUpFor: false)
            case .bigeminy:
                let coupling = chance.real(0.6...0.65)
                if share > 0.08 { owed = [sinus] }
                owed = [coupling * sinus, (2 - coupling) * sinus] + owed
                return sinus
            case .missed where happens: return sinus * (chance.happens(0.8) ? 2 : 3)
            case .extra where happens: return early(sinus, chance.real(0.3...0.7), isMadeUpFor: false, whole: 1)
            case .ventricular, .atrial, .missed, .extra: return sinus
            case .fibrillation, .fibrillationMissed:
                func beat() -> Double { max(0.33, mean * (1 + share * chance.normal())) }
                return kind == .fibrillationMissed && chance.happens(0.05) ? beat() + beat() : beat()
            }
        }

        /// A beat that comes early, and the interval that follows.
        private mutating func early(_ sinus: Double, _ coupling: Double, isMadeUpFor: Bool, whole: Double = 2) -> Double {
            owed = [(isMadeUpFor || whole < 2 ? whole - coupling : 1.05) * sinus]
            return coupling * sinus
        }

        private func sinus(at time: Double, of length: Double, _ chance: inout Chance) -> Double {
            let phase = { (period: Double) in wave(time / period) }
            guard kind == .exercise else {
                return mean * (1 + breathing * phase(breath) + slow * phase(10) + 0.01 * chance.normal())
            }
            // Up to 160 and down again, with little that varies.
            let effort = 0.5 - 0.5 * wave(time / 900 + 0.25)
            return 60 / (70 + 90 * effort) * (1 + 0.01 * phase(3) + 0.01 * chance.normal())
        }
    }

    /// A sine by its parabola: 1 a turn. No mathematical library is needed for a breath.
    private static func wave(_ turns: Double) -> Double {
        let part = turns - turns.rounded(.down)
        return part < 0.5 ? 16 * part * (0.5 - part) : -16 * (part - 0.5) * (1 - part)
    }

    /// Nanoseconds that one interval costs, of an hour of fibrillation.
    static func cost() -> Double {
        var chance = Chance(seed: 1), heart = Heart(.fibrillation, &chance), beats: [Double] = []
        while beats.last ?? 0 < 3600 { beats.append((beats.last ?? 0) + heart.next(after: 0, of: 3600, &chance)) }
        let events = strap(beats), clock = ContinuousClock()
        let spent = (0..<5).map { _ in clock.measure { _ = play(events, isRestKnown: false) } }.min() ?? .zero
        return Double(spent.components.attoseconds) / 1e9 / Double(beats.count)
    }
}
