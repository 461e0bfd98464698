import Exchange
import TestSupport
import Testing
import Vitals

private func read(_ bytes: [UInt8]) throws(ECGProblem) -> ECGFile { try ECGFile.read(bytes) { $0 } }
private func read(_ text: String) throws(ECGProblem) -> ECGFile { try read(Array(text.utf8)) }

private func problem(_ bytes: [UInt8]) -> ECGProblem? {
    do throws(ECGProblem) {
        _ = try read(bytes)
        return nil
    } catch { return error }
}

private func problem(_ text: String) -> ECGProblem? { problem(Array(text.utf8)) }

/// 09:12:18 at +01:00 on 2 March 2026.
private let start: Milliseconds = 1_772_439_138_000

@Suite struct ECGFileTests {
    // MARK: Apple Health

    @Test("DATA-2: Apple's CSV gives time, rate, lead, device, the device's own words and each value; name and birth date are left out")
    func apple() throws {
        let file = try read(MadeECG.apple()), strip = try #require(file.strips.first)
        #expect(file.format == .apple && file.strips.count == 1 && file.problems.isEmpty && !file.isLocal)
        #expect(strip.time == start && strip.millihertz == 512_000 && strip.duration == 30_000)
        #expect(strip.leads.map(\.name.description) == ["I"] && strip.said == "Sinus Rhythm" && strip.source == "Apple Watch4,2")
        #expect(strip.leads[0].values == MadeECG.curve(512 * 30, hertz: 512).map { $0 })
        #expect(file.leftOut == [.lines: 3], "name, date of birth, version")
    }

    @Test("DATA-2: the header of a phone in another language is read by what its lines hold; a comma may be the decimal mark")
    func localised() throws {
        let text = """
            Nome,Ada Inventata
            Data di nascita,1 gen 1980
            Data registrazione,2026-03-02 09:12:18 +0100
            Classificazione,Fibrillazione atriale
            Sintomi,
            Dispositivo,"Watch6,1"
            Frequenza di campionamento,"510,227 hertz"
            Derivazione,Derivazione II
            Unità,mV

            """
            + MadeECG.curve(1000, hertz: 500).map {
                "\"\($0 < 0 ? "-" : "")\(abs($0) / 1000),\(String(1000 + abs($0) % 1000).dropFirst())\""
            }.joined(
                separator: "\r\n")
        let strip = try #require(try read(text).strips.first)
        #expect(strip.said == "Fibrillazione atriale" && strip.source == "Apple Watch6,1" && strip.millihertz == 510_227)
        #expect(strip.leads[0].name.number == 2 && strip.leads[0].values[200] == 1000 && strip.leads[0].values[190] == -120)
    }

    @Test(
        "DATA-2: what is wrong with Apple's CSV is said, with its line",
        arguments: [
            (
                MadeECG.apple(values: ["1"] + [String](repeating: "0", count: 600) + ["abc"]), ECGProblem.Code.number,
                ECGProblem.Place.line(615)
            ),
            (MadeECG.apple(date: "yesterday"), .unit, .file), (MadeECG.apple(rate: "fast"), .missing, .file),
            (MadeECG.apple(unit: "kg"), .missing, .line(14)), (MadeECG.apple(values: []), .noValues, .file),
            (MadeECG.apple(rate: "10 hertz"), .rate, .file), (MadeECG.apple(values: ["1", "2"]), .tooShort, .file),
            (MadeECG.apple(rate: "50 hertz", values: [String](repeating: "1", count: 15_001)), .tooLong, .file),
            (MadeECG.apple(values: ["0", "100001"] + [String](repeating: "0", count: 600)), .outOfRange, .line(15)),
            ("Name,Ada\nhello", .unknownFormat, .file), ("", .empty, .file), (" \n\t ", .empty, .file), ("<xml/>", .unknownFormat, .file),
        ])
    func wrongApple(text: String, code: ECGProblem.Code, place: ECGProblem.Place) throws {
        let found = try #require(problem(text))
        // Without its time nothing else is looked at.
        #expect(found.code == (code == .unit ? .missing : code) && found.place == place, "\(found)")
    }

