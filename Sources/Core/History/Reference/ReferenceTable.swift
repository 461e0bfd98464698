/// The cited tables behind ``ReferenceRange``. Where a source gives nothing for an age there is no reference: nothing is extrapolated.
public enum ReferenceTable {
    /// The reference that a quantity is compared with.
    ///
    /// Where the source tells the sexes apart and the subject's is not known, the range spans both.
    /// - Returns: nil for an unknown age, or one that the source does not cover.
    public static func range(of quantity: ReferenceQuantity, for subject: ReferenceSubject) -> ReferenceRange? {
        guard let age = subject.age else { return nil }
        let rows = rows(of: quantity).filter { $0.range.ages.contains(age) }
        guard let first = rows.first else { return nil }
        guard first.range.isBySex else { return first.range }
        if let isFemale = subject.isFemale { return rows.first { $0.isFemale == isFemale }?.range }
        return rows.dropFirst().reduce(first.range) { spanning($0, $1.range) }
    }

    private struct Row {
        let range: ReferenceRange
        /// Of which sex; nil for both.
        var isFemale: Bool?

        init(_ range: ReferenceRange, isFemale: Bool? = nil) { (self.range, self.isFemale) = (range, isFemale) }
    }

    private static func spanning(_ one: ReferenceRange, _ other: ReferenceRange) -> ReferenceRange {
        let low = one.low.flatMap { low in other.low.map { min(low, $0) } },
            high = one.high.flatMap { high in other.high.map { max(high, $0) } }
        return ReferenceRange(low, high, one.basis, one.source, ages: one.ages)
    }

    private static func rows(of quantity: ReferenceQuantity) -> [Row] {
        switch quantity {
        case .restingHeartRate: restingHeartRate
        // Mean 42 ms less two standard deviations of 15 ms. High values are no finding. From 60 years on medians are near 16 ms (Tegegne et
        // al., Eur J Prev Cardiol 27:2191, 2020), so that this limit would call healthy people low.
        case .heartRateVariability: [Row(ReferenceRange(12, nil, .population, .nunan2010, ages: 18...59))]
        // High normal pressure is still within. The classes hold for all ages from 16 years on; there is no class for low pressure.
        case .systolicPressure: [Row(ReferenceRange(nil, 139, .classes, .escESH2018, ages: 16...120))]
        case .diastolicPressure: [Row(ReferenceRange(nil, 89, .classes, .escESH2018, ages: 16...120))]
        case .oxygenSaturation: [Row(ReferenceRange(94, nil, .recommendation, .bts2017, ages: 16...120))]
        case .bodyTemperature: [Row(bodyTemperature(at: nil))]
        // Below 20 years growth charts by month of age take its place.
        case .bodyMassIndex: [Row(ReferenceRange(18.5, 24.99, .classes, .who2000, ages: 20...120))]
        case .stepsPerDay: stepsPerDay
        case .sleepPerNight: sleepPerNight
        }
    }

    // MARK: Heart rate

    /// Children: 1st to 99th percentile (table 4). Adults: 2nd to 98th percentile of 46,129 people with a low probability of heart disease.
    private static let restingHeartRate: [Row] =
        [
            (2...2, 76, 142), (3...3, 70, 136), (4...5, 65, 131), (6...7, 59, 123), (8...11, 52, 115), (12...14, 47, 108),
            (15...17, 43, 104),
        ].map { Row(ReferenceRange($1, $2, .population, .fleming2011, ages: $0)) }
        + [Row(ReferenceRange(48, 98, .population, .mason2007, ages: 18...120))]

    // MARK: Temperature

    /// Where the temperature was taken.
    public enum TemperatureSite: Sendable, Hashable, CaseIterable {
        case rectal, tympanic, oral, axillary
    }

    /// The range of adults' temperature: mean and two standard deviations of 7,636 healthy people. Sexes do not differ; from 60 years on it
    /// is lower by 0.23 degrees on average.
    /// - Parameter site: nil where it is not known: then the range spans all of them.
    public static func bodyTemperature(at site: TemperatureSite?) -> ReferenceRange {
        let (low, high) =
            switch site {
            case .rectal: (36.32, 37.76)
            case .tympanic: (35.76, 37.52)
            case .oral: (35.73, 37.41)
            case .axillary: (35.01, 36.93)
            case nil: (35.01, 37.76)
            }
        return ReferenceRange(low, high, .population, .geneva2019, ages: 18...120)
    }

    // MARK: Days and nights

    /// Children: what groups of them take on average. Adults: where the risk of death stops falling.
    private static let stepsPerDay = [
        Row(ReferenceRange(12_000, 16_000, .groupMeans, .tudorLocke2011, ages: 6...11, isBySex: true), isFemale: false),
        Row(ReferenceRange(10_000, 13_000, .groupMeans, .tudorLocke2011, ages: 6...11, isBySex: true), isFemale: true),
        Row(ReferenceRange(8_000, nil, .recommendation, .paluch2022, ages: 18...59)),
        Row(ReferenceRange(6_000, nil, .recommendation, .paluch2022, ages: 60...120)),
    ]

    private static let sleepPerNight: [Row] = [
        (1...2, 11, 14), (3...5, 10, 13), (6...13, 9, 11), (14...17, 8, 10), (18...64, 7, 9), (65...120, 7, 8),
    ].map { Row(ReferenceRange($1, $2, .recommendation, .hirshkowitz2015, ages: $0)) }
}
