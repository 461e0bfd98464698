internal import Vitals

/// Google Fit's data types in the table of kinds.
enum TakeoutType: Sendable, Hashable {
    case heartRate, position, bloodPressure, activity, sleep, nutrition
    /// A number, of which `scale` stored units are one.
    case number(DataKind, scale: Double)
    case totalEnergy
    case unknown

    private static let prefix = "com.google."

    init(_ name: String) {
        self = name.hasPrefix(Self.prefix) ? Self.types[name.dropFirst(Self.prefix.count)] ?? .unknown : .unknown
    }

    private static let types: [Substring: TakeoutType] = [
        "heart_rate.bpm": .heartRate, "location.sample": .position, "blood_pressure": .bloodPressure, "activity.segment": .activity,
        "sleep.segment": .sleep, "nutrition": .nutrition, "step_count.delta": .number(.steps, scale: 1),
        "distance.delta": .number(.distance, scale: 1), "weight": .number(.weight, scale: 1), "height": .number(.height, scale: 100),
        "speed": .number(.speed, scale: 1), "body.temperature": .number(.bodyTemperature, scale: 1),
        "oxygen_saturation": .number(.oxygenSaturation, scale: 1), "hydration": .number(.water, scale: 1000),
        "step_count.cadence": .number(.cadence, scale: 1), "cycling.pedaling.cadence": .number(.cadence, scale: 1),
        "calories.expended": .totalEnergy,
    ]

    /// Codes of `com.google.sleep.segment`; nil for out of bed (3).
    static func sleep(_ code: Int) -> Int64? {
        let names = [1: "awake", 2: "asleep", 4: "light", 5: "deep", 6: "rem"]
        return names[code].flatMap(DataKind.sleep.code)
    }

    /// The kind of an activity.
    enum Activity: Sendable, Hashable {
        case exercise(Int64, isIndoor: Bool?)
        case sleep(Int64)
        /// Nothing that a person does for exercise.
        case idle

        private static func exercise(_ name: String, isIndoor: Bool? = nil) -> Activity {
            .exercise(DataKind.activity.code(name) ?? 0, isIndoor: isIndoor)
        }

        /// By the number of `com.google.activity.segment`; nil for none of Google's.
        init?(number: Int) {
            guard (0...122).contains(number) else { return nil }
            self = Self.numbers[number] ?? Self.exercise("other")
        }

        /// By the name in `fitnessActivity`, such as `walking.nordic`.
        init(name: String) {
            let parts = name.split(separator: "."), last = parts.last ?? ""
            let isIndoor = ["treadmill", "stationary", "spinning", "machine", "indoor"].contains(last) ? true : nil
            switch parts.first {
            case "sleep":
                self = .sleep(["light": "light", "deep": "deep", "rem": "rem", "awake": "awake"][last].flatMap(DataKind.sleep.code) ?? 1)
            case "still", "in_vehicle", "unknown", "tilting", "exiting_vehicle", "elevator", "escalator": self = .idle
            default: self = Self.exercise(parts.first.flatMap { Self.names[$0] } ?? "other", isIndoor: isIndoor)
            }
        }

        private static let numbers: [Int: Activity] = {
            var numbers: [Int: Activity] = [
                0: .idle, 3: .idle, 4: .idle, 5: .idle, 117: .idle, 118: .idle, 72: .sleep(1), 109: .sleep(3), 110: .sleep(4),
                111: .sleep(5), 112: .sleep(2), 17: exercise("cycling", isIndoor: true), 18: exercise("cycling", isIndoor: true),
                54: exercise("rowing", isIndoor: true), 58: exercise("running", isIndoor: true), 95: exercise("walking", isIndoor: true),
                91: exercise("team_sport", isIndoor: true),
            ]
            let groups = [
                "walking": [2, 7, 93, 94, 116], "running": [8, 56, 57], "cycling": [1, 14, 15, 16, 19], "hiking": [35],
                "swimming": [82, 83, 84], "rowing": [53], "skiing": [65, 66, 67, 68, 69, 70, 73], "gymnastics": [21, 33],
                "strength": [41, 80, 97], "dancing": [24, 101], "team_sport": [11, 12, 23, 27, 28, 29, 34, 36, 55, 86, 89, 90, 96, 120],
            ]
            for (name, codes) in groups {
                for code in codes { numbers[code] = exercise(name) }
            }
            return numbers
        }()

        private static let names: [Substring: String] = [
            "walking": "walking", "on_foot": "walking", "running": "running", "jogging": "running", "biking": "cycling",
            "hiking": "hiking", "swimming": "swimming", "rowing": "rowing", "skiing": "skiing", "snowboarding": "skiing",
            "gymnastics": "gymnastics", "calisthenics": "gymnastics", "strength_training": "strength", "weightlifting": "strength",
            "kettlebell_training": "strength", "dancing": "dancing", "zumba": "dancing", "baseball": "team_sport",
            "basketball": "team_sport", "cricket": "team_sport", "football": "team_sport", "handball": "team_sport",
            "hockey": "team_sport", "rugby": "team_sport", "team_sports": "team_sport", "volleyball": "team_sport",
            "water_polo": "team_sport", "softball": "team_sport",
        ]
    }

    /// `raw:com.google.heart_rate.bpm:org.example.watch:Example:Band 3:1f2e:beats` is a program, and the maker and the name of a device.
    static func source(_ id: String) -> HealthImport.Source {
        let parts = id.split(separator: ":", omittingEmptySubsequences: false)
        let device = parts.count >= 6 ? parts[3...4].filter { !$0.isEmpty }.joined(separator: " ") : ""
        return HealthImport.Source(name: parts.count > 2 ? String(parts[2]) : "", device: device.isEmpty ? nil : device)
    }
}
