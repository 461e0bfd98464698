public import Vitals

/// Reads a file of `All Data` of Google Takeout's Fit folder: the points of one data source. Which of these files to read
/// ``TakeoutFit`` says: several of them have the same steps.
///
/// | data type | here |
/// | --- | --- |
/// | heart rate, steps, distance, weight, height, speed, cadence, body temperature, oxygen saturation, hydration | a sample |
/// | `blood_pressure`, `location.sample` | a blood pressure, a position |
/// | `activity.segment` | an activity, or a phase of sleep; time without exercise is left out |
/// | `sleep.segment` | a phase of sleep |
/// | `nutrition` | its calories |
/// | `calories.expended` | left out: it counts resting energy as well, and no kind means both |
///
/// Other types are counted by name.
public struct TakeoutDataReader: HealthReader {
    private var stream = JSONItemStream()
    private var collector: ImportCollector
    private var fileSource = ""

    /// - Parameter now: the hub's time, UTC.
    public init(now: Milliseconds) { collector = ImportCollector(now: now) }

    public var report: ImportReport { collector.report }

    public mutating func read(_ bytes: [UInt8]) -> [HealthImport.Part] {
        collector.report.bytes += bytes.count
        var parts: [HealthImport.Part] = []
        for item in stream.found(in: bytes) {
            take(item)
            parts += collector.takeIfFull()
        }
        return parts
    }

    public mutating func finish() -> [HealthImport.Part] {
        collector.report.noteEnd(of: stream)
        return collector.take()
    }

    private mutating func take(_ found: JSONItemStream.Found) {
        switch found {
        case .member("Data Source", let bytes): fileSource = StrictJSON(item: bytes)?.plainText ?? ""
        case .item("Data Points", let index, let bytes):
            let place = ImportProblem.Place.item(list: "Data Points", index)
            guard let point = StrictJSON(item: bytes) else { return collector.report.note(.notJSON, at: place) }
            take(TakeoutPoint(point), place)
        case .member, .item: break
        case .damage, .tooLong: collector.report.noteDamage(found)
        }
    }

    private mutating func take(_ point: TakeoutPoint, _ place: ImportProblem.Place) {
        // The second part of the source is the type, too.
        let name = point.type ?? fileSource.split(separator: ":").dropFirst().first.map(String.init) ?? ""
        let type = TakeoutType(name)
        switch type {
        case .unknown: return collector.report.noteUnknown(name)
        case .totalEnergy: return collector.report.leaveOut(.totalEnergy)
        default: break
        }
        guard let end = point.end else { return collector.report.note(.time, at: place) }
        collector.begin(TakeoutType.source(point.origin ?? fileSource))
        take(point, type, from: point.start ?? end, to: end, place)
    }

    private mutating func take(
        _ point: TakeoutPoint, _ type: TakeoutType, from start: Milliseconds, to end: Milliseconds, _ place: ImportProblem.Place
    ) {
        switch type {
        case .heartRate:
            guard let rate = point.number(0).flatMap({ UInt16(exactly: $0.rounded()) }) else { return wrong(.heartRate, place) }
            collector.add(HeartRateSample(time: end, beatsPerMinute: rate), at: place)
        case .position:
            guard let position = point.position(end) else { return wrong(.position, place) }
            collector.add(position, at: place)
        case .bloodPressure:
            guard let first = point.whole(0), let second = point.whole(1) else { return wrong(.bloodPressure, place) }
            add(ScalarSample(.bloodPressure, time: end, value: first, second: second), place)
        case .activity:
            guard let activity = point.whole(0).flatMap({ TakeoutType.Activity(number: Int(clamping: $0)) }) else {
                return wrong(.activity, place)
            }
            collector.add(activity, from: start, to: end, at: place)
        case .sleep:
            guard let code = point.whole(0) else { return wrong(.sleep, place) }
            if code == 3 { return collector.report.leaveOut(.idleSegments) }
            guard let phase = TakeoutType.sleep(Int(clamping: code)) else { return wrong(.sleep, place) }
            add(ScalarSample(.sleep, time: start, value: phase, end: end), place)
        case .nutrition:
            guard let energy = point.map(0, "calories").flatMap({ Int64(exactly: ($0 * 10).rounded()) }) else {
                return wrong(.nutritionEnergy, place)
            }
            add(ScalarSample(.nutritionEnergy, time: start, value: energy, end: end), place)
        case .number(let kind, let scale):
            guard let value = point.number(0).flatMap({ kind.entry.value(of: $0 * scale) }) else { return wrong(kind, place) }
            let isSpan = kind.entry.span != .none
            add(ScalarSample(kind, time: isSpan ? start : end, value: value, end: isSpan ? end : nil), place)
        case .totalEnergy, .unknown: break
        }
    }

