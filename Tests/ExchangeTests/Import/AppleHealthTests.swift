import Exchange
import TestSupport
import Testing
import Vitals

@Suite struct AppleHealthTests {
    /// With the document type and the namespaces of a real export; made up.
    static func document(_ body: String, end: String = "</HealthData>\n") -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE HealthData [
        <!-- HealthKit Export Version: 12 -->
        <!ELEMENT HealthData (ExportDate,Me,(Record|Correlation|Workout)*)>
        <!ATTLIST Record
          type CDATA #REQUIRED
          unit CDATA #IMPLIED
        >
        <!-- The phone's records of a [correlation] stand here, too: <Record type="HKQuantityTypeIdentifierStepCount"/> -->
        <!ENTITY bomb "boom">
        ]>
        <HealthData locale="it_IT">
         <ExportDate value="2024-06-01 10:00:00 +0200"/>
         <Me HKCharacteristicTypeIdentifierDateOfBirth="1980-01-01"/>
        \(body)
        \(end)
        """
    }

    static func record(_ type: String, _ value: String, unit: String = "", start: String = "07:00:00", end: String = "07:10:00") -> String {
        """
         <Record type="\(type)" sourceName="Anna&#8217;s Watch" sourceVersion="10.1" device="&lt;&lt;HKDevice: 0x1&gt;, name:Apple Watch, \
        manufacturer:Apple Inc., model:Watch, hardware:Watch6,2, software:10.1&gt;" unit="\(unit)" \
        creationDate="2024-05-01 08:00:00 +0200" startDate="2024-05-01 \(start) +0200" endDate="2024-05-01 \(end) +0200" value="\(value)"/>

