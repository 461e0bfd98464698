public import Vitals

/// Reads a file of `Daily activity metrics` of Google Takeout's Fit folder: the sums of each quarter of an hour of one day, whose date
/// is the file's name. Steps and distance are taken. The energy counts resting as well, and heart rate and weight are means; they are
/// left out. Column names are those of an account in English.
public struct TakeoutDayReader: HealthReader {
    private var collector: ImportCollector
    private var lines = ImportLines(bytesMax: HealthImport.Limits.lineBytesMax, isCSV: true)
    private let day: String
    private var columns: [String]?

    /// - Parameters:
    ///   - day: `2024-05-01`.
    ///   - now: the hub's time, UTC.
    public init(day: String, now: Milliseconds) { (self.day, collector) = (day, ImportCollector(now: now)) }

    public var report: ImportReport { collector.report }

    public mutating func read(_ bytes: [UInt8]) -> [HealthImport.Part] {
        collector.report.bytes += bytes.count
        var found: [(line: [UInt8], number: Int)] = []
        lines.add(bytes) { found.append(($0, $1)) }
        for line in found { take(line.line, .line(line.number)) }
        return collector.takeIfFull()
    }

    public mutating func finish() -> [HealthImport.Part] {
        var last: (line: [UInt8], number: Int)?
        lines.finish { last = ($0, $1) }
        if let last { take(last.line, .line(last.number)) }
        if columns == nil { collector.report.note(collector.report.bytes == 0 ? .empty : .unknownFormat, at: .file) }
        return collector.take()
    }

    private mutating func take(_ line: [UInt8], _ place: ImportProblem.Place) {
        let fields = ImportLines.fields(line)
        guard let columns else {
            let names = fields.map { String(decoding: $0, as: UTF8.self) }
            if names.contains("Start time"), names.contains("End time") { columns = names }
            return
        }
        guard fields.count == columns.count else { return collector.report.note(.fields, at: place) }
        func field(_ name: String) -> ArraySlice<UInt8>? {
            columns.firstIndex(of: name).flatMap { fields[$0].isEmpty ? nil : fields[$0] }
        }
        func time(_ name: String) -> Milliseconds? { field(name).flatMap { ImportText.time(Array("\(day)T".utf8)[...] + $0) } }
        guard let start = time("Start time"), var end = time("End time") else { return collector.report.note(.time, at: place) }
        // The last quarter ends at 00:00 of the next day.
        if end < start { end += 86_400_000 }
        for (name, kind) in [("Step count", DataKind.steps), ("Distance (m)", .distance)] {
            guard let text = field(name) else { continue }
            guard let value = ImportText.number(text).flatMap({ kind.entry.value(of: $0) }) else {
                collector.report.note(.value, at: place, kind.name)
                continue
            }
            if let sample = ScalarSample(kind, time: start, value: value, end: end) { collector.add(sample, at: place) }
        }
        if field("Calories (kcal)") != nil { collector.report.leaveOut(.totalEnergy) }
        collector.report.leaveOut(.averages, columns.indices.count { columns[$0].contains("verage") && !fields[$0].isEmpty })
    }
}
