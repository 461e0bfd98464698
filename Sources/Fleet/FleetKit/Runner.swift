import Foundation
import Vitals

/// The same numbers for the same seed on every machine (SplitMix64).
struct SplitMix64: RandomNumberGenerator {
    private(set) var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// Even between 0 and 1.
    mutating func unit() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }

    /// Even around 0, `width` wide.
    mutating func around(_ width: Double) -> Double { (unit() - 0.5) * width }
}

/// Somebody who runs, one heart rate and one position a second, with the noise of a strap and of a receiver. The statistics are those
/// with which other stores were measured, so that bytes a sample compare.
struct Runner {
    private var random: SplitMix64
    private var latitude: Double
    private var longitude: Double
    private var altitude: Double
    private var heading: Double
    private var pace: Double
    private var pulse: Double

    private static let metresPerDegree = 111_320.0
    /// Degrees: how wide the noise of a receiver is.
    private static let positionNoise = 5e-6

    init(number: Int) {
        random = SplitMix64(seed: UInt64(number) &* 7919 &+ 1)
        _ = random.next()
        latitude = 47 + random.unit() * 0.2
        longitude = 8 + random.unit() * 0.3
        altitude = 400 + random.unit() * 100
        heading = random.unit() * 2 * .pi
        pace = 2.6 + random.unit() * 0.8
        pulse = 120 + random.unit() * 40
    }

    /// The next second.
    mutating func step(at time: Milliseconds) -> (HeartRateSample, PositionSample) {
        pulse = min(195, max(60, pulse + random.around(3)))
        let heartRate = HeartRateSample(time: time, beatsPerMinute: UInt16(pulse.rounded()), contact: .detected)
        heading += random.around(0.2)
        let speed = pace + random.around(0.4)
        latitude += speed * cos(heading) / Self.metresPerDegree + random.around(Self.positionNoise)
        longitude += speed * sin(heading) / (Self.metresPerDegree * cos(latitude * .pi / 180)) + random.around(Self.positionNoise)
        altitude += random.around(0.4)
        let position = PositionSample(
            time: time, latitude: Self.whole(latitude * 1e7), longitude: Self.whole(longitude * 1e7), altitude: Self.whole(altitude * 10),
            speed: Self.whole(speed * 100), horizontalError: Self.whole((2 + random.unit() * 4) * 10))
        return (heartRate, position)
    }

    private static func whole(_ value: Double) -> Int32 { Int32(value.rounded()) }
}
