import Exchange
import TestSupport
import Testing
import Vitals

@Suite struct TakeoutTests {
    /// A file of `All Data` with points of one minute each from 2024-05-01T07:00:00Z on; made up.
    static func data(_ type: String, _ values: [String], source: String = "derived", stream: String = "merge_all") -> String {
        let points = values.enumerated().map { index, value in
            let start = 1_714_546_800_000_000_000 + Int64(index) * 60_000_000_000
            return """
                {"fitValue":[\(value)],"originDataSourceId":"raw:\(type):org.example.watch:Example:Band 3:1f2e:beats",
                  "endTimeNanos":\(start + 60_000_000_000),"dataTypeName":"\(type)","startTimeNanos":\(start),
                  "modifiedTimeMillis":1714546900000,"rawTimestampNanos":0}
                """
        }
        return """
            {
              "Data Source": "\(source):\(type):com.google.android.gms:\(stream)",
              "Data Points": [\(points.joined(separator: ",\n"))]
            }

            """
    }

    static func number(_ value: Double) -> String { "{\"value\":{\"fpVal\":\(value)}}" }
    static func whole(_ value: Int) -> String { "{\"value\":{\"intVal\":\(value)}}" }

    private func read(_ type: String, _ values: [String], inPiecesOf size: Int = 4096) -> Imported {
        TakeoutDataReader(now: importTime).all(of: Self.data(type, values).utf8, inPiecesOf: size)
    }

    @Test(
        "DATA-2: Google Fit's data types become samples in the table's units",
        arguments: [
            ("step_count.delta", whole(81), "steps 81 for 60 s"), ("distance.delta", number(61.25), "distance 61.3 for 60 s"),
            ("weight", number(72.5), "weight 72.50"), ("height", number(1.8), "height 180.0"), ("speed", number(2.345), "speed 2.35"),
            ("body.temperature", number(36.6) + "," + whole(1), "body_temperature 36.60"),
            ("hydration", number(0.25), "water 250 for 60 s"),
            ("oxygen_saturation", number(97.5) + "," + number(0), "oxygen_saturation 97.5"),
            ("blood_pressure", number(128) + "," + number(84), "blood_pressure 128 / 84"),
            ("sleep.segment", whole(5), "sleep deep for 60 s"),
            ("sleep.segment", whole(1), "sleep awake for 60 s"), ("activity.segment", whole(8), "activity running for 60 s"),
            ("activity.segment", whole(95), "activity walking / 1 for 60 s"), ("activity.segment", whole(100), "activity other for 60 s"),
            ("activity.segment", whole(111), "sleep rem for 60 s"),
            (
                "nutrition",
                #"{"value":{"mapVal":[{"key":"fat.total","value":{"fpVal":3}},{"key":"calories","value":{"fpVal":512.4}}]}}"#,
                "nutrition_energy 512.4 for 60 s"
            ),
        ])
    func types(type: String, value: String, sample: String) throws {
        let imported = read("com.google." + type, [value], inPiecesOf: 5)
        #expect(imported.scalars == [sample] && imported.report.problems.isEmpty)
        let part = try #require(imported.parts.first)
        #expect(part.source == HealthImport.Source(name: "org.example.watch", device: "Example Band 3"))
        #expect([1_714_546_800_000, 1_714_546_860_000].contains(part.samples.scalars[0].time))
    }