    @Test("DATA-2: a file that is too large is not read, and text that is not UTF-8 is refused")
    func bounds() {
        #expect(problem([UInt8](repeating: 65, count: ECGStrip.Limits.fileBytesMax + 1))?.code == .tooLarge)
        #expect(problem(Array(MadeECG.apple().utf8.prefix(200)) + [0xFF])?.code == .notUTF8)
        #expect(problem([0x50, 0x4B, 3, 4, 0, 0])?.code == .unknownFormat)
    }

    // MARK: EDF

    private static func signals(_ seconds: Int = 10) -> [MadeECG.Signal] {
        let curve = MadeECG.curve(250 * seconds, hertz: 250)
        func records(_ scale: Int32) -> [[Int16]] {
            (0..<seconds).map { record in curve[record * 250..<(record + 1) * 250].map { Int16($0 * 10 / scale) } }
        }
        var second = MadeECG.Signal("ECG II", records(2))
        second.dimension = "mV"
        second.physical = ("-3.2768", "3.2767")
        var temperature = MadeECG.Signal("Temp rectal", (0..<seconds).map { _ in [1, 2] })
        temperature.dimension = "degC"
        let notes = (0..<seconds).map { MadeECG.annotations("+\($0).5\u{14}\u{14}\0+\($0).7\u{14}Movement\u{14}\0") }
        return [MadeECG.Signal("ECG I", records(1)), temperature, second, MadeECG.Signal("EDF Annotations", notes)]
    }

    @Test("DATA-2: EDF+ gives its leads in microvolts, begins where its first record says, and counts what is left out")
    func edf() throws {
        let file = try read(MadeECG.edf(Self.signals())), strip = try #require(file.strips.first)
        #expect(file.format == .edf && file.isLocal && file.leftOut == [.signals: 1, .annotations: 10])
        // The clock on the wall is taken as UTC here; the first record begins half a second later.
        #expect(strip.time == start + 3_600_000 + 500 && strip.millihertz == 250_000 && strip.duration == 10_000)
        #expect(strip.leads.map(\.name.description) == ["I", "II"] && strip.source == "Made Recorder" && strip.said == nil)
        let curve = MadeECG.curve(2500, hertz: 250)
        #expect(strip.leads[0].values == curve.map { $0 })
        #expect(zip(strip.leads[1].values, curve).allSatisfy { abs(Int($0 ?? 9999) - Int($1) / 2) <= 1 })
    }

    @Test("DATA-2: a signal whose physical minimum is the greater one is turned")
    func upsideDown() throws {
        var signal = Self.signals()[0]
        signal.physical = ("3276.7", "-3276.8")
        let strip = try #require(try read(MadeECG.edf([signal], plus: "")).strips.first)
        #expect(zip(strip.leads[0].values, MadeECG.curve(2500, hertz: 250)).allSatisfy { abs(Int($0 ?? 9999) + Int($1)) <= 1 })
        #expect(strip.source == "AgAgCl electrode")
    }