    private mutating func add(_ sample: ScalarSample?, _ place: ImportProblem.Place) {
        if let sample { collector.add(sample, at: place) }
    }

    private mutating func wrong(_ kind: DataKind, _ place: ImportProblem.Place) { collector.report.note(.value, at: place, kind.name) }
}

/// A point of a data source.
struct TakeoutPoint {
    private let json: StrictJSON
    private let values: [StrictJSON]

    init(_ json: StrictJSON) {
        self.json = json
        // Takeout wraps each value; Google's interface does not.
        values = json["fitValue"]?.items.map { $0["value"] ?? $0 } ?? json["value"]?.items ?? []
    }

    var type: String? { json["dataTypeName"]?.plainText }
    var origin: String? { json["originDataSourceId"]?.plainText.flatMap { $0.isEmpty ? nil : $0 } }
    var start: Milliseconds? { time("startTimeNanos") }
    var end: Milliseconds? { time("endTimeNanos") ?? start }

    /// Nanoseconds since 1970, rounded to milliseconds; 0 is none.
    private func time(_ name: String) -> Milliseconds? {
        json[name]?.double.flatMap { Milliseconds(exactly: ($0 / 1e6).rounded()) }.flatMap { $0 > 0 ? $0 : nil }
    }

    func number(_ index: Int) -> Double? {
        guard values.indices.contains(index) else { return nil }
        return values[index]["fpVal"]?.double ?? values[index]["intVal"]?.double
    }

    func whole(_ index: Int) -> Int64? { number(index).flatMap { Int64(exactly: $0.rounded()) } }

    /// An entry of a map, which is a list of keys and values.
    func map(_ index: Int, _ key: String) -> Double? {
        guard values.indices.contains(index) else { return nil }
        let value = values[index]["mapVal"]?.items.first { $0["key"]?.plainText == key }?["value"]
        return value?["fpVal"]?.double ?? value?["intVal"]?.double
    }

    /// Latitude, longitude, accuracy in metres, altitude in metres.
    func position(_ time: Milliseconds) -> PositionSample? {
        func scaled(_ index: Int, _ scale: Double) -> Int32? { number(index).flatMap { Int32(exactly: ($0 * scale).rounded()) } }
        guard let latitude = scaled(0, 1e7), let longitude = scaled(1, 1e7) else { return nil }
        return PositionSample(
            time: time, latitude: latitude, longitude: longitude, altitude: scaled(3, 10), horizontalError: scaled(2, 10), mode: .unknown,
            source: .network)
    }
}

extension KindEntry {
    /// A number in the stored unit, in the resolution.
    func value(of number: Double) -> Int64? { value(of: number, in: EntryUnit.all(for: unit)[0]) }
}

extension ImportCollector {
    mutating func add(
        _ activity: TakeoutType.Activity, from start: Milliseconds, to end: Milliseconds, at place: ImportProblem.Place
    ) {
        let sample: ScalarSample?
        switch activity {
        case .exercise(let code, let isIndoor):
            sample = ScalarSample(.activity, time: start, value: code, end: end, second: isIndoor.map { $0 ? 1 : 0 })
        case .sleep(let phase): sample = ScalarSample(.sleep, time: start, value: phase, end: end)
        case .idle: return report.leaveOut(.idleSegments)
        }
        if let sample { add(sample, at: place) }
    }
}
