import Exchange
import Foundation
import Testing
import Vitals

@Suite struct FHIRTests {
    static let base = "https://hub.example/fhir"
    static let patient = FHIRID(PersonID(high: 1, low: 2))

    private func bundle(
        _ samples: SampleSet, _ detail: FHIRDetail, pieceSize: Int = .max, from provenance: Provenance = .live,
        kind: FHIRBundleWriter.Kind = .collection
    ) throws -> Tree {
        let writer = FHIRBundleWriter(kind, base: Self.base, patient: Self.patient, detail: detail, created: someTime)
        let json = try Tree(try writer.file(of: samples, pieceSize: pieceSize, from: provenance))
        FHIRShape.check(json)
        return json
    }

    private func observations(_ bundle: Tree, _ code: String) -> [Tree] {
        bundle["entry"].list.map { $0["resource"] }.filter { $0["code", "coding", 0, "code"].text == code }
    }

    @Test(
        "DATA-9: FHIR has one Observation for each heart rate and position, of the form that R4 asks for", arguments: 0..<6 as Range<UInt64>
    )
    func samples(seed: UInt64) throws {
        let samples = SampleSet.madeUp(seed: seed)
        let json = try bundle(samples, .samples, pieceSize: [1, 7, .max][Int(seed % 3)])
        let rates = observations(json, "8867-4"), positions = observations(json, "position")
        #expect(rates.count == samples.heartRates.count && positions.count == samples.positions.count)
        for (rate, sample) in zip(rates, samples.heartRates) {
            #expect(try milliseconds(rate["effectiveDateTime"].text) == sample.time)
            let isReading = sample.beatsPerMinute > 0 && sample.contact != .notDetected
            #expect(rate["valueQuantity", "value"].integer == (isReading ? Int(sample.beatsPerMinute) : nil))
            #expect(rate["dataAbsentReason", "coding", 0, "code"].text == (isReading ? nil : "not-performed"))
            let intervals = rate["component"].list.map {
                UInt16(exactly: (($0["valueQuantity", "value"].number ?? 0) * 1.024).rounded()) ?? .max
            }
            #expect(intervals == sample.rrIntervals)
        }
        for (position, sample) in zip(positions, samples.positions) {
            func part(_ code: String) -> Double? {
                position["component"].list.first { $0["code", "coding", 0, "code"].text == code }?["valueQuantity", "value"].number
            }
            #expect(part("latitude").flatMap { Int32(exactly: ($0 * 1e7).rounded()) } == sample.latitude)
            #expect(part("longitude").flatMap { Int32(exactly: ($0 * 1e7).rounded()) } == sample.longitude)
            #expect(part("altitude").flatMap { Int32(exactly: ($0 * 10).rounded()) } == sample.altitude)
            #expect(part("speed").flatMap { Int32(exactly: ($0 * 100).rounded()) } == sample.speed)
            #expect(part("course").flatMap { Int32(exactly: ($0 * 100).rounded()) } == sample.course)
            #expect(part("horizontal-error").flatMap { Int32(exactly: ($0 * 10).rounded()) } == sample.horizontalError)
        }
    }

    /// FNV-1a of what release 0.3.0 wrote.
    @Test(
        "DATA-9: FHIR of heart rates and positions is byte for byte as release 0.3.0 wrote it",
        arguments: [
            (FHIRDetail.samples, Provenance.live, 9_820_904_267_045_290_681 as UInt64), (.samples, .drill, 8_908_706_500_829_131_459),
            (.minutes, .live, 11_602_148_772_335_402_108), (.minutes, .replay, 8_616_358_447_684_024_769),
        ])
    func unchanged(detail: FHIRDetail, provenance: Provenance, digest: UInt64) throws {
        let writer = FHIRBundleWriter(.collection, base: Self.base, patient: Self.patient, detail: detail, created: someTime)
        let file = try writer.file(of: .madeUp(seed: 7), from: provenance)
        #expect(file.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 } == digest)
    }

    @Test("DATA-9: a minute of FHIR has the mean of its readings, and its samples on a grid of seconds without inventing any")
    func minute() throws {
        let minute = someTime / 60_000 * 60_000
        func rate(_ second: Milliseconds, _ bpm: UInt16, _ contact: SensorContact = .detected, _ intervals: [UInt16] = [])
            -> HeartRateSample
        {
            HeartRateSample(time: minute + second, beatsPerMinute: bpm, contact: contact, rrIntervals: intervals)
        }
        let samples = SampleSet(heartRates: [
            rate(10_001, 60, .detected, [1024]), rate(11_400, 62), rate(11_900, 63, .detected, [512, 1024]), rate(13_000, 0),
            rate(14_000, 200, .notDetected),
            rate(15_000, 64), rate(60_000, 0), rate(61_000, 0), rate(120_000, 70),
        ])
        for size in [1, 2, .max] {
            let found = observations(try bundle(samples, .minutes, pieceSize: size), "8867-4")
            #expect(found.map { $0["valueQuantity", "value"].number } == [62.3, nil, 70])
            #expect(found.map { $0["dataAbsentReason", "coding", 0, "code"].text } == [nil, "not-performed", nil])
            #expect(try milliseconds(found[0]["effectivePeriod", "start"].text) == minute + 10_000)
            #expect(try milliseconds(found[0]["effectivePeriod", "end"].text) == minute + 15_000)
            let data = found[0]["component"].list.map { $0["valueSampledData"] }
            #expect(data.map { $0["data"].text } == ["60 63 E E E 64", "1000.0 500.0 1000.0"])
            #expect(data.map { $0["period"].integer } == [1000, 833])
        }
    }

