import Distress
import Foundation
import Peripherals
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import AgentKit

/// What the box says of a warning that nobody answered, and whom it tells by itself.
@Suite(.timeLimit(.minutes(1)))
struct SOSWarningTests {
    struct Case: Sendable {
        var trigger = Trigger.heartRateHigh
        var hub = ScriptedSOSHub.Mode.unreachable
        var hasModem = false
        let words: String
        var text: String?
    }

    private static let nobody = "I can tell nobody now"
    static let cases = [
        Case(hub: ScriptedSOSHub.answer { $0.reachesNobody = false }, words: "Whoever looks after you is told"),
        Case(hub: ScriptedSOSHub.answer { $0.reachesNobody = true }, words: nobody),
        Case(hasModem: true, words: nobody),
        Case(trigger: .heartPause, words: nobody),
        Case(
            trigger: .heartPause, hasModem: true, words: "I send a text message to your contacts",
            text: "Ada Example: il cuore si è fermato per circa 4 secondi"),
        Case(trigger: .inactivity, hub: ScriptedSOSHub.answer(), words: "There was no answer. Those who look after you are being told."),
        Case(trigger: .inactivity, words: "I cannot be sure that I can tell anybody now"),
    ]

    @Test(
        "SOS-24, SOS-9: of a warning the box says who is told, and who is not; without the hub it texts a pause to contacts",
        arguments: cases)
    func told(wanted: Case) async throws {
        let directory = try TemporaryDirectory(), file = directory.url.path + "/spoken"
        var sound = Voice.Configuration()
        sound.speaker = ["sh", "-c", "for text; do :; done; echo \"$text\" >> \(file)", "sh"]
        sound.players = [["true"]]
        let sos = SOSFixture(hub: wanted.hub, settings: SOSFixture.settings(), hooks: 0), fixture = try BoxFixture(sos: sos, sound: sound)
        defer { fixture.parts.announcer.stop() }
        try await fixture.box.begin(listening: false)
        if wanted.hasModem { sos.caller.tell(.modems([BoxWaysTests.modem(isReady: true)], problem: nil)) }
        try await #require(eventually { await fixture.box.modem.canText == wanted.hasModem })
        await fixture.rest(2)
        let reading = Reading(time: 1, value: 15, key: SampleKey(stream: .random(), sequence: 1, kind: .heartRate, index: 0))
        let found = Abnormality(
            trigger: wanted.trigger, tier: .warning, limit: 20, context: .unknown, first: reading, latest: reading, worst: 15, count: 1)
        await fixture.box.run([.warn(Warning(id: .random(), abnormality: found, at: fixture.clock.now))], of: fixture.person)
        try await #require(eventually { (try? String(contentsOfFile: file, encoding: .utf8))?.contains(wanted.words) == true })
        let texts = sos.caller.asked.compactMap { if case .notified(let text) = $0 { text } else { nil } }
        #expect(texts.count == (wanted.text == nil ? 0 : 1) && texts.allSatisfy { $0.contains(wanted.text ?? "") }, "\(texts)")
        _ = try await fixture.stored()
    }
}
