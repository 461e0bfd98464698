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
        // A hub that says whom it can tell: a control room counts for an alarm alone.
        Case(
            hub: ScriptedSOSHub.answer { ($0.reachesNobody, $0.warned) = (false, ["heartPause", "tremor"]) }, words: nobody),
        Case(
            trigger: .heartPause, hub: ScriptedSOSHub.answer { ($0.reachesNobody, $0.warned) = (false, []) }, hasModem: true,
            words: "I send a text message to your contacts", text: "Ada Example: il cuore si è fermato per circa 4 secondi"),
        Case(
            trigger: .inactivity, hub: ScriptedSOSHub.answer { ($0.reachesNobody, $0.warned) = (false, ["heartPause"]) },
            words: "I cannot be sure that I can tell anybody now"),
        Case(
            trigger: .inactivity, hub: ScriptedSOSHub.answer { ($0.reachesNobody, $0.warned) = (true, ["inactivity"]) },
            words: "There was no answer. Those who look after you are being told."),
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
        try await #require(eventually { await fixture.box.means.modem.canText == wanted.hasModem })
        await fixture.rest(2)
        let reading = Reading(time: 1, value: 15, key: SampleKey(stream: .random(), sequence: 1, kind: .heartRate, index: 0))
        let found = Abnormality(
            trigger: wanted.trigger, tier: .warning, limit: 20, context: .unknown, first: reading, latest: reading, worst: 15, count: 1)
        await fixture.box.sos.run([.warn(Warning(id: .random(), abnormality: found, at: fixture.clock.now))], of: fixture.person)
        try await #require(eventually { (try? String(contentsOfFile: file, encoding: .utf8))?.contains(wanted.words) == true })
        let texts = sos.caller.asked.compactMap { if case .notified(let text) = $0 { text } else { nil } }
        #expect(texts.count == (wanted.text == nil ? 0 : 1) && texts.allSatisfy { $0.contains(wanted.text ?? "") }, "\(texts)")
        _ = try await fixture.stored()
    }

    private static func pause(at time: Milliseconds) -> Warning {
        let reading = Reading(time: time, value: 15, key: SampleKey(stream: .random(), sequence: 1, kind: .heartRate, index: 0))
        let found = Abnormality(
            trigger: .heartPause, tier: .warning, limit: 20, context: .unknown, first: reading, latest: reading, worst: 15, count: 1)
        return Warning(id: .random(), abnormality: found, at: time)
    }

    private func texts(_ sos: SOSFixture) -> [String] {
        sos.caller.asked.compactMap { if case .notified(let text) = $0, text.contains("cuore") { text } else { nil } }
    }

    private func withModem(_ sos: SOSFixture) async throws -> BoxFixture {
        let fixture = try await sos.box()
        sos.caller.tell(.modems([BoxWaysTests.modem(isReady: true)], problem: nil))
        try await #require(eventually { await fixture.box.means.modem.canText })
        await fixture.rest(2)
        return fixture
    }

    private func look(_ fixture: BoxFixture, seconds: Int) async throws {
        for _ in 0..<seconds {
            fixture.clock.advance(1000)
            await fixture.box.tick()
            try await fixture.settled()
        }
    }

    @Test("SOS-24, SOS-9: contacts are texted of a pause when the hub that was counted upon is gone, or answers that it reaches nobody")
    func goneHub() async throws {
        for mode in [ScriptedSOSHub.Mode.unreachable, ScriptedSOSHub.answer { $0.reachesNobody = true }] {
            let sos = SOSFixture(hub: ScriptedSOSHub.answer { $0.reachesNobody = false }, settings: SOSFixture.settings(), hooks: 0)
            let fixture = try await withModem(sos)
            sos.hub.mode = mode
            await fixture.box.sos.run([.warn(Self.pause(at: fixture.clock.now))], of: fixture.person)
            #expect(texts(sos).isEmpty)
            try await look(fixture, seconds: 3)
            #expect(texts(sos).count == 1)
            sos.caller.tell(.noticed(0, nil))
            try await look(fixture, seconds: 3)
            #expect(texts(sos).count == 1)
            _ = try await fixture.stored()
        }
    }

    private static func silence(at time: Milliseconds) -> Warning {
        let key = SampleKey(stream: .random(), sequence: 1, kind: .event, index: 0)
        let found = Abnormality(
            trigger: .inactivity, tier: .warning, limit: nil, context: .unknown, first: Reading(time: time, value: 120, key: key),
            latest: Reading(time: time, value: 0, key: key), worst: 120, count: 1)
        return Warning(id: .random(), abnormality: found, at: time)
    }

    @Test(
        "SOS-24, SOS-9: where only the box can reach the contacts it tells them, though the hub is heard and has the warning; else the hub does",
        arguments: [false, true], [Optional([String]()), ["heartPause", "inactivity"], nil])
    func boxAlone(isPause: Bool, warned: [String]?) async throws {
        let sos = SOSFixture(hub: ScriptedSOSHub.answer { $0.warned = warned }, settings: SOSFixture.settings(), hooks: 0)
        let fixture = try await withModem(sos), now = fixture.clock.now
        let warning = isPause ? Self.pause(at: now) : Self.silence(at: now)
        await fixture.box.sos.run([.warn(warning)], of: fixture.person)
        try await look(fixture, seconds: 5)
        let texts = sos.caller.asked.compactMap { if case .notified(let text) = $0 { text } else { nil } }
        #expect(texts.count == (warned == [] ? 1 : 0), "\(texts)")
        #expect(sos.hub.reports.contains { $0.warning?.id == warning.id })
        sos.caller.tell(.noticed(0, nil))
        try await #require(
            eventually {
                try? await look(fixture, seconds: 1)
                return await fixture.box.stations.all[fixture.person]?.owedWarnings.isEmpty == true
            })
        _ = try await fixture.stored()
    }

    @Test("SOS-24: a hub that has it on its disk is told once, and one that has not again and again")
    func durable() async throws {
        let sos = SOSFixture(hub: ScriptedSOSHub.answer { $0.isDurable = false }, settings: SOSFixture.settings(), hooks: 0)
        let fixture = try await withModem(sos), warnings = [Self.pause(at: fixture.clock.now), Self.pause(at: fixture.clock.now)]
        await fixture.box.sos.run(warnings.map { .warn($0) }, of: fixture.person)
        try await look(fixture, seconds: 40)
        #expect(sos.hub.reports.allSatisfy { $0.warning?.id != warnings[1].id })
        sos.hub.mode = ScriptedSOSHub.answer()
        try await look(fixture, seconds: 40)
        #expect(sos.hub.reports.last?.warning?.id == warnings[1].id)
        #expect(await fixture.box.stations.all[fixture.person]?.owedWarnings.isEmpty == true && texts(sos).isEmpty)
        _ = try await fixture.stored()
    }

    @Test(
        "SOS-24, SOS-9: what nobody was told of a pause outlives a restart: the hub is told, and contacts are texted",
        arguments: [true, false])
    func restart(isHubThere: Bool) async throws {
        let before = SOSFixture(settings: SOSFixture.settings(), hooks: 0), fixture = try await before.box()
        let warning = Self.pause(at: fixture.clock.now)
        await fixture.box.sos.run([.warn(warning)], of: fixture.person)
        let kept = try #require(await fixture.box.stations.all[fixture.person]?.kept)
        _ = try await fixture.stored()
        let boot = fixture.box.context.boot
        let written = try JSONEncoder().encode(
            SOSState(boot: boot, at: fixture.clock.now, utc: fixture.clock.now, persons: [kept]))
        let sos = SOSFixture(
            hub: isHubThere ? ScriptedSOSHub.answer() : .unreachable, settings: SOSFixture.settings(),
            state: try JSONDecoder().decode(SOSState.self, from: written), hooks: 0)
        let again = try await withModem(sos)
        try await look(again, seconds: 3)
        #expect(sos.hub.reports.contains { $0.warning?.id == warning.id } && texts(sos).count == (isHubThere ? 0 : 1))
        _ = try await again.stored()
    }
}
