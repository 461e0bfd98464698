/// The table of kinds (DATA-1). To add a kind: a case of ``DataKind``, a row here, a text `kind.NAME` in each language.
/// Bins and classes of a kind never change once it was released: what was counted by them stays counted.
extension KindEntry {
    private static let day: Milliseconds = 86_400_000

    // MARK: Kinds with columns of their own

    static let heartRate = KindEntry(
        "heart_rate", .own, unit: "/min", loinc: "8867-4", range: 0...Int64(SampleLimits.beatsPerMinuteMax),
        sources: [.bluetooth(0x180D), .imported],
        uses: [.asked, .exported, .shown, .alarms], subject: .heart, rollUp: RollUp(.readings, binWidth: 1),
        classes: Classes(40, width: 5, typical: 72), densityMax: SampleDensity.heartRatesMax)
    static let position = KindEntry(
        "position", .own, unit: "deg", decimals: 7, range: -1_800_000_000...1_800_000_000, sources: [.satellites, .manual, .imported],
        uses: [.asked, .exported, .shown, .alarms], subject: .movement, rollUp: RollUp(.presence, binWidth: 1),
        classes: Classes(0, width: 1, typical: 7, unit: ""), densityMax: SampleDensity.positionsMax)
    static let event = KindEntry(
        "event", .own, unit: "", range: .min ... .max, sources: [.derived, .manual], uses: [.asked, .exported, .shown, .alarms],
        subject: .safety, rollUp: nil,
        densityMax: SampleDensity.eventsMax)
    static let gap = KindEntry(
        "gap", .own, unit: "", range: .min ... .max, sources: [.derived], uses: [.exported, .shown], subject: .safety, rollUp: nil,
        densityMax: SampleLimits.gapsMax)
    static let clock = KindEntry(
        "clock", .own, unit: "ms", range: .min ... .max, sources: [.derived], uses: [], subject: .safety, rollUp: nil,
        densityMax: SampleLimits.clocksMax)

    // MARK: Parts of them

    static let rrIntervals = KindEntry(
        "rr_intervals", .part(of: .heartRate), unit: "ms", loinc: "8637-1", range: 0...Int64(UInt16.max),
        sources: [.bluetooth(0x180D), .imported],
        uses: [.asked, .exported, .shown, .alarms], subject: .heart, rollUp: RollUp(.readings, binWidth: 8, hasSuccessiveDifferences: true),
        classes: Classes(400, width: 50, typical: 850), densityMax: SampleDensity.heartRatesMax)
    static let energyExpended = KindEntry(
        "energy_expended", .part(of: .heartRate), unit: "kJ", range: 0...Int64(UInt16.max), sources: [.bluetooth(0x180D)],
        uses: [.asked, .exported, .shown], subject: .energy, rollUp: nil, densityMax: SampleDensity.heartRatesMax)
    static let flaggedEvent = KindEntry(
        "flagged_event", .part(of: .event), unit: "", range: .min ... .max, sources: [.derived, .manual, .imported],
        uses: [.asked, .exported, .shown, .alarms], subject: .safety, rollUp: nil, densityMax: SampleDensity.eventsMax)

    // MARK: Scalars of sensors

    static let bodyTemperature = KindEntry(
        "body_temperature", unit: "Cel", decimals: 2, loinc: "8310-5", range: 2_000...4_500,
        sources: [.bluetooth(0x1809), .imported, .manual],
        uses: [.asked, .exported, .shown, .alarms], subject: .body, rollUp: RollUp(.readings, binWidth: 10),
        classes: Classes(3_500, width: 25, typical: 3_670), densityMax: SampleDensity.eventsMax)
    static let steps = KindEntry(
        "steps", unit: "{steps}", loinc: "55423-8", range: 0...200_000, span: .optional(max: day), sources: [.imported, .derived, .manual],
        uses: [.asked, .exported, .shown], subject: .movement, rollUp: RollUp(.amounts, binWidth: 10),
        classes: Classes(0, width: 1_500, typical: 7_000), isActivity: true)
    /// Steps or turns of the crank.
    static let cadence = KindEntry(
        "cadence", unit: "/min", decimals: 1, range: 0...4_000, sources: [.bluetooth(0x1814), .bluetooth(0x1816), .imported],
        uses: [.asked, .exported, .shown, .alarms], subject: .movement, rollUp: RollUp(.readings, binWidth: 10),
        classes: Classes(400, width: 100, typical: 1_200), isActivity: true, trackPoint: .cadence, densityMax: SampleDensity.eventsMax)
    /// The distance walked, run or ridden during the span.
    static let distance = KindEntry(
        "distance", unit: "m", decimals: 1, loinc: "55430-3", range: 0...20_000_000, span: .optional(max: day),
        sources: [.bluetooth(0x1814), .imported, .derived, .manual], uses: [.asked, .exported, .shown], subject: .movement,
        rollUp: RollUp(.amounts, binWidth: 100), classes: Classes(0, width: 10_000, typical: 50_000), isActivity: true)
    static let speed = KindEntry(
        "speed", unit: "m/s", decimals: 2, range: 0...15_000, sources: [.bluetooth(0x1814), .bluetooth(0x1816), .imported],
        uses: [.asked, .exported, .shown], subject: .movement, rollUp: RollUp(.readings, binWidth: 20),
        classes: Classes(0, width: 50, typical: 200), isActivity: true, trackPoint: .speed, densityMax: SampleDensity.eventsMax)

