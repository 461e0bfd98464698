import Distress
import Foundation
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import AgentKit
@testable import Peripherals

/// Nobody is silently unprotected at the box (SOS-21), help calls always (SOS-16), and a button of several people.
@Suite(.timeLimit(.minutes(1)))
struct SOSUnprotectedTests {
    static func two(contactOfBruno: String = "+39 333 3334444") -> SOSSettings {
        var settings = SOSFixture.settings()
        var bruno = settings.people[0]
        (bruno.person, bruno.name) = (PersonID(high: 1, low: 2), "Bruno Example")
        bruno.contacts = [.init(name: "Dario", phone: contactOfBruno, language: "it")]
        settings.people.append(bruno)
        return settings
    }

    // MARK: Watched on

    @Test("SOS-21: a false alarm that nobody had taken leaves the box watching, shows so, and asks again once its silence is over")
    func watchedOn() async throws {
        let sos = SOSFixture(hub: ScriptedSOSHub.answer(), settings: SOSFixture.settings()), fixture = try await sos.box()
        await fixture.rest()
        await fixture.distress(9)
        let id = try #require(await fixture.sos?.alarm).id
        #expect(await fixture.box.perform(ControlRequest(.falseAlarm)).isDone)
        let shown = try #require(await fixture.sos)
        #expect(shown.isProtected && shown.alarm?.phase == .answered && shown.alarm?.outcome == .falseAlarm)
        #expect(shown.alarm?.silentUntil == fixture.clock.now + DistressConstants.silence)
        sos.hub.mode = ScriptedSOSHub.answer { ($0.incident, $0.outcome) = (id, .falseAlarm) }
        try await fixture.beats(70, most: 45) { sos.hub.reports.last?.alarm == nil }
        #expect(sos.hub.reports.contains { $0.alarm?.id == id && $0.outcome == .falseAlarm && $0.unprotected.isEmpty })
        await fixture.distress(20)
        #expect(sos.caller.calls == 1)
        #expect(await fixture.sos?.question == nil)
        fixture.clock.advance(DistressConstants.silence)
        await fixture.distress(4)
        let asked = await fixture.sos
        #expect(asked?.question != nil && asked?.alarm == nil)
        _ = try await fixture.stored()
    }

    @Test("SOS-20: where the hub has it with somebody, that the person is OK is told until that is over, also while the box watches on")
    func toldUntilOver() async throws {
        let sos = SOSFixture(hub: ScriptedSOSHub.answer(), settings: SOSFixture.settings()), fixture = try await sos.box()
        await fixture.rest()
        await fixture.distress(9)
        let id = try #require(await fixture.sos?.alarm).id
        sos.hub.mode = ScriptedSOSHub.answer(reached: true) { ($0.incident, $0.owner) = (id, Owner("crew:1")) }
        await fixture.box.sos.watch(StateEvent(time: fixture.clock.now, code: .ok), of: fixture.person)
        for _ in 0..<40 { await fixture.beat(70) }
        try await fixture.settled()
        #expect(sos.hub.reports.last?.outcome == .answeredLate)
        sos.hub.mode = ScriptedSOSHub.answer { ($0.incident, $0.outcome) = (id, .finished(Owner("crew:1"))) }
        // The report that brings the word, and the next one.
        try await fixture.beats(70, most: 75) { sos.hub.reports.last?.alarm == nil }
        _ = try await fixture.stored()
    }

    @Test(
        "SOS-21: a reboot within the silence asks nothing that was answered; a case that somebody took waits over it",
        arguments: [false, true])
    func rebooted(isTaken: Bool) async throws {
        let sos = SOSFixture(settings: SOSFixture.settings()), fixture = try await sos.box()
        await fixture.rest()
        await fixture.distress(9)
        if isTaken { await fixture.box.sos.feed(.taken(by: Owner("r1")), of: fixture.person) }
        #expect(await fixture.box.perform(ControlRequest(.falseAlarm)).isDone)
        let kept = try #require(await fixture.box.stations.all[fixture.person]?.kept), now = fixture.clock.now
        _ = try await fixture.stored()
        let state = SOSState(boot: BootID(high: 1, low: 1), at: now, utc: now + BoxFixture.utcOffset, persons: [kept])
        let again = SOSFixture(settings: SOSFixture.settings(), state: state)
        let other = try BoxFixture(at: 5000, utcOffset: BoxFixture.utcOffset + now + 30_000, sos: again)
        try await other.box.begin(listening: false)
        await other.rest()
        await other.distress(20)
        #expect(again.caller.calls == 0)
        #expect(await other.sos?.question == nil)
        #expect(await other.sos?.reasons.contains(.waitingForReactivation) == isTaken)
        _ = try await other.stored()
    }

