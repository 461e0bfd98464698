import Distress
import Foundation
import Languages
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import AgentKit
@testable import Peripherals

/// AutomatedSOS through the whole box: readings go in, and the test sees what is asked, told and called. Time is the test's.
@Suite(.timeLimit(.minutes(1)))
struct SOSTests {
    @Test("SOS-3, SOS-4, EDGE-11: the first reading asks, three and 5 s without an answer raise, and without a hub the box calls at once")
    func alone() async throws {
        let sos = SOSFixture(settings: SOSFixture.settings()), fixture = try await sos.box()
        await fixture.rest()
        #expect(await fixture.sos?.question == nil)
        await fixture.beat(215)
        let question = try #require(await fixture.sos?.question)
        #expect(question.trigger == .heartRateHigh && question.answerBy == fixture.clock.now + 5000)
        await fixture.distress(4)
        #expect(sos.caller.calls == 0)
        await fixture.beat(215)
        #expect(sos.caller.asked == [.raised(isDrill: false, isUpdate: false)])
        #expect(await fixture.sos?.question == nil)
        #expect(await fixture.sos?.alarm?.phase == .calling)
        #expect(try await eventually { sos.hub.reports.contains { $0.alarm != nil && $0.provenance == .live && !$0.isDrill } })
        _ = try await fixture.stored()
    }

    @Test(
        "SOS-9: a hub that says \"durable, and an addressee was reached\" in time keeps the box from calling; when it falls silent the box calls"
    )
    func handedOver() async throws {
        let sos = SOSFixture(hub: ScriptedSOSHub.answer(), settings: SOSFixture.settings()), fixture = try await sos.box()
        await fixture.rest()
        sos.hub.mode = ScriptedSOSHub.answer(reached: true)
        await fixture.distress()
        await fixture.distress(10)
        #expect(await fixture.sos?.alarm?.phase == .handedOver)
        #expect(sos.caller.calls == 0)
        sos.hub.mode = .unreachable
        await fixture.distress(15)
        #expect(sos.caller.asked == [.raised(isDrill: false, isUpdate: true)])
        #expect(await fixture.sos?.alarm?.phase == .calling)
        _ = try await fixture.stored()
    }

    @Test("SOS-9: a hub that takes the alarm and says nothing for 2 s does not keep the box from calling")
    func silentHub() async throws {
        let sos = SOSFixture(hub: ScriptedSOSHub.answer(), settings: SOSFixture.settings()), fixture = try await sos.box()
        await fixture.rest()
        sos.hub.mode = .silent
        await fixture.distress(6)
        #expect(await fixture.sos?.alarm?.phase == .raised)
        #expect(sos.caller.calls == 0)
        await fixture.beat(215)
        #expect(sos.caller.calls == 0)
        await fixture.beat(215)
        #expect(sos.caller.calls == 1)
        _ = try await fixture.stored()
    }

    @Test("SOS-9: a hub that has it and reached nobody yet does not keep the box from calling")
    func nobodyReached() async throws {
        let sos = SOSFixture(hub: ScriptedSOSHub.answer(), settings: SOSFixture.settings()), fixture = try await sos.box()
        await fixture.rest()
        await fixture.distress(9)
        #expect(sos.caller.calls == 1)
        _ = try await fixture.stored()
    }

    @Test("SOS-4, EDGE-12: \"I'm OK\" ends the question, a second one changes nothing, and the limit is silent for a while")
    func ok() async throws {
        let sos = SOSFixture(settings: SOSFixture.settings()), fixture = try await sos.box()
        await fixture.rest()
        await fixture.distress(3)
        #expect(await fixture.sos?.question != nil)
        for _ in 0..<2 {
            let reply = await fixture.box.perform(ControlRequest(.ok))
            #expect(reply.isDone, "\(reply.message)")
            #expect(await fixture.sos?.question == nil)
        }
        await fixture.distress(20)
        #expect(sos.caller.asked.isEmpty)
        #expect(await fixture.sos?.alarm == nil)
        _ = try await fixture.stored()
    }

