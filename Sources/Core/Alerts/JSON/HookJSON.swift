internal import Exchange
public import Languages
internal import Vitals

/// An alarm as one line of JSON, for programs that the owner of a box runs (standard input) and for signed webhooks. Documented in
/// docs/alerts.md; a member is added, never renamed.
public enum HookJSON {
    public static let mediaType = "application/json"
    public static let version = 1

    public static func json(_ record: SOSRecord, language: Language) -> [UInt8] {
        let words = language.words
        return JSONObject.bytes { json in
            json.number("version", version)
            json.text("incident", record.incident)
            json.texts("aliases", record.aliases)
            json.number("number", record.number)
            json.text("kind", record.kind.rawValue)
            json.text("status", record.status.rawValue)
            json.flag("drill", record.isDrill)
            json.text("ending", record.ending?.rawValue)
            json.text("takenBy", record.takenBy)
            json.text("sent", record.sentAt.text)
            json.flag("clockTrusted", record.isClockTrusted)
            json.text("raised", record.sentAt.at(record.raisedAt).text)
            json.text("firstReading", record.firstReadingAt.map { record.sentAt.at($0).text })
            json.number("secondsLate", record.lateBy.map { Int($0 / 1000) })
            json.flag("backDated", record.isBackDated)
            json.text("cause", record.cause.code)
            json.raw("limit") { $0.append(contentsOf: (record.cause.limitText ?? "null").utf8) }
            json.text("question", record.question.rawValue)
            json.object("sender") { party(record.sender, &$0) }
            json.object("recipient") { party(record.recipient, &$0) }
            json.object("person") { person(record, &$0) }
            position(record, &json)
            json.text("placeKind", record.placeKind.rawValue)
            json.text("place", words.place(record))
            json.list("readings", record.readings) { reading($0, record.sentAt, &$1) }
            json.list("before", record.history) { reading($0, record.sentAt, &$1) }
            json.text("web", record.web)
            json.text("language", language.rawValue)
            json.text("text", SMSText.text(record, in: language))
            json.text("aml", AMLText.text(record))
            json.texts("spoken", SpokenText.sentences(record, in: language))
            json.texts("notes", words.notes(record))
        } + [UInt8(ascii: "\n")]
    }

    private static func party(_ party: SOSRecord.Party, _ json: inout JSONObject) {
        json.text("name", party.name)
        json.text("address", party.address)
    }

    private static func person(_ record: SOSRecord, _ json: inout JSONObject) {
        json.text("name", record.person.name)
        json.number("age", record.person.age(at: record.sentAt))
        json.text("birthDate", record.person.birth?.text)
        json.text("phone", record.person.phone)
        json.texts("languages", record.person.languages)
        json.text("address", record.person.address)
    }

    /// Always there: null says that there is none, and `noPosition` why.
    private static func position(_ record: SOSRecord, _ json: inout JSONObject) {
        switch record.place {
        case .unknown(let reason):
            json.raw("position") { $0.append("null") }
            json.text("noPosition", reason.rawValue)
        case .known(let position):
            json.object("position") { json in
                json.number("latitude", Int(position.latitude), places: 7)
                json.number("longitude", Int(position.longitude), places: 7)
                json.number("accuracyMetres", position.accuracyMetres)
                switch record.placeAge {
                case .exactly(let age):
                    json.text("time", record.sentAt.at(position.time).text)
                    json.number("ageSeconds", Int(age / 1000))
                case .atLeast(let age): json.number("ageSecondsMin", Int(age / 1000))
                case PlaceAge.none?, nil: break
                }
                json.number("altitudeMetres", position.altitude.map(Int.init), places: 1)
                json.text("source", "\(position.source)")
            }
        }
    }

    private static func reading(_ reading: SOSReading, _ sentAt: SOSTime, _ json: inout JSONObject) {
        json.text("time", sentAt.at(reading.time).text)
        json.number("ageSeconds", Int(max(sentAt.utc - reading.time, 0) / 1000))
        switch reading.value {
        case .heartRate(let rate): json.number("heartRate", rate)
        case .bodyTemperature(let tenths): json.number("bodyTemperature", tenths, places: 1)
        }
    }
}
