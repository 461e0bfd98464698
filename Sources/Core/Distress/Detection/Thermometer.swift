import Vitals

/// Whether a thermometer is on a body. Thermometers do not say so, and one that lies on a table in a warm room must not be taken for somebody
/// who freezes: a low temperature counts only where it came down as slowly as a body cools.
struct Thermometer: Hashable, Sendable, Codable {
    private struct Mark: Hashable, Sendable, Codable {
        var time: Milliseconds, value: Int
    }

    /// The highest temperature that the body can still have, had it cooled as fast as bodies do since it was shown. It stays as it is while the
    /// thermometer is off. nil: it has shown no body's temperature yet.
    private var ceiling: Mark?
    /// The last reading of any value.
    private var latest: Milliseconds?
    private var isOff = false
    var isRejectionTold = false

    /// Takes a reading in hundredths of a degree. nil: it counts.
    mutating func judge(_ value: Int, at time: Milliseconds) -> Rejection? {
        // After a long silence nothing is known of it.
        if let latest, time - latest > TemperatureLimits.gapMax { (ceiling, isOff) = (nil, false) }
        latest = time
        guard TemperatureLimits.countedRange.contains(value) else {
            isOff = isOff || value < TemperatureLimits.countedRange.lowerBound
            return .outOfRange(value)
        }
        let possible = possible(at: time)
        // Every temperature that a body can have without being cold counts: nobody is alarmed by it.
        guard value > TemperatureLimits.warningLow || value >= lowest(below: possible) else {
            if !isOff, let possible { ceiling = Mark(time: time, value: possible) }
            isOff = true
            return .notOnBody(from: possible, to: value)
        }
        return accept(value, under: possible, at: time)
    }

    private func possible(at time: Milliseconds) -> Int? {
        guard let ceiling, !isOff else { return ceiling?.value }
        return ceiling.value - Int((time - ceiling.time) * Milliseconds(TemperatureLimits.coolingPerHour) / 3_600_000)
    }

    /// The lowest value that is a body's.
    private func lowest(below possible: Int?) -> Int {
        guard let possible else { return (isOff ? TemperatureLimits.warningLow : TemperatureLimits.criticalLow) + 1 }
        return possible - (isOff ? TemperatureLimits.wornAgainMargin : TemperatureLimits.coolingNoise)
    }

    private mutating func accept(_ value: Int, under possible: Int?, at time: Milliseconds) -> Rejection? {
        if isOff || value >= possible ?? value { ceiling = Mark(time: time, value: value) }
        isOff = false
        return nil
    }
}
