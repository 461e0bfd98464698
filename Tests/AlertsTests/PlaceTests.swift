import Alerts
import Foundation
import Languages
import Testing
import Vitals

/// What every format says of a place: an old position with its age, a fixed place without one, a position of unknown age, and where nothing but
/// the residence is known, that in words.
@Suite struct PlaceTests {
    private static func position(_ ago: Milliseconds, _ source: PositionSource = .gnss) -> SOSPlace {
        .known(PositionSample(time: someTime - ago, latitude: 454_642_035, longitude: 91_899_820, horizontalError: 118, source: source))
    }
    private static let day: Milliseconds = 86_400_000
    private static let old = SOSRecord.sample(place: position(40 * day)), fixed = SOSRecord.sample(place: position(1_800_000, .fixed))
    private static let home = SOSRecord.sample(place: .unknown(.noFix)), nothing = SOSRecord.sample(place: .unknown(.noFix), address: nil)
    private static var unsure: SOSRecord {
        var record = SOSRecord.sample(place: position(180_000))
        record.isPlaceAgeUnknown = true
        return record
    }

    /// What people read or hear, in every form.
    private static func words(_ record: SOSRecord, _ language: Language) -> [String: String] {
        let cap = string(CAPAlert.xml(record, language: language)).components(separatedBy: "</info>")[0]
        let bundle = string(FHIRAlarm.json(record, language: language, base: "https://hub.example/fhir"))
        return [
            "sms": SMSText.text(record, in: language), "speech": SpokenText.sentences(record, in: language).joined(separator: " "),
            "letter": LetterText.letter(record, in: language).text, "cap": cap, "fhir": bundle,
            "json": string(HookJSON.json(record, language: language)),
            "scaip": string(SCAIPRequest(record, settings: .init(controllerID: "TM1"), language: language).xml),
        ]
    }

    private func parameters(_ record: SOSRecord) throws -> [String: String] {
        let info = try Element(CAPAlert.xml(record, language: .english)).all("info")[0]
        return info.all("parameter").reduce(into: [:]) { $0[$1["valueName"].text ?? ""] = $1["value"].text }
    }

