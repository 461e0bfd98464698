import Distress
import EmergencyDispatch
import Foundation
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import AgentKit
@testable import Peripherals

/// An agent that is started anew, in the same boot or after a power cut, in each state of a case.
@Suite(.timeLimit(.minutes(2)))
struct SOSRestartTests {
    /// The same boot, another one, and another one whose clock fell back to 1970.
    enum Start: CaseIterable { case sameBoot, reboot, rebootIn1970, sameBootMuchLater }

    /// What an agent keeps that came so far.
    private func kept(
        _ hub: ScriptedSOSHub.Mode = .unreachable, _ course: (BoxFixture, SOSFixture) async throws -> Void
    ) async throws -> SOSState {
        let directory = try TemporaryDirectory()
        let sos = SOSFixture(hub: hub, settings: SOSFixture.settings()), fixture = try BoxFixture(directory: directory, sos: sos)
        try await fixture.box.begin(listening: false)
        await fixture.rest()
        try await course(fixture, sos)
        await fixture.box.end()
        _ = try await fixture.stored()
        return try #require(SOSStateFile.load(from: directory.url.path).state)
    }

    private func again(_ state: SOSState, _ start: Start, _ hub: ScriptedSOSHub.Mode = .unreachable) async throws -> (
        BoxFixture, SOSFixture
    ) {
        let sos = SOSFixture(hub: hub, settings: SOSFixture.settings(), state: state)
        let fixture =
            switch start {
            case .sameBoot: try BoxFixture(at: state.at + 20_000, sos: sos)
            case .sameBootMuchLater: try BoxFixture(at: state.at + 300_000, sos: sos)
            case .reboot: try BoxFixture(boot: BootID(high: 8, low: 8), at: 5000, sos: sos)
            case .rebootIn1970: try BoxFixture(boot: BootID(high: 8, low: 8), at: 5000, utcOffset: 0, sos: sos)
            }
        try await fixture.box.begin(listening: false)
        await fixture.box.tick()
        try await fixture.settled()
        return (fixture, sos)
    }

    @Test(
        "SOS-7: an open case goes on after a restart and a reboot, also with a clock of 1970, and a text says how old it is",
        arguments: Start.allCases)
    func open(start: Start) async throws {
        var id: IncidentID?
        let state = try await kept { fixture, sos in
            await fixture.distress()
            #expect(sos.caller.calls == 1)
            id = await fixture.sos?.alarm?.id
        }
        let (fixture, sos) = try await again(state, start)
        #expect(await fixture.sos?.alarm?.id == id)
        #expect(sos.caller.asked.first == .raised(isDrill: false, isUpdate: true))
        let text = sos.caller.message(LocalAlarm.Attempt(id: 1, channel: .text(0), content: .update, isTest: false)).text
        #expect(text.hasPrefix("SOS Aggiornamento Ada Example, 40: frequenza cardiaca troppo alta"), "\(text)")
        #expect(!text.contains("/min"), "nobody chose to tell it")
        _ = try await fixture.stored()
    }

