import Exchange
import Foundation
import Testing
import Vitals

@Suite struct JSONTests {
    @Test("DATA-9: JSON holds every sample with all of its fields, whatever pieces it is written in", arguments: 0..<8 as Range<UInt64>)
    func roundTrip(seed: UInt64) throws {
        let samples = SampleSet.madeUp(seed: seed)
        let file = try JSONWriter(created: someTime).file(of: samples, pieceSize: [1, 7, .max][Int(seed % 3)], from: .drill)
        let json = try Tree(file)
        #expect(json.names == ["format", "version", "created", "units", "heart_rate", "position", "event", "gap"])
        #expect(json["format"].text == "trackme-samples" && json["version"].integer == 1)
        #expect(try milliseconds(json["created"].text) == someTime)
        #expect(try SampleSet(json: json) == samples.named)
        let lists = ["heart_rate", "position", "event", "gap"].flatMap { json[$0].list }
        #expect(lists.allSatisfy { $0["source"].text == "drill" })
    }

    /// FNV-1a of what release 0.3.0 wrote.
    @Test(
        "DATA-9: JSON of the export and of the API's lines is byte for byte as release 0.3.0 wrote it",
        arguments: [
            (Provenance.live, 11_805_070_977_955_646_934 as UInt64, 436_648_415_424_782_397 as UInt64),
            (.drill, 17_779_786_531_365_006_294, 16_595_808_291_820_974_203),
            (.replay, 3_580_950_216_404_662_846, 315_915_624_117_128_077),
        ])
    func unchanged(provenance: Provenance, whole: UInt64, lines: UInt64) throws {
        func digest(_ file: [UInt8]) -> UInt64 { file.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 } }
        var samples = SampleSet.madeUp(seed: 7)
        // Codes that have got a name since are written by it.
        samples.events.removeAll { $0.code.rawValue > 22 }
        #expect(digest(try JSONWriter(created: someTime).file(of: samples, from: provenance)) == whole)
        #expect(digest(try JSONLinesWriter().file(of: samples, from: provenance)) == lines)
    }

    @Test("DATA-9: a heart rate is written the same behind whichever others, by the whole document and line by line")
    func alike() throws {
        let contacts: [SensorContact] = [.unsupported, .detected, .notDetected]
        var all: [UInt8] = [], alone: [UInt8] = [], writer = JSONLinesWriter(), document = JSONWriter(created: someTime), text: [UInt8] = []
        document.begin(&text)
        for number in 0..<60 {
            let rate = HeartRateSample(
                time: someTime + Milliseconds(number) * 21_001, beatsPerMinute: number % 7 == 3 ? 0 : UInt16(60 + number),
                contact: contacts[number / 2 % 3], energyKilojoules: number % 11 == 4 ? 7 : nil,
                rrIntervals: number % 5 == 2 ? [1024, 512] : [])
            let provenance: Provenance = number / 4 % 2 == 0 ? .live : .import
            var first = JSONLinesWriter()
            first.append(SampleSet(heartRates: [rate]), from: provenance, to: &alone)
            writer.append(SampleSet(heartRates: [rate]), from: provenance, to: &all)
            try document.append(SampleSet(heartRates: [rate]), from: provenance, to: &text)
        }
        document.end(&text)
        #expect(all == alone)
        let lines = String(decoding: alone, as: UTF8.self).replacing("\"kind\":\"heart_rate\",", with: "").split(separator: "\n")
        let listed = String(decoding: text, as: UTF8.self)
        #expect(lines.count == 60 && lines.allSatisfy { listed.contains("\n\($0)") })
        #expect(listed.contains("\"source\":\"import\",\"bpm\":66}"))
        #expect(listed.contains("\"bpm\":62,\"contact\":\"detected\",\"rr_ms\":[1000.0,500.0]}"))
    }

    @Test("DATA-9: a run of heart rates of which nothing else is known is written as each of them alone, at every edge of time")
    func runs() throws {
        var times = (0..<400).map { someTime + Milliseconds($0) * 997 }
        times += [.min, -62_167_219_200_001, -62_167_219_200_000, -1, 0, 59_999, 60_000]
        times += [253_402_300_799_999, 253_402_300_800_000, .max - 1, .max]
        let beats: [UInt16] = [1, 9, 10, 99, 100, 999, 1000, 9999, 10_000, .max], contacts: [SensorContact] = [.detected, .unsupported]
        let rates = times.enumerated().map { number, time in
            HeartRateSample(
                time: time, beatsPerMinute: number % 97 == 50 ? 0 : beats[number % beats.count], contact: contacts[number / 150 % 2],
                rrIntervals: number % 131 == 7 ? [1024] : [])
        }
        var together = JSONWriter(created: 0), whole: [UInt8] = [], alone = JSONWriter(created: 0), each: [UInt8] = []
        for provenance in [Provenance.live, .import] {
            try together.append(SampleSet(heartRates: rates), from: provenance, to: &whole)
            for rate in rates { try alone.append(SampleSet(heartRates: [rate]), from: provenance, to: &each) }
        }
        #expect(whole == each)
        #expect(String(decoding: whole, as: UTF8.self).components(separatedBy: "{\"time\":\"").count == 2 * rates.count + 1)
    }

    @Test("DATA-9: every number of a JSON document has a unit, and nothing in it names a person, a box or a stream")
    func units() throws {
        let json = try Tree(try JSONWriter(created: someTime).file(of: .madeUp(seed: 3)))
        let measured = ["heart_rate", "position"].flatMap { json[$0].list }.reduce(into: Set<String>()) { $0.formUnion($1.names) }
        let words: Set = ["source", "contact", "fix", "found_by"]
        #expect(measured.subtracting(words).isSubset(of: json["units"].names))
        #expect(measured.isSuperset(of: words))
    }

    @Test("DATA-9: an empty export is a document with empty lists")
    func empty() throws {
        let json = try Tree(try JSONWriter(created: someTime).file(of: SampleSet()))
        for name in ["heart_rate", "position", "event", "gap"] { #expect((json[name].value as? [Any])?.isEmpty == true) }
    }

    @Test(
        "DATA-9: other kinds stand in one list more, by name, with their units, codes, second values and ends; without any, nothing changes"
    )
    func scalars() throws {
        let json = try Tree(try JSONWriter(created: someTime).file(of: .scalars()))
        #expect(json.names == ["format", "version", "created", "units", "heart_rate", "position", "event", "gap", "scalar"])
        let list = json["scalar"].list
        #expect(list.map { $0["kind"].text } == ["body_temperature", "blood_pressure", "sleep", "activity"])
        #expect(list.map { $0["unit"].text } == ["Cel", "mm[Hg]", nil, nil])
        #expect(list[0]["value"].value as? Double == 36.72 && list[1]["value"].integer == 128 && list[1]["diastolic"].integer == 84)
        #expect(list[2]["value"].text == "deep" && list[3]["value"].text == "running" && list[3]["place"].text == "indoor")
        #expect(try milliseconds(list[2]["end"].text) == someTime + 90_000)
        let lines = try JSONLinesWriter().text(of: .scalars()).split(separator: "\n")
        #expect(lines.count == 4 && lines[0].contains("\"kind\":\"body_temperature\",\"value\":36.72,\"unit\":\"Cel\"}"))
    }

    @Test("DATA-9: samples that come when their list is closed are an error, not a broken document")
    func order() throws {
        var writer = JSONWriter(created: someTime), buffer: [UInt8] = []
        writer.begin(&buffer)
        let samples = SampleSet.madeUp(seed: 4)
        try writer.append(SampleSet(positions: samples.positions), from: .live, to: &buffer)
        let before = buffer
        #expect(throws: ExportError.listClosed(.heartRate)) {
            try writer.append(SampleSet(heartRates: samples.heartRates), from: .live, to: &buffer)
        }
        #expect(buffer == before)
        try writer.append(SampleSet(positions: samples.positions, events: samples.events), from: .live, to: &buffer)
        writer.end(&buffer)
        #expect(try Tree(buffer)["position"].list.count == samples.positions.count * 2)
    }

    @Test("CONS-12: as lines, each sample is one JSON object with its kind, in the order of time", arguments: 0..<4 as Range<UInt64>)
    func lines(seed: UInt64) throws {
        let samples = SampleSet.madeUp(seed: seed)
        let text = try JSONLinesWriter().text(of: samples, pieceSize: 5)
        #expect(text.hasSuffix("\n"))
        let lines = try text.split(separator: "\n").map { try Tree(Array($0.utf8)) }
        let lists = Dictionary(grouping: lines) { $0["kind"].text ?? "" }
        #expect(Set(lists.keys) == ["heart_rate", "position", "event", "gap"])
        #expect(try SampleSet(json: Tree(lists.mapValues { $0.map(\.value) })) == samples.named)
        let times = lines.compactMap { $0["time"].text }
        #expect(times.count == samples.count && times == times.sorted())
    }
}

