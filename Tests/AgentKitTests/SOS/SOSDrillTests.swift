import Distress
import Foundation
import Languages
import Sensing
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import AgentKit
@testable import Peripherals

/// What must call nobody: drills, replays, settings that say so. And what the box says of its readiness.
@Suite(.timeLimit(.minutes(1)))
struct SOSDrillTests {
    @Test("SOS-19: a drill goes to the hub and through the local channels, marked as a test, and shows who received what")
    func drill() async throws {
        let sos = SOSFixture(hub: ScriptedSOSHub.answer(), settings: SOSFixture.settings()), fixture = try BoxFixture(sos: sos)
        try await fixture.box.begin(listening: false)
        await fixture.rest(3)
        let reply = await fixture.box.perform(ControlRequest(.drill))
        #expect(reply.isDone && reply.message.contains("TEST") && reply.message.contains("Berta"), "\(reply.message)")
        #expect(sos.caller.asked == [.raised(isDrill: true, isUpdate: false)])
        try await #require(eventually { await fixture.sos?.drill?.hub != nil })
        let report = try #require(sos.hub.reports.first { $0.isDrill })
        #expect(report.provenance == .drill && report.alarm?.provenance == .drill)
        let attempt = LocalAlarm.Attempt(id: 1, channel: .text(0), content: .alert, isTest: true)
        #expect(sos.caller.message(attempt).text.hasPrefix("PROVA"), "\(sos.caller.message(attempt).text)")
        let second = await fixture.box.perform(ControlRequest(.drill))
        #expect(!second.isDone && second.words == "refusal.drillGoesOn", "one at a time")
        sos.caller.tell(.started(attempt))
        sos.caller.tell(.sent(attempt))
        sos.caller.tell(.ended(.drillOver([.text(0): true])))
        try await #require(eventually { await fixture.sos?.drill?.isOver == true })
        let lines = try #require(await fixture.box.status().drill(of: nil)).lines
        #expect(lines.first == "text Berta: started" && lines.contains("text Berta: sent") && lines.last == "the test is over", "\(lines)")
        // It is no case: nothing waits for "reactivate", and the real thing is raised after it.
        #expect(await fixture.sos?.alarm == nil)
        await fixture.rest()
        await fixture.distress(9)
        #expect(sos.caller.calls == 1)
        _ = try await fixture.stored()
    }

    @Test("SOS-19: no drill while somebody is asked, or help is called")
    func noDrillNow() async throws {
        let sos = SOSFixture(settings: SOSFixture.settings()), fixture = try BoxFixture(sos: sos)
        try await fixture.box.begin(listening: false)
        await fixture.rest()
        await fixture.distress(2)
        let reply = await fixture.box.perform(ControlRequest(.drill))
        #expect(!reply.isDone && reply.words == "refusal.drillWhileOpen")
        #expect(sos.caller.asked.isEmpty)
        _ = try await fixture.stored()
    }

    @Test("SOS-3: a replay of the same readings says what would have been, and has no channel to call anybody by")
    func replay() throws {
        var watched = WatchedReplay(stream: StreamID(high: 1, low: 1), settings: DistressSettings(age: 40)), found: [ReplayFinding] = []
        for second in 0..<30 {
            let sample = HeartRateSample(
                time: Milliseconds(second) * 1000, beatsPerMinute: second < 15 ? 70 : 215, contact: .detected,
                rrIntervals: [UInt16(60 * 1024 / (second < 15 ? 70 : 215))])
            found += watched.take(RecordedEvent(kind: .heartRate(.measurement(sample)), endOffset: 0))
        }
        found += watched.finish()
        let lines = found.compactMap(\.said)
        try #require(lines.count == 1)
        #expect(lines[0].contains("TEST, nobody is called") && lines[0].contains("high heart rate"), "\(lines)")
    }

    @Test("SOS-1: nothing is asked or raised while the person has not turned it on, and the hub's settings turn it on")
    func settings() async throws {
        let sos = SOSFixture(hub: ScriptedSOSHub.answer()), fixture = try BoxFixture(sos: sos)
        try await fixture.box.begin(listening: false)
        await fixture.rest()
        await fixture.distress(12)
        #expect(sos.caller.asked.isEmpty)
        #expect(await fixture.sos?.reasons.contains(.off) == true)
        #expect(await fixture.sos?.reasons.contains(.switchedOff) == false, "the heart rate is on")
        sos.hub.give(SOSFixture.settings(asksFirst: false))
        for _ in 0..<40 { await fixture.beat(70) }
        try await #require(eventually { await fixture.sos?.settingsVersion == 1 })
        #expect(await fixture.sos?.isOn == true)
        #expect(await fixture.sos?.contacts == ["Berta"])
        #expect(sos.caller.plan.recipients.map(\.name) == ["Berta"])
        let path = fixture.directory.url.path
        try await #require(eventually { SOSSettingsFile.load(from: path).settings == SOSFixture.settings(asksFirst: false) })
        #expect(try FileManager.default.attributesOfItem(atPath: path + "/sos.json")[.posixPermissions] as? Int == 0o600)
        _ = try await fixture.stored()
    }

