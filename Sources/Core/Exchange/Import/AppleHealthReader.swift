public import Vitals

/// Reads `export.xml` of Apple Health's export as it comes.
///
/// | in the file | here |
/// | --- | --- |
/// | `Record` of a type that a kind is for | a sample, its unit converted; other types are counted by name |
/// | blood pressure | one sample of two values, which stand in the file once alone and once in a `Correlation` |
/// | oxygen saturation | its unit is `%`, but 1 is all of it |
/// | `Workout` | an activity with its span; indoors if its metadata says so. Its totals are left out: their parts are records |
/// | routes and electrocardiograms | files of their own: see ``ImportFile`` |
/// | `Me`, `ActivitySummary` | left out and counted |
///
/// The document type that Apple puts before the data is passed over, and no entity is replaced but those of XML itself. Damaged parts are
/// counted, and reading goes on behind them.
public struct AppleHealthReader: HealthReader {
    private var tags = XMLTagStream()
    private var collector: ImportCollector
    private var pressures = ApplePressures()
    private var workout: Workout?
    private var isInCorrelation = false
    private var hasBegun = false, hasEnded = false
    private var cache = AppleHealthCache()

    private struct Workout: Sendable {
        var sample: ScalarSample, source: HealthImport.Source, place: ImportProblem.Place
    }

    /// - Parameter now: the hub's time, UTC. Samples more than a day ahead of it are refused.
    public init(now: Milliseconds) { collector = ImportCollector(now: now) }

    public var report: ImportReport { collector.report }

    public mutating func read(_ bytes: [UInt8]) -> [HealthImport.Part] {
        collector.report.bytes += bytes.count
        tags.add(bytes)
        var parts: [HealthImport.Part] = []
        while true {
            switch tags.next() {
            case .tag:
                if tags.isStart { start() }
                if tags.isEnd { end() }
                parts += collector.takeIfFull()
            case .fault:
                // The end of a correlation may be what is lost.
                isInCorrelation = false
                collector.report.note(.markup, at: place)
            case .tooLong: collector.report.note(.tooLong, at: place, "\(HealthImport.Limits.tagBytesMax)")
            case .more: return parts
            }
        }
    }

    public mutating func finish() -> [HealthImport.Part] {
        endWorkout()
        for rest in pressures.rest {
            collector.report.note(.missing, at: rest.place, rest.systolic == nil ? "systolic" : "diastolic")
        }
        if collector.report.bytes == 0 {
            collector.report.note(.empty, at: .file)
        } else if !hasBegun {
            collector.report.note(.unknownFormat, at: .file)
        } else if tags.isCut || !hasEnded {
            collector.report.note(.cut, at: place)
        }
        return collector.take()
    }

    private var place: ImportProblem.Place { mutating get { .line(tags.line()) } }

    // MARK: Tags

    private mutating func start() {
        if tags.isNamed("Record") { return record() }
        if tags.isNamed("MetadataEntry") { return metadata() }
        switch String(decoding: tags.name, as: UTF8.self) {
        case "HealthData": hasBegun = true
        case "ExportDate": collector.report.created = tags.value("value").flatMap(ImportText.time)
        case "Me": collector.report.leaveOut(.personalDetails)
        case "ActivitySummary": collector.report.leaveOut(.daySummaries)
        case "Correlation": isInCorrelation = true
        case "Workout": beginWorkout()
        case "WorkoutStatistics": collector.report.leaveOut(.workoutTotals)
        case "InstantaneousBeatsPerMinute": collector.report.leaveOut(.beats)
        // Text that belongs to an element around it.
        case "HeartRateVariabilityMetadataList", "WorkoutActivity", "WorkoutEvent", "WorkoutRoute", "FileReference": break
        default: collector.report.noteUnknown(String(decoding: tags.name, as: UTF8.self))
        }
    }

    private mutating func end() {
        if tags.isNamed("Correlation") { isInCorrelation = false }
        if tags.isNamed("Workout") { endWorkout() }
        if tags.isNamed("HealthData") { hasEnded = true }
    }

    private mutating func beginWorkout() {
        endWorkout()
        guard let (start, end) = span() else { return }
        let name = text("workoutActivityType")
        let known = AppleHealthType.activities[name.replacing("HKWorkoutActivityType", with: "")] ?? "other"
        guard let code = DataKind.activity.code(known), let sample = ScalarSample(.activity, time: start, value: code, end: end) else {
            return
        }
        workout = Workout(sample: sample, source: cache.source(tags), place: place)
    }

    private mutating func endWorkout() {
        guard let workout else { return }
        self.workout = nil
        collector.begin(workout.source)
        collector.add(workout.sample, at: workout.place)
    }