        """
    }

    private func read(_ body: String, inPiecesOf size: Int = 4096) -> Imported {
        AppleHealthReader(now: importTime).all(of: Self.document(body).utf8, inPiecesOf: size)
    }

    @Test(
        "DATA-2: Apple Health's quantities become samples in the table's units",
        arguments: [
            ("StepCount", "812", "count", "steps 812 for 600 s"), ("DistanceWalkingRunning", "1.5", "km", "distance 1500.0 for 600 s"),
            ("DistanceWalkingRunning", "0.5", "mi", "distance 804.7 for 600 s"),
            ("DistanceCycling", "100", "ft", "distance 30.5 for 600 s"),
            ("ActiveEnergyBurned", "41.84", "kJ", "active_energy 10.0 for 600 s"),
            ("ActiveEnergyBurned", "12.5", "Cal", "active_energy 12.5 for 600 s"),
            ("BasalEnergyBurned", "70.24", "kcal", "resting_energy 70.2 for 600 s"), ("BodyMass", "160", "lb", "weight 72.57"),
            ("BodyMass", "11", "st", "weight 69.85"), ("BodyMass", "72.5", "kg", "weight 72.50"), ("Height", "180", "cm", "height 180.0"),
            ("Height", "5.9055", "ft", "height 180.0"), ("Height", "70", "in", "height 177.8"), ("Height", "1.8", "m", "height 180.0"),
            ("OxygenSaturation", "0.97", "%", "oxygen_saturation 97.0"), ("OxygenSaturation", "1", "%", "oxygen_saturation 100.0"),
            ("OxygenSaturation", "95", "%", "oxygen_saturation 95.0"), ("BodyTemperature", "98.6", "degF", "body_temperature 37.00"),
            ("BodyTemperature", "36.65", "degC", "body_temperature 36.65"),
            ("DietaryEnergyConsumed", "2092", "kJ", "nutrition_energy 500.0 for 600 s"),
            ("DietaryWater", "0.5", "L", "water 500 for 600 s"),
            ("DietaryWater", "8", "fl_oz_us", "water 237 for 600 s"), ("RunningSpeed", "9", "km/hr", "speed 2.50"),
        ])
    func quantities(type: String, value: String, unit: String, sample: String) throws {
        let imported = read(Self.record("HKQuantityTypeIdentifier" + type, value, unit: unit))
        #expect(imported.scalars == [sample])
        #expect(imported.report.problems.isEmpty && imported.report.unknown.isEmpty)
        let part = try #require(imported.parts.first)
        #expect(part.source == HealthImport.Source(name: "Anna’s Watch", device: "Apple Watch (Watch6,2)") && part.stated == nil)
        // 07:00 +0200.
        #expect(part.samples.scalars[0].time == 1_714_539_600_000)
    }

    @Test(
        "DATA-2: Apple Health's heart rates, sleep, stand hours and workouts become samples, however the bytes are cut",
        arguments: [1, 7, 100_000])
    func kinds(size: Int) throws {
        let stages = ["InBed", "AsleepUnspecified", "AsleepCore", "AsleepDeep", "AsleepREM", "Awake", "Asleep"]
        let body =
            Self.record("HKQuantityTypeIdentifierHeartRate", "71.6", unit: "count/min")
            + stages.map { Self.record("HKCategoryTypeIdentifierSleepAnalysis", "HKCategoryValueSleepAnalysis" + $0) }.joined()
            + Self.record("HKCategoryTypeIdentifierAppleStandHour", "HKCategoryValueAppleStandHourStood", end: "08:00:00")
            + Self.record("HKCategoryTypeIdentifierAppleStandHour", "HKCategoryValueAppleStandHourIdle", end: "08:00:00")
                + """
                 <Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="30" durationUnit="min" sourceName="Watch"
                  startDate="2024-05-01 18:00:00 +0200" endDate="2024-05-01 18:30:00 +0200">
                  <MetadataEntry key="HKIndoorWorkout" value="1"/>
                  <WorkoutStatistics type="HKQuantityTypeIdentifierDistanceWalkingRunning" sum="5" unit="km"/>
                  <WorkoutRoute sourceName="Watch"><FileReference path="/workout-routes/route_1.gpx"/></WorkoutRoute>
                 </Workout>
                 <Workout workoutActivityType="HKWorkoutActivityTypePickleball" sourceName="Watch"
                  startDate="2024-05-01 19:00:00 +0200" endDate="2024-05-01 19:30:00 +0200"/>
                """
        let imported = read(body, inPiecesOf: size)
        #expect(imported.samples.heartRates == [HeartRateSample(time: 1_714_539_600_000, beatsPerMinute: 72)])
        #expect(
            imported.scalars == ["in_bed", "asleep", "light", "deep", "rem", "awake", "asleep"].map { "sleep \($0) for 600 s" } + [
                "stand_hours 1 for 3600 s", "activity running / 1 for 1800 s", "activity other for 1800 s",
            ])
        #expect(imported.report.problems.isEmpty && imported.report.unknown.isEmpty)
        #expect(imported.report.leftOut == [.personalDetails: 1, .idleHours: 1, .workoutTotals: 1])
        #expect(imported.report.created == 1_717_228_800_000 && imported.report.bytes == Self.document(body).utf8.count)
        #expect(imported.report.samples == ["heart_rate": 1, "sleep": 7, "stand_hours": 1, "activity": 2])
    }

    @Test("DATA-2: a blood pressure stands in Apple's export three times, and is read once")
    func pressures() {
        let top = "HKQuantityTypeIdentifierBloodPressure"
        let both = Self.record(top + "Systolic", "128", unit: "mmHg") + Self.record(top + "Diastolic", "84", unit: "mmHg")
        let correlation =
            "<Correlation type=\"HKCorrelationTypeIdentifierBloodPressure\" startDate=\"2024-05-01 07:00:00 +0200\">\(both)</Correlation>"
        for body in [both + correlation, correlation + both, correlation, both] {
            let imported = read(body)
            #expect(imported.scalars == ["blood_pressure 128 / 84"])
            #expect(imported.report.problems.isEmpty)
        }
        let half = read(Self.record(top + "Systolic", "128", unit: "mmHg"))
        #expect(half.scalars.isEmpty && half.problems == ["missing diastolic line 15"])
    }

    @Test("DATA-2: types without a kind are counted by name, and the names are bounded")
    func unknown() {
        let types = Array(repeating: "VO2Max", count: 3) + ["HeartRateVariabilitySDNN"] + (0..<300).map { "Made\($0)" }
        let imported = read(types.map { Self.record("HKQuantityTypeIdentifier\($0)", "1", unit: "x") }.joined())
        #expect(imported.report.unknown["HKQuantityTypeIdentifierVO2Max"] == 3)
        #expect(imported.report.unknown.count == HealthImport.Limits.unknownNamesMax)
        #expect(imported.report.unknown.values.reduce(0, +) + imported.report.unknownOthers == 304)
        #expect(imported.parts.isEmpty && imported.report.problems.isEmpty)
    }

    @Test("DATA-3: what cannot be a sample is refused by reason and line, and the rest is read")
    func refused() {
        let good = Self.record("HKQuantityTypeIdentifierStepCount", "1", unit: "count")
        let body =
            Self.record("HKQuantityTypeIdentifierBodyMass", "9999", unit: "kg")
            + Self.record("HKQuantityTypeIdentifierBodyMass", "x", unit: "kg")
            + Self.record("HKQuantityTypeIdentifierBodyMass", "70", unit: "mi")
            + Self.record("HKQuantityTypeIdentifierHeartRate", "1e9", unit: "count/min")
            + Self.record("HKQuantityTypeIdentifierStepCount", "1", unit: "count", start: "25:00:00")
            + Self.record("HKQuantityTypeIdentifierStepCount", "1", unit: "count", end: "06:00:00")
            + Self.record("HKCategoryTypeIdentifierSleepAnalysis", "HKCategoryValueSleepAnalysisLevitating")
            + good.replacing("2024-05-01 07", with: "1999-05-01 07") + good.replacing("2024", with: "2027") + good
            + good.replacing(" value=\"1\"", with: "")
        let imported = read(body)
        #expect(imported.scalars == ["steps 1 for 600 s"])
        #expect(
            imported.problems == [
                "outOfRange weight line 15", "value weight line 16", "unit weight line 17", "outOfRange heart_rate line 18", "time line 19",
                "outOfRange steps line 20", "value sleep line 21", "time steps line 22 x2", "missing value line 25",
            ])
    }

    @Test("DATA-2: a file that is cut short or damaged is read as far as it goes, and says so")
    func damaged() {
        let good = Self.record("HKQuantityTypeIdentifierStepCount", "1", unit: "count"), reader = AppleHealthReader(now: importTime)
        let whole = Array(Self.document(good + good).utf8)
        let cut = reader.all(of: whole[..<(whole.count - 40)])
        #expect(cut.scalars.count == 1 && cut.problems == ["cut line 16"])
        let lost = good.replacing("value=\"1\"/>", with: "value=\"1/>")
        let faulty = reader.all(of: Self.document(good + lost + good).utf8)
        #expect(faulty.scalars.count == 2 && faulty.problems == ["markup line 16"])
        let long = reader.all(of: Self.document(good + "<Record type=\"" + String(repeating: "x", count: 200_000) + "\"/>" + good).utf8)
        #expect(long.scalars.count == 2 && long.problems.first == "tooLong 65536 line 16")
        #expect(reader.all(of: "".utf8).problems == ["empty file"])
        #expect(reader.all(of: "<gpx/>".utf8).problems == ["unknownFormat file"])
    }

    @Test("DATA-2: nothing that a document type defines is expanded")
    func entities() {
        let bomb = """
            <!DOCTYPE HealthData [<!ENTITY a "1"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">
            <!ENTITY file SYSTEM "file:///etc/passwd">]>
            <HealthData>\(Self.record("HKQuantityTypeIdentifierStepCount", "&c;", unit: "count"))
            \(Self.record("HKQuantityTypeIdentifierBodyMass", "70", unit: "kg").replacing("Anna&#8217;s", with: "&file;"))</HealthData>
            """
        let imported = AppleHealthReader(now: importTime).all(of: bomb.utf8)
        #expect(imported.scalars == ["weight 70.00"] && imported.problems == ["value steps line 3"])
        #expect(imported.parts.first?.source.name == "&file; Watch")
    }

    @Test("DATA-2: samples come in parts of bounded size, those of each source together")
    func parts() {
        let one = Self.record("HKQuantityTypeIdentifierStepCount", "1", unit: "count"), other = one.replacing("Anna", with: "Bruno")
        let imported = read(String(repeating: one + other, count: 5000))
        #expect(imported.samples.scalars.count == 10_000 && imported.parts.count == 6)
        #expect(imported.parts.allSatisfy { $0.samples.count <= HealthImport.Limits.partSamplesMax })
        #expect(Set(imported.parts.map(\.source.name)) == ["Anna’s Watch", "Bruno’s Watch"])
        let many = read((0..<1000).map { one.replacing("Anna", with: "P\($0)") }.joined())
        #expect(Set(many.parts.map(\.source.name)).count == 1000)
    }
}
