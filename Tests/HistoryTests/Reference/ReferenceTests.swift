import History
import Testing

@Suite struct ReferenceTests {
    private static func range(_ quantity: ReferenceQuantity, _ age: Int?, isFemale: Bool? = nil) -> ReferenceRange? {
        ReferenceTable.range(of: quantity, for: ReferenceSubject(age: age, isFemale: isFemale))
    }

    @Test(
        "DATA-4: each reference names its publication, covers the age that was asked for, and has a limit",
        arguments: ReferenceQuantity.allCases)
    func cited(_ quantity: ReferenceQuantity) throws {
        var covered = 0
        for age in 0...120 {
            for isFemale in [true, false, nil] {
                guard let range = Self.range(quantity, age, isFemale: isFemale) else { continue }
                covered += 1
                #expect(range.ages.contains(age) && (range.low != nil || range.high != nil))
                if let low = range.low, let high = range.high { #expect(low < high) }
                #expect(range.source.citation.contains("20") && range.source.key == "reference.\(range.source.rawValue)")
            }
        }
        #expect(covered > 0)
        #expect(Self.range(quantity, nil) == nil && Self.range(quantity, -1) == nil && Self.range(quantity, 121) == nil)
    }

    @Test("DATA-4: the limits are those of the publications")
    func values() throws {
        func limits(_ quantity: ReferenceQuantity, _ age: Int, isFemale: Bool? = nil) -> [Double?] {
            Self.range(quantity, age, isFemale: isFemale).map { [$0.low, $0.high] } ?? []
        }
        #expect(limits(.restingHeartRate, 40) == [48, 98] && limits(.restingHeartRate, 13) == [47, 108])
        #expect(limits(.heartRateVariability, 30) == [12, nil] && limits(.heartRateVariability, 70).isEmpty)
        #expect(limits(.systolicPressure, 16) == [nil, 139] && limits(.diastolicPressure, 80) == [nil, 89])
        #expect(limits(.systolicPressure, 15).isEmpty)
        #expect(limits(.oxygenSaturation, 50) == [94, nil])
        #expect(limits(.bodyTemperature, 50) == [35.01, 37.76])
        #expect(limits(.bodyMassIndex, 20) == [18.5, 24.99] && limits(.bodyMassIndex, 19).isEmpty)
        #expect(limits(.stepsPerDay, 59) == [8000, nil] && limits(.stepsPerDay, 60) == [6000, nil])
        #expect(limits(.sleepPerNight, 17) == [8, 10] && limits(.sleepPerNight, 64) == [7, 9] && limits(.sleepPerNight, 65) == [7, 8])
    }

    @Test("DATA-4: where a source tells the sexes apart the own one counts; unknown, both together")
    func sexes() throws {
        let boys = try #require(Self.range(.stepsPerDay, 8, isFemale: false)),
            girls = try #require(Self.range(.stepsPerDay, 8, isFemale: true))
        #expect(boys.isBySex && [boys.low, boys.high] == [12_000, 16_000] && [girls.low, girls.high] == [10_000, 13_000])
        let both = try #require(Self.range(.stepsPerDay, 8))
        #expect(!both.isBySex && [both.low, both.high] == [10_000, 16_000])
    }

    @Test("DATA-4: children's hearts slow down with each year, and each age has one range")
    func children() throws {
        let ranges = try (2...17).map { try #require(Self.range(.restingHeartRate, $0)) }
        for (younger, older) in zip(ranges, ranges.dropFirst()) {
            let lows = try (#require(younger.low), #require(older.low)), highs = try (#require(younger.high), #require(older.high))
            #expect(lows.0 >= lows.1 && highs.0 >= highs.1)
        }
        #expect(Set(ranges.map(\.ages)).reduce(0) { $0 + $1.count } == 16)
    }

    @Test("DATA-4: a value is below, within or above; both limits are within, and what is no number is nowhere")
    func places() throws {
        let heart = try #require(Self.range(.restingHeartRate, 40))
        #expect([47.9, 48, 70, 98, 98.1].map(heart.place) == [.below, .within, .within, .within, .above])
        #expect(heart.place(of: .nan) == nil && heart.place(of: .infinity) == nil)
        let oxygen = try #require(Self.range(.oxygenSaturation, 40))
        #expect(oxygen.place(of: 93.9) == .below && oxygen.place(of: 100) == .within)
        let pressure = try #require(Self.range(.systolicPressure, 40))
        #expect(pressure.place(of: 60) == .within && pressure.place(of: 140) == .above)
    }

    @Test("DATA-4: temperatures depend on where they were taken; unknown, all of them are spanned")
    func sites() throws {
        let whole = ReferenceTable.bodyTemperature(at: nil), low = try #require(whole.low), high = try #require(whole.high)
        for site in ReferenceTable.TemperatureSite.allCases {
            let range = ReferenceTable.bodyTemperature(at: site)
            let limits = try (#require(range.low), #require(range.high))
            #expect(limits.0 >= low && limits.1 <= high)
        }
        #expect(ReferenceTable.bodyTemperature(at: .axillary).place(of: 37.2) == .above)
        #expect(ReferenceTable.bodyTemperature(at: .rectal).place(of: 37.2) == .within)
    }

    @Test(
        "DATA-4: blood pressure has the classes of ESC and ESH, by the higher of the two",
        arguments: [
            (119, 79, BloodPressureClass.optimal), (120, 79, .normal), (119, 80, .normal), (129, 84, .normal), (130, 70, .highNormal),
            (120, 85, .highNormal), (139, 89, .highNormal), (140, 89, .isolatedSystolic), (190, 70, .isolatedSystolic), (139, 90, .grade1),
            (159, 99, .grade1), (160, 95, .grade2), (150, 100, .grade2), (180, 90, .grade3), (150, 110, .grade3),
        ])
    func pressures(systolic: Int64, diastolic: Int64, expected: BloodPressureClass) {
        let found = BloodPressureClass(systolic: systolic, diastolic: diastolic)
        #expect(found == expected)
        #expect(found?.place == (expected < .grade1 ? .within : .above))
    }

    @Test("DATA-4: pressures that nobody has are in no class")
    func noPressures() {
        #expect(BloodPressureClass(systolic: 80, diastolic: 81) == nil && BloodPressureClass(systolic: 19, diastolic: 10) == nil)
        #expect(BloodPressureClass(systolic: .max, diastolic: .min) == nil)
    }
}
