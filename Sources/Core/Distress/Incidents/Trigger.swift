public import Vitals

/// A cause of a question or an alarm. Each is silenced, and armed again, by itself.
public enum Trigger: String, Hashable, Sendable, Codable, CaseIterable {
    case heartRateLow, heartRateHigh
    /// A beat that did not come for more than ``DistressConstants/pauseMin``. Values are the rates that such intervals amount to.
    case heartPause
    case temperatureLow, temperatureHigh
    /// Told by a device or an app that notices falls.
    case fall
    /// Told by a device or an app that notices seizures.
    case seizure
    /// No sign of life for as long as the person chose, or by the time of day (SOS-24). Values are minutes: of the first reading since the last
    /// sign, of the latest one since nothing could be seen, 0 where that is no reason.
    case inactivity
    /// The person asked for help (SOS-16).
    case help
    /// One of a newer version: an alarm like any other.
    case unknown

    var isHeartRate: Bool { self == .heartRateLow || self == .heartRateHigh }
    /// A run of readings that leaps from too slow to too fast is one.
    func isOfOneRun(with other: Trigger) -> Bool { self == other || (isHeartRate && other.isHeartRate) }
}

extension Trigger: WireWord {
    public var nearestIn030: Trigger {
        switch self {
        case .heartRateLow, .heartRateHigh, .temperatureLow, .temperatureHigh, .fall, .seizure, .help: self
        case .heartPause: .heartRateLow
        case .inactivity, .unknown: .help
        }
    }
}

/// How grave: critical goes to the emergency chain, a warning to the caregiver.
public enum Tier: String, Hashable, Sendable, Codable, CaseIterable {
    case warning, critical
}

extension Tier: WireWord {
    public static let unknown = Tier.critical
    public var nearestIn030: Tier {
        switch self {
        case .warning, .critical: self
        }
    }
}

/// An event that a device flags by itself (SOS-2). It is a report, not a measurement: it asks, and raises without an answer.
public enum Flag: String, Hashable, Sendable, Codable, CaseIterable {
    case fall, seizure

    var trigger: Trigger { self == .fall ? .fall : .seizure }
}

/// The person's activity, as far as movement tells.
public enum Context: String, Hashable, Sendable, Codable, CaseIterable {
    case rest, exercise, recovery
    /// No fix tells whether the person moves, and the box that hears the sensor stays where it is.
    case home
    /// No fix tells whether the person moves.
    case unknown
}

extension Context: WireWord {
    public var nearestIn030: Context {
        switch self {
        case .rest, .exercise, .recovery, .unknown: self
        case .home: .unknown
        }
    }
}

/// One measured value that counted.
public struct Reading: Hashable, Sendable, Codable {
    public var time: Milliseconds
    /// Beats per minute, or hundredths of a degree Celsius.
    public var value: Int
    public var key: SampleKey

    public init(time: Milliseconds, value: Int, key: SampleKey) {
        self.time = time
        self.value = value
        self.key = key
    }

    /// Hundredths of a degree, and not a rate: heart rates are counted apart (``SampleKey/kind``).
    public var isTemperature: Bool { key.kind != .heartRate }
}

/// Something beyond a limit, as it stands so far.
public struct Abnormality: Hashable, Sendable, Codable {
    public var trigger: Trigger
    public var tier: Tier
    /// The limit that was in force at the first reading: at or below it, or at or above it. nil for flagged events and help.
    public var limit: Int?
    public var context: Context
    /// The first qualifying reading: the incident's id follows from its key.
    public var first: Reading
    /// The latest, and the one farthest beyond the limit.
    public var latest: Reading
    public var worst: Int
    /// The number in a row, for now.
    public var count: Int
    /// The signal went away before the third reading.
    public var isLost: Bool
    /// How long the person has to answer, from the first reading, in milliseconds.
    public var answerTime: Milliseconds

    public init(
        trigger: Trigger, tier: Tier, limit: Int?, context: Context, first: Reading, latest: Reading, worst: Int, count: Int,
        isLost: Bool = false, answerTime: Milliseconds = DistressConstants.answerTime
    ) {
        self.trigger = trigger
        self.tier = tier
        self.limit = limit
        self.context = context
        self.first = first
        self.latest = latest
        self.worst = worst
        self.count = count
        self.isLost = isLost
        self.answerTime = answerTime
    }
}
