import Runs
import Vitals

/// The measurements of one runner's box from before the gun until after the finish, second by second, and when each second can be sent. Small,
/// because thousands of them lie in memory.
struct RacePlay: Sendable {
    struct Second: Sendable, Hashable {
        /// 1e-7 degrees; `noFix` for both where the satellites were lost.
        var latitude: Int32, longitude: Int32
        /// The second, since the gun, in which it can be sent.
        var leaves: Int32
        var beatsPerMinute: UInt8
        /// Whether the truth is behind the finish.
        var isBehindFinish: Bool
    }

    static let noFix = Int32.min

    let bib: Int
    /// UTC milliseconds of the runner's own second 0: the gun, and some part of a second.
    let origin: Milliseconds
    /// Seconds before the gun at which the box was switched on.
    let lead: Int
    let seconds: [Second]
    /// 0.1 m.
    let error: Int32
    private(set) var next = 0

    /// - Parameters:
    ///   - bib: the number that the hub gave; the simulator's without.
    ///   - phase: milliseconds after the full second at which this box measures, so that a thousand boxes do not all send at once.
    ///   - lead: seconds that the runner stands behind the start before the gun.
    init(_ runner: SimulatedRunner, bib: Int? = nil, on simulator: RaceSimulator, phase: Milliseconds, lead: Int) {
        self.bib = bib ?? runner.bib
        origin = runner.gun + phase
        self.lead = lead
        error = Int32(simulator.settings.noise * 10)
        var fixes = [CoursePoint?](repeating: nil, count: runner.truth.count)
        for delivery in runner.deliveries { fixes[Int((delivery.fix.time - runner.gun) / 1000)] = CoursePoint(delivery.fix) }
        var heart = RaceHeart(bib: runner.bib, seed: simulator.settings.seed), all: [Second] = []
        all.reserveCapacity(lead + runner.truth.count)
        var random = SplitMix64(seed: simulator.settings.seed &+ UInt64(runner.bib) &* 7919)
        let stand = simulator.place(runner.truth.first ?? 0)
        for second in -lead..<0 {
            let width = simulator.settings.noise
            let place = RaceSimulator.moved(stand, east: random.around(width), north: random.around(width))
            all.append(
                Second(
                    latitude: place.latitude, longitude: place.longitude, leaves: Int32(second),
                    beatsPerMinute: heart.step(speed: 0, usual: 1), isBehindFinish: false))
        }
        let usual = runner.usualSpeed
        for second in runner.truth.indices {
            let speed = second > 0 ? runner.truth[second] - runner.truth[second - 1] : 0
            let isBehind = runner.truth[second] >= simulator.course.length
            all.append(
                Second(
                    latitude: fixes[second]?.latitude ?? Self.noFix, longitude: fixes[second]?.longitude ?? Self.noFix,
                    leaves: runner.leaving[second], beatsPerMinute: heart.step(speed: speed, usual: usual), isBehindFinish: isBehind))
        }
        seconds = all
    }

    /// UTC milliseconds at which the `index`th second is measured.
    func time(_ index: Int) -> Milliseconds { origin + Milliseconds(index - lead) * 1000 }

    var isOver: Bool { next == seconds.count }

    /// When something can be sent again; nil when all was.
    var due: Milliseconds? { isOver ? nil : origin + Milliseconds(seconds[next].leaves) * 1000 }

    /// Whether the network is away at `now`: something was measured and cannot be sent yet.
    func isSilent(at now: Milliseconds) -> Bool { !isOver && time(next) <= now && (due ?? now) > now }

    /// Whether the runner is through at `now`.
    func isThrough(at now: Milliseconds) -> Bool {
        let index = Int((now - origin) / 1000) + lead
        return seconds.isEmpty || (index >= 0 && seconds[min(index, seconds.count - 1)].isBehindFinish)
    }

    /// The measurements that can be sent at `now`, each second once, in its order.
    mutating func take(until now: Milliseconds) -> SampleSet {
        var samples = SampleSet()
        while let due, due <= now {
            let second = seconds[next], time = time(next)
            samples.heartRates.append(
                HeartRateSample(time: time, beatsPerMinute: UInt16(second.beatsPerMinute), contact: .detected))
            if second.latitude != Self.noFix {
                samples.positions.append(
                    PositionSample(time: time, latitude: second.latitude, longitude: second.longitude, horizontalError: error))
            }
            next += 1
        }
        return samples
    }
}

extension SimulatedRunner {
    /// Metres a second over all of it: what the heart takes for the pace.
    var usualSpeed: Double {
        let metres = (truth.last ?? 0) - (truth.first ?? 0)
        return truth.count > 1 ? max(metres / Double(truth.count - 1), 0.1) : 1
    }
}