    // MARK: The button brings it back

    @Test("SOS-21: while nobody is asked, one short press of the button reactivates, ends a pause, and takes the heart rate in")
    func buttonBringsBack() async throws {
        let sos = SOSFixture(settings: SOSFixture.settings()), fixture = try await sos.box()
        func press() async -> String {
            fixture.clock.advance(1000)
            return await fixture.box.perform(ControlRequest(.ok, isButton: true)).message
        }
        func light() async -> ButtonLight { await ButtonLight(fixture.box.status(), person: nil) }
        await fixture.rest()
        #expect(await press() == "Recorded: you are OK.", "there is nothing to bring back")
        #expect(await light() == .off)
        await fixture.distress(4)
        #expect(await light() == .blinking, "the question is open")
        await fixture.distress(5)
        await fixture.box.sos.feed(.taken(by: Owner("r1")), of: fixture.person)
        #expect(await fixture.sos?.alarm?.phase == .taken)
        #expect(await press() == "Recorded: you are OK.", "somebody comes: the press is an answer")
        #expect(await fixture.box.perform(ControlRequest(.falseAlarm)).isDone)
        #expect(await fixture.sos?.reasons.contains(.waitingForReactivation) == true)
        #expect(await fixture.box.perform(ControlRequest(.ok)).message == "Recorded: you are OK.", "a page says which button it is")
        #expect(await fixture.sos?.reasons.contains(.waitingForReactivation) == true)
        #expect(await light() == .steady)
        _ = await press()
        #expect(await fixture.sos?.reasons.contains(.waitingForReactivation) == false)
        #expect(await light() == .off)
        #expect(await fixture.box.perform(ControlRequest(.pause, minutes: 30)).isDone)
        #expect(await light() == .steady)
        #expect(await fixture.sos?.reasons.contains(.paused) == true)
        _ = await press()
        #expect(await fixture.sos?.reasons.contains(.paused) == false)
        #expect(await fixture.box.perform(ControlRequest(.kinds, kinds: KindsChoice(heartRate: false))).isDone)
        #expect(await fixture.sos?.reasons.contains(.switchedOff) == true)
        _ = await press()
        #expect(await fixture.sos?.reasons.contains(.switchedOff) == false)
        let choices = await fixture.box.choices[fixture.person]
        #expect(choices.pause == nil && choices.kinds.heartRate)
        _ = try await fixture.stored()
    }

    @Test("SOS-21: that nobody is watched is said at once, after an hour, then daily; not where it was never on", arguments: [true, false])
    func reminded(wasOn: Bool) async throws {
        var settings = SOSFixture.settings()
        settings.people[0].distress.isOn = false
        settings.people[0].wasTurnedOff = wasOn ? true : nil
        let sos = SOSFixture(settings: settings), log = KeptLog()
        let fixture = try BoxFixture(sos: sos, logger: log.logger)
        try await fixture.box.begin(listening: false)
        func said() async -> Int {
            await fixture.box.tick()
            return log.lines.count { $0.contains("nobody is watched here") }
        }
        #expect(await said() == (wasOn ? 1 : 0))
        var counts: [Int] = []
        for _ in 0..<26 {
            fixture.clock.advance(3_600_000)
            counts.append(await said())
        }
        #expect(counts == (1...26).map { wasOn ? $0 < 25 ? 2 : 3 : 0 })
        _ = try await fixture.stored()
    }

    // MARK: Help

    @Test("SOS-16: help calls the contacts of a person who never turned AutomatedSOS on")
    func helpWhileOff() async throws {
        var settings = SOSFixture.settings()
        settings.people[0].distress.isOn = false
        let sos = SOSFixture(hub: ScriptedSOSHub.answer(), settings: settings, hooks: 0), fixture = try await sos.box()
        try await fixture.settled()
        #expect(await fixture.box.perform(ControlRequest(.help)).isDone)
        try await fixture.beats(70) { sos.caller.calls == 1 }
        #expect(sos.caller.plan.recipients.map(\.name) == ["Berta"])
        _ = try await fixture.stored()
    }

