import Alerts
import Foundation
import Languages
import Testing
import Vitals

@Suite struct CAPTests {
    private func cap(_ record: SOSRecord, _ language: Language = .italian) throws -> Element {
        try Element(CAPAlert.xml(record, language: language))
    }

    private func parameters(_ info: Element) -> [String: String] {
        Dictionary(
            info.all("parameter").map { ($0["valueName"].text ?? "", $0["value"].text ?? "") }, uniquingKeysWith: { first, _ in first })
    }

    @Test("SOS-17: CAP is private to its recipient, named once, with a numeric offset, in the language of the place first")
    func envelope() throws {
        let alert = try cap(.sample())
        #expect(alert.name == "alert" && alert["identifier"].text == "5f0c6f1a9e3b4d27-1" && alert["sender"].text == "sos@hub.example")
        #expect(alert["sent"].text == "2026-11-21T04:04:05+01:00")
        #expect(alert["status"].text == "Actual" && alert["msgType"].text == "Alert")
        #expect(alert["scope"].text == "Private" && alert["addresses"].text == "118@control.example")
        #expect(alert["incidents"].text == "5f0c6f1a9e3b4d27" && alert["note"].text == nil && alert["references"].text == nil)
        #expect(alert.all("info").map { $0["language"].text } == ["it", "en"])
        #expect(try cap(.sample(), .english).all("info").map { $0["language"].text } == ["en", "it"])
    }

    @Test(
        "SOS-6: CAP says who, how old, the phone, where with age and accuracy, the readings and the minutes before, in words and in fields")
    func content() throws {
        let info = try cap(.sample(), .english).all("info")[0]
        let description = try #require(info["description"].text)
        for part in [
            "Maria Rossi, 71 years old", "heart rate too high: 182 per minute, limit 160", "did not answer", "45.46420, 9.18998",
            "within 12 metres",
            "8 seconds ago", "+39 333 0000000", "it, en", "Via Roma 1", "In the 4 minutes before, the heart rate was between 62 and 152",
        ] { #expect(description.contains(part), "\(part) in \(description)") }
        let fields = parameters(info)
        #expect(fields["PersonName"] == "Maria Rossi" && fields["PersonAge"] == "71" && fields["PersonBirthDate"] == "1955-03-09")
        #expect(fields["Cause"] == "heart-rate-high" && fields["Limit"] == "160" && fields["Question"] == "unanswered")
        #expect(fields["Readings"] == "heart-rate@-9=178 heart-rate@-8=181 heart-rate@-7=182")
        #expect(fields["Before"] == "heart-rate@-250=62 heart-rate@-170=92 heart-rate@-90=122 heart-rate@-10=152")
        #expect(fields["PositionAgeSeconds"] == "8" && fields["PositionAccuracyMetres"] == "12" && fields["PositionSource"] == "gnss")
        #expect(fields["FirstReading"] == "2026-11-21T04:03:56+01:00" && fields["Drill"] == "no" && fields["SecondsLate"] == nil)
        #expect(info["area"]["circle"].text == "45.46420,9.18998 0.012" && info["area"]["altitude"].text == "400")
        #expect(info["urgency"].text == "Immediate" && info["severity"].text == "Extreme" && info["certainty"].text == "Likely")
    }

    @Test("SOS-6: without a position CAP says so, and has no circle", arguments: SOSPlace.Reason.allCases)
    func noPosition(reason: SOSPlace.Reason) throws {
        for info in try cap(.sample(place: .unknown(reason))).all("info") {
            #expect(info["area"]["circle"].text == nil)
            #expect(info["area"]["areaDesc"].text?.contains(info["language"].text == "en" ? "not known" : "non è nota") == true)
            #expect(parameters(info)["PositionKnown"] == "no" && parameters(info)["PositionReason"] == reason.rawValue)
        }
    }

    @Test("SOS-6: a message that is late, about the past, or from a box without a clock says so")
    func notes() throws {
        let late = try cap(.sample(raised: someTime - 600_000, isClockTrusted: false, isBackDated: true), .english)
        let note = try #require(late["note"].text)
        #expect(note.contains("raised 10 minutes ago") && note.contains("show the past") && note.contains("never set"))
        let fields = parameters(late.all("info")[0])
        #expect(fields["SecondsLate"] == "600" && fields["BackDated"] == "yes" && fields["ClockTrusted"] == "no")
    }

    @Test("SOS-10: a false alarm is a Cancel that names what it withdraws")
    func cancel() throws {
        let earlier = [1, 2].map { (number: Int) in
            let time = someTime - 60_000 + Int64(number) * 1000
            return SOSRecord.Reference(sender: .hub, number: number, sentAt: SOSTime(utc: time, offsetMinutes: -210))
        }
        let alert = try cap(.sample(kind: .cancel, ending: .falseAlarm, number: 3, references: earlier), .english)
        #expect(alert["msgType"].text == "Cancel" && alert["identifier"].text == "5f0c6f1a9e3b4d27-3")
        #expect(
            alert["references"].text
                == "sos@hub.example,5f0c6f1a9e3b4d27-1,2026-11-20T23:33:06-03:30 sos@hub.example,5f0c6f1a9e3b4d27-2,2026-11-20T23:33:07-03:30"
        )
        let info = alert.all("info")[0]
        #expect(info["responseType"].text == "AllClear" && info["urgency"].text == "Past" && info["certainty"].text == "Unlikely")
        #expect(info["headline"].text == "Stand down, false alarm: Maria Rossi, 71 years old")
        #expect(alert["note"].text == "Stand down, false alarm")
    }