    @Test("DATA-9: a minute of FHIR positions is a series for each part, and a part that nothing has is left out")
    func positionMinute() throws {
        let minute = someTime / 60_000 * 60_000
        let samples = SampleSet(positions: [
            PositionSample(time: minute + 58_000, latitude: -5, longitude: 91_899_820, speed: 312),
            PositionSample(time: minute + 59_999, latitude: 5, longitude: -91_899_820),
            PositionSample(time: minute + 60_000, latitude: 6, longitude: 0, altitude: -1),
        ])
        let found = observations(try bundle(samples, .minutes), "position")
        let first = found[0]["component"].list
        #expect(first.map { $0["code", "coding", 0, "code"].text } == ["latitude", "longitude", "speed"])
        #expect(first.map { $0["valueSampledData", "data"].text } == ["-0.0000005 0.0000005", "9.1899820 -9.1899820", "3.12 E"])
        #expect(found[1]["component"].list.map { $0["valueSampledData", "data"].text } == ["0.0000006", "0.0000000", "-0.1"])
    }

    @Test(
        "DATA-9: minutes take less than a twentieth of the bytes of single samples, and lose no second",
        arguments: [FHIRDetail.minutes, .samples])
    func size(detail: FHIRDetail) throws {
        let samples = SampleSet(
            heartRates: (0..<3600).map { HeartRateSample(time: someTime + $0 * 1000, beatsPerMinute: 61 + UInt16($0 % 9)) })
        let writer = FHIRBundleWriter(.collection, base: Self.base, patient: Self.patient, detail: detail, created: someTime)
        let perSample = try writer.file(of: samples).count / 3600
        #expect(detail == .minutes ? perSample < 40 : perSample > 500)
        guard detail == .minutes else { return }
        let data = observations(try bundle(samples, .minutes), "8867-4").flatMap {
            ($0["component", 0, "valueSampledData", "data"].text ?? "").split(separator: " ").map(String.init)
        }
        #expect(data == samples.heartRates.map { "\($0.beatsPerMinute)" })
    }

    @Test("DATA-9: drills and replays are tagged as test data, live and imported samples are not", arguments: Provenance.allCases)
    func tags(provenance: Provenance) throws {
        for detail in [FHIRDetail.samples, .minutes] {
            let json = try bundle(.madeUp(seed: 2), detail, from: provenance)
            let tags = json["entry"].list.map { $0["resource", "meta", "tag", 0, "code"].text }
            #expect(!tags.isEmpty && tags.allSatisfy { $0 == (provenance == .drill || provenance == .replay ? "HTEST" : nil) })
        }
    }

