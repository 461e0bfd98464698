public import Vitals

/// Reads what ``CSVWriter`` wrote. Columns are known by their names and may stand in any order; further ones are passed over.
///
/// All samples come back as they were, with their provenance as ``HealthImport/Part/stated``. Only gaps lose which segments are missing:
/// the file says how many.
public struct SampleCSVReader: HealthReader {
    private var collector: ImportCollector
    private var lines = ImportLines(bytesMax: HealthImport.Limits.lineBytesMax, isCSV: true)
    private var columns: [String: Int]?
    private var width = 0
    private var subject: [UInt8]?

    /// - Parameter now: the hub's time, UTC.
    public init(now: Milliseconds) { collector = ImportCollector(now: now) }

    public var report: ImportReport { collector.report }

    public mutating func read(_ bytes: [UInt8]) -> [HealthImport.Part] {
        collector.report.bytes += bytes.count
        var found: [(line: [UInt8], number: Int)] = []
        lines.add(bytes) { found.append(($0, $1)) }
        var parts: [HealthImport.Part] = []
        for line in found {
            take(line.line, number: line.number)
            parts += collector.takeIfFull()
        }
        return parts
    }

    public mutating func finish() -> [HealthImport.Part] {
        var last: (line: [UInt8], number: Int)?
        lines.finish { last = ($0, $1) }
        if let last {
            take(last.line, number: last.number)
            // The last line of an export has an end, too.
            if columns != nil { collector.report.note(.cut, at: .line(last.number)) }
        }
        for _ in 0..<lines.tooLong { collector.report.note(.tooLong, at: .file, "\(HealthImport.Limits.lineBytesMax)") }
        if columns == nil { collector.report.note(collector.report.bytes == 0 ? .empty : .unknownFormat, at: .file) }
        return collector.take()
    }

    /// A quotation mark that was lost puts lines together: then each is taken for itself.
    private mutating func take(_ line: [UInt8], number: Int) {
        guard line.contains(0x0A), columns != nil, ImportLines.fields(line).count != width else { return take(line, .line(number)) }
        let pieces = line.split(separator: 0x0A, omittingEmptySubsequences: false)
        for (index, piece) in pieces.enumerated() {
            take(piece.last == 0x0D ? Array(piece.dropLast()) : Array(piece), .line(number - pieces.count + 1 + index))
        }
    }

    private mutating func take(_ line: [UInt8], _ place: ImportProblem.Place) {
        let fields = ImportLines.fields(line)
        guard let columns else {
            let names = fields.map { String(decoding: $0, as: UTF8.self) }
            guard names.contains("time_utc"), names.contains("kind") else { return }
            width = names.count
            columns = Dictionary(zip(names, names.indices), uniquingKeysWith: { first, _ in first })
            return
        }
        guard fields.count == width else { return collector.report.note(.fields, at: place) }
        let row = SampleCSVRow(fields: fields, columns: columns)
        if let whose = row.bytes("subject") {
            subject = subject ?? Array(whose)
            guard subject?.elementsEqual(whose) == true else { return collector.report.note(.otherPerson, at: place) }
        }
        take(row, place)
    }

    private mutating func take(_ row: SampleCSVRow, _ place: ImportProblem.Place) {
        guard let name = row.text("kind") else { return collector.report.note(.missing, at: place, "kind") }
        guard let time = row.time("time_utc") else { return collector.report.note(.time, at: place, DataKind(name: name)?.name) }
        guard let kind = DataKind(name: name) else { return collector.report.noteUnknown(name) }
        collector.begin(HealthImport.Source(name: ""), stated: row.text("source").flatMap { SampleWords.provenances[$0] })
        switch kind {
        case .heartRate: if let sample = row.heartRate(time) { return collector.add(sample, at: place) }
        case .position: if let sample = row.position(time) { return collector.add(sample, at: place) }
        case .event: if let event = row.event(time) { return collector.add(event, at: place) }
        case .gap: if let gap = row.gap(time) { return collector.add(gap, at: place) }
        default:
            guard kind.isScalar else { return collector.report.noteUnknown(name) }
            if let sample = row.scalar(kind, time) { return collector.add(sample, at: place) }
        }
        collector.report.note(.value, at: place, kind.name)
    }
}

