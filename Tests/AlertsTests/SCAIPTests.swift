import Alerts
import Languages
import Testing

@Suite struct SCAIPTests {
    private let settings = SCAIPRequest.Settings(controllerID: "TM000123")

    private func request(_ record: SOSRecord) throws -> Element {
        try Element(SCAIPRequest(record, settings: settings, language: .english).xml)
    }

    @Test("SOS-17: SCAIP names the person's equipment, the kind of alarm and the number to call back")
    func fields() throws {
        let mrq = try request(.sample())
        #expect(mrq.name == "mrq" && mrq["ref"].text == "6f1a9e3b4d27-1".suffixed("5f0c6f1a9e3b4d27", 14) && mrq["mty"].text == "ME")
        #expect(mrq["cid"].text == "TM000123" && mrq["dty"].text == "0004" && mrq["did"].text == "01" && mrq["cha"].text == "0")
        #expect(mrq["stc"].text == "0010" && mrq["crd"].text == "tel:+393330000000" && mrq["lco"].text == nil)
        #expect(mrq["lte"].text?.hasPrefix("45.46420, 9.18998, within 12 metres") == true)
        #expect(mrq["ame"].text?.hasPrefix("SOS Maria Rossi, 71") == true)
    }

    @Test("SOS-10, SOS-19: SCAIP has codes of its own for a withdrawal and for a test, and a test stays one")
    func codes() throws {
        #expect(try request(.sample(kind: .cancel, ending: .falseAlarm))["stc"].text == "0019")
        #expect(try request(.sample(status: .test))["stc"].text == "0102")
        #expect(try request(.sample(status: .test))["ame"].text?.hasPrefix("TEST, no emergency") == true)
        #expect(try request(.sample(kind: .cancel, status: .test, ending: .testOver))["stc"].text == "0102")
    }

    @Test("SOS-17: a receiver that refuses what it does not know gets the codes alone")
    func withoutTexts() throws {
        var settings = settings
        (settings.hasTexts, settings.locationCode, settings.alarmCode) = (false, 2, 12_345)
        let mrq = try Element(SCAIPRequest(.sample(), settings: settings, language: .english).xml)
        #expect(mrq["lco"].text == "002" && mrq["stc"].text == "12345" && mrq["ame"].text == nil && mrq["lte"].text == nil)
    }

    @Test("SOS-17: a hostile name stays within its element of SCAIP", arguments: hostileNames)
    func hostile(name: String) throws {
        let mrq = try request(.sample(name: name))
        #expect(mrq.all("stc").count == 1 && mrq.all("ame").count == 1)
    }

    @Test(
        "SOS-17: an answer is read whatever its order, padding and spelling",
        arguments: [
            "<mrs><ref>r-1</ref><snu>0</snu></mrs>", "<mrs><snu>0000</snu><ref> r-1 </ref></mrs>", "<mrs><snu> 00\n</snu></mrs>",
            "<?xml version=\"1.0\"?>\n<!-- x -->\n<mrs xmlns=\"urn:x\">\n <ste/>\n <snu>0</snu>\n <new><deep>9</deep></new>\n</mrs>\n",
            "<s:mrs xmlns:s='u'><s:snu>0</s:snu><s:ref>r-1</s:ref></s:mrs>", "<scaip><ref>r-1</ref><snu><![CDATA[0]]></snu></scaip>",
        ])
    func accepted(answer: String) throws {
        #expect(try #require(SCAIPAnswer(xml: Array(answer.utf8))).verdict(for: "r-1") == .accepted)
    }

    @Test("SOS-17: an answer that refuses, is about another alarm or says nothing is no acceptance")
    func notAccepted() throws {
        func verdict(_ text: String) throws -> SCAIPAnswer.Verdict {
            try #require(SCAIPAnswer(xml: Array(text.utf8))).verdict(for: "r-1")
        }
        #expect(try verdict("<mrs><snu>007</snu><ste>No such &lt;cid&gt;</ste></mrs>") == .refused("status 7: No such <cid>"))
        #expect(try verdict("<mrs><ref>r-2</ref><snu>0</snu></mrs>") == .unclear("the answer is about another alarm (r-2)"))
        for text in ["<mrs><ref>r-1</ref></mrs>", "<mrs><snu></snu></mrs>", "<mrs><snu>zero</snu></mrs>", "<mrs/>"] {
            #expect(try verdict(text) == .unclear("the answer has no status number"))
        }
        // Of two, the first counts: a second cannot turn a refusal round.
        #expect(try verdict("<mrs><snu>5</snu><snu>0</snu></mrs>") == .refused("status 5"))
        // Nor can one that is hidden in another element.
        #expect(try verdict("<mrs><x><snu>0</snu></x></mrs>") == .unclear("the answer has no status number"))
    }

    @Test("SOS-17: what is no answer is told apart, however it is broken")
    func broken() {
        let whole = "<mrs><ref>r-1</ref><snu>0</snu></mrs>"
        for length in 0..<whole.count { #expect(SCAIPAnswer(xml: Array(whole.utf8.prefix(length))) == nil) }
        for text in [
            "<mrq><snu>0</snu></mrq>", "OK", "<mrs><snu>0</ref></mrs>", "<!DOCTYPE mrs [<!ENTITY a \"0\">]><mrs><snu>&a;</snu></mrs>",
            "<<>>",
            "<mrs" + String(repeating: " ", count: 20_000) + "/>",
        ] { #expect(SCAIPAnswer(xml: Array(text.utf8)) == nil, "\(text.prefix(60))") }
        #expect(SCAIPAnswer(xml: [0xFF, 0xFE, 0x00, 0x3C]) == nil)
    }
}

extension String {
    /// The last `count` characters of `whole` and what stands behind the dash here.
    fileprivate func suffixed(_ whole: String, _ count: Int) -> String { "\(whole.suffix(count))-\(split(separator: "-").last ?? "")" }
}
