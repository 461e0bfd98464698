import Foundation
import Runs
import Vitals

/// A runner whose truth is known.
struct SimulatedRunner {
    /// A fix and when it reaches the hub, UTC milliseconds.
    struct Delivery {
        var at: Milliseconds
        var fix: PositionSample
    }

    let bib: Int
    let gun: Milliseconds
    /// Metres from the start at each full second since the gun; negative before the line, beyond the length behind the finish.
    let truth: [Double]
    /// In the order of delivery.
    let deliveries: [Delivery]
    /// For each full second since the gun, the one (since the gun) in which its data can be sent: itself, or the end of a loss of the network.
    let leaving: [Int32]

    /// The fixes in the order of their times.
    var fixes: [PositionSample] { deliveries.map(\.fix).sorted { $0.time < $1.time } }

    func metres(at time: Milliseconds) -> Double {
        let seconds = Double(time - gun) / 1000, whole = Int(max(seconds, 0))
        guard whole + 1 < truth.count else { return truth.last ?? 0 }
        return truth[whole] + (truth[whole + 1] - truth[whole]) * (max(seconds, 0) - Double(whole))
    }

    /// UTC milliseconds at which the runner truly was at `metres`.
    func time(at metres: Double) -> Milliseconds? {
        guard let index = truth.firstIndex(where: { $0 >= metres }) else { return nil }
        guard index > 0 else { return gun }
        let share = (metres - truth[index - 1]) / (truth[index] - truth[index - 1])
        return gun + Milliseconds((Double(index - 1) + share) * 1000)
    }
}

/// Runners of different pace along a course, with drifting satellite errors, losses and late batches. Repeatable: everything comes from the seed.
struct RaceSimulator {
    let course: Course
    let settings: RaceSettings
    private var random: SplitMix64

    init(course: Course, settings: RaceSettings = RaceSettings()) {
        self.course = course
        self.settings = settings
        random = SplitMix64(seed: settings.seed)
    }

    mutating func race() -> [SimulatedRunner] { (1...settings.runners).map { runner($0) } }

    mutating func runner(_ bib: Int) -> SimulatedRunner {
        let truth = way(behind: 1 + Double(bib) * 1.5)
        let (deliveries, leaving) = deliveries(truth)
        return SimulatedRunner(bib: bib, gun: settings.gun, truth: truth, deliveries: deliveries, leaving: leaving)
    }

    /// Metres at each second: a base pace, a slow fade, and swings of some minutes.
    private mutating func way(behind: Double) -> [Double] {
        let base = min(max(settings.speed + settings.speedDeviation * normal(), 1.4), 5.5), fade = 0.12 * unit()
        var metres = -behind, swing = 0.0, way = [metres], after = 0
        while after < settings.after, way.count < 200_000 {
            swing = swing * 0.99 + 0.006 * normal()
            let tired = 1 - fade * max(metres, 0) / course.length
            metres += metres < course.length ? max(base * tired * (1 + swing), 0.4) : 0.3
            if metres >= course.length { after += 1 }
            way.append(metres)
        }
        return way
    }

    private mutating func deliveries(_ truth: [Double]) -> ([SimulatedRunner.Delivery], leaving: [Int32]) {
        var east = settings.noise * normal(), north = settings.noise * normal()
        // A tenth of the variance is noise of the moment, the rest drifts.
        let drift = settings.noise * 0.95, jitter = settings.noise * 0.31, keep = 1 - 1.0 / 30
        var lossUntil = -1, lateUntil = -1
        var deliveries: [SimulatedRunner.Delivery] = []
        var leaving: [Int32] = []
        for (second, metres) in truth.enumerated() {
            east = east * keep + drift * (1 - keep * keep).squareRoot() * normal()
            north = north * keep + drift * (1 - keep * keep).squareRoot() * normal()
            if settings.dropOutEvery > 0, unit() < 1 / settings.dropOutEvery {
                let until = second + Int(settings.dropOut.lowerBound + (settings.dropOut.upperBound - settings.dropOut.lowerBound) * unit())
                if unit() < 0.5 { lossUntil = max(lossUntil, until) } else { lateUntil = max(lateUntil, until) }
            }
            leaving.append(Int32(max(second, lateUntil)))
            guard second > lossUntil else { continue }
            let point = Self.moved(place(metres), east: east + jitter * normal(), north: north + jitter * normal())
            let time = settings.gun + Milliseconds(second) * 1000
            let fix = PositionSample(
                time: time, latitude: point.latitude, longitude: point.longitude, horizontalError: Int32(settings.noise * 10))
            let late = second <= lateUntil ? settings.gun + Milliseconds(lateUntil) * 1000 : time
            deliveries.append(SimulatedRunner.Delivery(at: late + 500, fix: fix))
        }
        return (deliveries.sorted { ($0.at, $0.fix.time) < ($1.at, $1.fix.time) }, leaving)
    }

    /// The place at a distance, straight on behind both ends.
    func place(_ metres: Double) -> CoursePoint {
        let beyond = metres < 0 ? metres : max(metres - course.length, 0)
        let bearing = course.bearing(at: metres) * Double.pi / 180
        return Self.moved(course.point(at: metres), east: beyond * sin(bearing), north: beyond * cos(bearing))
    }

    /// A place some metres away, on the ellipsoid.
    static func moved(_ point: CoursePoint, east: Double, north: Double) -> CoursePoint {
        let latitude = Double(point.latitude) / 1e7 * Double.pi / 180
        let equator = 6_378_137.0, eccentricity = 6.69438e-3
        let flat = 1 - eccentricity * sin(latitude) * sin(latitude)
        let across = equator / flat.squareRoot(), along = across * (1 - eccentricity) / flat
        let unit = 1e7 * 180 / Double.pi
        var longitude = Double(point.longitude) + east * unit / (across * cos(latitude))
        if longitude > 1.8e9 { longitude -= 3.6e9 } else if longitude < -1.8e9 { longitude += 3.6e9 }
        return CoursePoint(
            latitude: Int32((Double(point.latitude) + north * unit / along).rounded()), longitude: Int32(longitude.rounded()))
    }

    private mutating func unit() -> Double { Double.random(in: 0..<1, using: &random) }

    /// Gauss' distribution (Box and Muller).
    private mutating func normal() -> Double {
        (-2 * log(1 - unit())).squareRoot() * cos(2 * Double.pi * unit())
    }
}
