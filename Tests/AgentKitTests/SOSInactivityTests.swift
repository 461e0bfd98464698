import Distress
import Foundation
import Sensing
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import AgentKit
@testable import Peripherals

/// No sign of life at the box (SOS-24). The fixture begins at 14:30 UTC.
@Suite(.timeLimit(.minutes(2)))
struct SOSInactivityTests {
    private static let minute: Milliseconds = 60_000

    private static func settings(_ plan: InactivityPlan? = InactivityPlan(hours: 2, timeZone: "Etc/UTC")) -> SOSSettings {
        var settings = SOSFixture.settings()
        settings.people[0].distress.inactivity = plan
        return settings
    }

    /// Nothing happens. The box looks twice a minute, and while it asks every three seconds: what is missed in a longer pause counts as a sleep.
    private func pass(_ minutes: Milliseconds, _ fixture: BoxFixture) async throws {
        let end = fixture.clock.now + minutes * Self.minute
        while fixture.clock.now < end {
            let isAsking = await question(fixture) != nil
            fixture.clock.advance(min(isAsking ? 3000 : 30_000, end - fixture.clock.now))
            await fixture.box.tick()
            // A hub that answers does so within the second, however slow the machine.
            try await fixture.settled()
        }
    }

    private func question(_ fixture: BoxFixture) async -> Question? { await fixture.box.stations.all[fixture.person]?.question }

    private func notified(_ sos: SOSFixture) -> [String] {
        sos.caller.asked.compactMap { if case .notified(let text) = $0 { text } else { nil } }
    }

    private func fix(_ metres: Double, _ fixture: BoxFixture) async { await fixture.fix(latitude: 454_781_234 + Int32(metres * 89.93)) }

    @Test(
        "SOS-24: two hours without a sign ask for ten minutes; then the hub is told what was not seen, nobody is called, and a sign is told"
    )
    func asks() async throws {
        let sos = SOSFixture(hub: ScriptedSOSHub.answer(), settings: Self.settings()), fixture = try await sos.box()
        try await pass(118, fixture)
        await fix(0, fixture)
        #expect(await question(fixture) == nil)
        try await pass(3, fixture)
        let asked = try #require(await question(fixture))
        #expect(asked.trigger == .inactivity && asked.tier == .warning && asked.answerBy - asked.askedAt == 600_000)
        #expect(await ButtonLight(fixture.box.status(), person: nil) == .blinking)
        try await pass(9, fixture)
        #expect(sos.hub.reports.allSatisfy { $0.warning == nil })
        try await pass(2, fixture)
        let report = try #require(sos.hub.reports.last), silence = try #require(report.warning?.abnormality.silence)
        #expect(silence.length / Self.minute == 120 && silence.unseen == nil && report.alarm == nil && sos.caller.calls == 0)
        #expect(report.activity == .init(sign: nil, seen: report.activity?.seen) && report.activity?.seen != nil)
        #expect(await question(fixture) == nil)
        #expect(await fixture.box.perform(ControlRequest(.ok)).isDone)
        try await pass(1, fixture)
        #expect(try #require(sos.hub.reports.last?.activity?.sign) > asked.answerBy)
        #expect(notified(sos).isEmpty, "the hub was told, and tells")
        _ = try await fixture.stored()
    }

    @Test(
        "SOS-24: the button, a walk, and what the hub noticed end the question, and nobody is told", arguments: ["button", "walk", "hub"])
    func ended(by sign: String) async throws {
        let sos = SOSFixture(hub: ScriptedSOSHub.answer(), settings: Self.settings()), fixture = try await sos.box()
        await fix(0, fixture)
        try await pass(121, fixture)
        #expect(await question(fixture) != nil)
        switch sign {
        case "button": #expect(await fixture.box.perform(ControlRequest(.ok, isButton: true)).isDone)
        case "walk": for metres in [0.0, 100, 200] { await fix(metres, fixture) }
        default:
            // A page that was opened half a minute ago.
            sos.hub.mode = ScriptedSOSHub.answer { $0.aliveAgo = 30_000 }
            try await pass(1, fixture)
            sos.hub.mode = ScriptedSOSHub.answer()
        }
        try await pass(20, fixture)
        #expect(await question(fixture) == nil)
        #expect(sos.hub.reports.allSatisfy { $0.warning == nil })
        try await pass(99, fixture)
        #expect(await question(fixture) == nil, "two hours from the sign on")
        try await pass(5, fixture)
        #expect(await question(fixture) != nil)
        _ = try await fixture.stored()
    }

