internal import Vitals

/// Apple Health's names in the table of kinds.
enum AppleHealthType: Sendable, Hashable {
    case heartRate
    /// A number with a unit.
    case quantity(DataKind)
    /// Of 1, although its unit is `%`.
    case saturation
    case systolic, diastolic
    case sleep, standHour
    /// No kind is for it.
    case unknown

    private static let prefix = "HKQuantityTypeIdentifier"

    init(_ name: String) {
        guard name.hasPrefix(Self.prefix) else {
            switch name {
            case "HKCategoryTypeIdentifierSleepAnalysis": self = .sleep
            case "HKCategoryTypeIdentifierAppleStandHour": self = .standHour
            default: self = .unknown
            }
            return
        }
        self = Self.quantities[name.dropFirst(Self.prefix.count)] ?? .unknown
    }

    private static let quantities: [Substring: AppleHealthType] = [
        "HeartRate": .heartRate, "StepCount": .quantity(.steps), "DistanceWalkingRunning": .quantity(.distance),
        "DistanceCycling": .quantity(.distance), "ActiveEnergyBurned": .quantity(.activeEnergy),
        "BasalEnergyBurned": .quantity(.restingEnergy), "BodyMass": .quantity(.weight), "Height": .quantity(.height),
        "OxygenSaturation": .saturation, "BodyTemperature": .quantity(.bodyTemperature), "BloodPressureSystolic": .systolic,
        "BloodPressureDiastolic": .diastolic, "DietaryEnergyConsumed": .quantity(.nutritionEnergy), "DietaryWater": .quantity(.water),
        "RunningSpeed": .quantity(.speed), "CyclingSpeed": .quantity(.speed), "CyclingCadence": .quantity(.cadence),
    ]

    /// HKCategoryValueSleepAnalysis without that prefix; `Asleep` is what iOS 15 wrote.
    static let sleepValues: [String: String] = [
        "InBed": "in_bed", "Asleep": "asleep", "AsleepUnspecified": "asleep", "Awake": "awake", "AsleepCore": "light",
        "AsleepDeep": "deep", "AsleepREM": "rem",
    ]

    /// HKWorkoutActivityType without that prefix. What is not here is `other`.
    static let activities: [String: String] = [
        "Walking": "walking", "Running": "running", "Cycling": "cycling", "HandCycling": "cycling", "Hiking": "hiking",
        "Swimming": "swimming", "Rowing": "rowing", "CrossCountrySkiing": "skiing", "DownhillSkiing": "skiing", "SnowSports": "skiing",
        "Gymnastics": "gymnastics", "TraditionalStrengthTraining": "strength", "FunctionalStrengthTraining": "strength",
        "CoreTraining": "strength", "Dance": "dancing", "DanceInspiredTraining": "dancing", "CardioDance": "dancing",
        "SocialDance": "dancing", "Soccer": "team_sport", "Basketball": "team_sport", "Volleyball": "team_sport",
        "Handball": "team_sport", "Hockey": "team_sport", "Rugby": "team_sport", "AmericanFootball": "team_sport",
        "AustralianFootball": "team_sport", "Baseball": "team_sport", "Softball": "team_sport", "Lacrosse": "team_sport",
        "Cricket": "team_sport", "WaterPolo": "team_sport",
    ]
}

extension DataKind {
    /// The number of a code by its name; nil for another name.
    func code(_ name: String) -> Int64? { entry.codes.firstIndex(of: name).map(Int64.init) }
}

/// Puts the two values of a blood pressure together. Apple's export has each of them on its own, and both again in a Correlation.
struct ApplePressures: Sendable {
    struct Key: Hashable {
        var time: Milliseconds, source: HealthImport.Source
    }

    struct Open {
        var systolic: Int64?, diastolic: Int64?
        var place: ImportProblem.Place
    }

    /// A person measures a few times a day; further ones wait for their Correlation.
    static let openMax = 50_000
    private var open: [Key: Open] = [:]
    /// Pressures that were given away.
    private var given: Set<Key> = []

    /// Takes a value.
    /// - Returns: the pressure when it is whole, and was not given away yet.
    mutating func add(_ key: Key, systolic: Int64? = nil, diastolic: Int64? = nil, at place: ImportProblem.Place) -> ScalarSample? {
        guard !given.contains(key), open.count < Self.openMax || open[key] != nil else { return nil }
        var pressure = open[key] ?? Open(place: place)
        pressure.systolic = pressure.systolic ?? systolic
        pressure.diastolic = pressure.diastolic ?? diastolic
        guard let first = pressure.systolic, let second = pressure.diastolic else {
            open[key] = pressure
            return nil
        }
        open[key] = nil
        if given.count < Self.openMax { given.insert(key) }
        return ScalarSample(.bloodPressure, time: key.time, value: first, second: second)
    }

    /// Those of which one value is missing.
    var rest: [Open] { Array(open.values) }
}