    private mutating func metadata() {
        guard workout != nil, tags.value("key").map({ $0.elementsEqual("HKIndoorWorkout".utf8) }) == true else { return }
        workout?.sample.second = tags.value("value").map { $0.elementsEqual("1".utf8) } == true ? 1 : 0
    }

    // MARK: Records

    private mutating func record() {
        guard let name = tags.value("type") else { return missing("type") }
        let type = cache.type(name)
        switch type {
        case .unknown: collector.report.noteUnknown(cache.typeName)
        case .systolic, .diastolic: pressure(isSystolic: type == .systolic)
        case _ where isInCorrelation: collector.report.leaveOut(.repeated)
        case .heartRate: heartRate()
        case .quantity(let kind): quantity(kind, number: number(kind))
        case .saturation: quantity(.oxygenSaturation, number: number(.oxygenSaturation).map { $0 <= 1 ? $0 * 100 : $0 })
        case .sleep: category(.sleep, "HKCategoryValueSleepAnalysis") { AppleHealthType.sleepValues[$0].flatMap(DataKind.sleep.code) }
        case .standHour:
            if text("value") == "HKCategoryValueAppleStandHourIdle" { return collector.report.leaveOut(.idleHours) }
            category(.standHours, "HKCategoryValueAppleStandHour") { $0 == "Stood" ? 1 : nil }
        }
    }

    private mutating func heartRate() {
        guard let number = number(.heartRate), let unit = unit(.heartRate), let (time, _) = span() else { return }
        guard let rate = UInt16(exactly: (number * unit.factor).rounded()) else {
            return collector.report.note(.outOfRange, at: place, DataKind.heartRate.name)
        }
        add { $0.add(HeartRateSample(time: time, beatsPerMinute: rate), at: $1) }
    }

    private mutating func quantity(_ kind: DataKind, number: Double?) {
        guard let number, let unit = unit(kind), let (start, end) = span() else { return }
        guard let value = unit.value(number, kind.entry) else { return collector.report.note(.outOfRange, at: place, kind.name) }
        add(kind, start, value, end)
    }

    private mutating func category(_ kind: DataKind, _ prefix: String, _ code: (String) -> Int64?) {
        guard let (start, end) = span() else { return }
        guard let value = code(text("value").replacing(prefix, with: "")) else {
            return collector.report.note(.value, at: place, kind.name)
        }
        add(kind, start, value, end)
    }

    private mutating func pressure(isSystolic: Bool) {
        let kind = DataKind.bloodPressure
        guard let number = number(kind), let unit = unit(kind), let (time, _) = span() else { return }
        guard let value = unit.value(number, kind.entry) else { return collector.report.note(.outOfRange, at: place, kind.name) }
        let key = ApplePressures.Key(time: time, source: cache.source(tags))
        let whole = pressures.add(key, systolic: isSystolic ? value : nil, diastolic: isSystolic ? nil : value, at: place)
        if let whole { add { $0.add(whole, at: $1) } } else if isInCorrelation { collector.report.leaveOut(.repeated) }
    }

    private mutating func add(_ kind: DataKind, _ start: Milliseconds, _ value: Int64, _ end: Milliseconds) {
        guard let sample = ScalarSample(kind, time: start, value: value, end: kind.entry.span == .none ? nil : end) else { return }
        add { $0.add(sample, at: $1) }
    }

    private mutating func add(_ add: (inout ImportCollector, ImportProblem.Place) -> Void) {
        collector.begin(cache.source(tags))
        add(&collector, place)
    }

    // MARK: Attributes

    private mutating func missing(_ name: String) { collector.report.note(.missing, at: place, name) }

    private func text(_ name: StaticString) -> String {
        XMLScanner.unescaped(tags.value(name).map { String(decoding: $0, as: UTF8.self) } ?? "")
    }

    private mutating func number(_ kind: DataKind) -> Double? {
        guard let text = tags.value("value") else {
            missing("value")
            return nil
        }
        let number = ImportText.number(text)
        if number == nil { collector.report.note(.value, at: place, kind.name) }
        return number
    }

    private mutating func unit(_ kind: DataKind) -> ImportUnit? {
        let unit = cache.unit(tags.value("unit") ?? [], kind)
        if unit == nil { collector.report.note(.unit, at: place, kind.name) }
        return unit
    }

    private mutating func span() -> (start: Milliseconds, end: Milliseconds)? {
        guard let start = tags.value("startDate").flatMap(ImportText.time), let end = tags.value("endDate").flatMap(ImportText.time) else {
            collector.report.note(.time, at: place)
            return nil
        }
        return (start, end)
    }
}