    @Test("SOS-18: what weakens the box is told to the hub, and what changes of it at once, not with the next report")
    func weaknesses() async throws {
        let sos = SOSFixture(hub: ScriptedSOSHub.answer(), settings: SOSFixture.settings(), hooks: 0), fixture = try await sos.box()
        func told() -> [String]? { sos.hub.reports.max { $0.revision < $1.revision }?.weaknesses }
        await fixture.rest(40)
        try await #require(eventually { !sos.hub.reports.isEmpty })
        #expect(told() == nil, "the first position is waited for")
        // Between two reports of every 30 s.
        await fixture.rest(8)
        try await #require(eventually { told() == ["noOwnMeans", "noPosition"] })
        await fixture.fix()
        #expect(try await eventually { told() == ["noOwnMeans"] })
        _ = try await fixture.stored()
    }

    @Test("SOS-18: a box on which no strap was chosen says so, on its page and to the hub, and not that something is off or silent")
    func noStrap() async throws {
        let sos = SOSFixture(hub: ScriptedSOSHub.answer(), settings: SOSFixture.settings(), hooks: 0), fixture = try await sos.box()
        await fixture.rest(5)
        await fixture.fix()
        #expect(await fixture.box.perform(ControlRequest(.forget)).isDone)
        for _ in 0..<90 {
            fixture.clock.advance(1000)
            await fixture.box.tick()
        }
        let reasons = await fixture.sos?.reasons
        #expect(reasons?.contains(.noSensor) == true && reasons?.contains(.noSignal) == false && reasons?.contains(.switchedOff) == false)
        try await #require(
            eventually { sos.hub.reports.max { $0.revision < $1.revision }?.weaknesses?.contains("noSensor") == true })
        _ = try await fixture.stored()
    }

    @Test("SOS-18: protected or not, with every reason: not worn, no hub, nobody to call")
    func protection() async throws {
        let sos = SOSFixture(hub: ScriptedSOSHub.answer(), settings: SOSFixture.settings(), hooks: 0)
        let fixture = try BoxFixture(sos: sos)
        try await fixture.box.begin(listening: false)
        await fixture.rest(5)
        await fixture.fix()
        try await #require(eventually { await fixture.sos?.isProtected == true })
        #expect(await fixture.sos?.weaknesses == [.noOwnMeans])
        // It answers, and would have nobody to tell.
        sos.hub.mode = ScriptedSOSHub.answer { $0.reachesNobody = true }
        try await #require(
            eventually {
                await fixture.beat(70)
                return await fixture.sos?.reasons == [.nobodyToCall]
            })
        sos.hub.mode = ScriptedSOSHub.answer()
        try await #require(
            eventually {
                await fixture.beat(70)
                return await fixture.sos?.isProtected == true
            })
        // The hub falls silent: told well within a minute.
        sos.hub.mode = .unreachable
        var seconds = 0
        while await fixture.sos?.reasons.contains(.nobodyToCall) == false, seconds < 60 {
            await fixture.beat(70)
            seconds += 1
            try await #require(eventually { await fixture.box.stations.all.values.allSatisfy { $0.hub.inFlight == 0 } })
        }
        #expect(seconds < 35, "\(seconds) s")
        for _ in 0..<22 { await fixture.beat(70) }
        #expect(await fixture.box.stations.all[fixture.person]?.isNobodyTold == true)
        let status = await fixture.box.status().text
        #expect(status.contains("NOT PROTECTED: Nobody could be called"), "\(status)")
        for _ in 0..<8 { await fixture.beat(0, contact: .notDetected) }
        #expect(await fixture.sos?.reasons.contains(.notWorn) == true)
        _ = try await fixture.stored()
    }

    @Test("SOS-18: a sensor that is lost, taken off or frozen raises no alarm")
    func noFalseAlarm() async throws {
        let sos = SOSFixture(settings: SOSFixture.settings()), fixture = try BoxFixture(sos: sos)
        try await fixture.box.begin(listening: false)
        await fixture.rest()
        for _ in 0..<60 { await fixture.beat(0, contact: .notDetected) }
        fixture.clock.advance(60_000)
        await fixture.box.tick()
        for _ in 0..<90 { await fixture.beat(71) }
        #expect(sos.caller.asked.isEmpty)
        #expect(await fixture.sos?.question == nil)
        _ = try await fixture.stored()
    }

    @Test("SOS-4: the desktop shows the question and the alarm with their buttons, and withdraws them")
    func desktop() async throws {
        let sos = SOSFixture(settings: SOSFixture.settings()), fixture = try BoxFixture(sos: sos)
        try await fixture.box.begin(listening: false)
        await fixture.rest()
        var notices = DesktopNotifications(language: .italian)
        _ = notices.update(await fixture.box.status())
        await fixture.distress(1)
        let asked = notices.update(await fixture.box.status())
        let question = try #require(asked.shown.first { $0.title == "Stai bene?" })
        #expect(question.actions.map(\.key) == ["ok", "help"] && question.urgency == .critical)
        await fixture.distress(6)
        let raised = notices.update(await fixture.box.status())
        #expect(raised.withdrawn == [question.key])
        #expect(
            raised.shown.contains { $0.title == "Allarme: il dispositivo sta chiamando" && $0.actions.map(\.key) == ["ok", "false-alarm"] })
        _ = try await fixture.stored()
    }
}
