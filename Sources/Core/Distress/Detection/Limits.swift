public import Vitals

/// The limits of heart rate in beats per minute: at or beyond them a reading is abnormal.
public struct HeartRateLimits: Hashable, Sendable, Codable {
    public var criticalLow: Int
    public var warningLow: Int
    public var warningHigh: Int
    public var criticalHigh: Int

    public init(criticalLow: Int, warningLow: Int, warningHigh: Int, criticalHigh: Int) {
        self.criticalLow = criticalLow
        self.warningLow = warningLow
        self.warningHigh = warningHigh
        self.criticalHigh = criticalHigh
    }
}

/// One row of the table by age, with the outer bounds that neither a baseline nor a person passes (SOS-2).
public struct AgeRow: Hashable, Sendable {
    public let ages: ClosedRange<Int>
    public let limits: HeartRateLimits
    /// How far critical and warning limits can be moved.
    public let criticalLow, criticalHigh, warningLow, warningHigh: ClosedRange<Int>
    public let source: String

    /// So far, in beats per minute beyond the table, a baseline may move a critical limit outwards.
    public static let widerLowMax = 5, widerHighMax = 15

    /// The widest critical limits that a baseline can give; what lies beyond needs an override.
    public var widestByBaseline: ClosedRange<Int> {
        max(
            limits.criticalLow - Self.widerLowMax, criticalLow.lowerBound)...min(
                limits.criticalHigh + Self.widerHighMax, criticalHigh.upperBound)
    }
}

/// Limits by age in years.
public enum AgeTable {
    /// Younger children are not watched: no source at hand gives limits that hold for them outside a hospital.
    public static let youngest = 4

    public static let rows: [AgeRow] = [
        AgeRow(
            ages: 4...11,
            limits: HeartRateLimits(criticalLow: 50, warningLow: 59, warningHigh: 141, criticalHigh: 151),
            criticalLow: 40...60, criticalHigh: 130...180, warningLow: 45...65, warningHigh: 110...160,
            source: "critical: worst bands of bedside charts for 4 to 12 years (50 and less, over 150); warning: PALS awake 60 to 140"),
        AgeRow(
            ages: 12...15,
            limits: HeartRateLimits(criticalLow: 40, warningLow: 50, warningHigh: 121, criticalHigh: 151),
            criticalLow: 35...55, criticalHigh: 120...170, warningLow: 41...60, warningHigh: 100...150,
            source: "critical: the wider of both neighbours' worst bands; warning: PALS over 10 years 60 to 100, widened for sleep and play"
        ),
        AgeRow(
            ages: 16...150,
            limits: HeartRateLimits(criticalLow: 40, warningLow: 50, warningHigh: 111, criticalHigh: 131),
            criticalLow: 30...50, criticalHigh: 111...150, warningLow: 35...60, warningHigh: 100...140,
            source: "NEWS2 pulse: worst band 40 and less, 131 and more; next band 41 to 50, 111 to 130"),
    ]

    /// The row for an age; an unknown age is an adult's. nil for children younger than ``youngest`` and for what is no age.
    public static func row(age: Int?) -> AgeRow? {
        guard let age else { return rows.last }
        return rows.first { $0.ages.contains(age) }
    }

    /// Tanaka 2001: 208 - 0.7 age, by which people differ by more than 10 bpm. An unknown age counts as 18: wrong towards silence.
    public static func maximumHeartRate(age: Int?) -> Int { 208 - 7 * min(max(age ?? 18, youngest), 110) / 10 }
    /// The addition to it for the limit during exercise, and to the person's own maximum.
    public static let aboveMaximum = 20, abovePersonalMaximum = 10
    /// The addition to that limit where the rate did not leap to it but climbed: 20 are two standard deviations of people's maxima
    /// around the formula (Tanaka 2001: 10), so that one in 44 passes them by their own force; three of them one in 740.
    public static let aboveForClimb = 10
    /// No limit during exercise lies higher.
    public static let exerciseHighMax = 230
}

/// Body temperature in hundredths of a degree Celsius.
public enum TemperatureLimits {
    /// NEWS2: 35.0 and less is its worst band, 39.1 and more the worst of the high ones.
    public static let warningLow = 3500, warningHigh = 3910
    /// Under 32 °C people lose consciousness (Swiss staging, HT II); over 40 °C is the heat stroke's (Bouchama and Knochel 2002).
    public static let criticalLow = 3200, criticalHigh = 4010
    /// The addition of exercise to the high ones: a runner's 40 °C is no heat stroke by itself.
    public static let exerciseAddition = 100
    /// The range of a living body. A sensor that lies on the table is colder.
    public static let countedRange: ClosedRange<Int> = 2500...4500
    /// What cools by more than ``coolingNoise``, and ``coolingPerHour`` beside it, was taken off: people have lost up to 9 °C an hour, buried by
    /// avalanches (Oberhammer 2008).
    public static let coolingPerHour = 1200, coolingNoise = 30
    /// A thermometer is worn again from so much below the last temperature that it showed when it was.
    public static let wornAgainMargin = 100
    /// Thermometers tell now and then: readings farther apart are not consecutive.
    public static let gapMax: Milliseconds = 600_000
}