    @Test(
        "SOS-2, SOS-7, SOS-24: a fall that was asked about as the box went off is asked about when it is back, and raised without an answer",
        arguments: Start.allCases, [true, false])
    func asking(start: Start, isAnswered: Bool) async throws {
        var id: IncidentID?
        let state = try await kept { fixture, _ in
            #expect(await fixture.box.perform(ControlRequest(.flag, flag: "fall")).isDone)
            id = await fixture.sos?.question?.id
        }
        let (fixture, sos) = try await again(state, start)
        let question = try #require(await fixture.sos?.question), time = fixture.clock.now
        #expect(question.id == id && question.trigger == .fall && sos.caller.calls == 0)
        // In the same boot, at its own time; behind anything longer, as long as at first.
        #expect(question.answerBy - time == (start == .sameBoot ? 10_000 : 30_000))
        #expect(sos.hub.reports.contains { $0.question?.id == id })
        if isAnswered { #expect(await fixture.box.perform(ControlRequest(.ok)).isDone) }
        for _ in 0..<31 {
            fixture.clock.advance(1000)
            await fixture.box.tick()
        }
        #expect((sos.caller.calls > 0) == !isAnswered)
        let raised = await fixture.box.stations.all[fixture.person]?.alarm?.id
        #expect(await fixture.sos?.question == nil)
        #expect(raised == (isAnswered ? nil : id))
        _ = try await fixture.stored()
    }

    @Test(
        "SOS-22: that the hub is back is told to whom its silence was told, also by an agent that was started anew",
        arguments: Start.allCases)
    func hubIsBack(start: Start) async throws {
        func texts(_ sos: SOSFixture) -> [String] {
            sos.caller.asked.compactMap { if case .notified(let text) = $0 { text } else { nil } }
        }
        let state = try await kept { fixture, sos in
            sos.caller.tell(.modems([BoxWaysTests.modem(isReady: true)], problem: nil))
            try await #require(eventually { await fixture.box.means.modem.canText })
            for _ in 0..<125 {
                fixture.clock.advance(60_000)
                await fixture.box.tick()
            }
            #expect(texts(sos).count == 1)
        }
        let (fixture, sos) = try await again(state, start, ScriptedSOSHub.answer())
        #expect(texts(sos).isEmpty, "there is no modem yet")
        sos.caller.tell(.modems([BoxWaysTests.modem(isReady: true)], problem: nil))
        try await #require(eventually { await fixture.box.means.modem.canText })
        await fixture.rest(3)
        #expect(texts(sos).count == 1 && texts(sos).first?.contains("di nuovo") == true, "\(texts(sos))")
        #expect(await fixture.box.stations.all[fixture.person]?.kept.owesHubIsBack == nil)
        _ = try await fixture.stored()
    }

    @Test("SOS-20: whoever had taken it at the hub and gave it back while the box was down has it no more", arguments: Start.allCases)
    func released(start: Start) async throws {
        let state = try await kept { fixture, sos in
            await fixture.distress()
            sos.hub.mode = ScriptedSOSHub.answer(reached: true) { $0.owner = Owner("r1") }
            try await fixture.beats { await fixture.sos?.alarm?.phase == .taken }
        }
        let (fixture, sos) = try await again(state, start, ScriptedSOSHub.answer())
        await fixture.rest(6)
        #expect(await fixture.sos?.alarm?.phase == .calling)
        #expect(sos.caller.calls == 1)
        _ = try await fixture.stored()
    }

    @Test("SOS-20: a contact who took it before the restart is asked after it, in full words", arguments: Start.allCases)
    func asked(start: Start) async throws {
        let state = try await kept { fixture, sos in
            await fixture.distress(9)
            sos.caller.tell(.ended(.acknowledged(by: 0)))
            try await #require(eventually { await fixture.sos?.alarm?.phase == .taken })
        }
        let (fixture, sos) = try await again(state, start)
        let since = try #require(await fixture.heldSince)
        await fixture.box.sos.holdOwners(at: since + DispatchLimits.askAfter)
        #expect(sos.caller.asked == [.question(0)])
        let text = sos.caller.message(LocalAlarm.Attempt(id: 1, channel: .text(0), content: .question, isTest: false)).text
        #expect(text.contains("Ada Example") && text.contains("C'è qualcuno con la persona adesso?"), "\(text)")
        _ = try await fixture.stored()
    }

    @Test("SOS-20: one who still has it keeps it over a restart, and nobody is called", arguments: Start.allCases)
    func stillTaken(start: Start) async throws {
        let mode = ScriptedSOSHub.answer(reached: true) { ($0.owner, $0.ownerName) = (Owner("r1"), "Ambulance 7") }
        let state = try await kept(mode) { fixture, _ in
            await fixture.distress(12)
            #expect(await fixture.sos?.alarm?.phase == .taken)
        }
        let (fixture, sos) = try await again(state, start, mode)
        await fixture.rest(6)
        #expect(await fixture.sos?.alarm?.phase == .taken)
        #expect(await fixture.sos?.alarm?.owner == "Ambulance 7")
        #expect(sos.caller.calls == 0)
        _ = try await fixture.stored()
    }

    @Test(
        "SOS-8, SOS-10: a false alarm is one after the restart too, the hub hears it as such, and nothing is raised before \"reactivate\"",
        arguments: Start.allCases)
    func closed(start: Start) async throws {
        let state = try await kept { fixture, _ in
            await fixture.distress()
            await fixture.box.sos.feed(.taken(by: Owner("r1")), of: fixture.person)
            #expect(await fixture.box.perform(ControlRequest(.falseAlarm)).isDone)
        }
        let (fixture, sos) = try await again(state, start)
        #expect(await fixture.sos?.alarm?.outcome == .falseAlarm)
        #expect(sos.hub.reports.last?.outcome == .falseAlarm)
        await fixture.rest()
        await fixture.distress(12)
        #expect(sos.caller.asked.isEmpty)
        #expect(await fixture.sos?.reasons.contains(.waitingForReactivation) == true)
        fixture.clock.advance(1000)
        #expect(await fixture.box.perform(ControlRequest(.reactivate)).isDone)
        #expect(await fixture.sos?.alarm == nil)
        _ = try await fixture.stored()
    }

    @Test("EDGE-9, SOS-18: a strap that charged as the agent ended, and no longer does, is watched", arguments: Start.allCases)
    func charging(start: Start) async throws {
        let state = try await kept { fixture, _ in
            for code in [StateEvent.Code.sensorCharging, .sensorAway, .sensorFrozen, .paused] {
                await fixture.box.sos.watch(StateEvent(time: fixture.clock.now, code: code, value: 1), of: fixture.person)
            }
            await fixture.box.sos.watch(StateEvent(time: fixture.clock.now, code: .kindsChosen, value: 2), of: fixture.person)
            #expect(await fixture.sos?.reasons.contains(.charging) == true)
            await fixture.box.stations.keep()
        }
        let (fixture, sos) = try await again(state, start)
        await fixture.rest()
        #expect(await fixture.sos?.reasons == [])
        await fixture.distress()
        #expect(sos.caller.calls == 1)
        _ = try await fixture.stored()
    }

    @Test("SOS-9, SOS-16: whom the hub has told of the case, and who else may have pressed the button, is known after a restart, too")
    func told() throws {
        let own = SOSFixture.settings().people[0]
        var before = SOSStation(person: own.person, settings: own, stream: .random(), at: 0), after = before
        before.mayAlsoBe([PersonID(high: 1, low: 2)])
        before.beginCase(IncidentID(high: 1, low: 3))
        before.hub.told = ["+393331112222"]
        let kept = try JSONDecoder().decode(SOSState.Person.self, from: JSONEncoder().encode(before.kept))
        _ = after.restore(kept, at: 2000, keptAt: 1000, elapsed: nil)
        #expect(after.hub.told == ["+393331112222"])
        #expect(after.others == [PersonID(high: 1, low: 2)])
    }

    @Test("SOS-7: a kept state that cannot be read is told")
    func unreadable() throws {
        let directory = try TemporaryDirectory(), path = directory.url.path
        #expect(SOSStateFile.load(from: path) == (nil, nil))
        try FileManager.default.createDirectory(atPath: path + "/sos-state.json", withIntermediateDirectories: false)
        let (state, damage) = SOSStateFile.load(from: path)
        #expect(state == nil && damage?.contains("the hub alone goes on") == true)
    }
}