    @Test("DATA-2: what is wrong with an EDF file is said, with its place")
    func wrongEDF() throws {
        let good = MadeECG.edf(Self.signals())
        func changed(_ offset: Int, _ text: String) -> [UInt8] {
            var bytes = good
            bytes.replaceSubrange(offset..<offset + text.utf8.count, with: Array(text.utf8))
            return bytes
        }
        #expect(problem(Array(good.dropLast()))?.code == .cut && problem(Array(good.prefix(200)))?.code == .cut)
        #expect(problem(good + [0])?.place == .byte(good.count) && problem(good + [0])?.code == .behindEnd)
        #expect(problem(changed(192, "EDF+D"))?.code == .interrupted && problem(changed(236, "-1      "))?.code == .unfinished)
        #expect(
            problem(changed(168, "31.02.26")) == problem(changed(168, "aa.bb.cc")) && problem(changed(176, "25.00.00"))?.place == .byte(168)
        )
        #expect(problem(changed(252, "0   "))?.detail == "number of signals" && problem(changed(244, "x       "))?.code == .header)
        #expect(problem(changed(236, "99999999"))?.code == .cut && problem(changed(184, "512     "))?.code == .header)
        #expect(problem(changed(244, "0       "))?.code == .noECG && problem(changed(244, "0.001   "))?.code == .rate)
        var mixed = Self.signals()
        mixed[2].records = mixed[2].records.map { Array($0.prefix(125)) }
        #expect(problem(MadeECG.edf(mixed))?.code == .ratesDiffer && problem(MadeECG.edf(mixed))?.place == .signal(3))
        mixed = Self.signals()
        mixed[0].dimension = "kg"
        #expect(problem(MadeECG.edf(mixed))?.place == .signal(1) && problem(MadeECG.edf(mixed))?.code == .unit)
        #expect(problem(MadeECG.edf([Self.signals()[1]]))?.code == .noECG)
        mixed[0].dimension = "V"
        #expect(
            problem(MadeECG.edf([mixed[0]])) == problem(MadeECG.edf([mixed[0]])) && problem(MadeECG.edf([mixed[0]]))?.code == .outOfRange)
        guard case .byte(let at)? = problem(MadeECG.edf([mixed[0]]))?.place else { return #expect(Bool(false)) }
        #expect(at >= 512 && at < 512 + 5000)
    }

    // MARK: FHIR

    private static func data(_ count: Int = 1000) -> String { MadeECG.curve(count, hertz: 500).map(String.init).joined(separator: " ") }

    @Test("DATA-2: FHIR R4 SampledData becomes leads by their codes, with origin and factor; missing values stay gaps")
    func fhir() throws {
        let broken = "E U L " + Self.data().split(separator: " ").dropFirst(3).joined(separator: " ")
        let file = try read(MadeECG.fhir(leads: [("131329", Self.data()), ("131389", broken), ("131390", Self.data())], origin: "0.5"))
        let strip = try #require(file.strips.first), curve = MadeECG.curve(1000, hertz: 500)
        #expect(file.format == .fhir && strip.time == start && strip.millihertz == 500_000 && strip.source == "Made Recorder")
        #expect(strip.leads.map(\.name.description) == ["I", "III", "aVR"] && strip.said == "Sinus Rhythm")
        #expect(strip.leads[0].values == curve.map { $0 + 500 } && strip.leads[1].values.prefix(4) == [nil, nil, nil, curve[3] + 500])
        #expect(file.leftOut == [.gaps: 3])
    }

    @Test("DATA-2: of a Bundle each ECG is a strip, what is none is counted, and what is wrong with one keeps no other out")
    func bundle() throws {
        let good = MadeECG.fhir(leads: [("131329", Self.data())])
        let late = MadeECG.fhir(time: "2026-03-03T10:00:00Z", leads: [("131330", Self.data())])
        let bad = MadeECG.fhir(leads: [("131329", "1 2 x")])
        let pulse = MadeECG.fhir(unit: "/min", leads: [("1", "60 61")])
        let entries = [good, late, bad, pulse, "{\"resourceType\":\"Patient\"}"].map { "{\"resource\":\($0)}" }.joined(separator: ",")
        let file = try read("{\"resourceType\":\"Bundle\",\"entry\":[\(entries)]}")
        #expect(file.strips.count == 2 && file.leftOut == [.resources: 2])
        #expect(file.problems.map(\.code) == [.number])
        #expect(file.problems.map(\.place) == [.element("entry[2].resource.component[0].valueSampledData.data, value 3")])
        let many = [String](repeating: "{\"resource\":\(MadeECG.fhir(leads: [("131329", Self.data(600))]))}", count: 22)
        let first = try read("{\"resourceType\":\"Bundle\",\"entry\":[\(many.joined(separator: ","))]}")
        #expect(first.strips.count == ECGStrip.Limits.stripsMax && first.problems.map(\.code) == [.tooManyStrips])
    }

    @Test(
        "DATA-2: what is wrong with FHIR is said, with its place",
        arguments: [
            ("{\"resourceType\":\"Observation\"", ECGProblem.Code.notJSON), ("{}", .notObservation),
            ("{\"resourceType\":\"Observation\"}", .noSampledData),
            (MadeECG.fhir(unit: "/min", leads: [("1", "60 61")]), .unit),
            (MadeECG.fhir(time: "2026-03-02", leads: [("131329", data())]), .time),
            (MadeECG.fhir(time: "2026-03-02T09:12:18", leads: [("131329", data())]), .time),
            (MadeECG.fhir(period: "0", leads: [("131329", data())]), .rate),
            (MadeECG.fhir(period: "-2", leads: [("131329", data())]), .rate),
            (MadeECG.fhir(leads: [("131329", data()), ("131330", data(900))]), .lengthsDiffer),
            (MadeECG.fhir(leads: [("131329", "E E " + String(repeating: "E ", count: 600))]), .noValues),
            (MadeECG.fhir(leads: (0..<16).map { _ in ("131329", data()) }), .tooManyLeads),
            (MadeECG.fhir(leads: [("131329", "")]), .tooShort),
            (MadeECG.fhir(leads: [("131329", "1e300 " + data())]), .outOfRange), ("{\"resourceType\":\"Bundle\"}", .noECG),
        ])
    func wrongFHIR(text: String, code: ECGProblem.Code) { #expect(problem(text)?.code == code, "\(String(describing: problem(text)))") }

    // MARK: Writing

    private static func strip() throws -> ECGStrip {
        let curve = MadeECG.curve(1024, hertz: 512).map { Int32?($0) }
        return try ECGStrip(
            time: start, millihertz: 512_000,
            leads: [.init(name: .init("aVF"), values: [nil] + curve.dropFirst()), .init(name: .init("MCL 1"), values: curve)],
            source: "=Watch, \"4\"", said: "Sinus Rhythm")
    }

    @Test(
        "DATA-9: an ECG is written as a FHIR Observation with SampledData, and read again as the same curve; no interpretation is made of the device's words"
    )
    func writesFHIR() throws {
        let strip = try Self.strip(), id = FHIRID(PersonID(high: 1, low: 2))
        let bytes = FHIRECG.observation(strip, id: id, patient: FHIRID(PersonID(high: 3, low: 4))), json = try Tree(bytes)
        FHIRShape.check(json)
        #expect(json["code", "coding", 0, "code"].text == "11524-6" && json["component", 0, "code", "coding", 0, "code"].text == "131392")
        #expect(json["component", 1, "code", "coding", 0, "code"].text == "131328" && !json["interpretation"].exists)
        #expect(json["note", 0, "text"].text?.contains("no diagnosis") == true)
        let again = try #require(try read(bytes).strips.first)
        #expect(again.time == strip.time && again.millihertz == 512_000 && again.leads == strip.leads && again.source == strip.source)
        let named = NamedECGStrip(id: id, strip: strip)
        let bundle =
            FHIRECG.bundleBegin(created: 0) + FHIRECG.entry(named, patient: nil, isFirst: true)
            + FHIRECG.entry(named, patient: nil, isFirst: false)
        #expect(try read(bundle + FHIRECG.bundleEnd).strips.count == 2)
    }

    @Test("DATA-9: JSON and CSV hold each value, null or nothing where there is none, and no formula")
    func writesText() throws {
        let strip = try Self.strip(), named = NamedECGStrip(id: FHIRID(PersonID(high: 1, low: 2)), strip: strip)
        let json = try Tree(ECGText.json([named, named]))
        #expect(json["format"].text == "trackme-ecg" && json["strips"].list.count == 2)
        #expect(json["strips", 0, "said_by_device"].text == "Sinus Rhythm" && json["strips", 0, "provenance"].text == "imported")
        #expect(json["strips", 0, "leads", 0, "values"].list.count == 1024)
        let lines = String(decoding: ECGText.csv(strip), as: UTF8.self).split(separator: "\r\n")
        #expect(lines[0] == "time_ms,aVF_uV,MCL_1_uV" && lines[1] == "0.000,,0" && lines[2] == "1.953,0,0" && lines.count == 1025)
        let line = String(decoding: ECGText.csvLine(named), as: UTF8.self)
        #expect(line.contains(",imported,512.000,1024,aVF MCL 1,\"'=Watch, \"\"4\"\"\",Sinus Rhythm\r\n"), "\(line)")
    }
}