    @Test("SOS-8, SOS-10: a false alarm after somebody took it is heard by the hub, and nothing is raised before \"reactivate\"")
    func falseAlarm() async throws {
        let sos = SOSFixture(settings: SOSFixture.settings()), fixture = try await sos.box()
        await fixture.rest()
        await fixture.distress()
        #expect(sos.caller.calls == 1)
        await fixture.box.sos.feed(.taken(by: Owner("r1")), of: fixture.person)
        #expect(await fixture.box.perform(ControlRequest(.falseAlarm)).isDone)
        #expect(sos.caller.asked.last == .stoodDown || sos.caller.asked.last == .acknowledged)
        #expect(await fixture.sos?.reasons.contains(.waitingForReactivation) == true)
        try await #require(eventually { sos.hub.reports.contains { $0.outcome == .falseAlarm } })
        await fixture.distress(20)
        #expect(sos.caller.calls == 1)
        fixture.clock.advance(1000)
        #expect(await fixture.box.perform(ControlRequest(.reactivate)).isDone)
        #expect(await fixture.sos?.reasons.contains(.waitingForReactivation) == false)
        await fixture.rest(90)
        await fixture.distress(9)
        #expect(sos.caller.calls == 2)
        _ = try await fixture.stored()
    }

    @Test("EDGE-12, SOS-10: \"false alarm\" and \"reactivate\" say what came of them, which depends on what was open")
    func answers() async throws {
        let sos = SOSFixture(settings: SOSFixture.settings()), fixture = try await sos.box()
        func press(_ action: ControlRequest.Action) async -> ControlReply {
            fixture.clock.advance(1000)
            return await fixture.box.perform(ControlRequest(action))
        }
        #expect(await press(.reactivate).words == "reply.reactivate.off", "no strap has been heard yet")
        await fixture.rest()
        #expect(await press(.reactivate).words == nil)
        let nothing = await press(.falseAlarm)
        #expect(nothing.words == "reply.false-alarm.none" && !nothing.message.contains("is told"), "\(nothing.message)")
        await fixture.distress()
        #expect(sos.caller.calls == 1)
        let open = await press(.reactivate)
        #expect(open.words == "reply.reactivate.open" && open.message.contains("still open"), "\(open.message)")
        let alarm = try #require(await fixture.sos?.alarm)
        #expect(alarm.outcome == nil)
        let told = await press(.falseAlarm)
        #expect(told.words == nil && told.message.contains("is told"), "\(told.message)")
        #expect(await fixture.box.perform(ControlRequest(.pause, minutes: 5)).isDone)
        let paused = await press(.reactivate)
        #expect(paused.words == "reply.reactivate.off" && paused.message.contains("not watched"), "\(paused.message)")
        #expect(await fixture.sos?.alarm?.phase == .answered, "nothing waited for it")
        _ = try await fixture.stored()
    }

    @Test("SOS-16: \"get help\" calls at once, also with AutomatedSOS off, and says who is called")
    func help() async throws {
        let sos = SOSFixture(), fixture = try await sos.box()
        try await fixture.settled()
        let reply = await fixture.box.perform(ControlRequest(.help))
        #expect(reply.isDone && reply.message.contains("the box itself calls by its hooks"), "\(reply.message)")
        #expect(sos.caller.calls == 1)
        #expect(await fixture.sos?.alarm?.trigger == .help)
        let again = await fixture.box.perform(ControlRequest(.help))
        #expect(again.isDone)
        #expect(sos.caller.calls == 1)
        let stored = try await fixture.stored()
        #expect(stored[fixture.person]?.events.filter { $0.code == .help }.count == 2)
    }

    @Test("SOS-16: where nobody can be called \"get help\" says so, and what to do")
    func helpless() async throws {
        let sos = SOSFixture(hooks: 0), fixture = try await sos.box()
        try await fixture.settled()
        let reply = await fixture.box.perform(ControlRequest(.help))
        #expect(reply.message.contains("NOBODY CAN BE CALLED") && reply.message.contains("112"), "\(reply.message)")
        #expect(await fixture.sos?.alarm?.reachesNobody == true)
        // It goes on trying, and calls whom it comes to know of.
        #expect(sos.caller.calls == 1)
        sos.hub.give(SOSFixture.settings())
        sos.hub.mode = ScriptedSOSHub.answer()
        try await fixture.beats(70) { sos.caller.calls == 2 }
        #expect(sos.caller.plan.recipients.map(\.name) == ["Berta"])
        _ = try await fixture.stored()
    }