    @Test("DATA-2: Google Fit's heart rates and positions are read, and what has no kind is counted")
    func others() {
        #expect(
            read("com.google.heart_rate.bpm", [Self.number(71.6)]).samples.heartRates
                == [HeartRateSample(time: 1_714_546_860_000, beatsPerMinute: 72)])
        let position = read("com.google.location.sample", [[52.52, 13.405, 12.5, 34].map(Self.number).joined(separator: ",")])
        #expect(
            position.samples.positions == [
                PositionSample(
                    time: 1_714_546_860_000, latitude: 525_200_000, longitude: 134_050_000, altitude: 340, horizontalError: 125,
                    mode: .unknown,
                    source: .network)
            ])
        #expect(read("com.google.heart_minutes", [Self.number(1)]).report.unknown == ["com.google.heart_minutes": 1])
        #expect(read("com.google.calories.expended", [Self.number(1)]).report.leftOut == [.totalEnergy: 1])
        #expect(read("com.google.activity.segment", [Self.whole(3)]).report.leftOut == [.idleSegments: 1])
    }

    @Test("DATA-2: damaged points are counted by place, and the others are read")
    func damaged() {
        let values = ["{\"value\":{}}", Self.number(1e300), Self.number(70), "{]", Self.number(71)]
        let imported = read("com.google.weight", values)
        #expect(imported.scalars == ["weight 70.00", "weight 71.00"])
        #expect(imported.problems == ["value weight Data Points[0] x2", "notJSON Data Points[3]"])
        let whole = Self.data("com.google.weight", [Self.number(70), Self.number(71)])
        let cut = TakeoutDataReader(now: importTime).all(of: whole.utf8.dropLast(200))
        #expect(cut.scalars == ["weight 70.00"] && cut.problems == ["cut file"])
    }

    @Test("DATA-2: of each data type one source is read, sessions before segments, and days only without anything finer")
    func plan() {
        func file(_ type: String, _ source: String, _ stream: String) -> TakeoutFit.File {
            let head = Array(Self.data(type, [Self.whole(1)], source: source, stream: stream).utf8.prefix(200))
            return TakeoutFit.File(
                path: "x.json", kind: ImportFile(path: "x.json", head: head), dataSource: TakeoutFit.dataSource(of: head))
        }
        let steps = "com.google.step_count.delta", segments = "com.google.activity.segment", weight = "com.google.weight"
        let files = [
            file(steps, "raw", "a"), file(steps, "derived", "merge_step_deltas"), file(steps, "derived", "estimated_steps"),
            file(weight, "raw", "a"), file(weight, "raw", "b"), file(segments, "derived", "merge_activity_segments"),
            TakeoutFit.File(path: "2024-05-01.csv", kind: .takeoutDay), TakeoutFit.File(path: "Daily.csv", kind: .takeoutDays),
            TakeoutFit.File(path: "s.json", kind: .takeoutSession), TakeoutFit.File(path: "a.tcx", kind: .activity),
        ]
        let plan = TakeoutFit.plan(files)
        #expect(
            plan.choices == [
                .skip(.merged), .skip(.merged), .read, .read, .read, .skip(.sessions), .skip(.finer), .skip(.finer), .read, .read,
            ])
        #expect(plan.takesSleepSessions)
        let few = TakeoutFit.plan([files[3], files[5], files[6], file("com.google.sleep.segment", "raw", "a")])
        #expect(few.choices == [.read, .read, .read, .read] && !few.takesSleepSessions)
    }

    @Test("DATA-2: sessions and days of Google Fit are read")
    func sessions() {
        func session(_ name: String, takesSleep: Bool = true) -> Imported {
            TakeoutSessionReader(takesSleep: takesSleep, now: importTime).all(
                of: """
                    {"fitnessActivity": "\(name)", "startTime": "2024-05-01T07:00:00.250Z", "endTime": "2024-05-01T07:30:00.250Z",
                     "duration": "1800s", "aggregate": [{"metricName": "com.google.step_count.delta", "intValue": 12}]}
                    """.utf8)
        }
        #expect(session("running.treadmill").scalars == ["activity running / 1 for 1800 s"])
        #expect(session("sleep").scalars == ["sleep asleep for 1800 s"])
        #expect(session("sleep", takesSleep: false).report.leftOut == [.workoutTotals: 1, .sleepSessions: 1])
        #expect(TakeoutSessionReader(takesSleep: true, now: importTime).all(of: "{\"a\"".utf8).problems == ["notJSON file"])
        let day = TakeoutDayReader(day: "2024-05-01", now: importTime).all(
            of: """
                Start time,End time,Calories (kcal),Distance (m),Average heart rate (bpm),Step count
                07:00:00.000+02:00,07:15:00.000+02:00,20.1,812.25,71,1040
                23:45:00.000+02:00,00:00:00.000+02:00,20.1,,,x
                1,2
                """.utf8)
        #expect(day.scalars == ["steps 1040 for 900 s", "distance 812.3 for 900 s"])
        #expect(day.samples.scalars.first?.time == 1_714_539_600_000)
        #expect(day.problems == ["value steps line 3", "fields line 4"] && day.report.leftOut == [.totalEnergy: 2, .averages: 1])
    }
}
