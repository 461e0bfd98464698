import Exchange
import Foundation
import Testing
import Vitals

@Suite struct CSVTests {
    @Test("DATA-9: CSV holds every sample with all of its fields, whatever pieces it is written in", arguments: 0..<8 as Range<UInt64>)
    func roundTrip(seed: UInt64) throws {
        let samples = SampleSet.madeUp(seed: seed)
        let text = try CSVWriter().text(of: samples, pieceSize: [1, 7, .max][Int(seed % 3)], from: .import)
        let rows = try CSVReader.rows(of: text)
        let read = try SampleSet(csv: rows)
        #expect(read == samples.named)
        #expect(rows.allSatisfy { $0["source"] == "import" })
        let times = rows.compactMap { $0["time_utc"] }
        #expect(times == times.sorted(), "in the order of time")
    }

    @Test("DATA-9: the header carries the units, lines end with CR LF, and every line has as many fields")
    func form() throws {
        let text = try CSVWriter().text(of: .madeUp(seed: 1))
        let lines = text.components(separatedBy: "\r\n")
        #expect(lines.last == "" && !text.replacing("\r\n", with: "").contains { $0 == "\r" || $0 == "\n" })
        let names = [
            "time_utc", "kind", "source", "heart_rate_bpm", "contact", "energy_kj", "rr_intervals_ms", "latitude_deg", "longitude_deg",
            "altitude_m", "speed_m_s", "course_deg", "horizontal_error_m", "fix", "position_source", "event", "value",
        ]
        #expect(lines[0].components(separatedBy: ",") == names)
        #expect(lines.dropLast().allSatisfy { $0.split(separator: ",", omittingEmptySubsequences: false).count == names.count })
    }

    @Test("DATA-9: a file with other kinds has three columns more behind those of 0.3.0; one without is as it was")
    func scalars() throws {
        var samples = SampleSet.madeUp(seed: 2)
        let before = try CSVWriter().text(of: samples)
        samples.scalars = try SampleSet.scalars().scalars
        #expect(try CSVWriter().text(of: samples) == before)
        let text = try CSVWriter(scalars: true).text(of: samples)
        let lines = text.components(separatedBy: "\r\n").dropLast()
        #expect(lines[0].hasSuffix(",event,value,unit,second_value,end_utc"))
        #expect(lines.allSatisfy { $0.split(separator: ",", omittingEmptySubsequences: false).count == 20 })
        let rows = try CSVReader.rows(of: text)
        #expect(
            rows.map { $0.filter { !["unit", "second_value", "end_utc"].contains($0.key) } }.filter {
                $0["kind"].map(DataKind.init(name:))??.isScalar != true
            } == (try CSVReader.rows(of: before)))
        let scalars = rows.filter { $0["kind"].map(DataKind.init(name:))??.isScalar == true }
        #expect(scalars.map { $0["kind"] } == ["body_temperature", "blood_pressure", "sleep", "activity"])
        #expect(scalars.map { $0["value"] } == ["36.72", "128", "", ""] && scalars.map { $0["event"] } == ["", "", "deep", "running"])
        #expect(scalars.map { $0["unit"] } == ["Cel", "mm[Hg]", "", ""] && scalars.map { $0["second_value"] } == ["", "84", "", "indoor"])
        #expect(scalars[0]["end_utc"] == "" && scalars[2]["end_utc"]?.isEmpty == false)
    }

    @Test("DATA-9: a zero is no heart rate: its field is empty, and a mean over the column is right")
    func zero() throws {
        let samples = SampleSet(heartRates: [
            HeartRateSample(time: someTime, beatsPerMinute: 0, contact: .notDetected),
            HeartRateSample(time: someTime + 1000, beatsPerMinute: 61),
        ])
        let rows = try CSVReader.rows(of: try CSVWriter().text(of: samples))
        #expect(rows.map { $0["heart_rate_bpm"] } == ["", "61"])
        #expect(rows.map { $0["contact"] } == ["not_detected", ""])
    }

    @Test(
        "CONS-9: no text of a CSV file is a formula in a spreadsheet",
        arguments: [
            "=HYPERLINK(\"http://x\")", "+1", "-1+cmd|' /C calc'!A0", "@SUM(A1)", "\t=1", "\r=1", "a,b", "say \"x\"", "two\r\nlines",
            "plain",
        ])
    func injection(subject: String) throws {
        let samples = SampleSet(heartRates: [HeartRateSample(time: someTime, beatsPerMinute: 61)])
        let rows = try CSVReader.rows(of: try CSVWriter(subject: subject).text(of: samples))
        let field = try #require(rows.first?["subject"])
        #expect(field.hasSuffix(subject) && rows.first?["heart_rate_bpm"] == "61")
        #expect(!"=+-@\t\r\n".contains(field.first!))
    }

    @Test("DATA-9: an export of nothing is a header, and one of each kind names what is missing by an empty field")
    func few() throws {
        #expect(try CSVReader.rows(of: try CSVWriter().text(of: SampleSet())).isEmpty)
        let gap = SampleSet(gaps: [GapRecord(time: someTime, sequences: 3...14, reason: .bufferFull)])
        let row = try #require(try CSVReader.rows(of: try CSVWriter().text(of: gap)).first)
        #expect(row["kind"] == "gap" && row["event"] == "buffer_full" && row["value"] == "12" && row["latitude_deg"] == "")
    }
}