    @Test("SOS-16: where nobody is set up box and page say so at once; a hub of 0.3.0 that says nothing is not believed for who has it off")
    func nobodySetUp() async throws {
        let told: [(Bool?, Bool, Bool)] = [(true, false, true), (nil, false, true), (false, false, false), (nil, true, false)]
        for (reachesNobody, isOn, isSaid) in told {
            var settings = SOSFixture.settings()
            settings.people[0].distress.isOn = isOn
            settings.people[0].contacts = []
            let sos = SOSFixture(hub: ScriptedSOSHub.answer { $0.reachesNobody = reachesNobody }, settings: settings, hooks: 0)
            let fixture = try await sos.box()
            try await fixture.settled()
            let reply = await fixture.box.perform(ControlRequest(.help))
            let alarm = try #require(await fixture.sos?.alarm)
            #expect(reply.message.contains("NOBODY IS SET UP TO BE CALLED") == isSaid, "\(reply.message)")
            #expect(alarm.reachesNobody == isSaid && alarm.isNobodySetUp == (isSaid ? true : nil))
            _ = try await fixture.stored()
        }
    }

    // MARK: Whose button

    @Test("EDGE-13, SOS-4: on a box of two people a press without a name answers for who was asked last alone, then for the other one")
    func asked() async throws {
        let sos = SOSFixture(settings: Self.two()), fixture = try await sos.box(people: ["Ada", "Bruno"])
        let people = fixture.identity.persons.map(\.person)
        for _ in 0..<15 { for person in people { await fixture.beat(70, of: person) } }
        await fixture.beat(215, of: people[0])
        await fixture.beat(215, of: people[1])
        func questions() async -> [Bool] { await fixture.box.status().persons.map { $0.sos?.question != nil } }
        #expect(await questions() == [true, true])
        #expect(await fixture.box.stations.asked == people[1])
        #expect(await fixture.box.perform(ControlRequest(.ok, isButton: true)).isDone)
        #expect(await questions() == [true, false])
        let status = await fixture.box.status()
        let lights = ["Ada", "Bruno", "nobody of this box", nil].map { ButtonLight(status, person: $0) }
        #expect(lights == [.blinking, .off, .blinking, .blinking])
        #expect(await fixture.box.perform(ControlRequest(.ok, isButton: true)).isDone)
        #expect(await questions() == [false, false])
        let stored = try await fixture.stored()
        #expect(people.map { person in stored[person]?.events.filter { $0.code == .ok }.count } == [1, 1])
    }

    @Test("EDGE-13, SOS-16: without a setting help is one case that names both and calls the contacts of both; with it, its owner's")
    func help() async throws {
        for name in [nil, "Bruno", "nobody of this box"] {
            let sos = SOSFixture(settings: Self.two()), fixture = try await sos.box(people: ["Ada", "Bruno"])
            try await fixture.settled()
            #expect(await fixture.box.perform(ControlRequest(.help, person: name, isButton: true)).isDone)
            let cases = await fixture.box.status().persons.map { $0.sos?.alarm != nil }, isBruno = name == "Bruno"
            #expect(cases == [!isBruno, isBruno], "\(name ?? "-")")
            let caller = try #require(sos.callers.first { $0.calls == 1 })
            #expect(sos.callers.count { $0.calls > 0 } == 1)
            #expect(caller.plan.recipients.map(\.name) == (isBruno ? ["Dario"] : ["Berta", "Dario"]))
            let text = caller.message(LocalAlarm.Attempt(id: 1, channel: .text(0), content: .alert, isTest: false)).text
            #expect(text.hasPrefix(isBruno ? "SOS Bruno Example" : "SOS Ada Example, Bruno Example"), "\(text)")
            try await fixture.settled()
            #expect(sos.hub.reports.contains { $0.alarm != nil && $0.others == (isBruno ? nil : [fixture.identity.persons[1].person]) })
            // "I'm OK" ends that case, and is nobody else's.
            fixture.clock.advance(1000)
            #expect(await fixture.box.perform(ControlRequest(.ok, isButton: true)).isDone)
            let phases = await fixture.box.status().persons.map { $0.sos?.alarm?.phase }
            #expect(phases == (isBruno ? [nil, .answered] : [.answered, nil]))
            _ = try await fixture.stored()
        }
    }
}
