import Foundation
import Vitals

/// The samples of a recorded activity (TRACKME_BENCH_ACTIVITY, the CSV that docs/benchmarks.md describes) or of a made-up run of two hours.
struct SampleSource {
    enum Kinds { case both, heartRate, position }

    let name: String
    private var heartRates: [HeartRateSample] = []
    private var positions: [PositionSample] = []

    init() {
        if let path = ProcessInfo.processInfo.environment["TRACKME_BENCH_ACTIVITY"],
            let text = try? String(contentsOfFile: path, encoding: .utf8)
        {
            name = "activity"
            read(text)
        } else {
            name = "made-up run"
            make(seconds: 7200)
        }
    }

    private mutating func read(_ text: String) {
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let values = line.split(separator: ",", omittingEmptySubsequences: false).map { Int64($0) }
            guard values.count == 8, let time = values[0] else { continue }
            if let rate = values[1] { heartRates.append(HeartRateSample(time: time, beatsPerMinute: UInt16(clamping: rate))) }
            let rest = values[2...].map { $0.map { Int32(clamping: $0) } }
            guard let latitude = rest[0], let longitude = rest[1] else { continue }
            positions.append(
                PositionSample(
                    time: time, latitude: latitude, longitude: longitude, altitude: rest[2], speed: rest[3], course: rest[4],
                    horizontalError: rest[5]))
        }
    }

    private mutating func make(seconds: Int) {
        var random = SystemIndependentNumbers()
        var (latitude, longitude, altitude, heading, pulse) = (47.1, 8.1, 450.0, 1.0, 140.0)
        for second in 0..<seconds {
            let time = 1_784_505_600_000 + Milliseconds(second) * 1000
            pulse = min(195, max(60, pulse + random.around(3)))
            heartRates.append(HeartRateSample(time: time, beatsPerMinute: UInt16(pulse.rounded()), contact: .detected))
            heading += random.around(0.2)
            let speed = 3 + random.around(0.4)
            latitude += speed * cos(heading) / 111_320 + random.around(5e-6)
            longitude += speed * sin(heading) / 75_800 + random.around(5e-6)
            altitude += random.around(0.4)
            positions.append(
                PositionSample(
                    time: time, latitude: Int32((latitude * 1e7).rounded()), longitude: Int32((longitude * 1e7).rounded()),
                    altitude: Int32((altitude * 10).rounded()), speed: Int32((speed * 100).rounded()),
                    horizontalError: Int32(((4 + random.around(4)) * 10).rounded())))
        }
    }

    /// Cut into parts of that many seconds.
    func parts(seconds: Int, _ kinds: Kinds) -> [SampleSet] {
        let length = Milliseconds(seconds) * 1000
        var parts: [Milliseconds: SampleSet] = [:]
        if kinds != .position { for sample in heartRates { parts[sample.time / length, default: SampleSet()].heartRates.append(sample) } }
        if kinds != .heartRate { for sample in positions { parts[sample.time / length, default: SampleSet()].positions.append(sample) } }
        return parts.sorted { $0.key < $1.key }.map(\.value)
    }
}

/// The same numbers on every machine (a linear congruential generator).
private struct SystemIndependentNumbers {
    private var state: UInt64 = 7

    /// Even around 0, `width` wide.
    mutating func around(_ width: Double) -> Double {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (Double(state >> 11) / 9_007_199_254_740_992 - 0.5) * width
    }
}