    @Test("SOS-20: that somebody has it is an Update that sends nobody else; whoever has it is asked to help on")
    func taken() throws {
        let others = try cap(.sample(kind: .update, number: 2, takenBy: "Berta"), .english), info = others.all("info")[0]
        #expect(others["msgType"].text == "Update" && info["responseType"].text == "Monitor")
        #expect(info["instruction"].text == "Berta has taken this alarm, nobody else is called")
        let own = try cap(.sample(kind: .update, number: 2, takenBy: "Centrale 118"), .english).all("info")[0]
        #expect(own["responseType"].text == "Assess" && own["instruction"].text?.hasPrefix("Send help") == true)
        #expect(own["description"].text?.contains("You have taken this alarm") == true)
    }

    @Test("SOS-19: a drill is a Test in CAP, whatever it does, and every text of it begins with that", arguments: SOSRecord.Kind.allCases)
    func drill(kind: SOSRecord.Kind) throws {
        let alert = try cap(.sample(kind: kind, status: .test), .english)
        #expect(alert["status"].text == "Test" && alert["note"].text?.hasPrefix("TEST, no emergency, send nobody") == true)
        for info in alert.all("info") {
            let mark = info["language"].text == "en" ? "TEST, " : "PROVA, "
            for field in ["event", "headline", "description"] { #expect(info[field].text?.hasPrefix(mark) == true) }
            #expect(info["severity"].text != "Extreme" && info["urgency"].text != "Immediate" && parameters(info)["Drill"] == "yes")
        }
    }

    static let records: [SOSRecord] = {
        let first = SOSRecord.Reference(sender: .hub, number: 1, sentAt: SOSTime(utc: 0))
        var records: [SOSRecord] = []
        for kind in SOSRecord.Kind.allCases {
            for status in SOSRecord.Status.allCases {
                records.append(
                    .sample(
                        kind: kind, status: status, ending: kind == .cancel ? .over : nil, references: kind == .alert ? [] : [first, first])
                )
            }
        }
        let pole = PositionSample(time: 0, latitude: -900_000_000, longitude: -1, horizontalError: nil, source: .fixed)
        records.append(.sample(place: .unknown(.noFix), cause: .help))
        records.append(.sample(cause: .bodyTemperatureLow(limit: 350), web: "https://hub.example/r?a=1&b=2"))
        records.append(.sample(place: .known(pole), history: []))
        return records + hostileNames.map { .sample(name: $0, address: $0) }
    }()

    @Test(
        "SOS-17: every CAP message holds to the rules of CAP 1.2", .enabled(if: Checks.hasXMLLint, "xmllint (libxml2-utils)"),
        arguments: records)
    func schema(record: SOSRecord) throws {
        let complaint = try Checks.xmllint(CAPAlert.xml(record, language: .italian), schema: capRules)
        #expect(complaint == nil)
    }

    @Test("SOS-17: those rules find what is wrong", .enabled(if: Checks.hasXMLLint, "xmllint (libxml2-utils)"))
    func schemaFinds() throws {
        let right = string(CAPAlert.xml(.sample(), language: .english))
        for (part, wrong) in [
            ("+01:00</sent>", "Z</sent>"), ("Actual", "Real"), ("<scope>Private</scope>", ""), (" 0.012</circle>", "</circle>"),
            ("<sender>sos@", "<sender>s os@"),
        ] {
            let broken = right.replacingOccurrences(of: part, with: wrong)
            #expect(broken != right)
            let complaint = try Checks.xmllint(Array(broken.utf8), schema: capRules)
            #expect(complaint != nil, "\(wrong)")
        }
    }

    @Test("SOS-17: a hostile name stays a name in CAP", arguments: hostileNames)
    func hostile(name: String) throws {
        let alert = try cap(.sample(name: name, address: name))
        #expect(alert["status"].text == "Actual" && alert.all("info").count == 2 && alert.all("status").count == 1)
        let shown = try #require(alert.all("info")[0]["headline"].text)
        #expect(shown.unicodeScalars.count <= 700 && !shown.contains("\n") && !shown.contains("\u{202E}"))
        if ["<!--", "]]><![CDATA[", "</headline><status>Actual</status>"].contains(name) { #expect(shown.contains(name)) }
    }

    @Test("SOS-17: an address with blanks is held together, and one with a comma cannot break a reference")
    func addresses() throws {
        var record = SOSRecord.sample(
            kind: .update,
            references: [SOSRecord.Reference(sender: .init(name: "", address: "a, b <c>"), number: 1, sentAt: SOSTime(utc: 0))])
        record.recipient = .init(name: "", address: "the \"night\" desk")
        let alert = try cap(record)
        #expect(alert["addresses"].text == "\"the night desk\"")
        #expect(alert["references"].text == "a--b--c-,5f0c6f1a9e3b4d27-1,1970-01-01T00:00:00-00:00")
    }
}
