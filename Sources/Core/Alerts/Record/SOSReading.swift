public import Vitals

/// One measured value.
public struct SOSReading: Hashable, Sendable {
    public enum Value: Hashable, Sendable {
        /// Beats per minute.
        case heartRate(Int)
        /// In 0.1 degrees Celsius.
        case bodyTemperature(Int)
    }

    /// When it was measured, UTC.
    public var time: Milliseconds
    public var value: Value

    public init(time: Milliseconds, value: Value) { (self.time, self.value) = (time, value) }

    public var heartRate: Int? {
        if case .heartRate(let rate) = value { rate } else { nil }
    }
}

/// Why the alarm was raised.
public enum SOSCause: Hashable, Sendable {
    /// `limit`: the one that was passed, in beats per minute.
    case heartRateHigh(limit: Int?)
    case heartRateLow(limit: Int?)
    /// Beats that did not come for more than 3 s.
    case heartPause
    /// Beyond a limit, then the signal was lost and nobody answered.
    case criticalThenLost
    /// `limit` in 0.1 degrees Celsius.
    case bodyTemperatureHigh(limit: Int?)
    case bodyTemperatureLow(limit: Int?)
    /// As a sensor or a phone reported it.
    case fall
    case seizure
    /// The person, or somebody at the box, asked for help.
    case help
    /// A newer version of a box or hub raised it, for a cause that this one has no word for.
    case unknown

    /// The name in machine-readable formats.
    public var code: String {
        switch self {
        case .heartRateHigh: "heart-rate-high"
        case .heartRateLow: "heart-rate-low"
        case .heartPause: "heart-pause"
        case .criticalThenLost: "critical-then-lost"
        case .bodyTemperatureHigh: "body-temperature-high"
        case .bodyTemperatureLow: "body-temperature-low"
        case .fall: "fall"
        case .seizure: "seizure"
        case .help: "help"
        case .unknown: "unknown"
        }
    }

    var isTemperature: Bool {
        switch self {
        case .bodyTemperatureHigh, .bodyTemperatureLow: true
        case .heartRateHigh, .heartRateLow, .heartPause, .criticalThenLost, .fall, .seizure, .help, .unknown: false
        }
    }

    /// The limit as text with its decimal point, in the unit of the value.
    var limitText: String? {
        switch self {
        case .heartRateHigh(let limit), .heartRateLow(let limit): limit.map(String.init)
        case .bodyTemperatureHigh(let limit), .bodyTemperatureLow(let limit): limit?.tenthsText
        case .heartPause, .criticalThenLost, .fall, .seizure, .help, .unknown: nil
        }
    }
}

extension [SOSReading] {
    /// At most `count` of them, evenly chosen, the first and the last among them.
    func thinned(to count: Int) -> [SOSReading] {
        guard self.count > count, count > 1 else { return self }
        return (0..<count).map { self[$0 * (self.count - 1) / (count - 1)] }
    }

    /// Lowest and highest heart rate; nil without any.
    var heartRates: ClosedRange<Int>? {
        let rates = compactMap(\.heartRate)
        guard let low = rates.min(), let high = rates.max() else { return nil }
        return low...high
    }
}