@Suite struct ECGFuzzTests {
    private static let seeds: [[UInt8]] = [
        Array(MadeECG.apple(values: MadeECG.curve(520, hertz: 512).map(String.init)).utf8),
        MadeECG.edf([
            .init("ECG I", (0..<2).map { _ in MadeECG.curve(60, hertz: 60).map { Int16($0) } }),
            .init("EDF Annotations", (0..<2).map { MadeECG.annotations("+\($0)\u{14}\u{14}\0") }),
        ]),
        Array(MadeECG.fhir(period: "10", leads: [("131329", MadeECG.curve(110, hertz: 100).map(String.init).joined(separator: " "))]).utf8),
    ]

    @Test("DATA-3: no bytes whatever stop the readers of ECGs: what comes out is within the limits, or a problem", arguments: seeds)
    func anyBytes(seed: [UInt8]) throws {
        #expect(try read(seed).strips.count == 1)
        var generator = SeededGenerator(seed: 2026), taken = 0, refused = 0
        let words = ["-1", "1e999", "99999999", "\"", "{", "EDF+D", "ECG", "NaN", "\0", ",", "\n", "+", "E ", "9223372036854775807", "mV"]
        let rounds = Seeds.rounds(1500, of: 4000)
        for round in 0..<rounds {
            var bytes = seed
            for _ in 0..<Int.random(in: 1...3, using: &generator) where !bytes.isEmpty {
                // Headers are at the beginning: half of the damage goes there.
                let end = Bool.random(using: &generator) ? bytes.count : min(bytes.count, 1100)
                let at = Int.random(in: 0..<end, using: &generator)
                switch Int.random(in: 0..<5, using: &generator) {
                case 0: bytes[at] = UInt8.random(in: 0...255, using: &generator)
                case 1: bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                case 2: bytes.removeSubrange(at..<min(bytes.count, at + Int.random(in: 1...9, using: &generator)))
                case 3: if round % 7 == 0 { bytes.removeSubrange(at...) }
                default:
                    let word = Array((words.randomElement(using: &generator) ?? "").utf8)
                    bytes.replaceSubrange(at..<min(bytes.count, at + (Bool.random(using: &generator) ? word.count : 0)), with: word)
                }
            }
            do throws(ECGProblem) {
                let file = try read(bytes)
                taken += 1
                for strip in file.strips {
                    #expect(ECGStrip.Limits.millihertz.contains(strip.millihertz) && ECGStrip.Limits.duration.contains(strip.duration))
                    #expect(strip.count * strip.leads.count <= ECGStrip.Limits.valuesMax && strip.leads.count <= ECGStrip.Limits.leadsMax)
                    #expect((strip.source ?? "").count <= ECGStrip.Limits.textMax && (strip.said ?? "").count <= ECGStrip.Limits.textMax)
                    // What was taken can be written, and each format reads its own.
                    let id = FHIRID(PersonID(high: 1, low: 2))
                    #expect(
                        try read(FHIRECG.observation(strip, id: id, patient: nil)).strips.first?.leads.map(\.values)
                            == strip.leads.map(\.values))
                }
            } catch { refused += 1 }
        }
        #expect(taken > rounds / 80 && refused > rounds / 80, "\(taken) taken, \(refused) refused")
    }

    @Test("DATA-3: every prefix of a file is a problem or a shorter strip")
    func prefixes() {
        for seed in Self.seeds {
            for length in stride(from: 0, to: seed.count, by: 3) { _ = problem(Array(seed.prefix(length))) }
        }
    }
}
