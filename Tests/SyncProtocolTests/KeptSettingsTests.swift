import Foundation
import SyncProtocol
import Testing
import Vitals

/// What a box hands on to its person's next box.
struct KeptSettingsTests {
    private static let settings = BoxSettingsCopy(
        sensor: .init(address: "C4:01:02:03:04:05/random", name: "Strap"), others: [.init(address: "00:01:02:03:04:06/public", name: nil)],
        off: ["position"], configuration: ["role": "gateway", "hub.silence": "0"])
    private static let kept = KeptSettings(box: "Kitchen", changed: 5, settings: settings)
    private static let person = BoundPerson(person: PersonID(high: 1, low: 2), name: "Ada")

    /// As release 0.3.0 reads them.
    private struct AnswerIn030: Codable, Hashable {
        var agent: AgentID
        var hub: HubIncarnation
        var persons: [BoundPerson]
    }

    private static func answer(_ kept: KeptSettingsList?) -> EnrolmentAnswer {
        EnrolmentAnswer(agent: AgentID(high: 3, low: 4), hub: HubIncarnation(high: 5, low: 6), persons: [person], kept: kept)
    }

    @Test("EDGE-16: what is kept of a box comes with the enrolment of the next, and back as it was; without any nothing of it is sent")
    func thereAndBack() throws {
        let answer = Self.answer(KeptSettingsList([Self.kept]))
        let data = try JSONEncoder().encode(WireForm(answer))
        #expect(try JSONDecoder().decode(WireForm<EnrolmentAnswer>.self, from: data).message == answer)
        let none = String(decoding: try JSONEncoder().encode(WireForm(Self.answer(nil))), as: UTF8.self)
        #expect(!none.contains("kept"))
        let condition = BoxCondition(version: "1", batteryPercent: nil, sensors: [], settings: Self.settings)
        let told = try JSONEncoder().encode(WireForm(condition))
        #expect(try JSONDecoder().decode(WireForm<BoxCondition>.self, from: told).message == condition)
    }

    @Test("EDGE-16: a box of release 0.3.0 is enrolled all the same, and an older hub's answer is read")
    func old() throws {
        let data = try JSONEncoder().encode(WireForm(Self.answer(KeptSettingsList([Self.kept]))))
        let read = try JSONDecoder().decode(AnswerIn030.self, from: data)
        #expect(read.persons == [Self.person])
        #expect(try JSONDecoder().decode(WireForm<EnrolmentAnswer>.self, from: JSONEncoder().encode(read)).message == Self.answer(nil))
    }

    @Test(
        "EDGE-16: whatever stands there, the box is enrolled",
        arguments: ["7", "\"what\"", "{}", "[]", "[7, null]", "[{\"box\":\"Kitchen\",\"changed\":\"late\"}]", "null"])
    func damaged(kept: String) throws {
        let json = String(decoding: try JSONEncoder().encode(Self.answer(nil)), as: UTF8.self).dropLast() + ",\"kept\":\(kept)}"
        let read = try JSONDecoder().decode(WireForm<EnrolmentAnswer>.self, from: Data(json.utf8)).message
        #expect(read.persons == [Self.person] && (read.kept?.items ?? []).isEmpty)
    }

    @Test("EDGE-16: one that can be read is offered beside those that cannot, three at most, and none that a box could not show")
    func bounded() throws {
        let good = String(decoding: try JSONEncoder().encode(Self.kept), as: UTF8.self)
        let list = try JSONDecoder().decode(KeptSettingsList.self, from: Data("[7, \(good), {}]".utf8))
        #expect(list.items == [Self.kept])
        #expect(KeptSettingsList([KeptSettings](repeating: Self.kept, count: 5)).items.count == KeptSettings.offeredMax)
        let long = String(repeating: "x", count: BoxSettingsCopy.textBytesMax + 1)
        var bad = [KeptSettings](repeating: Self.kept, count: 7)
        bad[0].box = "Kit\u{1B}[2Jchen"
        bad[1].box = ""
        bad[2].settings.sensor?.name = "Strap\n"
        bad[3].settings.configuration["role"] = long
        bad[4].settings.off = [String](repeating: "position", count: BoxSettingsCopy.listMax + 1)
        bad[5].settings.others = [BoxSettingsCopy.Sensor](repeating: .init(address: "what", name: nil), count: BoxSettingsCopy.listMax + 1)
        bad[6].settings = BoxSettingsCopy()
        for kept in bad { #expect(KeptSettingsList([kept]).items.isEmpty, "\(kept)") }
        let told = BoxCondition(version: "1", batteryPercent: nil, sensors: [], settings: bad[3].settings)
        #expect(!told.isPlausible)
    }
}
