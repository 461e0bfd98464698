import Distress
import Vitals

/// What a sensor makes of a heart: averages over some seconds, sends once a second, with RR intervals or without.
struct Strap {
    var sendsRR: Bool
    /// Seconds over which the rate is averaged.
    var averaging: Double
    private var shown: Double?
    private var sequence: UInt64 = 0
    static let stream = StreamID(high: 1, low: 1)

    init(_ chance: inout Chance) {
        sendsRR = chance.happens(0.5)
        averaging = chance.pick([0.1, 2, 4])
    }

    mutating func reading(_ rate: Double, at time: Milliseconds, _ chance: inout Chance) -> DistressEvent {
        let before = shown ?? rate
        let now = before + (rate - before) * min(1, 1 / max(averaging, 1))
        shown = now
        var sample = HeartRateSample(time: time, beatsPerMinute: UInt16(max(0, min(300, now.rounded()))), contact: .detected)
        if sendsRR, rate > 20 {
            for _ in 0..<max(1, Int((rate / 60).rounded())) {
                let interval = 60_000 / rate * (1 + 0.02 * chance.normal())
                sample.rrIntervals.append(UInt16(interval * 1.024))
            }
        }
        return .heartRate(sample, key())
    }

    /// Anything else that it sends.
    mutating func raw(_ rate: Int, at time: Milliseconds, contact: SensorContact = .detected) -> DistressEvent {
        .heartRate(HeartRateSample(time: time, beatsPerMinute: UInt16(rate), contact: contact), key())
    }

    private mutating func key() -> SampleKey {
        sequence += 1
        return SampleKey(stream: Self.stream, sequence: sequence, kind: .heartRate, index: 0)
    }
}

func moving(_ metresPerSecond: Double, at time: Milliseconds) -> DistressEvent {
    .position(
        PositionSample(
            time: time, latitude: 450_000_000, longitude: 70_000_000, speed: Int32(max(0, metresPerSecond) * 100), horizontalError: 40))
}
