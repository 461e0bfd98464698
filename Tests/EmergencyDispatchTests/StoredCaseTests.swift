import Distress
import Foundation
import TestSupport
import Testing
import Vitals

@testable import EmergencyDispatch

/// Cases stand sealed in directories of earlier releases: what they hold is read, and written again in the same form.
@Suite struct StoredCaseTests {
    private func stored() throws -> String {
        try String(contentsOf: Repository.url("Tests/EmergencyDispatchTests/case-0.3.1.json"), encoding: .utf8)
            .trimmingCharacters(in: .newlines)
    }

    @Test("SOS-20: a case that is stored keeps every field and every word, read and written again")
    func roundTrip() throws {
        let text = try stored(), item = try JSONDecoder().decode(SOSCase.self, from: Data(text.utf8))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        #expect(String(decoding: try encoder.encode(item), as: UTF8.self) == text)
    }

    @Test("SOS-20: what is stored means what it did")
    func meaning() throws {
        let item = try JSONDecoder().decode(SOSCase.self, from: Data(try stored().utf8))
        #expect(item.outcome == .finished(.room("114")) && item.owner == .contact(0) && item.crew?.label.plate == "AA 1")
        #expect(item.calls.map(\.channel) == [.text, .notice, .room, .voice])
        #expect(item.calls.map(\.message) == [.alert, .whoIsThere, .position, .personAnswered])
        #expect(item.calls[0].isContact(0) && item.calls[0].state == .acknowledged && item.calls[0].said == 3400)
        #expect(item.offers[0].state == .released && item.offers[0].isToHome == true && item.joined?.count == 1)
        #expect(item.toldNumbers == ["+390000001"] && item.ground == .consent && item.boxesTested == ["1": false])
    }

    @Test("SOS-20: what release 0.3.0 did not know is not missed, and what a later one adds is let by")
    func otherVersions() throws {
        var fields = try #require(
            try JSONSerialization.jsonObject(with: Data(try stored().utf8)) as? [String: any Sendable])
        for key in ["ground", "others", "saidOK", "stepped", "boxesTested", "wasHeartHeard", "joined", "askAt", "hasVoice"] {
            fields[key] = nil
        }
        fields["ofAnotherVersion"] = 1
        let item = try JSONDecoder().decode(SOSCase.self, from: try JSONSerialization.data(withJSONObject: fields))
        #expect(item.owner == .contact(0) && item.ground == nil && item.people == [item.person] && item.calls.count == 4)
    }
}
