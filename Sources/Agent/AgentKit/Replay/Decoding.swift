internal import Foundation
internal import Glibc
internal import Sensing
internal import Vitals

/// The input of `trackme-agent decode`.
public enum DecodedFile: Sendable {
    case nmea(String)
    case bluetooth(String, handle: UInt16?)
}

/// Writes one JSON object a line for each event of a file.
/// - Parameter write: takes some lines at a time, each with its end.
/// - Returns: what was read, what was skipped and why.
public func decode(_ file: DecodedFile, write: (String) -> Void) throws(AgentProblem) -> String {
    var notice = ""
    var reader: RecordingReader
    switch file {
    case .nmea(let path): reader = try RecordingReader(nmea: path)
    case .bluetooth(let path, let handle):
        var guess: HandleGuess?
        if handle == nil {
            var survey = try RecordingReader(bluetooth: path, options: .init())
            while try survey.next() != nil {}
            guess = survey.guess
        }
        if let guess {
            notice =
                "note: the capture does not tell which handle is the heart rate; handle \(guess.handle) was taken, because only its "
                + "\(guess.notifications) notifications look like one (--ble-handle says another)\n"
        }
        reader = try RecordingReader(bluetooth: path, options: .init(handle: handle, guess: guess))
    }
    var lines = ""
    while let event = try reader.next() {
        lines += EventJSON.line(event)
        if lines.utf8.count > 1 << 16 {
            write(lines)
            lines = ""
        }
    }
    if !lines.isEmpty { write(lines) }
    return notice + reader.report
}

/// Events as JSON. By hand: a log has millions of lines, and the numbers must not change on their way through floating point.
enum EventJSON {
    static func line(_ event: RecordedEvent) -> String {
        switch event.kind {
        case .heartRate(let event): heartRate(event)
        case .position(let recorded): position(recorded, event.date)
        }
    }

    static func object(_ time: Milliseconds, _ fields: String) -> String { "{\"time\":\"\(ISO8601.string(time))\"\(fields)}\n" }

    private static func heartRate(_ event: HeartRateEvent) -> String {
        switch event {
        case .measurement(let sample):
            var fields = ",\"bpm\":\(sample.beatsPerMinute),\"contact\":"
            switch sample.contact {
            case .unsupported: fields += "null"
            case .notDetected: fields += "false"
            case .detected: fields += "true"
            }
            if let energy = sample.energyKilojoules { fields += ",\"energy\":\(energy)" }
            fields += ",\"rr\":[" + sample.rrIntervals.map(String.init).joined(separator: ",") + "]"
            return object(sample.time, fields)
        case .battery(let percent, let time): return object(time, ",\"battery\":\(percent)")
        case .bodyLocation(let location, let time): return object(time, ",\"bodyLocation\":\(location)")
        case .charging(let isCharging, let time): return object(time, ",\"charging\":\(isCharging.map(String.init) ?? "null")")
        case .reading(let reading):
            switch reading.kind {
            case .bodyTemperature: return object(reading.time, ",\"temperature\":\(reading.value.text(places: 2))")
            case .cadence: return object(reading.time, ",\"cadence\":\(reading.value / 10)")
            default: return object(reading.time, reading.jsonFields.map { ",\"\($0.0)\":\($0.1)" }.joined())
            }
        case .connected(let time): return object(time, ",\"event\":\"connected\"")
        case .lost(let problem, let time): return object(time, ",\"event\":\"lost\",\"reason\":\(problem.what.quotedForJSON)")
        }
    }

    private static func position(_ event: PositionEvent, _ date: NMEAFix.DateQuality) -> String {
        switch event {
        case .fix(let sample, _):
            var fields = ",\"lat\":\(Int64(sample.latitude).text(places: 7)),\"lon\":\(Int64(sample.longitude).text(places: 7))"
            if let altitude = sample.altitude { fields += ",\"alt\":\(Int64(altitude).text(places: 1))" }
            if let speed = sample.speed { fields += ",\"speed\":\(Int64(speed).text(places: 2))" }
            if let course = sample.course { fields += ",\"course\":\(Int64(course).text(places: 2))" }
            if let error = sample.horizontalError { fields += ",\"error\":\(Int64(error).text(places: 1))" }
            fields += ",\"mode\":\(sample.mode.rawValue)"
            switch date {
            case .asRecorded: break
            case .corrected: fields += ",\"date\":\"corrected\""
            case .beforeFloor: fields += ",\"date\":\"doubtful\""
            case .missing: fields += ",\"date\":\"missing\""
            }
            return object(sample.time, fields)
        case .noFix(let time): return object(time, ",\"mode\":1")
        case .connected(let time): return object(time, ",\"event\":\"connected\"")
        case .stale(let age, let time): return object(time, ",\"event\":\"stale\",\"age\":\(age)")
        case .lost(let problem, let time): return object(time, ",\"event\":\"lost\",\"reason\":\(problem.what.quotedForJSON)")
        }
    }
}

extension ScalarSample {
    /// Beside the time, for kinds without fields of their own.
    var jsonFields: [(name: String, value: String)] {
        let value = kind.entry.text(of: value), first = kind.entry.codes.isEmpty ? value : "\"\(value)\""
        return [("kind", "\"\(kind.name)\""), ("value", first)] + (second.map { [("second", "\($0)")] } ?? [])
    }
}
