import Exchange
import Testing
import Vitals

/// Observations of scalar kinds, which the table of kinds describes.
@Suite struct FHIRScalarTests {
    static let base = "https://hub.example/fhir"
    static let patient = FHIRID(PersonID(high: 1, low: 2))

    private func bundle(
        _ samples: SampleSet, _ detail: FHIRDetail = .samples, pieceSize: Int = .max, from provenance: Provenance = .live
    ) throws -> Tree {
        let writer = FHIRBundleWriter(.collection, base: Self.base, patient: Self.patient, detail: detail, created: someTime)
        let json = try Tree(try writer.file(of: samples, pieceSize: pieceSize, from: provenance))
        FHIRShape.check(json)
        return json
    }

    private func resources(_ bundle: Tree) -> [Tree] { bundle["entry"].list.map { $0["resource"] } }

    /// One of the kind: with all that it may have, and with no more than it must.
    static func samples(of kind: DataKind) throws -> [ScalarSample] {
        let entry = kind.entry, value = (entry.range.lowerBound + entry.range.upperBound) / 2
        let isRequired = if case .required = entry.span { true } else { false }
        let full = ScalarSample(
            kind, time: someTime, value: value, end: entry.span == .none ? nil : someTime + 90_000,
            second: entry.second?.range.lowerBound)
        let least = ScalarSample(
            kind, time: someTime + 60_000, value: entry.range.upperBound, end: isRequired ? someTime + 61_000 : nil,
            second: entry.second?.isRequired == true ? entry.second?.range.upperBound : nil)
        return [try #require(full), try #require(least)]
    }

    @Test(
        "DATA-9, DATA-1: each scalar kind is an Observation with the table's codes, unit, decimals, codes and span",
        arguments: DataKind.scalars)
    func kinds(kind: DataKind) throws {
        let entry = kind.entry, samples = try Self.samples(of: kind)
        let found = resources(try bundle(SampleSet(scalars: samples)))
        #expect(found.count == 2)
        for (json, sample) in zip(found, samples) {
            #expect(json["id"].text == "s\(kind.rawValue)-\(Self.patient)-\(sample.time)")
            let own = json["code", "coding"].list.filter { $0["system"].text == "\(Self.base)/CodeSystem/observation" }
            #expect(own.map { $0["code"].text } == [entry.name])
            let loinc = json["code", "coding"].list.filter { $0["system"].text == "http://loinc.org" }.map { $0["code"].text }
            // A profile may ask for another code before the table's own: FHIRShape knows which.
            #expect(kind == .bloodPressure ? loinc == ["85354-9"] : loinc.last ?? nil == entry.loinc)
            #expect(try milliseconds((json["effectiveDateTime"].text ?? json["effectivePeriod", "start"].text)) == sample.time)
            #expect(json["effectivePeriod", "end"].text == nil || sample.end != nil)
            if let end = sample.end { #expect(try milliseconds(json["effectivePeriod", "end"].text) == end) }
            let components = json["component"].list
            let value = kind == .bloodPressure ? components.first : json
            #expect(components.count == (kind == .bloodPressure ? 1 : 0) + (sample.second == nil ? 0 : 1))
            try check(try #require(value), sample.value, entry.codes, entry)
            if let second = sample.second { try check(try #require(components.last), second, entry.second?.codes ?? [], entry) }
        }
    }

    private func check(_ json: Tree, _ value: Int64, _ codes: [String], _ entry: KindEntry) throws {
        guard codes.isEmpty else {
            #expect(json["valueCodeableConcept", "coding", 0, "code"].text == codes[Int(value)])
            return
        }
        #expect(json["valueQuantity", "code"].text == entry.unit && json["valueQuantity", "unit"].text == entry.unit)
        #expect(try #require(json["valueQuantity", "value"].number) == #require(Double(entry.text(of: value))))
    }

    @Test("DATA-9: a temperature, a blood pressure, a stage of sleep and a run indoors are written so, digit by digit")
    func written() throws {
        let writer = FHIRBundleWriter(
            .collection, base: "https://h", patient: try #require(FHIRID("p")), detail: .minutes, created: someTime)
        let text = try writer.text(of: .scalars()), lines = text.split(separator: "\n").dropFirst()
        let expected = [
            #"""
            "id":"s16-p-1795230245678","meta":{"profile":["http://hl7.org/fhir/StructureDefinition/bodytemp"]},"status":"final",
            "category":[{"coding":[{"system":"http://terminology.hl7.org/CodeSystem/observation-category","code":"vital-signs",
            "display":"Vital Signs"}]}],"code":{"coding":[{"system":"http://loinc.org","code":"8310-5"},
            {"system":"https://h/CodeSystem/observation","code":"body_temperature","display":"Body temperature"}],
            "text":"Body temperature"},"subject":{"reference":"Patient/p"},"effectiveDateTime":"2026-11-21T03:04:05.678Z",
            "valueQuantity":{"value":36.72,"unit":"Cel","system":"http://unitsofmeasure.org","code":"Cel"}}
            """#,
            #"""
            "id":"s29-p-1795230246678","meta":{"profile":["http://hl7.org/fhir/StructureDefinition/bp"]},"status":"final",
            "category":[{"coding":[{"system":"http://terminology.hl7.org/CodeSystem/observation-category","code":"vital-signs",
            "display":"Vital Signs"}]}],"code":{"coding":[{"system":"http://loinc.org","code":"85354-9"},
            {"system":"https://h/CodeSystem/observation","code":"blood_pressure","display":"Blood pressure"}],
            "text":"Blood pressure"},"subject":{"reference":"Patient/p"},"effectiveDateTime":"2026-11-21T03:04:06.678Z",
            "component":[{"code":{"coding":[{"system":"http://loinc.org","code":"8480-6"}],"text":"Systolic"},
            "valueQuantity":{"value":128,"unit":"mm[Hg]","system":"http://unitsofmeasure.org","code":"mm[Hg]"}},
            {"code":{"coding":[{"system":"http://loinc.org","code":"8462-4"}],"text":"Diastolic"},
            "valueQuantity":{"value":84,"unit":"mm[Hg]","system":"http://unitsofmeasure.org","code":"mm[Hg]"}}]}
            """#,
            #"""
            "id":"s26-p-1795230247678","status":"final",
            "category":[{"coding":[{"system":"http://terminology.hl7.org/CodeSystem/observation-category","code":"activity",
            "display":"Activity"}]}],"code":{"coding":[{"system":"https://h/CodeSystem/observation","code":"sleep","display":"Sleep"}],
            "text":"Sleep"},"subject":{"reference":"Patient/p"},
            "effectivePeriod":{"start":"2026-11-21T03:04:07.678Z","end":"2026-11-21T03:05:35.678Z"},
            "valueCodeableConcept":{"coding":[{"system":"https://h/CodeSystem/sleep","code":"deep","display":"Deep"}],"text":"Deep"}}
            """#,
            #"""
            "id":"s30-p-1795230248678","status":"final",
            "category":[{"coding":[{"system":"http://terminology.hl7.org/CodeSystem/observation-category","code":"activity",
            "display":"Activity"}]}],"code":{"coding":[{"system":"http://loinc.org","code":"73985-4"},
            {"system":"https://h/CodeSystem/observation","code":"activity","display":"Activity"}],
            "text":"Activity"},"subject":{"reference":"Patient/p"},
            "effectivePeriod":{"start":"2026-11-21T03:04:08.678Z","end":"2026-11-21T03:05:05.678Z"},
            "valueCodeableConcept":{"coding":[{"system":"https://h/CodeSystem/activity","code":"running","display":"Running"}],
            "text":"Running"},
            "component":[{"code":{"coding":[{"system":"https://h/CodeSystem/observation","code":"place","display":"Place"}],"text":"Place"},
            "valueCodeableConcept":{"coding":[{"system":"https://h/CodeSystem/place","code":"indoor","display":"Indoor"}],
            "text":"Indoor"}}]}
            """#,
        ].map { $0.replacing("\n", with: "") }
        #expect(lines.count == expected.count)
        for (line, expected) in zip(lines, expected) { #expect(line.contains(expected), "\(line)") }
    }

    @Test("DATA-9: what FHIR's profiles name is a vital sign, movement and sleep are activity, and food is neither")
    func categories() {
        let known: [(FHIRKind.Category?, [DataKind])] = [
            (.vitalSigns, [.heartRate, .bodyTemperature, .weight, .height, .bloodPressure, .oxygenSaturation]),
            (.activity, [.steps, .cadence, .distance, .speed, .activeEnergy, .restingEnergy, .standHours, .sleep, .activity]),
            (nil, [.position, .nutritionEnergy, .water]),
        ]
        for (category, kinds) in known {
            for kind in kinds { #expect(FHIRKind(kind)?.category == category && FHIRKind(kind) != nil, "\(kind)") }
        }
        for kind in [DataKind.event, .gap, .clock, .rrIntervals, .flaggedEvent] { #expect(FHIRKind(kind) == nil, "\(kind)") }
        #expect(
            Set(FHIRKind.all.map(\.kind)) == Set(DataKind.scalars.filter { $0.entry.uses.contains(.exported) } + [.heartRate, .position]))
    }

    @Test("DATA-9: an export by minutes has each scalar by itself, and its minutes are those without scalars", arguments: [1, 7, .max])
    func minutes(pieceSize: Int) throws {
        var samples = SampleSet.madeUp(seed: 3)
        let alone = resources(try bundle(samples, .minutes))
        samples.scalars = try DataKind.scalars.flatMap { try Self.samples(of: $0) }
        let found = resources(try bundle(samples, .minutes, pieceSize: pieceSize))
        func isScalar(_ json: Tree) -> Bool { json["id"].text?.hasPrefix("s") == true }
        #expect(found.count { isScalar($0) } == samples.scalars.count)
        func plain(_ list: [Tree]) -> [[String: AnyHashable]?] { list.map { $0.value as? [String: AnyHashable] } }
        #expect(plain(found.filter { !isScalar($0) }) == plain(alone))
    }

    @Test("CONS-12: an Observation of a scalar is read again by its id, also the second at one time", arguments: DataKind.scalars)
    func readAgain(kind: DataKind) throws {
        let sample = try #require(try Self.samples(of: kind).first), others = try DataKind.scalars.flatMap { try Self.samples(of: $0) }
        var second = sample
        second.value = kind.entry.range.lowerBound
        let found = resources(try bundle(SampleSet(scalars: [sample, second])))
        try #require(found.count == 2)
        #expect(found[1]["id"].text?.hasSuffix(".1") == true)
        for resource in found {
            let id = try #require(FHIRObservationID(resource["id"].text ?? ""))
            #expect(id.kind == kind && id.detail == .samples && id.span == someTime...someTime && id.patient == Self.patient)
            let stored = SampleSet(
                heartRates: [HeartRateSample(time: someTime, beatsPerMinute: 60)],
                scalars: [sample, second] + others.filter { $0.kind != kind })
            let again = try Tree(try #require(FHIRObservations.one(id, of: [(stored, .live)], base: Self.base)))
            #expect((again.value as? [String: AnyHashable]) == (resource.value as? [String: AnyHashable]))
            #expect(FHIRObservations.one(id, of: [(SampleSet(scalars: others.filter { $0.kind != kind }), .live)], base: Self.base) == nil)
        }
        let longest = try #require(FHIRID(String(repeating: "a", count: 36)))
        let writer = FHIRBundleWriter(.collection, base: Self.base, patient: longest, detail: .samples, created: someTime)
        var late = sample
        (late.time, late.end) = (.max, nil)
        FHIRShape.check(try Tree(try writer.file(of: SampleSet(scalars: [late, late]))))
    }

    @Test("DATA-9: scalars of drills and replays are tagged as test data", arguments: Provenance.allCases)
    func tags(provenance: Provenance) throws {
        let tags = resources(try bundle(.scalars(), from: provenance)).map { $0["meta", "tag", 0, "code"].text }
        #expect(tags == Array(repeating: provenance == .drill || provenance == .replay ? "HTEST" : nil, count: 4))
    }

    @Test("DATA-9: a blood pressure of which one value is missing says so, as its profile asks")
    func missing() throws {
        let sample = try #require(ScalarSample(.bloodPressure, time: someTime, value: 128))
        let json = try #require(resources(try bundle(SampleSet(scalars: [sample]))).first)
        #expect(json["component", 1, "dataAbsentReason", "coding", 0, "code"].text == "unknown")
    }

    @Test("CONS-12: a Consent names the codes of all granted kinds, and the CapabilityStatement those of the table")
    func described() throws {
        let consent = FHIRConsent(
            id: try #require(FHIRID("c")), status: .active, patient: Self.patient, date: someTime, recipient: try #require(FHIRID("o")),
            recipientName: "", purpose: "A study", kinds: [.heartRate, .steps, .sleep, .event], start: nil, end: nil)
        let json = try Tree(consent.json(base: Self.base))
        FHIRShape.check(json)
        #expect(json["provision", "code"].list.map { $0["coding", 0, "code"].text } == ["8867-4", "55423-8", "sleep"])
        let capability = try Tree(FHIRCapability.json(base: Self.base))["rest", 0, "resource", 0]
        let codes = try #require(capability["searchParam", 2, "documentation"].text)
        for kind in DataKind.scalars { #expect(codes.contains("\(Self.base)/CodeSystem/observation|\(kind.name) "), "\(kind)") }
        for code in ["8867-4", "8310-5", "85354-9", "55423-8"] { #expect(codes.contains("http://loinc.org|\(code) ")) }
        #expect(!codes.contains("heart_rate"), "a code that its Observations do not carry")
        #expect(capability["searchParam", 3, "documentation"].text == "vital-signs, activity.")
        let profiles = capability["supportedProfile"].list.compactMap { $0.text?.split(separator: "/").last.map(String.init) }
        #expect(Set(profiles).isSuperset(of: ["heartrate", "bodytemp", "bodyweight", "bodyheight", "bp", "oxygensat"]))
    }
}
