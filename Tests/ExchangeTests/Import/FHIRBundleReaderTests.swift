import Exchange
import TestSupport
import Testing
import Vitals

@Suite struct FHIRBundleReaderTests {
    private func bundle(_ samples: SampleSet, _ detail: FHIRDetail = .samples, from provenance: Provenance = .live) throws -> [UInt8] {
        let patient = FHIRID(PersonID(high: 1, low: 2))
        var writer = FHIRBundleWriter(.collection, base: "https://hub.example/fhir", patient: patient, detail: detail, created: someTime)
        var bytes: [UInt8] = []
        writer.begin(&bytes)
        writer.add(FHIRPatient(patient), to: &bytes)
        writer.append(samples, from: provenance, to: &bytes)
        writer.end(&bytes)
        return bytes
    }

    private func read(_ bytes: some Sequence<UInt8>, inPiecesOf size: Int = 4096) -> Imported {
        FHIRBundleReader(now: importTime).all(of: bytes, inPiecesOf: size)
    }

    /// What FHIR has a place for.
    private func kept(_ samples: SampleSet) -> SampleSet {
        var set = SampleSet(heartRates: samples.heartRates, positions: samples.positions, scalars: samples.scalars)
        set.heartRates = set.heartRates.map { sample in
            let isReading = sample.beatsPerMinute > 0 && sample.contact != .notDetected
            return HeartRateSample(
                time: sample.time, beatsPerMinute: isReading ? sample.beatsPerMinute : 0, contact: isReading ? .unsupported : .notDetected,
                rrIntervals: sample.rrIntervals)
        }
        set.positions = set.positions.map { position in
            var position = position
            (position.mode, position.source) = (.unknown, .network)
            return position
        }
        return set
    }

    @Test("DATA-9: our own FHIR export comes back the same, every kind", arguments: 0..<6 as Range<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var samples = SampleSet.madeUp(seed: seed)
        samples.scalars = try SampleSet.everyScalar().scalars
        let back = read(try bundle(samples), inPiecesOf: [1, 17, 1 << 20][Int(seed % 3)])
        #expect(back.samples == kept(samples) && back.report.problems.isEmpty)
        #expect(back.report.unknown == ["Patient": 1] && back.report.created == someTime)
        #expect(back.parts.allSatisfy { $0.stated == nil })
        #expect(read(try bundle(samples, from: .drill)).parts.allSatisfy { $0.stated == .replay })
    }

    @Test("DATA-9: our own FHIR export of minutes comes back the same to a second, with every RR interval in its order")
    func minutes() throws {
        var generator = SeededGenerator(seed: 5), samples = SampleSet()
        for index in 0..<600 where index % 50 != 7 {
            let time = 1_795_230_240_000 + Milliseconds(index) * 1000 + Milliseconds.random(in: 0...400, using: &generator)
            let rate = UInt16.random(in: 50...180, using: &generator)
            samples.heartRates.append(HeartRateSample(time: time, beatsPerMinute: rate, rrIntervals: [61_440 / rate]))
            samples.positions.append(
                PositionSample(
                    time: time, latitude: 525_200_000 + Int32(index), longitude: -134_050_000, altitude: index % 3 == 0 ? nil : 342,
                    speed: 250))
        }
        let back = read(try bundle(samples, .minutes))
        func seconds(_ times: [Milliseconds]) -> [Milliseconds] { times.map { $0 / 1000 } }
        #expect(back.samples.heartRates.map(\.beatsPerMinute) == samples.heartRates.map(\.beatsPerMinute))
        #expect(seconds(back.samples.heartRates.map(\.time)) == seconds(samples.heartRates.map(\.time)))
        #expect(back.samples.heartRates.flatMap(\.rrIntervals) == samples.heartRates.flatMap(\.rrIntervals))
        #expect(back.samples.positions.map(\.latitude) == samples.positions.map(\.latitude))
        #expect(back.samples.positions.map(\.altitude) == samples.positions.map(\.altitude))
        #expect(seconds(back.samples.positions.map(\.time)) == seconds(samples.positions.map(\.time)))
        #expect(back.report.problems.isEmpty)
    }

    /// A Bundle as others write it; made up.
    private func others(_ resources: [String]) -> String {
        """
        {
          "resourceType" : "Bundle", "type" : "searchset", "link" : [ { "relation" : "self", "url" : "https://x.example" } ],
          "entry" : [ \(resources.map { "{ \"resource\" : \($0) }" }.joined(separator: ", ")) ]
        }
        """
    }

