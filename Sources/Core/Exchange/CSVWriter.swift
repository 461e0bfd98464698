public import Vitals

/// Comma-separated values (RFC 4180): UTF-8 without a byte order mark, lines end with CR LF, one header line whose names carry the units,
/// one line for each sample in the order of time. A column that a kind has nothing for is empty.
///
/// | column | |
/// | --- | --- |
/// | `subject` | only where the caller names one: who it is about, as the reader knows them |
/// | `time_utc` | ISO 8601 with milliseconds |
/// | `kind` | `heart_rate`, `position`, `event`, `gap` |
/// | `source` | `live`, `replay`, `import`, `drill`, `manual` (typed by hand) |
/// | `heart_rate_bpm` | empty in a `heart_rate` line: the sensor sent 0, which is never a reading |
/// | `contact` | `detected`, `not_detected`; empty when the sensor cannot tell |
/// | `energy_kj` | since the sensor's last reset |
/// | `rr_intervals_ms` | oldest first, a blank between them, rounded to 0.1 ms |
/// | `latitude_deg`, `longitude_deg` | WGS 84 |
/// | `altitude_m`, `speed_m_s`, `course_deg`, `horizontal_error_m` | |
/// | `fix` | `2d`, `3d`; empty when not known |
/// | `position_source` | `gnss`, `fixed`, `network` |
/// | `event` | the name of an event, the reason of a gap |
/// | `value` | the event's number, or how many segments a gap is wide |
///
/// A file with other kinds (`scalars`) has three columns more, behind these: their value stands in `value`, a coded one by its name in `event`.
///
/// | column | |
/// | --- | --- |
/// | `unit` | UCUM |
/// | `second_value` | diastolic pressure; where an activity was |
/// | `end_utc` | when a span ended |
///
/// No field can be taken for a formula by a spreadsheet: all but `subject` are numbers and words from fixed lists, and a `subject` that
/// begins with `=`, `+`, `-`, `@`, a tab or a line end gets an apostrophe before it.
public struct CSVWriter: SampleWriter {
    public static let mediaType = "text/csv; charset=utf-8; header=present"
    public static let fileExtension = "csv"
    public static let passes: [[DataKind]] = [[.heartRate, .position, .event, .gap] + DataKind.scalars]

    private static let header: StaticString = """
        time_utc,kind,source,heart_rate_bpm,contact,energy_kj,rr_intervals_ms,latitude_deg,longitude_deg,altitude_m,speed_m_s,course_deg,\
        horizontal_error_m,fix,position_source,event,value
        """

    private var utc = UTCText()
    /// The first field with its comma; empty without a subject.
    private let subject: [UInt8]
    private let scalars: Bool
    /// Behind the fields of a line of no scalar.
    private let lineEnd: StaticString

    /// - Parameters:
    ///   - subject: who the samples are about, in a column of its own; nil leaves the column out.
    ///   - scalars: whether there are any. Without, scalars are left out, and the file is as those of 0.3.0.
    public init(subject: String? = nil, scalars: Bool = false) {
        self.subject = subject.map { CSVText.field($0) + [UInt8(ascii: ",")] } ?? []
        self.scalars = scalars
        lineEnd = scalars ? ",,,\r\n" : "\r\n"
    }

    public mutating func begin(_ buffer: inout [UInt8]) {
        if !subject.isEmpty { buffer.append("subject,") }
        buffer.append(Self.header)
        if scalars { buffer.append(",unit,second_value,end_utc") }
        buffer.append("\r\n")
    }

    public mutating func append(_ samples: SampleSet, from provenance: Provenance, to buffer: inout [UInt8]) {
        let source = provenance.exportName
        var merge = TimeMerge(samples)
        while let next = merge.next() {
            switch next {
            case .heartRate(let sample): append(sample, source, &buffer)
            case .position(let sample): append(sample, source, &buffer)
            case .event(let event):
                start(event.time, ",event,", source, &buffer)
                buffer.append(",,,,,,,,,,,,,")
                event.code.appendName(to: &buffer)
                comma(&buffer)
                buffer.append(number: event.value)
                buffer.append(lineEnd)
            case .gap(let gap):
                start(gap.time, ",gap,", source, &buffer)
                buffer.append(",,,,,,,,,,,,,")
                buffer.append(gap.reason.exportName)
                comma(&buffer)
                buffer.append(number: gap.segments)
                buffer.append(lineEnd)
            case .scalar(let sample): if scalars { append(sample, source, &buffer) }
            }
        }
    }

