public import Vitals

/// A session or a lap with what the file says of it as a whole.
public struct ActivitySection: Sendable, Hashable {
    public var sport: ActivitySport?
    /// UTC.
    public var start: Milliseconds?
    /// From start to end, pauses included.
    public var elapsed: Milliseconds?
    /// The time that the device's timer ran.
    public var timer: Milliseconds?
    /// 0.01 m.
    public var distance: Int64?
    /// Kilocalories.
    public var energy: Int64?
    /// Beats per minute.
    public var averageHeartRate: UInt16?, maximumHeartRate: UInt16?
    /// 0.01 m/s.
    public var maximumSpeed: Int32?
    /// Metres.
    public var ascent: Int64?, descent: Int64?
    /// Watts.
    public var averagePower: UInt16?

    public init(sport: ActivitySport? = nil, start: Milliseconds? = nil) { (self.sport, self.start) = (sport, start) }

    /// UTC: the start and what passed since; nil where one is unknown.
    public var end: Milliseconds? {
        guard let start, let length = elapsed ?? timer else { return nil }
        let (end, overflow) = start.addingReportingOverflow(length)
        return overflow ? nil : end
    }

    /// Several as one: sums, the maximum of maxima, and means weighted by the timer. A sum lacks what a section does not say.
    init(sum sections: [ActivitySection]) {
        func sum(_ value: (ActivitySection) -> Int64?) -> Int64? {
            let values = sections.compactMap(value)
            return values.isEmpty ? nil : values.reduce(0) { $0.addingReportingOverflow($1).partialValue }
        }
        func mean(_ value: (ActivitySection) -> UInt16?) -> UInt16? {
            var total = 0.0, weights = 0.0
            for section in sections {
                guard let value = value(section) else { continue }
                let weight = Double(max(1, section.timer ?? section.elapsed ?? 1))
                total += Double(value) * weight
                weights += weight
            }
            return weights > 0 ? UInt16(clamping: Int64((total / weights).rounded())) : nil
        }
        let sports = Set(sections.compactMap(\.sport))
        sport = sports.count == 1 ? sports.first : nil
        start = sections.compactMap(\.start).min()
        (elapsed, timer) = (sum(\.elapsed), sum(\.timer))
        (distance, energy) = (sum(\.distance), sum(\.energy))
        (ascent, descent) = (sum(\.ascent), sum(\.descent))
        (averageHeartRate, averagePower) = (mean(\.averageHeartRate), mean(\.averagePower))
        maximumHeartRate = sections.compactMap(\.maximumHeartRate).max()
        maximumSpeed = sections.compactMap(\.maximumSpeed).max()
    }
}