    private func observation(
        _ code: String, _ rest: String, system: String = "http://loinc.org", time: String = "2024-05-01T09:00:00+02:00"
    ) -> String {
        """
        {"resourceType":"Observation","status":"final","code":{"coding":[{"system":"urn:oid:1.2.3","code":"HR"},
        {"system":"\(system)","code":"\(code)"}]},"subject":{"reference":"Patient/p1"},"effectiveDateTime":"\(time)",\(rest)}
        """
    }

    private func quantity(_ value: String, _ code: String) -> String {
        "\"valueQuantity\":{\"value\":\(value),\"unit\":\"?\",\"system\":\"http://unitsofmeasure.org\",\"code\":\"\(code)\"}"
    }

    @Test(
        "DATA-2: Observations of others with the same LOINC codes are read, their units converted",
        arguments: [
            ("29463-7", "160", "[lb_av]", "weight 72.57"), ("29463-7", "72500", "g", "weight 72.50"),
            ("3141-9", "72.5", "kg", "weight 72.50"),
            ("8302-2", "70", "[in_i]", "height 177.8"), ("8302-2", "1.8", "m", "height 180.0"),
            ("8310-5", "98.6", "[degF]", "body_temperature 37.00"),
            ("8331-1", "36.6", "Cel", "body_temperature 36.60"), ("59408-5", "97", "%", "oxygen_saturation 97.0"),
            ("2708-6", "97.5", "%", "oxygen_saturation 97.5"), ("55423-8", "812", "{steps}", "steps 812"),
            ("55423-8", "812", "1", "steps 812"),
            ("41981-2", "41.84", "kJ", "active_energy 10.0"), ("41950-7", "9000", "{#}", "steps 9000"),
        ])
    func units(code: String, value: String, unit: String, sample: String) {
        let imported = read(others([observation(code, quantity(value, unit))]).utf8, inPiecesOf: 9)
        #expect(imported.scalars == [sample] && imported.report.problems.isEmpty)
        #expect(imported.samples.scalars.first?.time == 1_714_546_800_000)
    }

    @Test("DATA-2: heart rates and blood pressures of others are read")
    func panels() {
        let pressure = """
            "component":[{"code":{"coding":[{"system":"http://loinc.org","code":"8462-4"}]},\(quantity("84", "mm[Hg]"))},
            {"code":{"coding":[{"system":"http://loinc.org","code":"8480-6"}]},\(quantity("17.065", "kPa"))}],"device":{"display":"Cuff"}
            """
        let imported = read(others([observation("85354-9", pressure), observation("8867-4", quantity("71.6", "{beats}/min"))]).utf8)
        #expect(imported.scalars == ["blood_pressure 128 / 84"])
        #expect(imported.samples.heartRates == [HeartRateSample(time: 1_714_546_800_000, beatsPerMinute: 72)])
        #expect(imported.parts.map(\.source.name) == ["Cuff", ""])
    }

    @Test("DATA-3: what is no sample, of somebody else, withdrawn or not known is counted, and the rest is read")
    func refused() {
        let good = observation("29463-7", quantity("70", "kg"))
        let imported = read(
            others([
                observation("29463-7", quantity("70", "mm[Hg]")), observation("29463-7", quantity("\"x\"", "kg")),
                observation("29463-7", quantity("7000", "kg")), observation("29463-7", quantity("70", "kg"), time: "2024-05-01"),
                observation("29463-7", "\"dataAbsentReason\":{\"text\":\"unknown\"}"), good.replacing("final", with: "entered-in-error"),
                observation("4548-4", quantity("5", "%")), observation("11524-6", "\"a\":1"), good, good.replacing("p1", with: "p2"),
                "{\"resourceType\":\"Device\"}", "{\"resourceType\":}",
            ]).utf8)
        #expect(imported.scalars == ["weight 70.00"])
        #expect(
            imported.problems == [
                "unit weight entry[0]", "value weight entry[1]", "outOfRange weight entry[2]", "time weight entry[3]",
                "otherPerson entry[9]", "notJSON entry[11]",
            ])
        #expect(imported.report.leftOut == [.absent: 1, .withdrawn: 1, .electrocardiograms: 1])
        #expect(imported.report.unknown == ["urn:oid:1.2.3 HR": 1, "Device": 1])
        #expect(read("{\"resourceType\":\"Patient\"}".utf8).problems == ["unknownFormat file"])
    }
}
