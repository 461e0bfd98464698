/// Where a limit came from.
public enum LimitSource: String, Hashable, Sendable, Codable {
    case ageTable, baseline, override
}

/// The limits in force for one person: the table by age, moved by the baseline, then by the person or a caregiver, never beyond the outer
/// bounds of the age (SOS-2).
///
/// The baseline moves warnings both ways; critical limits it only widens. Resting median + 25 is about 90 beats per minute for most
/// people, and stairs pass that: as a critical limit it would call an ambulance for them. It widens by ``AgeRow/widerLowMax`` and
/// ``AgeRow/widerHighMax`` at most.
public struct EffectiveLimits: Hashable, Sendable, Codable {
    public var rest: HeartRateLimits
    /// The high limit during exercise. There is no warning above it, and no other low limit.
    public var exerciseHigh: Int
    /// Below this the heart is at rest, for telling vehicles from exercise.
    public var restCeiling: Int
    public var lowSource: LimitSource
    public var highSource: LimitSource

    /// nil for an age that the table does not cover.
    public init?(_ settings: DistressSettings) {
        guard let row = AgeTable.row(age: settings.age) else { return nil }
        var limits = row.limits
        (lowSource, highSource) = (.ageTable, .ageTable)
        if let personal = settings.personal {
            let usualLow = personal.restingMedian - personal.spread
            let usualHigh = personal.restingMedian + personal.spread
            let widest = row.widestByBaseline
            limits.criticalLow = Self.clamp(min(limits.criticalLow, usualLow), widest)
            limits.criticalHigh = Self.clamp(max(limits.criticalHigh, usualHigh), widest)
            limits.warningLow = Self.clamp(usualLow, row.warningLow)
            limits.warningHigh = Self.clamp(usualHigh, row.warningHigh)
            if limits.criticalLow != row.limits.criticalLow { lowSource = .baseline }
            if limits.criticalHigh != row.limits.criticalHigh { highSource = .baseline }
        }
        if let low = settings.overrides.criticalLow {
            limits.criticalLow = Self.clamp(low, row.criticalLow)
            lowSource = .override
        }
        if let high = settings.overrides.criticalHigh {
            limits.criticalHigh = Self.clamp(high, row.criticalHigh)
            highSource = .override
        }
        // A warning lies inside the critical limits, or it is none.
        limits.warningLow = max(limits.warningLow, limits.criticalLow)
        limits.warningHigh = min(limits.warningHigh, limits.criticalHigh)
        rest = limits
        let expected = AgeTable.maximumHeartRate(age: settings.age) + AgeTable.aboveMaximum
        let own = (settings.personal?.maximum ?? 0) + AgeTable.abovePersonalMaximum
        exerciseHigh = max(min(max(expected, own), AgeTable.exerciseHighMax), limits.criticalHigh)
        // The median is that of true rest, mostly of sleep: somebody who sits in a bus is above it.
        restCeiling = max(
            settings.personal.map { $0.restingMedian + DistressConstants.restAboveMedian } ?? 0, DistressConstants.restUnknown)
    }

    private static func clamp(_ value: Int, _ range: ClosedRange<Int>) -> Int { min(max(value, range.lowerBound), range.upperBound) }

    /// The limit during exercise where the rate has climbed to it.
    public var climbHigh: Int { max(exerciseHigh, min(exerciseHigh + AgeTable.aboveForClimb, AgeTable.exerciseHighMax)) }

    /// The limits in a context. `recovered`: 0 at the end of exercise to 1 when recovery is over.
    func limits(in context: Context, recovered: Double, isClimb: Bool = false) -> HeartRateLimits {
        var limits = rest
        let exerciseHigh = isClimb ? climbHigh : exerciseHigh
        switch context {
        case .rest, .home, .unknown: break
        case .exercise:
            limits.criticalHigh = exerciseHigh
            limits.warningHigh = exerciseHigh
        case .recovery:
            limits.criticalHigh = exerciseHigh - Int(Double(exerciseHigh - rest.criticalHigh) * recovered)
            limits.warningHigh = limits.criticalHigh
        }
        return limits
    }
}