    @Test("CONS-12: an Observation that a search found is read again by its id", arguments: [FHIRDetail.samples, .minutes])
    func readAgain(detail: FHIRDetail) throws {
        var samples = SampleSet.madeUp(seed: 6)
        samples.heartRates.insert(samples.heartRates[3], at: 3)
        let found = try bundle(samples, detail)["entry"].list.map { $0["resource"] }
        #expect(found.contains { $0["id"].text?.hasSuffix(".1") == true } || detail == .minutes)
        for resource in found {
            let text = try #require(resource["id"].text), id = try #require(FHIRObservationID(text))
            #expect(id.description == text && id.patient == Self.patient)
            let stored = SampleSet(
                heartRates: samples.heartRates.filter { id.span.contains($0.time) },
                positions: samples.positions.filter { id.span.contains($0.time) })
            let again = try Tree(try #require(FHIRObservations.one(id, of: [(stored, .live)], base: Self.base)))
            FHIRShape.check(again)
            #expect((again.value as? [String: AnyHashable]) == (resource.value as? [String: AnyHashable]))
            #expect(FHIRObservations.one(id, of: [], base: Self.base) == nil)
        }
    }

    @Test(
        "CONS-12: what is no id is none",
        arguments: [
            "", "hr", "hr-1", "hr--1", "hr-a_b-1", "xx-a-1", "hr-a-01", "hr-a-1.0", "hr-a-1.01", "hr-a-1-", "hr-a-1.1.1",
            "hr-a-99999999999999999", "s1-a-1", "s3-a-1", "s9-a-1", "s016-a-1", "s16m-a-1", "s63-a-1", "s-a-1", "s16--1",
        ])
    func noIDs(text: String) { #expect(FHIRObservationID(text) == nil) }

    @Test("CONS-12: ids have the characters and the length that R4 allows, also the longest")
    func ids() throws {
        let longest = try #require(FHIRID(String(repeating: "a", count: 36)))
        let sample = PositionSample(time: .max, latitude: 1, longitude: 1)
        for detail in [FHIRDetail.samples, .minutes] {
            let writer = FHIRBundleWriter(.collection, base: Self.base, patient: longest, detail: detail, created: someTime)
            FHIRShape.check(try Tree(try writer.file(of: SampleSet(positions: [sample, sample]))))
        }
        for wrong in ["", "a b", "é", "a/b", "a_b", String(repeating: "a", count: 37)] { #expect(FHIRID(wrong) == nil) }
    }

    @Test("CONS-12: a search answers with a searchset: total, its own link, the next page, and matches; an empty one has no entry")
    func searchset() throws {
        let kind = FHIRBundleWriter.Kind.searchset(
            total: 400, selfLink: "\(Self.base)/Observation?code=\"8867-4\"&_count=2", next: "\(Self.base)?page=2")
        let json = try bundle(.madeUp(seed: 1, count: 20), .samples, kind: kind)
        #expect(json["type"].text == "searchset" && json["total"].integer == 400)
        #expect(json["link"].list.map { $0["relation"].text } == ["self", "next"])
        #expect(json["link", 0, "url"].text == "\(Self.base)/Observation?code=\"8867-4\"&_count=2")
        let empty = try bundle(SampleSet(), .samples, kind: .searchset(total: 0, selfLink: Self.base, next: nil))
        #expect(empty["total"].integer == 0 && !empty["entry"].exists)
    }

    @Test("CONS-12: a Patient is a pseudonym and nothing else")
    func patient() throws {
        let json = try Tree(FHIRPatient(Self.patient).json(base: Self.base))
        FHIRShape.check(json)
        #expect(json["id"].text == Self.patient.description && json["identifier", 0, "value"].text == Self.patient.description)
        let bytes = FHIRPatient(Self.patient).json(base: Self.base)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
        #expect(Set(object.keys) == ["resourceType", "id", "identifier"], "no name, birth date, telephone or address")
        let identifiers = try #require(object["identifier"] as? [[String: String]])
        #expect(identifiers == [["system": Self.base + "/identifier/pseudonym", "value": Self.patient.description]])
    }

    @Test("CONS-12: a Consent says who lets whom read what, for what, until when", arguments: FHIRConsent.Status.allCases)
    func consent(status: FHIRConsent.Status) throws {
        let consent = FHIRConsent(
            id: try #require(FHIRID("c-1")), status: status, patient: Self.patient, date: someTime,
            recipient: try #require(FHIRID("org-1")),
            recipientName: "Ospedale \"San <Luca>\"", purpose: "A study of sleep\n& stress", kinds: [.heartRate, .position],
            start: someTime,
            end: someTime + 86_400_000)
        let json = try Tree(consent.json(base: Self.base))
        FHIRShape.check(json)
        #expect(json["status"].text == status.rawValue && json["patient", "reference"].text == "Patient/\(Self.patient)")
        #expect(json["performer", 0, "reference"].text == "Patient/\(Self.patient)")
        #expect(try milliseconds(json["provision", "period", "end"].text) == someTime + 86_400_000)
        #expect(json["provision", "actor", 0, "reference", "display"].text == "Ospedale \"San <Luca>\"")
        #expect(json["provision", "purpose", 0, "display"].text == "A study of sleep\n& stress")
        #expect(json["provision", "code"].list.map { $0["coding", 0, "code"].text } == ["8867-4", "position"])
        #expect(json["provision", "class", 0, "code"].text == "Observation")
        #expect(try milliseconds(json["provision", "period", "start"].text) == someTime)
        #expect(json["provision", "actor", 0, "reference", "identifier", "value"].text == "org-1", "not by name alone")
        #expect(json["provision", "actor"].list.count == 1 && json["provision", "purpose"].list.count == 1)
        var open = consent
        (open.start, open.end, open.kinds) = (nil, nil, [.heartRate])
        let second = try Tree(open.json(base: Self.base))
        FHIRShape.check(second)
        #expect(!second["provision", "period"].exists && second["provision", "code"].list.count == 1)
    }

    @Test("DATA-9: an export as FHIR holds the Patient, the Consents and the Observations in one collection")
    func collection() throws {
        var writer = FHIRBundleWriter(.collection, base: Self.base, patient: Self.patient, detail: .minutes, created: someTime)
        var buffer: [UInt8] = [], file: [UInt8] = []
        writer.begin(&buffer)
        writer.add(FHIRPatient(Self.patient), to: &buffer)
        file += buffer
        buffer.removeAll()
        writer.append(.madeUp(seed: 1), from: .live, to: &buffer)
        writer.end(&buffer)
        let json = try Tree(file + buffer)
        FHIRShape.check(json)
        #expect(json["entry", 0, "fullUrl"].text == "\(Self.base)/Patient/\(Self.patient)")
        #expect(Set(json["entry"].list.compactMap { $0["resource", "resourceType"].text }) == ["Patient", "Observation"])
    }
}
