public import Vitals

/// The personal data that the energy of a run depends on, beside the heart rate.
public struct Body: Hashable, Sendable, Codable {
    /// Kilograms.
    public var weight: Double
    /// Years.
    public var age: Double
    public var isFemale: Bool

    public init(weight: Double, age: Double, isFemale: Bool) {
        self.weight = weight
        self.age = age
        self.isFemale = isFemale
    }
}

/// The heart rate between start and finish, of those who agreed to show it: who calls decides that.
public struct HeartSummary: Hashable, Sendable, Codable {
    /// Beats per minute, over time and not over samples.
    public var average: Double
    /// Beats per minute.
    public var max: Int
    /// Kilojoules; nil without a body.
    public var energy: Double?

    /// A value holds until the next one, for as long as this at most (milliseconds): a strap sends every second, a lost one nothing.
    private static let holds: Milliseconds = 10_000

    /// nil without any valid reading in the time. Readings without skin contact and impossible ones do not count.
    public init?(_ samples: [HeartRateSample], in time: ClosedRange<Milliseconds>, body: Body? = nil) {
        let valid = samples.filter {
            time.contains($0.time) && $0.contact != .notDetected && $0.beatsPerMinute > 0
                && $0.beatsPerMinute <= SampleLimits.beatsPerMinuteMax
        }.sorted { ($0.time, $0.beatsPerMinute) < ($1.time, $1.beatsPerMinute) }
        guard let highest = valid.map(\.beatsPerMinute).max() else { return nil }
        var beats = 0.0, minutes = 0.0, energy = 0.0
        for (index, sample) in valid.enumerated() {
            let until = Swift.min(index + 1 < valid.count ? valid[index + 1].time : time.upperBound, sample.time + Self.holds)
            let part = Double(Swift.max(until - sample.time, 0)) / 60_000
            minutes += part
            beats += part * Double(sample.beatsPerMinute)
            if let body { energy += part * Swift.max(Self.power(Double(sample.beatsPerMinute), body), 0) }
        }
        // All at one instant: their plain mean.
        average = minutes > 0 ? beats / minutes : valid.reduce(0) { $0 + Double($1.beatsPerMinute) } / Double(valid.count)
        max = Int(highest)
        self.energy = body == nil ? nil : energy
    }

    /// Kilojoules a minute from the heart rate (Keytel and others 2005, Journal of Sports Sciences 23(3), without oxygen uptake).
    private static func power(_ rate: Double, _ body: Body) -> Double {
        body.isFemale
            ? -20.4022 + 0.4472 * rate - 0.1263 * body.weight + 0.074 * body.age
            : -55.0969 + 0.6309 * rate + 0.1988 * body.weight + 0.2017 * body.age
    }
}
