import Foundation
import Vitals

extension MadeUpYear {
    /// Beats a minute by which two seconds differ, at most.
    private static let flutter = 3.0

    /// The heart of a day at 1 Hz: between the rates of ``samples(_:)``, with a strap that is never taken off.
    func seconds(_ index: Int) -> [HeartRateSample] {
        let day = day(index), known = samples(index).heartRates
        var random = random(index, .seconds), next = 0, samples: [HeartRateSample] = []
        samples.reserveCapacity(86_400)
        for time in stride(from: day.span.lowerBound, to: day.span.upperBound, by: 1000) {
            while next < known.count, known[next].time <= time { next += 1 }
            let rate = Self.rate(at: time, known, next) ?? form(index).resting + 14
            let beats = min(max(rate + random.around(Self.flutter), 38), 190).rounded()
            samples.append(HeartRateSample(time: time, beatsPerMinute: UInt16(beats), contact: .detected))
        }
        return samples
    }

    /// Linear between two known ones; that of the first or last one before and behind them.
    private static func rate(at time: Milliseconds, _ known: [HeartRateSample], _ next: Int) -> Double? {
        guard let after = next < known.count ? known[next] : known.last else { return nil }
        guard next > 0, next < known.count else { return Double(after.beatsPerMinute) }
        let before = known[next - 1], share = Double(time - before.time) / Double(after.time - before.time)
        return Double(before.beatsPerMinute) + (Double(after.beatsPerMinute) - Double(before.beatsPerMinute)) * share
    }
}
