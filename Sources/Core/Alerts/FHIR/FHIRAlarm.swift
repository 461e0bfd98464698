internal import Exchange
public import Languages
internal import Vitals

/// An alarm as a FHIR R4 Bundle (collection) with a Patient, a Location, a Flag that says what is the matter, a Communication that says
/// who was told, and an Observation for each reading.
public enum FHIRAlarm {
    public static let mediaType = FHIRBundleWriter.mediaType

    /// - Parameter base: the address below which the resources are named, without a slash at its end.
    public static func json(_ record: SOSRecord, language: Language, base: String) -> [UInt8] {
        let resources = FHIRAlarmResources(record: record, language: language)
        return JSONObject.bytes { bundle in
            bundle.text("resourceType", "Bundle")
            if record.isDrill { bundle.raw("meta", FHIRAlarmResources.testTag) }
            bundle.text("type", "collection")
            bundle.text("timestamp", record.sentAt.text)
            bundle.list("entry", resources.all) { resource, entry in
                entry.text("fullUrl", "\(base)/\(resource.type)/\(resource.id)")
                entry.object("resource") { json in
                    json.text("resourceType", resource.type)
                    json.text("id", resource.id)
                    if record.isDrill { json.raw("meta", FHIRAlarmResources.testTag) }
                    resource.write(&json)
                }
            }
        }
    }
}

struct FHIRAlarmResources {
    struct Resource {
        let type: String, id: String
        let write: (inout JSONObject) -> Void
    }

    let record: SOSRecord
    private let words: Words

    init(record: SOSRecord, language: Language) { (self.record, words) = (record, language.words) }

    var all: [Resource] {
        var all = [
            Resource(type: "Patient", id: id("p"), write: patient), Resource(type: "Flag", id: id("f"), write: flag),
            Resource(type: "Communication", id: id("c\(record.number)"), write: communication),
        ]
        if record.placeKind != .none { all.append(Resource(type: "Location", id: id("l"), write: location)) }
        let readings = record.history.thinned(to: 60).filter { !record.readings.contains($0) } + record.readings
        for (index, reading) in readings.enumerated() {
            all.append(Resource(type: "Observation", id: id("o\(index + 1)"), write: { observation(reading, &$0) }))
        }
        return all
    }

    static func testTag(_ bytes: inout [UInt8]) {
        bytes.append("{")
        bytes.append(FHIRCodes.test)
        bytes.append("}")
    }

    /// At most 64 of `A-Z a-z 0-9 - .` (R4, datatypes, id).
    private func id(_ suffix: String) -> String { "\(record.incident.suffix(50))-\(suffix)" }

    private var subject: String { "Patient/\(id("p"))" }

    private func marked(_ text: String) -> String { record.isDrill ? "\(words[.drill]): \(text)" : text }

    private func patient(_ json: inout JSONObject) {
        let person = record.person
        if !person.name.isEmpty { json.list("name", [person.name]) { $1.text("text", $0) } }
        if let phone = person.phone {
            json.list("telecom", [phone]) {
                $1.text("system", "phone")
                $1.text("value", $0)
            }
        }
        json.text("birthDate", person.birth?.text)
        if let address = person.address { json.list("address", [address]) { $1.text("text", $0) } }
        json.list("communication", person.languages) { language, json in
            json.object("language") { json in
                json.list("coding", [language]) {
                    $1.text("system", "urn:ietf:bcp:47")
                    $1.text("code", $0)
                }
            }
        }
    }

    private func flag(_ json: inout JSONObject) {
        json.text("status", record.kind != .cancel ? "active" : record.ending == .falseAlarm ? "entered-in-error" : "inactive")
        json.list("category", ["safety"]) { code, json in
            json.list("coding", [code]) {
                $1.text("system", "http://terminology.hl7.org/CodeSystem/flag-category")
                $1.text("code", $0)
            }
        }
        json.object("code") { $0.text("text", marked("\(words.head(record)): \(words.causeWithValues(record))")) }
        json.object("subject") { $0.text("reference", subject) }
        json.object("period") { json in
            json.text("start", record.sentAt.at(record.firstReadingAt ?? record.raisedAt).text)
            if record.kind == .cancel { json.text("end", record.sentAt.text) }
        }
    }

    private func communication(_ json: inout JSONObject) {
        json.text("status", "in-progress")
        json.text("priority", record.isDrill ? "routine" : "stat")
        json.object("subject") { $0.text("reference", subject) }
        json.list("about", ["Flag/\(id("f"))"]) { $1.text("reference", $0) }
        json.text("sent", record.sentAt.text)
        json.list("recipient", [record.recipient]) { $1.text("display", $0.name.isEmpty ? $0.address : $0.name) }
        json.object("sender") { $0.text("display", record.sender.name.isEmpty ? record.sender.address : record.sender.name) }
        json.list("payload", SpokenText.sentences(record, in: words.language)) { $1.text("contentString", $0) }
        json.list("note", words.notes(record)) { $1.text("text", $0) }
    }

    /// Without coordinates where nothing but the residence is known.
    private func location(_ json: inout JSONObject) {
        json.text("status", "active")
        json.text("description", marked(words.place(record)))
        json.text("mode", "instance")
        if let address = record.lastResort { json.object("address") { $0.text("text", address) } }
        guard let position = record.place.position else { return }
        json.object("position") { json in
            json.number("longitude", Int(position.longitude), places: 7)
            json.number("latitude", Int(position.latitude), places: 7)
        }
    }

    private func observation(_ reading: SOSReading, _ json: inout JSONObject) {
        json.text("status", "final")
        json.raw("category") { $0.append(FHIRCodes.vitalSigns) }
        json.raw("code") {
            switch reading.value {
            case .heartRate: $0.append(FHIRCodes.heartRate)
            case .bodyTemperature: $0.append(FHIRCodes.bodyTemperature)
            }
        }
        json.object("subject") { $0.text("reference", subject) }
        json.text("effectiveDateTime", record.sentAt.at(reading.time).text)
        json.raw("valueQuantity") {
            switch reading.value {
            case .heartRate(let rate): $0.append(quantity: Int64(rate), places: 0, .perMinute)
            case .bodyTemperature(let tenths): $0.append(quantity: Int64(tenths), places: 1, .degreesCelsius)
            }
        }
    }
}
