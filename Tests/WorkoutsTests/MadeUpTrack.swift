import Foundation
import TestSupport
import Vitals

/// A made-up person with a receiver: 5 m of noise in each direction, nine tenths of its variance drifting over half a minute, as satellite
/// errors do. One fix a second.
struct MadeUpTrack {
    private var random: SeededGenerator
    private var drift = (east: 0.0, north: 0.0), place = (east: 0.0, north: 0.0), heading = 0.0
    /// Metres of noise; 0 for a perfect receiver.
    let noise: Double
    private(set) var fixes: [PositionSample] = []
    /// Metres that were really gone by each fix.
    private(set) var truth: [Double] = []
    private var metres = 0.0
    private(set) var time: Milliseconds
    var altitude: Double? = 100
    private var kept = 0.0

    static let start: Milliseconds = 1_764_244_800_000
    static let origin = (latitude: 458_000_000.0, longitude: 116_000_000.0)

    init(seed: UInt64, noise: Double = 5, from time: Milliseconds = Self.start) {
        (random, self.noise, self.time) = (SeededGenerator(seed: seed), noise, time)
        drift = (normal() * noise * 0.95, normal() * noise * 0.95)
    }

    mutating func normal() -> Double {
        let u = Double.random(in: 1e-12..<1, using: &random), v = Double.random(in: 0..<1, using: &random)
        return (-2 * log(u)).squareRoot() * cos(2 * .pi * v)
    }

    /// Goes on for `seconds` at `speed` metres a second, turning by `turn` degrees each second and rising by `climb` metres each second.
    mutating func go(_ seconds: Int, _ speed: Double, turn: Double = 0, climb: Double = 0, isHeard: Bool = true) {
        for _ in 0..<seconds {
            if isHeard { fix() }
            heading += turn * .pi / 180
            place = (place.east + speed * sin(heading), place.north + speed * cos(heading))
            metres += speed
            altitude = altitude.map { $0 + climb }
            time += 1000
        }
    }

    private mutating func fix() {
        let kept = exp(-1.0 / 30), fresh = (1 - kept * kept).squareRoot() * noise * 0.9.squareRoot(), white = noise * 0.1.squareRoot()
        drift = (drift.east * kept + normal() * fresh, drift.north * kept + normal() * fresh)
        let seen = (east: place.east + drift.east + normal() * white, north: place.north + drift.north + normal() * white)
        fixes.append(Self.sample(seen, at: time, altitude: altitude.map { Int32(($0 * 10).rounded()) }, error: noise > 0 ? 50 : 0))
        truth.append(metres)
    }

    static func sample(_ place: (east: Double, north: Double), at time: Milliseconds, altitude: Int32?, error: Int32?) -> PositionSample {
        // Radii of WGS 84 at 45.8 degrees, in metres by radian.
        let sine = sin(45.8 * .pi / 180), root = 1 - 6.694_379_990_141e-3 * sine * sine
        let north = 6_378_137 * (1 - 6.694_379_990_141e-3) / (root * root.squareRoot()),
            east = 6_378_137 / root.squareRoot() * cos(45.8 * .pi / 180)
        return PositionSample(
            time: time, latitude: Int32((origin.latitude + place.north / north * 180 / .pi * 1e7).rounded()),
            longitude: Int32((origin.longitude + place.east / east * 180 / .pi * 1e7).rounded()), altitude: altitude, horizontalError: error
        )
    }

    /// Metres that were really gone.
    var gone: Double { metres }

    func heartRates(_ rate: UInt16, from start: Int = 0, to end: Int? = nil) -> [HeartRateSample] {
        (start..<(end ?? Int((time - Self.start) / 1000))).map {
            HeartRateSample(time: Self.start + Milliseconds($0) * 1000, beatsPerMinute: rate)
        }
    }
}
