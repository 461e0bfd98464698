import Distress
import EmergencyDispatch
import Foundation
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import AgentKit
@testable import Peripherals

/// Whoever answered the box is held to it, and a planned test of the hub is done by the box as well.
@Suite(.timeLimit(.minutes(1)))
struct SOSOwnerTests {
    /// A box whose first contact took an alarm.
    private func taken() async throws -> (sos: SOSFixture, fixture: BoxFixture) {
        let sos = SOSFixture(settings: SOSFixture.settings()), fixture = try await sos.box()
        await fixture.rest()
        await fixture.distress(9)
        sos.caller.tell(.ended(.acknowledged(by: 0)))
        try await #require(eventually { await fixture.sos?.alarm?.phase == .taken })
        return (sos, fixture)
    }

    @Test("SOS-20: without the hub the box asks whoever took it whether somebody is there; without a yes it calls again")
    func noAnswer() async throws {
        let (sos, fixture) = try await taken()
        let start: Milliseconds = 10_000_000
        await fixture.box.sos.holdOwners(at: start)
        await fixture.box.sos.holdOwners(at: start + DispatchLimits.askAfter - 1)
        #expect(!sos.caller.asked.contains(.question(0)))
        await fixture.box.sos.holdOwners(at: start + DispatchLimits.askAfter)
        #expect(sos.caller.asked.last == .question(0))
        let attempt = LocalAlarm.Attempt(id: 9, channel: .text(0), content: .question, isTest: false)
        let message = sos.caller.message(attempt)
        #expect(
            message.text.contains("C'è qualcuno con la persona adesso?") && message.text.contains("Se sì, rispondi OK"), "\(message.text)")
        #expect(message.speech.text.contains("Se sì, premi 1."), "\(message.speech.text)")
        let calls = sos.caller.calls
        await fixture.box.sos.holdOwners(at: start + DispatchLimits.askAfter + DispatchLimits.answerTime - 1)
        #expect(await fixture.sos?.alarm?.phase == .taken)
        await fixture.box.sos.holdOwners(at: start + DispatchLimits.askAfter + DispatchLimits.answerTime)
        #expect(await fixture.sos?.alarm?.phase == .calling && sos.caller.calls == calls + 1)
        #expect(sos.caller.asked.last == .raised(isDrill: false, isUpdate: true))
        _ = try await fixture.stored()
    }

    @Test("SOS-20: a yes holds it, and while the hub answers the hub asks")
    func answer() async throws {
        let (sos, fixture) = try await taken()
        let start: Milliseconds = 10_000_000
        await fixture.box.sos.holdOwners(at: start)
        await fixture.box.sos.holdOwners(at: start + DispatchLimits.askAfter)
        await fixture.box.callOutcomes.called(.answered(0), about: nil, of: fixture.person)
        await fixture.box.sos.holdOwners(at: start + DispatchLimits.askAfter + DispatchLimits.answerTime)
        #expect(await fixture.sos?.alarm?.phase == .taken)
        sos.hub.mode = ScriptedSOSHub.answer(reached: true) { $0.asksOwner = true }
        await fixture.distress(3)
        let asked = sos.caller.asked.count { $0 == .question(0) }
        await fixture.box.sos.holdOwners(at: start + 10 * DispatchLimits.askAfter)
        await fixture.box.sos.holdOwners(at: start + 20 * DispatchLimits.askAfter)
        #expect(sos.caller.asked.count { $0 == .question(0) } == asked)
        #expect(await fixture.sos?.alarm?.phase == .taken)
        _ = try await fixture.stored()
    }

    @Test(
        "SOS-9, SOS-20: who took it at the hub has it no longer once the hub was silent for as long as they would have had; its word counts again",
        arguments: [("contact:0", DispatchLimits.askAfter), ("crew:1", DispatchLimits.askProfessionalAfter)])
    func hubGone(owner: String, wait: Milliseconds) async throws {
        let has = ScriptedSOSHub.answer(reached: true) { $0.owner = Owner(owner) }
        let sos = SOSFixture(hub: has, settings: SOSFixture.settings()), fixture = try await sos.box()
        await fixture.rest()
        try await fixture.beats { await fixture.sos?.alarm?.phase == .taken }
        sos.hub.mode = .unreachable
        try await fixture.beats { await fixture.heldSince != nil }
        let start = try #require(await fixture.heldSince)
        await fixture.box.sos.holdOwners(at: start + wait - 1)
        let station = await fixture.box.stations.all[fixture.person]
        #expect(station?.held.askedAt == nil)
        await fixture.box.sos.holdOwners(at: start + wait)
        await fixture.box.sos.holdOwners(at: start + wait + DispatchLimits.answerTime - 1)
        #expect(await fixture.sos?.alarm?.phase == .taken && sos.caller.asked.isEmpty)
        await fixture.box.sos.holdOwners(at: start + wait + DispatchLimits.answerTime)
        #expect(await fixture.sos?.alarm?.phase == .calling && sos.caller.asked == [.raised(isDrill: false, isUpdate: true)])
        sos.hub.mode = has
        try await fixture.beats { await fixture.sos?.alarm?.phase == .taken }
        _ = try await fixture.stored()
    }

    @Test(
        "SOS-20: a contact whom the hub cannot ask is asked by their box, and the hub hears their yes; a hub of 0.3.0 asks nobody",
        arguments: [false, nil] as [Bool?])
    func hubCannotAsk(asksOwner: Bool?) async throws {
        let (sos, fixture) = try await taken(), owner = Owner("tel:+39 333 1112222")
        sos.hub.mode = ScriptedSOSHub.answer(reached: true) { ($0.owner, $0.asksOwner) = (owner, asksOwner) }
        await fixture.distress(3)
        var start = try #require(await fixture.heldSince)
        await fixture.box.sos.holdOwners(at: start + DispatchLimits.askAfter)
        #expect(sos.caller.asked.last == .question(0))
        await fixture.box.callOutcomes.called(.answered(0), about: nil, of: fixture.person)
        try await fixture.beats { sos.hub.reports.contains { $0.calls.count { $0.state == .acknowledged } == 2 } }
        start = try #require(await fixture.heldSince)
        await fixture.box.sos.holdOwners(at: start + DispatchLimits.askAfter)
        #expect(sos.caller.asked.count { $0 == .question(0) } == 2)
        await fixture.box.sos.holdOwners(at: start + DispatchLimits.askAfter + DispatchLimits.answerTime)
        // A hub that knows of it gives the case on, and the box follows.
        #expect(sos.caller.calls == (asksOwner == nil ? 2 : 1))
        _ = try await fixture.stored()
    }

    @Test("SOS-20, SOS-16: a contact of the other person of a joint case is asked as well")
    func joint() async throws {
        let sos = SOSFixture(settings: SOSUnprotectedTests.two()), fixture = try await sos.box(people: ["Ada", "Bruno"])
        try await fixture.settled()
        #expect(await fixture.box.perform(ControlRequest(.help, isButton: true)).isDone)
        let caller = try #require(sos.callers.first { $0.calls == 1 })
        caller.tell(.ended(.acknowledged(by: 1)))
        try await #require(eventually { await fixture.sos?.alarm?.owner == "Dario" })
        let start = fixture.clock.now
        await fixture.box.sos.holdOwners(at: start)
        await fixture.box.sos.holdOwners(at: start + DispatchLimits.askAfter)
        #expect(caller.asked.last == .question(1))
        _ = try await fixture.stored()
    }

    @Test("SOS-20: who took it is asked by their place among the contacts as they are now")
    func moved() async throws {
        let (sos, fixture) = try await taken()
        var new = SOSFixture.settings()
        new.version = 2
        new.people[0].contacts.insert(.init(name: "Carla", phone: "+39 333 9998888", language: "en"), at: 0)
        sos.hub.give(new)
        sos.hub.mode = ScriptedSOSHub.answer(reached: true) { $0.settingsVersion = 2 }
        try await fixture.beats(most: 40) { await fixture.sos?.settingsVersion == 2 }
        let start = try #require(await fixture.heldSince)
        await fixture.box.sos.holdOwners(at: start + DispatchLimits.askAfter)
        #expect(sos.caller.asked.last == .question(1) && sos.caller.plan.recipients.map(\.name) == ["Carla", "Berta"])
        let attempt = LocalAlarm.Attempt(id: 9, channel: .text(1), content: .question, isTest: false)
        #expect(sos.caller.message(attempt).text.contains("C'è qualcuno con la persona adesso?"))
        _ = try await fixture.stored()
    }

    @Test("SOS-19: a planned test of the hub runs once by the box's own means, and the hub hears what became of each way")
    func planned() async throws {
        let sos = SOSFixture(hub: ScriptedSOSHub.answer { $0.drill = .init(number: 7) }, settings: SOSFixture.settings())
        let fixture = try BoxFixture(sos: sos)
        try await fixture.box.begin(listening: false)
        await fixture.rest(40)
        try await #require(eventually { sos.caller.asked.contains(.raised(isDrill: true, isUpdate: false)) })
        let text = LocalAlarm.Attempt(id: 1, channel: .text(0), content: .alert, isTest: true)
        let call = LocalAlarm.Attempt(id: 2, channel: .call(0), content: .alert, isTest: true)
        sos.caller.tell(.sent(text))
        sos.caller.tell(.failed(call, ScriptedSOSHub.problem))
        sos.caller.tell(.ended(.drillOver([.text(0): true, .call(0): false])))
        try await #require(eventually { sos.hub.reports.contains { $0.isDrill && !$0.calls.isEmpty } })
        let report = try #require(sos.hub.reports.last { $0.isDrill })
        #expect(report.provenance == .drill && report.calls.map(\.state) == [.sent, .failed])
        await fixture.rest(40)
        #expect(sos.caller.asked.count { $0 == .raised(isDrill: true, isUpdate: false) } == 1, "once")
        #expect(sos.hub.reports.filter { !$0.isDrill }.allSatisfy { $0.means != nil })
        _ = try await fixture.stored()
    }
}