    @Test("SOS-20: a contact who takes the call ends the others, and what the hub says of owner and end is followed")
    func taken() async throws {
        let sos = SOSFixture(settings: SOSFixture.settings()), fixture = try await sos.box()
        await fixture.rest()
        await fixture.distress()
        sos.caller.tell(.ended(.acknowledged(by: 0)))
        try await #require(eventually { await fixture.sos?.alarm?.phase == .taken })
        #expect(await fixture.sos?.alarm?.owner == "Berta")
        try await #require(eventually { sos.hub.reports.contains { $0.owner == Owner("tel:+39 333 1112222") } })
        #expect(await fixture.box.perform(ControlRequest(.falseAlarm)).isDone)
        // Whoever took it hears that it was a false alarm, in writing.
        #expect(sos.caller.asked.last == .stoodDown && sos.caller.calls == 1)
        let end = sos.caller.message(LocalAlarm.Attempt(id: 9, channel: .text(0), content: .standDown, isTest: false))
        #expect(end.text.hasPrefix("SOS Annullare, falso allarme: Ada Example"), "\(end.text)")
        _ = try await fixture.stored()
    }

    @Test("SOS-9, SOS-20: an owner at the hub ends the calls, one who cannot come starts them again, and the end is the hub's")
    func ownerAtHub() async throws {
        let sos = SOSFixture(settings: SOSFixture.settings()), fixture = try await sos.box()
        await fixture.rest()
        await fixture.distress()
        #expect(sos.caller.calls == 1)
        sos.hub.mode = ScriptedSOSHub.answer(reached: true) { ($0.owner, $0.ownerName) = (Owner("r1"), "Ambulance 7") }
        try await fixture.beats { await fixture.sos?.alarm?.phase == .taken }
        #expect(await fixture.sos?.alarm?.owner == "Ambulance 7")
        #expect(sos.caller.asked.last == .acknowledged)
        sos.hub.mode = ScriptedSOSHub.answer()
        try await fixture.beats { sos.caller.calls == 2 }
        sos.hub.mode = ScriptedSOSHub.answer(reached: true) { ($0.owner, $0.outcome) = (Owner("r2"), .finished(Owner("r2"))) }
        try await fixture.beats { await fixture.sos?.alarm?.phase == .over }
        _ = try await fixture.stored()
    }

    @Test("SOS-4: an answer on a page of the hub is the person's own, and each counts once")
    func pressedElsewhere() async throws {
        let sos = SOSFixture(hub: ScriptedSOSHub.answer(), settings: SOSFixture.settings()), fixture = try await sos.box()
        await fixture.rest()
        await fixture.beat(215)
        try await fixture.settled()
        sos.hub.mode = ScriptedSOSHub.answer { $0.pressed = [.init(button: .ok, number: 1, ago: 0)] }
        await fixture.beat(215)
        try await fixture.settled()
        await fixture.beat(215)
        try await #require(eventually { await fixture.sos?.question == nil })
        sos.hub.mode = ScriptedSOSHub.answer {
            $0.pressed = [.init(button: .ok, number: 1, ago: 0), .init(button: .help, number: 2, ago: 0)]
        }
        try await fixture.beats(70, most: 60) { await fixture.sos?.alarm?.trigger == .help }
        let id = await fixture.sos?.alarm?.id
        for _ in 0..<5 { await fixture.beat(70) }
        #expect(await fixture.sos?.alarm?.id == id)
        _ = try await fixture.stored()
    }

    @Test("SOS-6: a text says who, why and where, and a drill says that it is one")
    func messages() async throws {
        var settings = SOSFixture.settings()
        settings.people[0].tellsValues = true
        let sos = SOSFixture(settings: settings), fixture = try await sos.box()
        await fixture.rest()
        await fixture.fix()
        await fixture.distress(9)
        let text = LocalAlarm.Attempt(id: 1, channel: .text(0), content: .alert, isTest: false)
        let message = sos.caller.message(text)
        #expect(message.text.hasPrefix("SOS Ada Example, 40: frequenza cardiaca troppo alta 215/min"), "\(message.text)")
        #expect(message.text.contains("45.47812,9.22700"), "\(message.text)")
        #expect(message.speech.language == .italian)
        let hook = sos.caller.message(LocalAlarm.Attempt(id: 2, channel: .hooks, content: .update, isTest: true))
        let json = String(decoding: hook.json, as: UTF8.self)
        #expect(json.contains("\"status\":\"test\"") && json.contains("\"drill\":true") && json.contains("\"kind\":\"update\""), "\(json)")
        let id = try #require(await fixture.sos?.alarm).id
        #expect(json.contains("\"incident\":\"\(id)\""), "\(json)")
        _ = try await fixture.stored()
    }
}
