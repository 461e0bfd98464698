public import Vitals

/// Reads what the app Health Auto Export posts of Apple Health (`Export Format: JSON`), as its documentation describes it: `data.metrics`,
/// each with `name`, `units` and points in `data`, and `data.workouts`.
///
/// Heart rates come as smallest, mean and largest of a span, and sleep that was summed up by day: these are no samples, and left out. A sum
/// whose minute is not over is left out as well, because the app sends it again when it is larger.
public struct HealthAutoExportReader: HealthReader {
    private var collector: ImportCollector
    private var bytes: [UInt8] = []
    private let hubTime: Milliseconds

    /// - Parameter now: the hub's time, UTC.
    public init(now: Milliseconds) { (collector, hubTime) = (ImportCollector(now: now), now) }

    /// Whether a body begins as the app's does: an object with the member `data`.
    public static func fits(_ head: [UInt8]) -> Bool {
        let text = head.prefix(256).filter { !" \t\r\n".utf8.contains($0) }
        return text.starts(with: Array("{\"data\":{".utf8))
    }

    public var report: ImportReport { collector.report }

    public mutating func read(_ bytes: [UInt8]) -> [HealthImport.Part] {
        collector.report.bytes += bytes.count
        if self.bytes.count <= HealthImport.Limits.itemBytesMax { self.bytes += bytes }
        return []
    }

    public mutating func finish() -> [HealthImport.Part] {
        defer { bytes = [] }
        guard bytes.count <= HealthImport.Limits.itemBytesMax else {
            collector.report.note(.tooLong, at: .file, "\(HealthImport.Limits.itemBytesMax)")
            return []
        }
        guard let json = StrictJSON(item: bytes) else {
            collector.report.note(bytes.isEmpty ? .empty : .notJSON, at: .file)
            return []
        }
        guard case .object(let data)? = json["data"] else {
            collector.report.note(.unknownFormat, at: .file)
            return []
        }
        for (name, list) in data.sorted(by: { $0.key < $1.key }) {
            for (index, item) in list.items.enumerated() {
                switch name {
                case "metrics": take(metric: item, at: .item(list: name, index))
                case "workouts": take(workout: item, at: .item(list: name, index))
                default: collector.report.noteUnknown(name)
                }
            }
        }
        return collector.take()
    }

    // MARK: Metrics

    private static let quantities: [String: DataKind] = [
        "step_count": .steps, "walking_running_distance": .distance, "cycling_distance": .distance, "active_energy": .activeEnergy,
        "basal_energy_burned": .restingEnergy, "weight_body_mass": .weight, "height": .height, "body_temperature": .bodyTemperature,
        "blood_oxygen_saturation": .oxygenSaturation, "dietary_energy": .nutritionEnergy, "dietary_water": .water,
        "apple_stand_hour": .standHours, "running_speed": .speed, "cycling_speed": .speed, "cycling_cadence": .cadence,
    ]
    /// Sums that grow until their minute is over.
    private static let sums: Set<DataKind> = [
        .steps, .distance, .activeEnergy, .restingEnergy, .nutritionEnergy, .water, .standHours,
    ]

    private mutating func take(metric: StrictJSON, at place: ImportProblem.Place) {
        guard let name = metric["name"]?.plainText else { return collector.report.note(.missing, at: place, "name") }
        let units = metric["units"]?.plainText ?? "", points = metric["data"]?.items ?? []
        for (index, point) in points.enumerated() {
            let place = ImportProblem.Place.item(list: String(name.prefix(HealthImport.Limits.nameMax)), index)
            collector.begin(HealthImport.Source(name: point["source"]?.plainText ?? ""))
            switch name {
            case "heart_rate": collector.report.leaveOut(.averages)
            case "sleep_analysis": take(sleep: point, at: place)
            case "blood_pressure": take(pressure: point, units, at: place)
            default:
                if let kind = Self.quantities[name] {
                    take(kind, point, units, at: place)
                } else {
                    collector.report.noteUnknown(name)
                }
            }
        }
    }