    @Test(
        "SOS-24: without a hub the box texts its contacts what was not seen, and that there is a sign again; unseen is no \"no movement\"",
        arguments: [true, false])
    func withoutHub(isSeen: Bool) async throws {
        let sos = SOSFixture(settings: Self.settings()), fixture = try await sos.box()
        let modem = BoxWaysTests.modem(isReady: true)
        sos.caller.tell(.modems([modem], problem: nil))
        try await #require(eventually { await fixture.box.means.modem.canText })
        for _ in 0..<11 {
            if isSeen { await fix(0, fixture) }
            try await pass(12, fixture)
        }
        try await pass(3, fixture)
        // Beside them is what is told of the hub.
        func told() -> [String] { notified(sos).filter { !$0.contains("server") } }
        #expect(told().count == 1 && told()[0].contains("Ada Example"), "\(notified(sos))")
        #expect(told().first?.contains("nessun movimento") == isSeen && told().first?.contains("non sappiamo") == !isSeen)
        #expect(sos.caller.calls == 0)
        #expect(await fixture.box.perform(ControlRequest(.ok)).isDone)
        try await pass(5, fixture)
        #expect(told().count == 2 && told().last?.contains("di nuovo un segno") == true, "\(told())")
        _ = try await fixture.stored()
    }

    @Test("SOS-24: nobody is asked who did not choose it, has AutomatedSOS off, or paused it; the time counts from the end of the pause")
    func unasked() async throws {
        var off = Self.settings()
        off.people[0].distress.isOn = false
        for settings in [off, Self.settings(nil)] {
            let sos = SOSFixture(hub: ScriptedSOSHub.answer(), settings: settings), fixture = try await sos.box()
            try await pass(130, fixture)
            #expect(await question(fixture) == nil)
            #expect(sos.hub.reports.allSatisfy { $0.activity == nil })
            _ = try await fixture.stored()
        }
        let sos = SOSFixture(hub: ScriptedSOSHub.answer(), settings: Self.settings()), fixture = try await sos.box()
        try await pass(60, fixture)
        #expect(await fixture.box.perform(ControlRequest(.pause, minutes: 30)).isDone)
        try await pass(145, fixture)
        #expect(await question(fixture) == nil)
        try await pass(10, fixture)
        #expect(await question(fixture) != nil)
        _ = try await fixture.stored()
    }

    @Test("SOS-24: turned off while it is asked, the question ends, and nobody is told")
    func turnedOff() async throws {
        let sos = SOSFixture(hub: ScriptedSOSHub.answer(), settings: Self.settings()), fixture = try await sos.box()
        try await pass(121, fixture)
        #expect(await question(fixture) != nil)
        var changed = Self.settings(nil)
        changed.version = 2
        sos.hub.give(changed)
        sos.hub.mode = ScriptedSOSHub.answer { $0.settingsVersion = 2 }
        try await pass(1, fixture)
        try await #require(eventually { await fixture.box.stations.all[fixture.person]?.settings.distress.inactivity == nil })
        try await pass(15, fixture)
        #expect(await question(fixture) == nil)
        #expect(sos.hub.reports.allSatisfy { $0.warning == nil })
        _ = try await fixture.stored()
    }

    @Test("SOS-24: a box that is started anew counts on, and asks again what was open, also behind a reboot", arguments: [true, false])
    func restarted(isReboot: Bool) async throws {
        let sos = SOSFixture(settings: Self.settings()), fixture = try await sos.box()
        await fix(0, fixture)
        try await pass(121, fixture)
        #expect(await question(fixture) != nil)
        let kept = try #require(await fixture.box.stations.all[fixture.person]?.kept), now = fixture.clock.now
        _ = try await fixture.stored()
        let data = try JSONEncoder().encode(
            SOSState(
                boot: isReboot ? BootID(high: 1, low: 1) : BoxFixture.boot, at: now, utc: now + BoxFixture.utcOffset, persons: [kept]))
        let again = SOSFixture(
            hub: ScriptedSOSHub.answer(), settings: Self.settings(), state: try JSONDecoder().decode(SOSState.self, from: data))
        let start = isReboot ? 5000 : now + 60_000
        let other = try BoxFixture(at: start, utcOffset: BoxFixture.utcOffset + now + 60_000 - start, sos: again)
        try await other.box.begin(listening: false)
        try await pass(1, other)
        #expect(await question(other)?.trigger == .inactivity)
        try await pass(11, other)
        let silence = try #require(again.hub.reports.last?.warning?.abnormality.silence)
        #expect((120...122).contains(silence.length / Self.minute), "\(silence.length / Self.minute)")
        _ = try await other.stored()
    }
}
