public import Vitals

/// Limits from a person's own rest: made by ``Baseline`` in the hub, sent to the box, which keeps the last one.
/// It holds measured figures and no limits, so that box and hub come to the same limits by the same code.
public struct PersonalLimits: Hashable, Sendable, Codable {
    /// Counts up with each computation: a box takes only a higher one.
    public var version: Int
    /// UTC milliseconds.
    public var computedAt: Milliseconds
    /// Median of the resting rate over the last 14 days, in beats per minute.
    public var restingMedian: Int
    /// Median of the absolute deviations from it.
    public var restingDeviation: Int
    /// Days with rest data of which it was made: 7 to 14.
    public var days: Int
    /// The highest rate that the person had for minutes, where exercise was seen.
    public var maximum: Int?

    public init(version: Int, computedAt: Milliseconds, restingMedian: Int, restingDeviation: Int, days: Int, maximum: Int? = nil) {
        self.version = version
        self.computedAt = computedAt
        self.restingMedian = restingMedian
        self.restingDeviation = restingDeviation
        self.days = days
        self.maximum = maximum
    }

    /// Deviations, and at least beats per minute, around the median that are still usual.
    public static let deviations = 6, spreadMin = 25

    /// The usual spread around the median.
    public var spread: Int { max(Self.deviations * restingDeviation, Self.spreadMin) }
}

/// Critical limits as the person or a caregiver set them: the only way to a limit wider than ``AgeRow/widestByBaseline``. Who set them, and when, is logged by whoever keeps the settings.
public struct LimitOverrides: Hashable, Sendable, Codable {
    public var criticalLow: Int?
    public var criticalHigh: Int?

    public init(criticalLow: Int? = nil, criticalHigh: Int? = nil) {
        self.criticalLow = criticalLow
        self.criticalHigh = criticalHigh
    }

    /// Whether one of them lies beyond what a baseline can give: nobody is called then for a rate that is critical for others of that age.
    public func isWiderThanByBaseline(age: Int?) -> Bool {
        guard let widest = AgeTable.row(age: age)?.widestByBaseline else { return false }
        return criticalLow.map { $0 < widest.lowerBound } ?? false || criticalHigh.map { $0 > widest.upperBound } ?? false
    }

    /// The problem with them for a person of that age; nil when they are within safe limits.
    public func problem(age: Int?) -> LimitProblem? {
        guard let row = AgeTable.row(age: age) else { return .ageNotCovered }
        if let low = criticalLow, !row.criticalLow.contains(low) { return .low(low, safe: row.criticalLow) }
        if let high = criticalHigh, !row.criticalHigh.contains(high) { return .high(high, safe: row.criticalHigh) }
        return nil
    }
}

/// Why limits of one's own are not taken, and what would be. Beats per minute.
public enum LimitProblem: Error, Hashable, Sendable {
    /// There are no limits for children below ``AgeTable/youngest``.
    case ageNotCovered
    case low(Int, safe: ClosedRange<Int>)
    case high(Int, safe: ClosedRange<Int>)
}

/// A person's choices about AutomatedSOS, and the facts known about them.
public struct DistressSettings: Hashable, Sendable, Codable {
    /// The person turned it on (SOS-1). Asking for help works also while it is off.
    public var isOn: Bool
    /// "Are you OK?" is asked before the alarm; without it the alarm is raised at the third reading (SOS-5).
    public var asksFirst: Bool
    /// In years; nil when unknown.
    public var age: Int?
    public var personal: PersonalLimits?
    public var overrides: LimitOverrides
    /// SOS-4 to the letter: every alarm comes at the later of 5 s and the third reading, also where the rate may be an effort's. nil: nobody
    /// has chosen, and it is not.
    public var strict: Bool?
    /// The person is asked where there is no sign of life; nil: nobody chose that.
    public var inactivity: InactivityPlan?

    public init(
        isOn: Bool = true, asksFirst: Bool = true, age: Int? = nil, personal: PersonalLimits? = nil,
        overrides: LimitOverrides = LimitOverrides(), strict: Bool? = nil, inactivity: InactivityPlan? = nil
    ) {
        self.isOn = isOn
        self.asksFirst = asksFirst
        self.age = age
        self.personal = personal
        self.overrides = overrides
        self.strict = strict
        self.inactivity = inactivity
    }
}

extension DistressSettings {
    /// The same for a detector of version 0.3.0, which widens critical limits as far as a baseline wants: what is wider than
    /// ``AgeRow/widestByBaseline`` is set by an override.
    public var cappedFor030: DistressSettings {
        guard let personal, let row = AgeTable.row(age: age) else { return self }
        var capped = self
        let widest = row.widestByBaseline
        if overrides.criticalLow == nil, personal.restingMedian - personal.spread < widest.lowerBound {
            capped.overrides.criticalLow = widest.lowerBound
        }
        if overrides.criticalHigh == nil, personal.restingMedian + personal.spread > widest.upperBound {
            capped.overrides.criticalHigh = widest.upperBound
        }
        return capped
    }
}