    private mutating func take(_ kind: DataKind, _ point: StrictJSON, _ units: String, at place: ImportProblem.Place) {
        guard let time = time(point["date"], kind, place) else { return }
        guard !Self.sums.contains(kind) || time + 60_000 <= hubTime else { return collector.report.leaveOut(.repeated) }
        guard var number = point["qty"]?.double else { return collector.report.note(.value, at: place, kind.name) }
        // Apple keeps a part of 1; nobody has 1 %.
        if kind == .oxygenSaturation, number <= 1 { number *= 100 }
        guard let value = value(number, kind, units, place), let sample = ScalarSample(kind, time: time, value: value) else { return }
        collector.add(sample, at: place)
    }

    private mutating func take(pressure point: StrictJSON, _ units: String, at place: ImportProblem.Place) {
        let kind = DataKind.bloodPressure
        guard let time = time(point["date"], kind, place) else { return }
        guard let systolic = point["systolic"]?.double, let diastolic = point["diastolic"]?.double else {
            return collector.report.note(.value, at: place, kind.name)
        }
        guard let first = value(systolic, kind, units, place), let second = value(diastolic, kind, units, place),
            let sample = ScalarSample(kind, time: time, value: first, second: second)
        else { return }
        collector.add(sample, at: place)
    }

    /// A number in the kind's resolution; notes why it is none.
    private mutating func value(_ number: Double, _ kind: DataKind, _ units: String, _ place: ImportProblem.Place) -> Int64? {
        let entry = kind.entry
        // Hours in which the person stood are counted.
        let name = kind == .standHours && units == "count" ? "h" : units
        guard let unit = ImportUnit(name, storedIn: entry.unit) else {
            collector.report.note(.unit, at: place, kind.name)
            return nil
        }
        let value = unit.value(number, entry)
        if value == nil { collector.report.note(.outOfRange, at: place, kind.name) }
        return value
    }

    private mutating func time(_ json: StrictJSON?, _ kind: DataKind, _ place: ImportProblem.Place) -> Milliseconds? {
        let time = json?.plainText.flatMap(ImportText.time)
        if time == nil { collector.report.note(.time, at: place, kind.name) }
        return time
    }

    // MARK: Spans

    private static let stages = [
        "Awake": "awake", "Asleep": "asleep", "Unspecified": "asleep", "In Bed": "in_bed", "InBed": "in_bed", "Core": "light", "REM": "rem",
        "Deep": "deep",
    ]

    private mutating func take(sleep point: StrictJSON, at place: ImportProblem.Place) {
        // A whole night in sums has no stages with their times.
        guard let word = point["value"]?.plainText else { return collector.report.leaveOut(.daySummaries) }
        guard let code = Self.stages[word].flatMap(DataKind.sleep.code) else {
            return collector.report.note(.value, at: place, DataKind.sleep.name)
        }
        guard let time = time(point["startDate"], .sleep, place), let end = self.time(point["endDate"], .sleep, place),
            let sample = ScalarSample(.sleep, time: time, value: code, end: end)
        else { return }
        collector.add(sample, at: place)
    }

    /// By a part of the workout's name, such as `Outdoor Run`.
    private static let activities = [
        ("run", "running"), ("walk", "walking"), ("cycling", "cycling"), ("bike", "cycling"), ("hik", "hiking"), ("swim", "swimming"),
        ("row", "rowing"), ("ski", "skiing"), ("snow", "skiing"), ("gymnast", "gymnastics"), ("strength", "strength"),
        ("core training", "strength"), ("dance", "dancing"), ("soccer", "team_sport"), ("basketball", "team_sport"),
        ("volleyball", "team_sport"), ("handball", "team_sport"), ("hockey", "team_sport"), ("rugby", "team_sport"),
    ]

    private mutating func take(workout: StrictJSON, at place: ImportProblem.Place) {
        let kind = DataKind.activity, name = (workout["name"]?.plainText ?? "").lowercased()
        collector.begin(HealthImport.Source(name: ""))
        guard let time = time(workout["start"], kind, place), let end = self.time(workout["end"], kind, place) else { return }
        let word = Self.activities.first { name.contains($0.0) }?.1 ?? "other"
        guard let code = kind.code(word), var sample = ScalarSample(kind, time: time, value: code, end: end) else { return }
        if name.contains("outdoor") { sample.second = 0 } else if name.contains("indoor") || name.contains("pool") { sample.second = 1 }
        collector.add(sample, at: place)
    }
}
