import Testing
import Vitals

/// The form of FHIR R4 resources, as far as TrackMe writes them: which elements there may be, which there must be, and of what type.
enum FHIRShape {
    static func check(_ json: Tree) {
        noEmptyParts(json, "")
        switch json["resourceType"].text {
        case "Bundle": bundle(json)
        case "Observation": observation(json)
        case "Patient": patient(json)
        case "Consent": consent(json)
        default: Issue.record("a resource of the type \(json["resourceType"].text ?? "none")")
        }
    }

    /// FHIR's JSON has no null, no empty list, object or text (R4, json).
    private static func noEmptyParts(_ json: Tree, _ path: String) {
        if let text = json.value as? String { #expect(!text.isEmpty, "\(path) is empty") }
        if let list = json.value as? [Any] {
            #expect(!list.isEmpty, "\(path) is empty")
            for item in list { noEmptyParts(Tree(item), path + "[]") }
        }
        if json.value is [String: Any] {
            #expect(!json.names.isEmpty, "\(path) is empty")
            for name in json.names { noEmptyParts(json[name], "\(path).\(name)") }
        }
    }

    private static func bundle(_ json: Tree) {
        members(json, must: ["resourceType", "type"], may: ["timestamp", "total", "link", "entry"])
        let search = json["type"].text == "searchset"
        #expect(search || json["type"].text == "collection")
        #expect(search || !json["total"].exists, "bdl-1")
        instant(json["timestamp"])
        for link in json["link"].list { members(link, must: ["relation", "url"], may: []) }
        for entry in json["entry"].list {
            members(entry, must: ["fullUrl", "resource"], may: search ? ["search"] : [])
            #expect(!search || entry["search", "mode"].text == "match")
            let own = "/\(entry["resource", "resourceType"].text ?? "")/\(entry["resource", "id"].text ?? "")"
            #expect(entry["fullUrl"].text?.hasSuffix(own) == true)
            check(entry["resource"])
        }
        let addresses = json["entry"].list.compactMap { $0["fullUrl"].text }
        #expect(Set(addresses).count == addresses.count, "bdl-7: the same address twice")
    }

    private static func observation(_ json: Tree) {
        members(
            json, must: ["resourceType", "id", "status", "code", "subject"],
            may: [
                "meta", "category", "effectiveDateTime", "effectivePeriod", "valueQuantity", "valueCodeableConcept", "dataAbsentReason",
                "method", "component", "device", "note",
            ])
        id(json["id"])
        #expect(json["status"].text == "final")
        concept(json["code"])
        #expect(json["subject", "reference"].text?.hasPrefix("Patient/") == true)
        #expect(json["effectiveDateTime"].exists != json["effectivePeriod"].exists)
        if json["effectiveDateTime"].exists { instant(json["effectiveDateTime"]) }
        if json["effectivePeriod"].exists { period(json["effectivePeriod"]) }
        value(json)
        for category in json["category"].list { concept(category) }
        for tag in json["meta", "tag"].list { members(tag, must: ["system", "code", "display"], may: []) }
        for component in json["component"].list {
            concept(component["code"])
            value(component)
            #expect(component.names.count == 2, "vs-3: a value or a reason")
        }
        #expect(json["meta", "profile"].exists == (json["category", 0, "coding", 0, "code"].text == "vital-signs"))
        if json["meta", "profile"].exists { vitalSign(json) }
        if json["code", "coding", 0, "code"].text == "8867-4" { heartRate(json) }
    }

    /// One value at most, or a reason why there is none (obs-6).
    private static func value(_ json: Tree) {
        let values = ["valueQuantity", "valueCodeableConcept", "valueSampledData", "dataAbsentReason"].filter { json[$0].exists }
        #expect(values.count <= 1, "obs-6")
        if json["valueQuantity"].exists { quantity(json["valueQuantity"]) }
        if json["valueSampledData"].exists { sampled(json["valueSampledData"]) }
        for name in ["valueCodeableConcept", "dataAbsentReason"] where json[name].exists { concept(json[name]) }
    }

    /// The profiles of vital signs (R4, observation-vitalsigns): the code that each asks for, and its unit.
    private static let profiles = [
        "heartrate": ("8867-4", "/min"), "bodytemp": ("8310-5", "Cel"), "bodyheight": ("8302-2", "cm"), "bodyweight": ("29463-7", "kg"),
        "bp": ("85354-9", "mm[Hg]"), "oxygensat": ("2708-6", "%"), "resprate": ("9279-1", "/min"),
    ]

    private static func vitalSign(_ json: Tree) {
        let profile = json["meta", "profile", 0].text?.split(separator: "/").last.map(String.init) ?? ""
        #expect(json["meta", "profile", 0].text == "http://hl7.org/fhir/StructureDefinition/\(profile)")
        #expect(json["category", 0, "coding", 0, "system"].text == "http://terminology.hl7.org/CodeSystem/observation-category")
        guard let (code, unit) = profiles[profile] else {
            Issue.record("R4 has no profile \(profile)")
            return
        }
        let codes = json["code", "coding"].list.filter { $0["system"].text == "http://loinc.org" }.map { $0["code"].text }
        #expect(codes.contains(code))
        guard profile == "bp" else {
            #expect(json["valueQuantity"].exists || json["dataAbsentReason"].exists, "vs-2")
            #expect(!json["valueQuantity"].exists || json["valueQuantity", "code"].text == unit)
            return
        }
        #expect(!json["valueQuantity"].exists && json["component"].list.count == 2)
        for (component, code) in zip(json["component"].list, ["8480-6", "8462-4"]) {
            #expect(component["code", "coding", 0, "system"].text == "http://loinc.org")
            #expect(component["code", "coding", 0, "code"].text == code)
            #expect(component["dataAbsentReason"].exists || component["valueQuantity", "code"].text == unit)
        }
    }

    /// The heart rate profile: a Quantity in /min or a reason why there is none (vs-2).
    private static func heartRate(_ json: Tree) {
        #expect(json["meta", "profile", 0].text == "http://hl7.org/fhir/StructureDefinition/heartrate")
        #expect(json["category", 0, "coding", 0, "code"].text == "vital-signs")
        #expect(json["code", "coding", 0, "system"].text == "http://loinc.org")
        #expect(json["valueQuantity"].exists || json["dataAbsentReason"].exists, "vs-2")
        guard json["valueQuantity"].exists else { return }
        #expect(json["valueQuantity", "code"].text == "/min" && json["valueQuantity", "unit"].exists)
        #expect(json["valueQuantity", "value"].number.map { $0 > 0 } == true)
    }

    private static func patient(_ json: Tree) {
        members(json, must: ["resourceType", "id", "identifier"], may: [])
        id(json["id"])
        for identifier in json["identifier"].list { members(identifier, must: ["system", "value"], may: []) }
    }

    private static func consent(_ json: Tree) {
        members(
            json, must: ["resourceType", "id", "status", "scope", "category", "patient", "policyRule"],
            may: ["dateTime", "performer", "provision"])
        id(json["id"])
        let statuses = ["draft", "proposed", "active", "rejected", "inactive", "entered-in-error"]
        #expect(statuses.contains(json["status"].text ?? ""))
        concept(json["scope"])
        #expect(json["scope", "coding", 0, "code"].text == "patient-privacy")
        for category in json["category"].list { concept(category) }
        concept(json["policyRule"])
        instant(json["dateTime"])
        let provision = json["provision"]
        members(provision, must: ["type"], may: ["period", "actor", "action", "purpose", "class", "code"])
        if provision["period"].exists { period(provision["period"]) }
        for actor in provision["actor"].list {
            members(actor, must: ["role", "reference"], may: [])
            concept(actor["role"])
        }
        for coded in provision["action"].list + provision["code"].list { concept(coded) }
        for coding in provision["class"].list { members(coding, must: ["system", "code"], may: []) }
    }

    private static func members(_ json: Tree, must: Set<String>, may: Set<String>) {
        #expect(json.names.isSuperset(of: must), "without \(must.subtracting(json.names))")
        #expect(json.names.isSubset(of: must.union(may)), "with \(json.names.subtracting(must.union(may)))")
    }

    private static func id(_ json: Tree) {
        #expect(json.text?.wholeMatch(of: /[A-Za-z0-9\-.]{1,64}/) != nil, "\(json.text ?? "no text") is no id")
    }

    private static func concept(_ json: Tree) {
        members(json, must: ["coding"], may: ["text"])
        for coding in json["coding"].list { members(coding, must: ["system", "code"], may: ["display"]) }
    }

    private static func quantity(_ json: Tree) {
        members(json, must: ["value", "unit", "system", "code"], may: [])
        #expect(json["value"].number != nil && json["system"].text == "http://unitsofmeasure.org")
        let units = ["/min", "ms", "deg", "m", "m/s", "uV"] + DataKind.scalars.map(\.entry.unit)
        #expect(!(json["code"].text ?? "").isEmpty && units.contains(json["code"].text ?? ""))
    }

    private static func sampled(_ json: Tree) {
        members(json, must: ["origin", "period", "dimensions", "data"], may: [])
        quantity(json["origin"])
        #expect(json["period"].number.map { $0 > 0 } == true && json["dimensions"].integer == 1)
        #expect(json["data"].text?.wholeMatch(of: /(E|-?\d+(\.\d+)?)( (E|-?\d+(\.\d+)?))*/) != nil)
    }

    private static func period(_ json: Tree) {
        members(json, must: [], may: ["start", "end"])
        for name in json.names { instant(json[name]) }
        if let start = json["start"].text, let end = json["end"].text { #expect(start <= end, "per-1") }
    }

    private static func instant(_ json: Tree) {
        #expect(json.text?.wholeMatch(of: /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z/) != nil)
    }
}
