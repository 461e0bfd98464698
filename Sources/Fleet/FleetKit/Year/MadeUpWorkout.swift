import Foundation
import Vitals

/// A made-up run or ride on a made-up loop, one second after the other.
struct MadeUpWorkout: Sendable {
    enum Effort: Sendable {
        case easy, intervals, long, ride
    }

    let effort: Effort
    /// UTC milliseconds.
    let start: Milliseconds
    let seconds: Int
    let loop: Int
    let form: MadeUpYear.Form
    private var random: SplitMix64

    /// The heart's maximum at 36 years (Tanaka), beats a minute.
    static let maximum = 183.0
    /// Seconds between two heart rates, and between two positions.
    static let rateEvery = 2, positionEvery = 3
    /// Seconds of an interval and of the rest behind it; before the first one.
    private static let fast = 150, rest = 90, warmUp = 480

    init(effort: Effort, start: Milliseconds, seconds: Int, loop: Int, form: MadeUpYear.Form, random: SplitMix64) {
        (self.effort, self.start, self.seconds, self.loop) = (effort, start, seconds, loop)
        (self.form, self.random) = (form, random)
    }

    var span: Range<Milliseconds> { start..<start + Milliseconds(seconds) * 1000 }

    /// Metres a second as wanted, and the share of the heart's reserve that it takes.
    private func wanted(_ second: Int) -> (speed: Double, share: Double) {
        switch effort {
        case .ride: return (8.2, 0.55)
        case .long: return (form.speed * 0.97, 0.63)
        case .easy: return (form.speed, 0.66)
        case .intervals:
            guard second >= Self.warmUp, second < seconds - Self.warmUp else { return (form.speed * 0.95, 0.62) }
            let isFast = (second - Self.warmUp) % (Self.fast + Self.rest) < Self.fast
            return isFast ? (form.speed * 1.3, 0.92) : (form.speed * 0.85, 0.6)
        }
    }

    /// A watch's recording of it, and the way in metres.
    func recorded() -> (samples: SampleSet, way: Double) {
        var random = random, samples = SampleSet()
        let way = MadeUpLoop.of(loop, isRide: effort == .ride)
        // Now and then a red light.
        let stop = effort != .ride && random.unit() < 0.5 ? Int(Double(seconds) * (0.3 + 0.4 * random.unit())) : Int.max
        var metres = 0.0, speed = 0.0, rate = form.resting + 25, drift = (east: 0.0, north: 0.0), sway = 0.0
        for second in 0..<seconds {
            let isStanding = second >= stop && second - stop < 28
            let (pace, share) = isStanding ? (0, 0.4) : wanted(second)
            sway += -sway / 60 + random.around(0.03)
            speed += ((isStanding ? 0 : max(0, pace * (1 + sway * 0.4))) - speed) / 4
            metres += speed
            let tired = 0.05 * Double(second) / 3600
            rate += (form.resting + (Self.maximum - form.resting) * min(share + tired, 0.97) - rate) / 38 + random.around(1.2)
            drift = (drift.east * 0.985 + random.around(0.16), drift.north * 0.985 + random.around(0.16))
            let time = start + Milliseconds(second) * 1000
            if second.isMultiple(of: Self.rateEvery) {
                samples.heartRates.append(HeartRateSample(time: time, beatsPerMinute: UInt16(rate.rounded()), contact: .detected))
            }
            if second.isMultiple(of: Self.positionEvery) {
                samples.positions.append(way.position(at: metres, off: drift, speed: speed, time: time))
            }
        }
        return (samples, metres)
    }
}

/// A closed way that nobody measured, through where the recording of the demo begins: some bends, and a few metres of hill.
struct MadeUpLoop: Sendable {
    /// Metres east and north of ``home``, every ``step`` metres.
    private let points: [(east: Double, north: Double)]

    private static let step = 10.0
    private static let home = (latitude: 45.45176, longitude: 9.17528)
    private static let metresPerDegree = 111_320.0
    /// Metres of all loops of runs, and of rides.
    private static let lengths = [3100.0, 4200, 5300, 6700, 8400], rides = [14_000.0, 17_000, 19_000, 22_000, 26_000]
    private static let runLoops = lengths.enumerated().map { MadeUpLoop(number: $0.offset, length: $0.element) }
    private static let rideLoops = rides.enumerated().map { MadeUpLoop(number: $0.offset + 10, length: $0.element) }

    static func of(_ number: Int, isRide: Bool) -> MadeUpLoop {
        let loops = isRide ? rideLoops : runLoops
        return loops[number % loops.count]
    }

    private init(number: Int, length: Double) {
        var random = SplitMix64(seed: UInt64(number) &* 7919 &+ 3)
        let shape = (2...4).map { (wave: Double($0), share: 0.3 / Double($0), turn: random.unit() * 2 * .pi) }
        let turned = random.unit() * 2 * .pi
        func corner(_ angle: Double) -> (east: Double, north: Double) {
            let radius = shape.reduce(1.0) { $0 + $1.share * sin($1.wave * angle + $1.turn) }
            return (radius * cos(angle + turned), radius * 0.7 * sin(angle + turned))
        }
        let corners = (0...720).map { corner(Double($0) / 360 * .pi) }
        func distance(_ a: (east: Double, north: Double), _ b: (east: Double, north: Double)) -> Double {
            ((a.east - b.east) * (a.east - b.east) + (a.north - b.north) * (a.north - b.north)).squareRoot()
        }
        let whole = zip(corners, corners.dropFirst()).reduce(0) { $0 + distance($1.0, $1.1) }, scale = length / whole
        var points: [(east: Double, north: Double)] = [], gone = 0.0
        for (from, to) in zip(corners, corners.dropFirst()) {
            let piece = distance(from, to) * scale
            while Double(points.count) * Self.step < gone + piece {
                let share = (Double(points.count) * Self.step - gone) / piece
                points.append(
                    (
                        (from.east + (to.east - from.east) * share - corners[0].east) * scale,
                        (from.north + (to.north - from.north) * share - corners[0].north) * scale
                    ))
            }
            gone += piece
        }
        self.points = points
    }

    /// - Parameter off: metres by which the receiver is wrong.
    func position(
        at metres: Double, off: (east: Double, north: Double), speed: Double, time: Milliseconds
    ) -> PositionSample {
        let place = metres / Self.step, whole = Int(place), share = place - Double(whole)
        let from = points[whole % points.count], to = points[(whole + 1) % points.count]
        let east = from.east + (to.east - from.east) * share, north = from.north + (to.north - from.north) * share
        let altitude = 120 + 9 * sin(east / 420) + 6 * cos(north / 300)
        let latitude = Self.home.latitude + (north + off.north) / Self.metresPerDegree
        let longitude =
            Self.home.longitude + (east + off.east) / (Self.metresPerDegree * cos(Self.home.latitude * .pi / 180))
        return PositionSample(
            time: time, latitude: Int32((latitude * 1e7).rounded()), longitude: Int32((longitude * 1e7).rounded()),
            altitude: Int32((altitude * 10).rounded()), speed: Int32((speed * 100).rounded()), horizontalError: 35)
    }
}