extension SampleSet {
    /// The samples of a JSON document, read by what its documentation says.
    fileprivate init(json: Tree) throws {
        self.init()
        // The names of the CSV columns, so that both are read by the same code.
        let renamed = [
            ("heart_rate", ["bpm": "heart_rate_bpm", "contact": "contact", "energy_kj": "energy_kj"]),
            (
                "position",
                [
                    "lat": "latitude_deg", "lon": "longitude_deg", "altitude_m": "altitude_m", "speed_m_s": "speed_m_s",
                    "course_deg": "course_deg", "error_m": "horizontal_error_m", "fix": "fix", "found_by": "position_source",
                ]
            ),
            ("event", ["event": "event", "value": "value"]), ("gap", ["reason": "event", "segments": "value"]),
        ]
        var rows: [[String: String]] = []
        for (kind, names) in renamed {
            for sample in json[kind].list {
                var row = ["kind": kind, "time_utc": sample["time"].text ?? "", "rr_intervals_ms": ""]
                for (name, column) in names {
                    if let text = sample[name].text {
                        row[column] = text
                    } else if let number = sample[name].value as? NSNumber {
                        row[column] = number.stringValue
                    }
                }
                row["rr_intervals_ms"] = sample["rr_ms"].list.compactMap { $0.number.map { "\($0)" } }.joined(separator: " ")
                rows.append(row)
            }
        }
        try self.init(csv: rows)
    }
}