/// A line of such a file. Empty fields are nil.
struct SampleCSVRow {
    let fields: [ArraySlice<UInt8>]
    let columns: [String: Int]

    func bytes(_ name: String) -> ArraySlice<UInt8>? { columns[name].flatMap { fields[$0].isEmpty ? nil : fields[$0] } }
    func text(_ name: String) -> String? { bytes(name).map { String(decoding: $0, as: UTF8.self) } }
    func time(_ name: String) -> Milliseconds? { bytes(name).flatMap(ImportText.time) }

    /// Nil for an empty field and, with `isWrong`, for one that is no such number.
    private func number<Value: FixedWidthInteger>(_ name: String, places: Int, _ isWrong: inout Bool) -> Value? {
        guard let bytes = bytes(name) else { return nil }
        let value = ImportText.fixed(bytes, places: places).flatMap { Value(exactly: $0) }
        if value == nil { isWrong = true }
        return value
    }

    private func word<Value>(_ name: String, _ words: [String: Value], _ isWrong: inout Bool) -> Value? {
        guard let text = text(name) else { return nil }
        if words[text] == nil { isWrong = true }
        return words[text]
    }

    func heartRate(_ time: Milliseconds) -> HeartRateSample? {
        var isWrong = false
        var sample = HeartRateSample(time: time, beatsPerMinute: number("heart_rate_bpm", places: 0, &isWrong) ?? 0)
        sample.contact = word("contact", SampleWords.contacts, &isWrong) ?? .unsupported
        sample.energyKilojoules = number("energy_kj", places: 0, &isWrong)
        for text in bytes("rr_intervals_ms")?.split(separator: UInt8(ascii: " ")) ?? [] {
            guard let interval = ImportText.fixed(text, places: 1).flatMap(SampleWords.interval) else { return nil }
            sample.rrIntervals.append(interval)
        }
        return isWrong ? nil : sample
    }

    func position(_ time: Milliseconds) -> PositionSample? {
        var isWrong = false
        guard let latitude: Int32 = number("latitude_deg", places: 7, &isWrong),
            let longitude: Int32 = number("longitude_deg", places: 7, &isWrong)
        else { return nil }
        let sample = PositionSample(
            time: time, latitude: latitude, longitude: longitude, altitude: number("altitude_m", places: 1, &isWrong),
            speed: number("speed_m_s", places: 2, &isWrong), course: number("course_deg", places: 2, &isWrong),
            horizontalError: number("horizontal_error_m", places: 1, &isWrong),
            mode: word("fix", SampleWords.fixes, &isWrong) ?? .unknown,
            source: word("position_source", SampleWords.positionSources, &isWrong) ?? .network)
        return isWrong ? nil : sample
    }

    func event(_ time: Milliseconds) -> StateEvent? {
        guard let code = text("event").flatMap(SampleWords.event), let value = bytes("value").flatMap({ ImportText.fixed($0, places: 0) })
        else { return nil }
        return StateEvent(time: time, code: code, value: value)
    }

    func gap(_ time: Milliseconds) -> GapRecord? {
        guard let reason = text("event").flatMap({ SampleWords.gapReasons[$0] }),
            let segments = bytes("value").flatMap({ ImportText.fixed($0, places: 0) }).flatMap(UInt64.init(exactly:))
        else { return nil }
        return SampleWords.gap(time, reason, segments: segments)
    }

    func scalar(_ kind: DataKind, _ time: Milliseconds) -> ScalarSample? {
        let entry = kind.entry
        guard let value = value(entry.codes.isEmpty ? "value" : "event", entry.codes, entry.decimals) else { return nil }
        var sample = ScalarSample(kind, time: time, value: value)
        if bytes("second_value") != nil {
            guard let second = self.value("second_value", entry.second?.codes ?? [], entry.decimals) else { return nil }
            sample?.second = second
        }
        if bytes("end_utc") != nil {
            guard let end = self.time("end_utc") else { return nil }
            sample?.end = end
        }
        return sample
    }

    private func value(_ name: String, _ codes: [String], _ decimals: Int) -> Int64? {
        codes.isEmpty
            ? bytes(name).flatMap { ImportText.fixed($0, places: decimals) } : text(name).flatMap { SampleWords.code($0, codes) }
    }
}
