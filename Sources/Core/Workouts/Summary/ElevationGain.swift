internal import Vitals

/// The source of heights: it says how much of their change is noise.
public enum AltitudeSource: Sendable, Hashable {
    /// Satellites alone: heights drift by more than places do.
    case satellites
    /// A barometer.
    case barometer

    /// Metres that a way goes up or down until it counts.
    public var threshold: Double { self == .barometer ? 2 : 10 }

    /// Milliseconds over which heights are averaged, before and behind.
    var window: Milliseconds { self == .barometer ? 5_000 : 30_000 }

    /// The mean of the heights around each.
    func smoothed(_ heights: [(time: Milliseconds, metres: Double?)]) -> [Double?] {
        var from = 0, to = 0, sum = 0.0, count = 0
        return heights.map { time, metres in
            while to < heights.count, heights[to].time - time <= window {
                if let height = heights[to].metres { (sum, count) = (sum + height, count + 1) }
                to += 1
            }
            while time - heights[from].time > window {
                if let height = heights[from].metres { (sum, count) = (sum - height, count - 1) }
                from += 1
            }
            return metres != nil && count > 0 ? sum / Double(count) : nil
        }
    }
}

/// Metres up and down, with hysteresis: only what goes on for a threshold counts, then whole. It keeps three numbers.
public struct ElevationGain: Sendable, Hashable {
    /// Metres.
    public let threshold: Double
    private var settledUp = 0.0, settledDown = 0.0
    private var lowest: Double?, highest: Double?
    private enum Way: Sendable { case unknown, up, down }
    private var way = Way.unknown
    public private(set) var least: Double?, greatest: Double?

    /// - Parameter threshold: metres, above 0.
    public init(threshold: Double) { self.threshold = max(threshold, 0.1) }

    /// Takes the next height, in metres.
    public mutating func take(_ height: Double) {
        guard height.isFinite else { return }
        (least, greatest) = (min(least ?? height, height), max(greatest ?? height, height))
        guard let low = lowest, let high = highest else {
            (lowest, highest) = (height, height)
            return
        }
        switch way {
        case .up:
            highest = max(high, height)
            if let top = highest, top - height >= threshold {
                settledUp += top - low
                (lowest, highest, way) = (height, top, .down)
            }
        case .down:
            lowest = min(low, height)
            if let bottom = lowest, height - bottom >= threshold {
                settledDown += high - bottom
                (lowest, highest, way) = (bottom, height, .up)
            }
        case .unknown:
            (lowest, highest) = (min(low, height), max(high, height))
            if height - min(low, height) >= threshold {
                (highest, way) = (height, .up)
            } else if max(high, height) - height >= threshold {
                (lowest, way) = (height, .down)
            }
        }
    }

    private var going: Double { (highest ?? 0) - (lowest ?? 0) }
    /// Metres up so far.
    public var up: Double { settledUp + (way == .up ? going : 0) }
    /// Metres down so far.
    public var down: Double { settledDown + (way == .down ? going : 0) }
}