    private func position(_ record: SOSRecord) throws -> [String: Any] {
        let json = try #require(
            JSONSerialization.jsonObject(with: Data(HookJSON.json(record, language: .english))) as? [String: Any])
        return json["position"] as? [String: Any] ?? [:]
    }

    @Test("SOS-6: a position of weeks ago is told with that age in every format")
    func oldPosition() throws {
        for (form, text) in Self.words(Self.old, .english) { #expect(text.contains("40 d"), "\(form): \(text)") }
        for (form, text) in Self.words(Self.old, .italian) { #expect(text.contains("40 giorni fa") || text.contains("40 d fa"), "\(form)") }
        #expect(try parameters(Self.old)["PositionAgeSeconds"] == "3456000" && parameters(Self.old)["PlaceKind"] == "position")
        #expect(try position(Self.old)["ageSeconds"] as? Int == 3_456_000)
    }

    @Test("SOS-6, EDGE-3: the fixed place of a box has no age in any format")
    func fixedPlace() throws {
        for (form, text) in Self.words(Self.fixed, .english) {
            #expect(!text.contains("30 min") && text.contains("place that was set for the box"), "\(form): \(text)")
        }
        for (form, text) in Self.words(Self.fixed, .italian) { #expect(!text.contains("30 min"), "\(form): \(text)") }
        let fields = try parameters(Self.fixed)
        #expect(fields["PositionAgeSeconds"] == nil && fields["PositionTime"] == nil && fields["PositionAgeSecondsMin"] == nil)
        #expect(fields["PlaceKind"] == "fixed-place" && fields["PositionKnown"] == "yes" && fields["PositionSource"] == "fixed")
        #expect(try position(Self.fixed)["ageSeconds"] == nil && position(Self.fixed)["time"] == nil)
        // It holds now, for programs that want a time.
        #expect(AMLText.text(Self.fixed)?.contains("top=20261121030405;") == true)
        #expect(try Element(#require(PIDFLO.xml(Self.fixed)))["dm:device"]["dm:timestamp"].text == "2026-11-21T03:04:05+00:00")
    }

    @Test("SOS-6: a position of unknown age is told as that old at least, and never with an age of its own")
    func unknownAge() throws {
        for (form, text) in Self.words(Self.unsure, .english) {
            #expect(text.contains("age unknown, at least 3 min") && !text.contains("3 minutes ago"), "\(form): \(text)")
        }
        for (form, text) in Self.words(Self.unsure, .italian) {
            #expect(text.contains("non si sa da quando, almeno 3 min"), "\(form): \(text)")
        }
        let fields = try parameters(Self.unsure)
        #expect(fields["PositionAgeSeconds"] == nil && fields["PositionTime"] == nil && fields["PositionAgeSecondsMin"] == "180")
        #expect(try position(Self.unsure)["ageSecondsMin"] as? Int == 180 && position(Self.unsure)["ageSeconds"] == nil)
        #expect(AMLText.text(Self.unsure) == nil, "the form has no word for it")
        let presence = try Element(#require(PIDFLO.xml(Self.unsure)))
        #expect(presence["dm:device"]["dm:timestamp"].text == nil && presence["note"].text == "age unknown, at least 3 minutes")
    }

    @Test("SOS-6: where no position is known every format says where the person lives, and that they may be elsewhere")
    func residence() throws {
        for (form, text) in Self.words(Self.home, .english) {
            #expect(text.contains("The position is not known"), "\(form): \(text)")
            #expect(text.contains("Where the person lives, perhaps not where they are: Via Roma 1, Milano"), "\(form): \(text)")
            #expect(!text.contains("Home address"), "once: \(form): \(text)")
        }
        for (form, text) in Self.words(Self.home, .italian) {
            #expect(text.contains("Dove abita la persona, forse non dove si trova: Via Roma 1, Milano"), "\(form): \(text)")
        }
        let fields = try parameters(Self.home), info = try Element(CAPAlert.xml(Self.home, language: .english)).all("info")[0]
        #expect(fields["PlaceKind"] == "residence" && fields["PositionKnown"] == "no" && info["area"]["circle"].text == nil)
        #expect(info["instruction"].text?.hasPrefix("Call the person to learn where they are") == true)
        let bundle = try #require(
            JSONSerialization.jsonObject(with: Data(FHIRAlarm.json(Self.home, language: .english, base: "x"))) as? [String: Any])
        let resources = try #require(bundle["entry"] as? [[String: Any]]).compactMap { $0["resource"] as? [String: Any] }
        let location = try #require(resources.first { $0["resourceType"] as? String == "Location" })
        #expect(location["position"] == nil && (location["address"] as? [String: String])?["text"] == "Via Roma 1, Milano")
    }

    @Test("SOS-6: where neither is known no format makes up a place")
    func none() throws {
        for (form, text) in Self.words(Self.nothing, .english) {
            #expect(text.contains("The position is not known") && !text.contains("lives"), "\(form): \(text)")
        }
        #expect(try parameters(Self.nothing)["PlaceKind"] == "none")
        #expect(!string(FHIRAlarm.json(Self.nothing, language: .english, base: "x")).contains("\"Location\""))
    }

    @Test("SOS-6: a long address is cut in a text rather than left out", arguments: [Language.english, .italian])
    func longAddress(language: Language) {
        let address = "Via " + String(repeating: "lunga ", count: 30) + "1"
        let text = SMSText.text(.sample(place: .unknown(.noFix), address: address), in: language, answer: .reply)
        #expect(text.contains(": Via lunga lunga") && SMSLength(text).parts <= 2, "\(text)")
    }
}
