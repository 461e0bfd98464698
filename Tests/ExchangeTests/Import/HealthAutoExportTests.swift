import Exchange
import TestSupport
import Testing
import Vitals

/// What the app Health Auto Export posts, in the form of its documentation; all values are made up.
@Suite struct HealthAutoExportTests {
    private func read(_ text: String, inPiecesOf size: Int = 4096) -> Imported {
        HealthAutoExportReader(now: importTime).all(of: text.utf8, inPiecesOf: size)
    }

    private func metric(_ name: String, _ units: String, _ points: String...) -> String {
        #"{"data":{"metrics":[{"name":"\#(name)","units":"\#(units)","data":[\#(points.joined(separator: ","))]}]}}"#
    }

    private func quantity(_ number: String) -> String { #"{"qty":\#(number),"date":"2026-02-06 14:30:00 -0800","source":"Watch"}"# }

    @Test(
        "DATA-13: each quantity of the app is of its kind, in each unit",
        arguments: [
            ("step_count", "count", "8500", "steps 8500"), ("walking_running_distance", "km", "1.5", "distance 1500.0"),
            ("cycling_distance", "mi", "2", "distance 3218.7"), ("active_energy", "kJ", "418.4", "active_energy 100.0"),
            ("basal_energy_burned", "kcal", "70.25", "resting_energy 70.3"), ("weight_body_mass", "lb", "160", "weight 72.57"),
            ("height", "cm", "175", "height 175.0"), ("body_temperature", "degF", "98.6", "body_temperature 37.00"),
            ("blood_oxygen_saturation", "%", "97", "oxygen_saturation 97.0"),
            ("blood_oxygen_saturation", "%", "0.97", "oxygen_saturation 97.0"),
            ("dietary_energy", "kcal", "640", "nutrition_energy 640.0"), ("dietary_water", "fl_oz_us", "8", "water 237"),
            ("apple_stand_hour", "count", "1", "stand_hours 1"), ("running_speed", "km/hr", "10.8", "speed 3.00"),
            ("cycling_cadence", "count/min", "80", "cadence 80.0"),
        ])
    func quantities(name: String, units: String, number: String, sample: String) {
        let read = self.read(metric(name, units, quantity(number)))
        #expect(read.scalars == [sample] && read.problems.isEmpty)
        // 14:30 eight hours west of Greenwich.
        #expect(read.samples.scalars.first?.time == 1_770_417_000_000 && read.parts.first?.source.name == "Watch")
    }

    @Test("DATA-13: pressures, stages of sleep and workouts are read, however the body is cut", arguments: [1, 7, 4096])
    func spans(size: Int) {
        let night = #"{"startDate":"2026-02-06 23:00:00 +0100","endDate":"2026-02-06 23:40:00 +0100","qty":0.67,"value":"Core"}"#
        let pressure = #"{"date":"2026-02-06 14:30:00 -0800","systolic":121,"diastolic":79}"#
        let text = """
            {"data":{"metrics":[{"name":"blood_pressure","units":"mmHg","data":[\(pressure)]},
            {"name":"sleep_analysis","units":"hr","data":[\(night)]}],
            "workouts":[{"id":"1","name":"Outdoor Run","start":"2026-02-06 07:00:00 +0100","end":"2026-02-06 07:45:00 +0100"},
            {"id":"2","name":"Yoga","start":"2026-02-07 07:00:00 +0100","end":"2026-02-07 07:30:00 +0100"}]}}
            """
        let read = self.read(text, inPiecesOf: size)
        let activities = ["activity running / 0 for 2700 s", "activity other for 1800 s"]
        #expect(read.scalars == ["blood_pressure 121 / 79", "sleep light for 2400 s"] + activities)
        #expect(read.problems.isEmpty && read.report.leftOut.isEmpty)
    }

    @Test("DATA-13: what is no single value is left out, and what is wrong is told with its place")
    func leftOut() {
        let heart = read(metric("heart_rate", "bpm", #"{"date":"2026-02-06 14:30:00 -0800","Min":60,"Avg":70,"Max":80}"#))
        #expect(heart.samples.isEmpty && heart.report.leftOut == [.averages: 1] && heart.problems.isEmpty)
        let night = #"{"date":"2026-02-06","totalSleep":7.2,"deep":1.1,"sleepStart":"2026-02-05 23:00:00 +0100"}"#
        #expect(read(metric("sleep_analysis", "hr", night)).report.leftOut == [.daySummaries: 1])
        let early = #"{"qty":7,"date":"2026-11-27 11:59:30 +0000"}"#, whole = #"{"qty":9,"date":"2026-11-27 11:59:00 +0000"}"#
        let running = metric("step_count", "count", early, whole)
        #expect(read(running).scalars == ["steps 9"], "the minute is not over, and its sum grows")
        #expect(read(metric("vo2_max", "ml/(kg·min)", quantity("44"))).report.unknown == ["vo2_max": 1])
        let wrong = metric("weight_body_mass", "kg", quantity("-5"), quantity("null"), #"{"qty":72,"date":"yesterday"}"#, quantity("72"))
        let found = read(wrong), place = "weight weight_body_mass"
        #expect(found.scalars == ["weight 72.00"])
        #expect(found.problems == ["outOfRange \(place)[0]", "value \(place)[1]", "time \(place)[2]"])
        #expect(read(metric("weight_body_mass", "stone", quantity("11"))).problems == ["unit weight weight_body_mass[0]"])
        #expect(read(#"{"data":{"metrics":[]}}"#).problems.isEmpty)
        #expect(read(#"{"data":{"metrics":[{"#).problems == ["notJSON file"])
        for text in [#"{"data":[]}"#, "{}"] { #expect(read(text).problems == ["unknownFormat file"], "\(text)") }
        #expect(read("").problems == ["empty file"])
    }

    @Test("DATA-13: the app's bodies are told from our own")
    func fits() throws {
        #expect(HealthAutoExportReader.fits(Array("{ \n \"data\" : {\"metrics\":[]}}".utf8)))
        let lines = try JSONLinesWriter().file(of: SampleSet.everyScalar(), from: .live)
        #expect(!HealthAutoExportReader.fits(lines) && !HealthAutoExportReader.fits([]) && !HealthAutoExportReader.fits(Array("[]".utf8)))
    }
}
