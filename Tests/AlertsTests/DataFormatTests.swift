import Alerts
import Foundation
import Languages
import Testing
import Vitals

@Suite struct DataFormatTests {
    private func json(_ bytes: [UInt8]) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    }

    private func hook(_ record: SOSRecord) throws -> [String: Any] { try json(HookJSON.json(record, language: .english)) }

    @Test("SOS-6: PIDF-LO has the position as a circle, its time and how it was found")
    func pidf() throws {
        let presence = try Element(try #require(PIDFLO.xml(.sample())))
        let device = presence["dm:device"], location = device["gp:geopriv"]["gp:location-info"]
        let circle = location["gs:Circle"]
        #expect(circle["gml:pos"].text == "45.46420 9.18998" && circle["gs:radius"].text == "12")
        #expect(circle.attribute("srsName") == "urn:ogc:def:crs:EPSG::4326")
        #expect(circle["gs:radius"].attribute("uom") == "urn:ogc:def:uom:EPSG::9001")
        #expect(device["dm:timestamp"].text == "2026-11-21T03:03:57+00:00" && device["gp:geopriv"]["gp:method"].text == "GPS")
        #expect(device["gp:geopriv"]["gp:usage-rules"]["gbp:retention-expiry"].text == "2026-11-22T03:04:05+00:00")
        #expect(presence["note"].text == nil)
        var unsure = SOSRecord.sample()
        unsure.isClockTrusted = false
        #expect(!string(try #require(PIDFLO.xml(unsure))).contains("retention-expiry"))
    }

    @Test("SOS-6: PIDF-LO without an accuracy is a point, and there is none without a position")
    func pidfPoint() throws {
        let position = PositionSample(time: 0, latitude: 1, longitude: -1, source: .network)
        let presence = try Element(try #require(PIDFLO.xml(.sample(status: .test, place: .known(position)))))
        #expect(presence["dm:device"]["gp:geopriv"]["gp:location-info"]["gml:Point"]["gml:pos"].text == "0.00000 0.00000")
        #expect(presence["note"].text == "TEST, no emergency, send nobody")
        #expect(PIDFLO.xml(.sample(place: .unknown(.noFix))) == nil)
    }

    @Test("SOS-6: the JSON for programs says everything, on one line")
    func hookFields() throws {
        let bytes = HookJSON.json(.sample(), language: .english)
        #expect(bytes.filter { $0 == 10 }.count == 1 && bytes.last == 10)
        let json = try json(bytes)
        #expect(json["version"] as? Int == 1 && json["kind"] as? String == "alert" && json["drill"] as? Bool == false)
        #expect(json["sent"] as? String == "2026-11-21T04:04:05+01:00" && json["cause"] as? String == "heart-rate-high")
        #expect(json["limit"] as? Int == 160 && (json["readings"] as? [Any])?.count == 3 && (json["before"] as? [Any])?.count == 4)
        let person = try #require(json["person"] as? [String: Any]), position = try #require(json["position"] as? [String: Any])
        #expect(person["age"] as? Int == 71 && person["phone"] as? String == "+39 333 0000000")
        #expect(
            position["latitude"] as? Double == 45.464_203_5 && position["accuracyMetres"] as? Int == 12
                && position["ageSeconds"] as? Int == 8)
        #expect((json["spoken"] as? [String])?.first == "This is an automatic emergency call for Maria Rossi, 71 years old.")
        #expect((json["aml"] as? String)?.hasPrefix("A\"ML=1;") == true && (json["text"] as? String)?.hasPrefix("SOS Maria") == true)
    }

    @Test("SOS-6, SOS-19: in JSON no position is null with the reason, and a drill says so")
    func hookNothing() throws {
        let json = try hook(.sample(status: .exercise, place: .unknown(.receiverLost), cause: .help))
        #expect(json["position"] is NSNull && json["noPosition"] as? String == "receiver-lost" && json["limit"] is NSNull)
        #expect(json["drill"] as? Bool == true && json["status"] as? String == "exercise" && json["aml"] == nil)
        #expect((json["text"] as? String)?.hasPrefix("TEST, ") == true)
    }

    @Test("SOS-17: a hostile name stays a name in JSON, FHIR and PIDF-LO", arguments: hostileNames)
    func hostile(name: String) throws {
        let record = SOSRecord.sample(name: name, address: name)
        #expect(try hook(record)["status"] as? String == "actual")
        _ = try json(FHIRAlarm.json(record, language: .italian, base: "https://hub.example/fhir"))
        _ = try Element(try #require(PIDFLO.xml(record)))
    }

    private func fhir(_ record: SOSRecord) throws -> [(type: String, resource: [String: Any])] {
        let bundle = try json(FHIRAlarm.json(record, language: .english, base: "https://hub.example/fhir"))
        #expect(bundle["resourceType"] as? String == "Bundle" && bundle["type"] as? String == "collection")
        return try #require(bundle["entry"] as? [[String: Any]]).map { entry in
            let resource = try #require(entry["resource"] as? [String: Any])
            let type = try #require(resource["resourceType"] as? String), id = try #require(resource["id"] as? String)
            #expect(entry["fullUrl"] as? String == "https://hub.example/fhir/\(type)/\(id)" && id.utf8.count <= 64)
            return (type, resource)
        }
    }

    @Test("SOS-17: FHIR has the person, the place, a flag, whom it was told, and every reading once")
    func resources() throws {
        let all = try fhir(.sample())
        #expect(all.map(\.type) == ["Patient", "Flag", "Communication", "Location"] + Array(repeating: "Observation", count: 7))
        #expect(Set(all.compactMap { $0.resource["id"] as? String }).count == all.count)
        let flag = all[1].resource
        #expect(flag["status"] as? String == "active")
        #expect(
            (flag["code"] as? [String: Any])?["text"] as? String
                == "Medical emergency: heart rate too high: 182 per minute, limit 160")
        let last = try #require(all.last?.resource)
        #expect(
            (last["valueQuantity"] as? [String: Any])?["value"] as? Int == 182
                && last["effectiveDateTime"] as? String == "2026-11-21T04:03:58+01:00")
        #expect(((all[3].resource["position"] as? [String: Any])?["latitude"] as? Double) == 45.464_203_5)
    }

    @Test("SOS-10, SOS-19: in FHIR a false alarm is a flag entered in error, and every resource of a drill is tagged as test data")
    func withdrawn() throws {
        #expect(try fhir(.sample(kind: .cancel, ending: .falseAlarm))[1].resource["status"] as? String == "entered-in-error")
        #expect(try fhir(.sample(kind: .cancel, ending: .over))[1].resource["status"] as? String == "inactive")
        for (_, resource) in try fhir(.sample(status: .test)) {
            let tag = ((resource["meta"] as? [String: Any])?["tag"] as? [[String: Any]])?.first
            #expect(tag?["code"] as? String == "HTEST")
        }
        let code = try fhir(.sample(status: .test))[1].resource["code"] as? [String: Any]
        #expect((code?["text"] as? String)?.hasPrefix("TEST, no emergency") == true)
        for (_, resource) in try fhir(.sample()) { #expect(resource["meta"] == nil) }
    }
}
