/// The reference of a value for somebody's age and sex. It is no diagnosis: it says where most healthy people lie, or what is
/// recommended.
public struct ReferenceRange: Sendable, Hashable {
    /// The meaning of the limits.
    public enum Basis: Sendable, Hashable {
        /// Within lie 95 to 98 of 100 healthy people.
        case population
        /// Averages of healthy groups.
        case groupMeans
        /// The recommendation of a panel or of a study of outcomes.
        case recommendation
        /// Classes of a guideline.
        case classes
    }

    public enum Place: String, Sendable, Hashable, CaseIterable {
        case below, within, above
    }

    /// Lowest and highest value within, in the unit of the ``ReferenceQuantity``; nil where there is no such limit.
    public let low: Double?, high: Double?
    public let basis: Basis
    public let source: ReferenceSource
    /// Ages in full years for which the source gives these limits.
    public let ages: ClosedRange<Int>
    /// Whether the limits are those of one sex.
    public let isBySex: Bool

    init(
        _ low: Double?, _ high: Double?, _ basis: Basis, _ source: ReferenceSource, ages: ClosedRange<Int>, isBySex: Bool = false
    ) {
        (self.low, self.high, self.basis, self.source, self.ages, self.isBySex) = (low, high, basis, source, ages, isBySex)
    }

    /// The same limits in another unit.
    /// - Parameters:
    ///   - factor: so many of it are one of this range's.
    ///   - zero: what zero of this range's unit is in the other one.
    public func converted(factor: Double, zero: Double) -> ReferenceRange {
        func limit(_ value: Double?) -> Double? { value.map { $0 * factor + zero } }
        return ReferenceRange(limit(low), limit(high), basis, source, ages: ages, isBySex: isBySex)
    }

    /// Where a value lies. Both limits are within.
    /// - Returns: nil for a value that is no number.
    public func place(of value: Double) -> Place? {
        guard value.isFinite else { return nil }
        if let low, value < low { return .below }
        if let high, value > high { return .above }
        return .within
    }
}

/// Of whom the reference is asked.
public struct ReferenceSubject: Sendable, Hashable {
    /// Full years; nil where it is not known.
    public var age: Int?
    /// nil where it is not known, or neither.
    public var isFemale: Bool?

    public init(age: Int?, isFemale: Bool?) { (self.age, self.isFemale) = (age, isFemale) }
}

/// A quantity with references.
public enum ReferenceQuantity: String, Sendable, Hashable, CaseIterable {
    /// Beats a minute, awake and at rest.
    case restingHeartRate
    /// RMSSD at rest, in milliseconds.
    case heartRateVariability
    /// Blood pressure measured by others, mm[Hg]. ``BloodPressureClass`` judges both together.
    case systolicPressure, diastolicPressure
    /// Percent, at sea level, breathing air.
    case oxygenSaturation
    /// Degrees Celsius.
    case bodyTemperature
    /// Kilograms by square metre.
    case bodyMassIndex
    /// Steps in a day.
    case stepsPerDay
    /// Hours of sleep in a night.
    case sleepPerNight
}
