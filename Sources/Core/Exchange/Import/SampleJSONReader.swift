public import Vitals

/// Reads what ``JSONWriter`` or ``JSONLinesWriter`` wrote.
///
/// All samples come back as they were, with their provenance as ``HealthImport/Part/stated``. Only gaps lose which segments are missing:
/// the file says how many.
public struct SampleJSONReader: HealthReader {
    private var collector: ImportCollector
    private var stream = JSONItemStream()
    private var lines: ImportLines?

    /// - Parameters:
    ///   - isLines: whether each line is a sample (NDJSON).
    ///   - now: the hub's time, UTC.
    public init(isLines: Bool, now: Milliseconds) {
        collector = ImportCollector(now: now)
        lines = isLines ? ImportLines(bytesMax: HealthImport.Limits.itemBytesMax, isCSV: false) : nil
    }

    public var report: ImportReport { collector.report }

    public mutating func read(_ bytes: [UInt8]) -> [HealthImport.Part] {
        collector.report.bytes += bytes.count
        var parts: [HealthImport.Part] = []
        if lines != nil {
            var found: [(line: [UInt8], number: Int)] = []
            lines?.add(bytes) { found.append(($0, $1)) }
            for line in found {
                take(line.line, list: nil, .line(line.number))
                parts += collector.takeIfFull()
            }
            return parts
        }
        for item in stream.found(in: bytes) {
            take(item)
            parts += collector.takeIfFull()
        }
        return parts
    }

    public mutating func finish() -> [HealthImport.Part] {
        if lines != nil {
            var last: (line: [UInt8], number: Int)?
            lines?.finish { last = ($0, $1) }
            if let last { take(last.line, list: nil, .line(last.number)) }
            for _ in 0..<(lines?.tooLong ?? 0) { collector.report.note(.tooLong, at: .file, "\(HealthImport.Limits.itemBytesMax)") }
            if collector.report.bytes == 0 { collector.report.note(.empty, at: .file) }
        } else {
            collector.report.noteEnd(of: stream)
        }
        return collector.take()
    }

    private mutating func take(_ found: JSONItemStream.Found) {
        switch found {
        case .member("created", let bytes):
            collector.report.created = StrictJSON(item: bytes)?.plainText.flatMap(ImportText.time)
        case .member: break
        case .item(let list, let index, let bytes):
            let place = ImportProblem.Place.item(list: list, index)
            if list == "scalar" || DataKind(name: list).map(Self.lists.contains) == true {
                take(bytes, list: list, place)
            } else {
                collector.report.noteUnknown(list)
            }
        case .damage, .tooLong: collector.report.noteDamage(found)
        }
    }

    private static let lists: Set<DataKind> = [.heartRate, .position, .event, .gap]

    private mutating func take(_ bytes: [UInt8], list: String?, _ place: ImportProblem.Place) {
        guard let json = StrictJSON(item: bytes) else { return collector.report.note(.notJSON, at: place) }
        guard let name = list == nil || list == "scalar" ? json["kind"]?.plainText : list else {
            return collector.report.note(.missing, at: place, "kind")
        }
        guard let kind = DataKind(name: name), kind.isScalar || Self.lists.contains(kind) else {
            return collector.report.noteUnknown(name)
        }
        guard let time = json["time"]?.plainText.flatMap(ImportText.time) else { return collector.report.note(.time, at: place, kind.name) }
        collector.begin(HealthImport.Source(name: ""), stated: json["source"]?.plainText.flatMap { SampleWords.provenances[$0] })
        let object = SampleObject(json: json, bytes: bytes)
        switch kind {
        case .heartRate: if let sample = object.heartRate(time) { return collector.add(sample, at: place) }
        case .position: if let sample = object.position(time) { return collector.add(sample, at: place) }
        case .event: if let event = object.event(time) { return collector.add(event, at: place) }
        case .gap: if let gap = object.gap(time) { return collector.add(gap, at: place) }
        default: if let sample = object.scalar(kind, time) { return collector.add(sample, at: place) }
        }
        collector.report.note(.value, at: place, kind.name)
    }
}

/// One sample of such a file. A member that is missing is not known.
struct SampleObject {
    let json: StrictJSON
    let bytes: [UInt8]

