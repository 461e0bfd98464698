import Alerts
import Foundation
import Testing
import Vitals

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// 2026-11-21T03:04:05Z.
let someTime: Milliseconds = 1_795_230_245_000

extension SOSRecord {
    /// Made up: a person in Milan whose heart races.
    static func sample(
        kind: Kind = .alert, status: Status = .actual, ending: Ending? = nil, name: String = "Maria Rossi",
        place: SOSPlace = .milan, cause: SOSCause = .heartRateHigh(limit: 160), question: Question = .unanswered,
        number: Int = 1, references: [Reference] = [], raised: Milliseconds = someTime - 2000, isClockTrusted: Bool = true,
        isBackDated: Bool = false, address: String? = "Via Roma 1, Milano", web: String? = nil, history: [SOSReading]? = nil,
        takenBy: String? = nil, recipient: Party = Party(name: "Centrale 118", address: "118@control.example"), sentLater: Milliseconds = 0
    ) -> SOSRecord {
        SOSRecord(
            incident: "5f0c6f1a9e3b4d27", number: number, kind: kind, status: status, ending: ending,
            sentAt: SOSTime(utc: someTime + sentLater, offsetMinutes: 60), isClockTrusted: isClockTrusted, isBackDated: isBackDated,
            sender: .hub, recipient: recipient, references: references,
            person: SOSPerson(
                name: name, birth: SOSPerson.Birth(year: 1955, month: 3, day: 9), phone: "+39 333 0000000", languages: ["it", "en"],
                address: address),
            place: place, cause: cause, question: question, firstReadingAt: someTime - 9000, raisedAt: raised,
            readings: [.rate(178, 9), .rate(181, 8), .rate(182, 7)],
            history: history ?? [.rate(62, 250), .rate(92, 170), .rate(122, 90), .rate(152, 10)],
            takenBy: takenBy, web: web)
    }
}

extension SOSReading {
    static func rate(_ rate: Int, _ secondsBefore: Int64) -> SOSReading {
        SOSReading(time: someTime - secondsBefore * 1000, value: .heartRate(rate))
    }
}

extension SOSRecord.Party {
    static let hub = SOSRecord.Party(name: "TrackMe hub", address: "sos@hub.example")
}

extension SOSPlace {
    static let milan = SOSPlace.known(
        PositionSample(time: someTime - 8000, latitude: 454_642_035, longitude: 91_899_820, altitude: 1220, horizontalError: 118))
}

/// One element of a parsed document.
struct Element {
    let element: XMLElement?

    init(_ bytes: [UInt8]) throws { element = try XMLDocument(data: Data(bytes)).rootElement() }
    private init(_ element: XMLElement?) { self.element = element }

    var name: String? { element?.name }
    var text: String? { element?.stringValue }
    func attribute(_ name: String) -> String? { element?.attributes?.first { $0.name == name }?.stringValue }
    var children: [Element] { (element?.children ?? []).compactMap { ($0 as? XMLElement).map(Element.init) } }
    subscript(name: String) -> Element { children.first { $0.name == name } ?? Element(nil) }
    func all(_ name: String) -> [Element] { children.filter { $0.name == name } }
}

func string(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

/// Names as an attacker, or an unlucky person, would have them.
let hostileNames = [
    "</headline><status>Actual</status>", "]]><![CDATA[", "&lt;&#0;&quot;'\"\\", "Robert'); DROP TABLE persons;--",
    "a\r\nVia: SIP/2.0/UDP evil",
    "\u{202E}gnirts\u{2066}", "\u{0}\u{1}\u{7F}\u{85}\u{2028}", "李小龙", "Ψυχή 🫀👨‍👩‍👧‍👦", String(repeating: "é\u{301}", count: 5000), "",
    "<!--", "${jndi:ldap://x}", "$(reboot)`reboot`",
]