    // MARK: Scalars of the body

    static let weight = KindEntry(
        "weight", unit: "kg", decimals: 2, loinc: "29463-7", range: 20...65_000, sources: [.bluetooth(0x181D), .imported, .manual],
        uses: [.asked, .exported, .shown], subject: .body, rollUp: RollUp(.readings, binWidth: 10),
        classes: Classes(1_000, width: 750, typical: 7_200))
    static let height = KindEntry(
        "height", unit: "cm", decimals: 1, loinc: "8302-2", range: 100...2_800, sources: [.imported, .manual],
        uses: [.asked, .exported, .shown], subject: .body, rollUp: RollUp(.readings, binWidth: 5),
        classes: Classes(800, width: 75, typical: 1_690))
    /// The value is the systolic pressure.
    static let bloodPressure = KindEntry(
        "blood_pressure", unit: "mm[Hg]", loinc: "8480-6", range: 20...350,
        second: Second(name: "diastolic", range: 10...250, loinc: "8462-4", isRequired: true, isLower: true),
        sources: [.bluetooth(0x1810), .imported, .manual], uses: [.asked, .exported, .shown], subject: .heart,
        rollUp: RollUp(.readings, binWidth: 1), classes: Classes(80, width: 8, typical: 124))
    /// By pulse oximetry (SpO2).
    static let oxygenSaturation = KindEntry(
        "oxygen_saturation", unit: "%", decimals: 1, loinc: "59408-5", range: 0...1000,
        sources: [.bluetooth(0x1822), .imported, .manual], uses: [.asked, .exported, .shown], subject: .heart,
        rollUp: RollUp(.readings, binWidth: 1), classes: Classes(840, width: 10, typical: 965), densityMax: SampleDensity.eventsMax)
    static let activeEnergy = KindEntry(
        "active_energy", unit: "kcal", decimals: 1, loinc: "41981-2", range: 0...300_000, span: .optional(max: day),
        sources: [.imported, .derived, .manual], uses: [.asked, .exported, .shown], subject: .energy,
        rollUp: RollUp(.amounts, binWidth: 100), classes: Classes(0, width: 1_000, typical: 4_500), isActivity: true)
    static let restingEnergy = KindEntry(
        "resting_energy", unit: "kcal", decimals: 1, range: 0...150_000, span: .optional(max: day),
        sources: [.imported, .derived, .manual],
        uses: [.asked, .exported, .shown], subject: .energy, rollUp: RollUp(.amounts, binWidth: 100),
        classes: Classes(8_000, width: 1_000, typical: 15_500), isActivity: true)

    // MARK: Scalars of the day

    /// Hours in which the person stood.
    static let standHours = KindEntry(
        "stand_hours", unit: "h", range: 0...24, span: .optional(max: day), sources: [.imported, .manual],
        uses: [.asked, .exported, .shown], subject: .movement, rollUp: RollUp(.amounts, binWidth: 1),
        classes: Classes(0, width: 1, typical: 10), isActivity: true)
    static let sleep = KindEntry(
        "sleep", unit: "", range: 0...5, codes: ["in_bed", "asleep", "awake", "light", "deep", "rem"], span: .required(max: day),
        sources: [.imported, .manual], uses: [.asked, .exported, .shown], subject: .sleep, rollUp: RollUp(.seconds, binWidth: 1),
        classes: Classes(180, width: 30, typical: 420, unit: "min"), isActivity: true)
    static let nutritionEnergy = KindEntry(
        "nutrition_energy", unit: "kcal", decimals: 1, loinc: "9052-2", range: 0...300_000, span: .optional(max: day),
        sources: [.imported, .manual], uses: [.asked, .exported, .shown], subject: .energy, rollUp: RollUp(.amounts, binWidth: 100),
        classes: Classes(5_000, width: 2_500, typical: 21_000))
    static let water = KindEntry(
        "water", unit: "mL", range: 0...30_000, span: .optional(max: day), sources: [.imported, .manual],
        uses: [.asked, .exported, .shown], subject: .energy, rollUp: RollUp(.amounts, binWidth: 50),
        classes: Classes(0, width: 250, typical: 1_600))
    static let activity = KindEntry(
        "activity", unit: "", loinc: "73985-4", range: 0...11,
        codes: [
            "other", "walking", "running", "cycling", "hiking", "swimming", "rowing", "skiing", "gymnastics", "strength", "dancing",
            "team_sport",
        ], second: Second(name: "place", range: 0...1, isRequired: false, codes: ["outdoor", "indoor"]), span: .required(max: 7 * day),
        sources: [.imported, .derived, .manual], uses: [.asked, .exported, .shown], subject: .movement,
        rollUp: RollUp(.seconds, binWidth: 1), classes: Classes(0, width: 15, typical: 45, unit: "min"), isActivity: true)

    // MARK: Attachments

    /// An ``ECGStrip``. Range and unit are those of its values.
    static let ecg = KindEntry(
        "ecg", .attachment, unit: "uV", loinc: "11524-6",
        range: Int64(-ECGStrip.Limits.microvoltsMax)...Int64(ECGStrip.Limits.microvoltsMax),
        sources: [.imported], uses: [.asked, .exported, .shown], subject: .heart, rollUp: nil, densityMax: 1)
}