    /// Nil for a member that is missing and, with `isWrong`, for one that is no such number.
    private func number<Value: FixedWidthInteger>(_ name: String, places: Int, _ isWrong: inout Bool) -> Value? {
        guard let json = json[name] else { return nil }
        let value = Self.scaled(json, places).flatMap { Value(exactly: $0) }
        if value == nil { isWrong = true }
        return value
    }

    private func word<Value>(_ name: String, _ words: [String: Value], _ isWrong: inout Bool) -> Value? {
        guard let json = json[name] else { return nil }
        let word = json.plainText.flatMap { words[$0] }
        if word == nil { isWrong = true }
        return word
    }

    private static func scaled(_ json: StrictJSON, _ places: Int) -> Int64? {
        json.double.flatMap { Int64(exactly: ((0..<places).reduce(1.0) { scale, _ in scale * 10 } * $0).rounded()) }
    }

    func heartRate(_ time: Milliseconds) -> HeartRateSample? {
        var isWrong = false
        var sample = HeartRateSample(time: time, beatsPerMinute: number("bpm", places: 0, &isWrong) ?? 0)
        sample.contact = word("contact", SampleWords.contacts, &isWrong) ?? .unsupported
        sample.energyKilojoules = number("energy_kj", places: 0, &isWrong)
        for item in json["rr_ms"]?.items ?? [] {
            guard let interval = Self.scaled(item, 1).flatMap(SampleWords.interval) else { return nil }
            sample.rrIntervals.append(interval)
        }
        return isWrong ? nil : sample
    }

    func position(_ time: Milliseconds) -> PositionSample? {
        var isWrong = false
        guard let latitude: Int32 = number("lat", places: 7, &isWrong), let longitude: Int32 = number("lon", places: 7, &isWrong) else {
            return nil
        }
        let sample = PositionSample(
            time: time, latitude: latitude, longitude: longitude, altitude: number("altitude_m", places: 1, &isWrong),
            speed: number("speed_m_s", places: 2, &isWrong), course: number("course_deg", places: 2, &isWrong),
            horizontalError: number("error_m", places: 1, &isWrong), mode: word("fix", SampleWords.fixes, &isWrong) ?? .unknown,
            source: word("found_by", SampleWords.positionSources, &isWrong) ?? .network)
        return isWrong ? nil : sample
    }

    func event(_ time: Milliseconds) -> StateEvent? {
        guard let code = json["event"]?.plainText.flatMap(SampleWords.event), let value = whole("value") else { return nil }
        return StateEvent(time: time, code: code, value: value)
    }

    func gap(_ time: Milliseconds) -> GapRecord? {
        guard let reason = json["reason"]?.plainText.flatMap({ SampleWords.gapReasons[$0] }),
            let segments = whole("segments").flatMap(UInt64.init(exactly:))
        else { return nil }
        return SampleWords.gap(time, reason, segments: segments)
    }

    /// A whole number, also one beyond 2^53, which no Double holds: from the text behind its name.
    private func whole(_ name: String) -> Int64? {
        guard let double = json[name]?.double else { return nil }
        if double.magnitude < 9e15 { return Int64(exactly: double) }
        let mark = Array("\"\(name)\":".utf8)
        guard let start = bytes.indices.last(where: { bytes[$0...].starts(with: mark) }) else { return nil }
        return ImportText.fixed(bytes[(start + mark.count)...].prefix { !",} ".utf8.contains($0) }, places: 0)
    }

    func scalar(_ kind: DataKind, _ time: Milliseconds) -> ScalarSample? {
        let entry = kind.entry
        guard let value = value("value", entry.codes, entry.decimals) else { return nil }
        var sample = ScalarSample(kind, time: time, value: value)
        if let second = entry.second, json[second.name] != nil {
            guard let value = self.value(second.name, second.codes, entry.decimals) else { return nil }
            sample?.second = value
        }
        if let end = json["end"] {
            guard let end = end.plainText.flatMap(ImportText.time) else { return nil }
            sample?.end = end
        }
        return sample
    }

    private func value(_ name: String, _ codes: [String], _ decimals: Int) -> Int64? {
        guard let json = json[name] else { return nil }
        return codes.isEmpty ? Self.scaled(json, decimals) : json.plainText.flatMap { SampleWords.code($0, codes) }
    }
}