    public mutating func end(_ buffer: inout [UInt8]) {}

    private mutating func start(_ time: Milliseconds, _ kind: StaticString, _ source: StaticString, _ buffer: inout [UInt8]) {
        buffer.append(contentsOf: subject)
        utc.append(time, to: &buffer)
        buffer.append(kind)
        buffer.append(source)
    }

    private mutating func append(_ sample: HeartRateSample, _ source: StaticString, _ buffer: inout [UInt8]) {
        start(sample.time, ",heart_rate,", source, &buffer)
        comma(&buffer)
        if sample.beatsPerMinute > 0 { buffer.append(number: sample.beatsPerMinute) }
        comma(&buffer)
        if let contact = sample.contact.exportName { buffer.append(contact) }
        comma(&buffer)
        if let energy = sample.energyKilojoules { buffer.append(number: energy) }
        comma(&buffer)
        for (index, interval) in sample.rrIntervals.enumerated() {
            if index > 0 { buffer.append(UInt8(ascii: " ")) }
            buffer.append(interval: interval)
        }
        buffer.append(",,,,,,,,,,")
        buffer.append(lineEnd)
    }

    private mutating func append(_ sample: ScalarSample, _ source: StaticString, _ buffer: inout [UInt8]) {
        let entry = sample.kind.entry
        buffer.append(contentsOf: subject)
        utc.append(sample.time, to: &buffer)
        comma(&buffer)
        buffer.append(contentsOf: entry.name.utf8)
        comma(&buffer)
        buffer.append(source)
        buffer.append(",,,,,,,,,,,,,")
        if entry.codes.isEmpty {
            comma(&buffer)
            buffer.append(fixed: sample.value, places: entry.decimals)
        } else {
            buffer.append(contentsOf: ScalarSample.name(of: sample.value, entry.codes).utf8)
            comma(&buffer)
        }
        comma(&buffer)
        buffer.append(contentsOf: entry.unit.utf8)
        comma(&buffer)
        if let second = sample.second, let meaning = entry.second {
            if meaning.codes.isEmpty {
                buffer.append(fixed: second, places: entry.decimals)
            } else {
                buffer.append(contentsOf: ScalarSample.name(of: second, meaning.codes).utf8)
            }
        }
        comma(&buffer)
        if let end = sample.end { utc.append(end, to: &buffer) }
        buffer.append("\r\n")
    }

    private mutating func append(_ sample: PositionSample, _ source: StaticString, _ buffer: inout [UInt8]) {
        start(sample.time, ",position,", source, &buffer)
        buffer.append(",,,,,")
        buffer.append(fixed: Int64(sample.latitude), places: 7)
        comma(&buffer)
        buffer.append(fixed: Int64(sample.longitude), places: 7)
        for (value, places) in [(sample.altitude, 1), (sample.speed, 2), (sample.course, 2), (sample.horizontalError, 1)] {
            comma(&buffer)
            if let value { buffer.append(fixed: Int64(value), places: places) }
        }
        comma(&buffer)
        if let mode = sample.mode.exportName { buffer.append(mode) }
        comma(&buffer)
        buffer.append(sample.source.exportName)
        buffer.append(",,")
        buffer.append(lineEnd)
    }

    private func comma(_ buffer: inout [UInt8]) { buffer.append(UInt8(ascii: ",")) }
}

/// A text field of a CSV file.
enum CSVText {
    static func field(_ text: String) -> [UInt8] {
        var bytes = Array(text.utf8)
        if let first = bytes.first, "=+-@\t\r\n".utf8.contains(first) { bytes.insert(UInt8(ascii: "'"), at: 0) }
        guard bytes.contains(where: { ",\"\r\n".utf8.contains($0) }) else { return bytes }
        let quote = UInt8(ascii: "\"")
        return [quote] + bytes.flatMap { $0 == quote ? [quote, quote] : [$0] } + [quote]
    }
}
