internal import Vitals

/// The personal data that energy depends on, beside the heart rate.
public struct EnergyBody: Sendable, Hashable {
    /// Kilograms.
    public let weight: Double
    /// Centimetres.
    public let height: Double
    /// Full years.
    public let age: Int
    public let isFemale: Bool

    /// - Returns: nil outside of 25 to 300 kg, 120 to 230 cm, 18 to 110 years: the formulas were made of adults.
    public init?(weight: Double, height: Double, age: Int, isFemale: Bool) {
        guard (25...300).contains(weight), (120...230).contains(height), (18...110).contains(age) else { return nil }
        (self.weight, self.height, self.age, self.isFemale) = (weight, height, age, isFemale)
    }

    /// Resting energy, kilocalories a day (Mifflin and St Jeor, 1990), never below 500.
    public var restingPerDay: Double {
        max(500, 10 * weight + 6.25 * height - 5 * Double(age) + (isFemale ? -161 : 5))
    }

    /// Whether the formula of resting energy was made of people of that age: 19 to 78 years.
    public var isWithinResting: Bool { (19...78).contains(age) }

    /// Whether the formula of active energy was made of such people: 18 to 45 years, 47 to 120 kg (Keytel et al., 2005).
    public var isWithinActive: Bool { (18...45).contains(age) && (47...120).contains(weight) }
}

/// Energy from the heart rate, minute by minute.
///
/// Above the flex heart rate the whole energy of a minute is Keytel's, and what exceeds the resting energy is active. Below it a raised
/// heart may be coffee or a quarrel: nothing is active (Spurr et al., Am J Clin Nutr 48:552-559, 1988).
public struct EnergyFromHeartRate: Sendable, Hashable {
    public let body: EnergyBody
    /// Beats a minute.
    public let flex: Double

    /// The means of 11 men and 9 women, beats a minute (Ceesay et al., Br J Nutr 61:175-186, 1989): between the highest at rest and the
    /// lowest of the lightest exercise.
    public static func flex(isFemale: Bool) -> Double { isFemale ? 96 : 86 }

    /// Kilocalories by litre of oxygen, and millilitres a minute and kilogram that nobody of Keytel's exceeded: no minute takes more.
    static let perLitre = 5.0, oxygenMax = 81.0

    /// - Parameter flex: the person's own, 60 to 130 beats a minute; nil or anything else for that of the sex.
    public init(_ body: EnergyBody, flex: Double? = nil) {
        self.body = body
        self.flex = flex.flatMap { (60...130).contains($0) ? $0 : nil } ?? Self.flex(isFemale: body.isFemale)
    }

    /// Kilocalories a minute at rest.
    public var restingPerMinute: Double { body.restingPerDay / 1440 }

    /// Kilocalories of a minute above those at rest.
    /// - Parameter heartRate: mean of the minute, beats a minute; above 240 it counts as 240.
    /// - Returns: 0 up to the flex heart rate and for what is no number.
    public func activePerMinute(heartRate: Double) -> Double {
        guard heartRate.isFinite, heartRate > flex else { return 0 }
        let rate = min(heartRate, 240), age = Double(body.age)
        let kilojoules =
            body.isFemale
            ? -20.4022 + 0.4472 * rate - 0.1263 * body.weight + 0.074 * age
            : -55.0969 + 0.6309 * rate + 0.1988 * body.weight + 0.2017 * age
        let most = Self.oxygenMax / 1000 * body.weight * Self.perLitre
        return max(0, min(kilojoules / 4.184, most) - restingPerMinute)
    }

    /// The active energy of each minute that has any, in its kind's resolution.
    /// - Parameter minutes: rollups of ``DataKind/heartRate`` by the minutes since 1970, UTC. Minutes with less than `readingsMin` readings
    ///   tell nothing: one reading of a watch that looks each five minutes does not stand for a minute of exercise.
    public func active(_ minutes: [Int64: Rollup], readingsMin: Int64 = 2) -> [DerivedValue] {
        var carried = 0.0
        return minutes.sorted { $0.key < $1.key }.compactMap { minute, rollup in
            guard rollup.count >= readingsMin, let mean = rollup.mean else { return nil }
            let energy = activePerMinute(heartRate: mean) * 10
            guard energy > 0 else { return nil }
            let whole = (energy + carried).rounded()
            carried += energy - whole
            return value(.activeEnergy, whole, from: minute, minutes: 1, .activeEnergyFromHeartRate, isWithin: body.isWithinActive)
        }
    }

    /// The resting energy of whole hours.
    /// - Parameter hours: since 1970, UTC.
    public func resting(_ hours: Range<Int64>) -> [DerivedValue] {
        hours.compactMap {
            value(
                .restingEnergy, (restingPerMinute * 600).rounded(), from: $0.multipliedReportingOverflow(by: 60).partialValue, minutes: 60,
                .restingEnergyFromBody, isWithin: body.isWithinResting)
        }
    }

    private func value(
        _ kind: DataKind, _ whole: Double, from minute: Int64, minutes: Int64, _ method: DerivationMethod, isWithin: Bool
    ) -> DerivedValue? {
        let (start, overflow) = minute.multipliedReportingOverflow(by: RollupBuilder.minute)
        guard !overflow, whole > 0,
            let sample = ScalarSample(kind, time: start, value: Int64(whole), end: start.addingClamped(minutes * RollupBuilder.minute))
        else { return nil }
        return DerivedValue(sample, by: method, isExtrapolated: !isWithin)
    }
}
