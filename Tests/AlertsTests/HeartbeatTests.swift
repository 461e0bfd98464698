import Alerts
import Foundation
import Languages
import Testing

/// Signs of life to control rooms: about nobody, marked as tests.
@Suite struct HeartbeatTests {
    private let beat = Heartbeat(
        sender: .init(name: "TrackMe hub", address: "https://hub.example"),
        recipient: .init(name: "Control, Milan", address: "118@control.example"),
        sentAt: SOSTime(utc: 1_795_230_245_000, offsetMinutes: 60), everySeconds: 600)

    @Test("SOS-22: a sign of life in CAP is a valid exercise for its room alone, and says until when the next one is due")
    func cap() throws {
        let alert = try Element(beat.cap(language: .italian))
        #expect(alert["status"].text == "Exercise" && alert["msgType"].text == "Alert" && alert["scope"].text == "Private")
        #expect(alert["addresses"].text == "118@control.example" && alert["note"].text?.hasPrefix("heartbeat-20261121030405: TEST") == true)
        let infos = alert.all("info")
        #expect(infos.map { $0["language"].text } == ["it", "en"] && infos[0]["event"].text == "Segno di vita della linea")
        #expect(
            infos.allSatisfy { $0["urgency"].text == "Unknown" && $0["severity"].text == "Unknown" && $0["responseType"].text == "None" })
        #expect(infos[0]["expires"].text == SOSTime(utc: 1_795_230_845_000, offsetMinutes: 60).text)
        guard Checks.hasXMLLint else { return }
        let complaint = try Checks.xmllint(beat.cap(language: .english), schema: capRules)
        #expect(complaint == nil)
    }

    @Test("SOS-22: a sign of life in JSON has a kind of its own, which no alarm has")
    func json() throws {
        let object = try #require(JSONSerialization.jsonObject(with: Data(beat.json(language: .english))) as? [String: Any])
        #expect(object["kind"] as? String == "heartbeat" && object["drill"] as? Bool == true && object["incident"] == nil)
        #expect(object["everySeconds"] as? Int == 600 && object["person"] == nil && (object["text"] as? String)?.hasPrefix("TEST") == true)
    }

    @Test("SOS-22: a sign of life in SCAIP is a ping that names the hub's equipment and nobody")
    func scaip() throws {
        let (reference, xml) = beat.scaip(.init(controllerID: "TM000123")), mrq = try Element(xml)
        #expect(mrq["ref"].text == reference && reference.count == 16 && mrq["mty"].text == "PI" && mrq["cid"].text == "TM000123")
        #expect(mrq["stc"].text == "0102" && mrq["ame"].text == nil && mrq["crd"].text == "no-voice:")
    }
}