/// Reads CSV as Python's `csv.DictReader` does: quoted fields may hold commas, line ends and doubled quotes.
enum CSVReader {
    static func rows(of text: String) throws -> [[String: String]] {
        var records: [[String]] = [], record: [String] = [], field = "", quoted = false
        var rest = Array(text.unicodeScalars)[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\"" where quoted && rest.first == "\"":
                rest.removeFirst()
                field.append("\"")
            case "\"": quoted.toggle()
            case "," where !quoted:
                record.append(field)
                field = ""
            case "\r" where !quoted && rest.first == "\n":
                rest.removeFirst()
                records.append(record + [field])
                (record, field) = ([], "")
            default: field.unicodeScalars.append(scalar)
            }
        }
        try #require(!quoted && record.isEmpty && field.isEmpty, "the file ends within a line")
        let header = try #require(records.first)
        return try records.dropFirst().map { record in
            try #require(record.count == header.count)
            return Dictionary(uniqueKeysWithValues: zip(header, record))
        }
    }
}

extension SampleSet {
    /// What a file keeps of the set: not which segments a gap has, but how many.
    var named: SampleSet {
        var set = self
        for index in set.gaps.indices {
            let range = set.gaps[index].sequences
            let count = Int64(clamping: (range.upperBound - range.lowerBound).addingReportingOverflow(1).partialValue)
            set.gaps[index].sequences = 0...(range == 0...UInt64.max ? UInt64(Int64.max) : UInt64(count)) - 1
        }
        return set
    }

    /// The samples of a CSV file, read by what the documentation of the columns says.
    init(csv rows: [[String: String]]) throws {
        self.init()
        for row in rows {
            func scaled(_ name: String, _ places: Double) -> Int32? {
                row[name].flatMap(Double.init).flatMap { Int32(exactly: ($0 * places).rounded()) }
            }
            let time = try milliseconds(row["time_utc"])
            switch row["kind"] {
            case "heart_rate":
                heartRates.append(
                    HeartRateSample(
                        time: time, beatsPerMinute: row["heart_rate_bpm"].flatMap(UInt16.init) ?? 0,
                        contact: row["contact"] == "detected" ? .detected : row["contact"] == "not_detected" ? .notDetected : .unsupported,
                        energyKilojoules: row["energy_kj"].flatMap(UInt16.init),
                        rrIntervals: row["rr_intervals_ms"]!.split(separator: " ").map {
                            UInt16(exactly: (Double($0)! * 1.024).rounded()) ?? .max
                        }))
            case "position":
                positions.append(
                    PositionSample(
                        time: time, latitude: try #require(scaled("latitude_deg", 1e7)),
                        longitude: try #require(scaled("longitude_deg", 1e7)),
                        altitude: scaled("altitude_m", 10), speed: scaled("speed_m_s", 100), course: scaled("course_deg", 100),
                        horizontalError: scaled("horizontal_error_m", 10),
                        mode: row["fix"] == "2d" ? .twoDimensional : row["fix"] == "3d" ? .threeDimensional : .unknown,
                        source: try #require(["gnss": .gnss, "fixed": .fixed, "network": .network][row["position_source"]])))
            case "event":
                let code = try #require(Self.codes[row["event"] ?? ""])
                events.append(StateEvent(time: time, code: code, value: try #require(Int64(row["value"] ?? ""))))
            case "gap":
                let reasons: [String: GapRecord.Reason] = [
                    "buffer_full": .bufferFull, "disk_full": .diskFull, "corruption": .corruption, "deleted_by_person": .deletedByPerson,
                ]
                let count = try #require(UInt64(row["value"] ?? ""))
                gaps.append(GapRecord(time: time, sequences: 0...(count - 1), reason: try #require(reasons[row["event"] ?? ""])))
            default: Issue.record("a line of the kind \(row["kind"] ?? "none")")
            }
        }
    }

    private static let codes: [String: StateEvent.Code] = {
        let names = [
            "sensor_connected", "sensor_lost", "sensor_battery", "body_location", "fix_acquired", "fix_lost", "paused", "resumed",
            "sensor_charging", "input_skipped", "sensor_contact", "sensor_frozen", "sensor_away", "box_power", "box_battery",
            "kinds_chosen",
            "ok", "help", "false_alarm", "reactivated", "fall", "seizure", "lap", "event_24", "event_25",
        ]
        return Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, StateEvent.Code(rawValue: UInt16($0 + 1))) })
    }()
}
