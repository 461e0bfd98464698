public import Vitals

/// A made-up heart, and what a strap sends of it once a second: the rate of the last eight intervals, and the new RR intervals.
public struct MadeHeartbeats: Sendable {
    public enum Kind: Sendable {
        /// Regular, with breathing: slower and faster by so much of an interval.
        case sinus(breathing: Double)
        /// Each interval by itself, scattered around the mean.
        case fibrillation
        /// Regular, with an early beat and the pause that makes up for it, of so many in a hundred.
        case ectopy(percent: Int)
        /// Regular, of which the strap misses so many beats in a hundred.
        case missed(percent: Int)
    }

    private var generator: SeededGenerator
    /// The last beat, milliseconds, and the intervals before it.
    private var last: Double
    private var window: [Double] = []
    private var owed: [Double] = []

    /// - Parameter time: of the first beat.
    public init(seed: UInt64, from time: Milliseconds) { (generator, last) = (SeededGenerator(seed: seed), Double(time)) }

    /// - Parameters:
    ///   - seconds: for so long from the last beat on.
    ///   - mean: the mean interval in milliseconds.
    public mutating func samples(_ kind: Kind, seconds: Int, mean: Double = 800) -> [HeartRateSample] {
        var samples: [HeartRateSample] = [], fresh: [UInt16] = []
        var second = Milliseconds(last) / 1000 * 1000 + 1000
        let end = second + Milliseconds(seconds) * 1000
        while second < end {
            let interval = next(kind, mean)
            while last + interval > Double(second), second < end {
                let rate = window.isEmpty ? 60_000 / mean : 60_000 * Double(window.count) / window.reduce(0, +)
                samples.append(HeartRateSample(time: second, beatsPerMinute: UInt16(rate), contact: .detected, rrIntervals: fresh))
                fresh = []
                second += 1000
            }
            last += interval
            window = (window + [interval]).suffix(8)
            fresh.append(UInt16(interval * 1.024))
        }
        return samples
    }

    private mutating func next(_ kind: Kind, _ mean: Double) -> Double {
        if !owed.isEmpty { return owed.removeFirst() }
        // A breath of four seconds, as a triangle.
        let breath = abs((last / 4000).truncatingRemainder(dividingBy: 1) * 4 - 2) - 1,
            noise = Double.random(in: -0.02...0.02, using: &generator)
        func happens(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }
        switch kind {
        case .sinus(let breathing): return mean * (1 + breathing * breath + noise)
        case .fibrillation:
            // The sum of four: bell-shaped, a fifth of the mean wide.
            let scatter = (0..<4).reduce(0.0) { sum, _ in sum + Double.random(in: -0.17...0.17, using: &generator) }
            return max(330, mean * (1 + scatter))
        case .ectopy(let percent):
            if happens(percent) {
                owed = [1.35 * mean]
                return 0.65 * mean
            }
            return mean * (1 + 0.03 * breath + noise)
        case .missed(let percent): return mean * (1 + 0.03 * breath + noise) * (happens(percent) ? 2 : 1)
        }
    }
}
