import Distress
import Foundation
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import AgentKit
@testable import Peripherals

/// What the hub's word is worth: slow, not durable, about another case, late.
@Suite(.timeLimit(.minutes(1)))
struct SOSHubWordTests {
    @Test("SOS-9: somebody reached by a hub that has not stored it does not keep the box from calling")
    func notDurable() async throws {
        let sos = SOSFixture(hub: ScriptedSOSHub.answer(reached: true) { $0.isDurable = false }, settings: SOSFixture.settings())
        let fixture = try await sos.box()
        await fixture.rest()
        await fixture.distress(9)
        #expect(sos.caller.calls == 1)
        _ = try await fixture.stored()
    }

    @Test("SOS-9: a hub that answers after its two seconds finds the box calling, and does not stop that by having reached somebody")
    func slow() async throws {
        let sos = SOSFixture(hub: ScriptedSOSHub.answer(), settings: SOSFixture.settings()), fixture = try await sos.box()
        await fixture.rest()
        sos.hub.mode = .silent
        await fixture.distress(9)
        #expect(sos.caller.asked == [.raised(isDrill: false, isUpdate: false)])
        try await #require(eventually { sos.hub.reports.contains { $0.alarm != nil } })
        let report = try #require(sos.hub.reports.last { $0.alarm != nil })
        let late = SOSAnswer(utc: 0, isDurable: true, addresseeReached: true, settingsVersion: 1)
        await fixture.box.hubAnswers.heard(.success(late), to: report)
        #expect(await fixture.sos?.alarm?.phase == .handedOver)
        #expect(sos.caller.asked == [.raised(isDrill: false, isUpdate: false)])
        // Its word is overtaken by a newer one.
        var older = report
        older.revision -= 1
        await fixture.box.hubAnswers.heard(
            .success(SOSAnswer(utc: 0, isDurable: true, addresseeReached: true, owner: Owner("r9"), settingsVersion: 1)), to: older)
        #expect(await fixture.sos?.alarm?.phase == .handedOver)
        _ = try await fixture.stored()
    }

    @Test("SOS-9: whom the hub has told of the case gets no second alert from the box, but an update; in the next case that is forgotten")
    func toldByHub() async throws {
        let sos = SOSFixture(hub: ScriptedSOSHub.answer { $0.told = ["+393331112222"] }, settings: SOSFixture.settings())
        let fixture = try await sos.box()
        await fixture.rest()
        #expect(sos.caller.plan.recipients.map(\.isTold) == [false], "there is no case yet")
        await fixture.distress(9)
        #expect(sos.caller.asked == [.raised(isDrill: false, isUpdate: false)])
        #expect(sos.caller.plan.recipients.map(\.isTold) == [true])
        sos.hub.mode = ScriptedSOSHub.answer()
        #expect(await fixture.box.perform(ControlRequest(.falseAlarm)).isDone)
        #expect(await fixture.box.perform(ControlRequest(.reactivate)).isDone)
        try await fixture.settled()
        #expect(await fixture.box.perform(ControlRequest(.help)).isDone)
        await fixture.rest(4)
        #expect(sos.caller.calls == 2 && sos.caller.plan.recipients.map(\.isTold) == [false])
        _ = try await fixture.stored()
    }

    @Test("SOS-9: whom the hub tells while the box is calling already gets an update from then on")
    func toldMeanwhile() async throws {
        let sos = SOSFixture(hub: ScriptedSOSHub.answer(), settings: SOSFixture.settings()), fixture = try await sos.box()
        await fixture.rest()
        await fixture.distress(9)
        #expect(sos.caller.calls == 1 && sos.caller.plan.recipients.map(\.isTold) == [false])
        sos.hub.mode = ScriptedSOSHub.answer { $0.told = ["+393331112222"] }
        await fixture.distress(6)
        #expect(sos.caller.calls == 1 && sos.caller.plan.recipients.map(\.isTold) == [true])
        _ = try await fixture.stored()
    }

    @Test(
        "SOS-24: of an irregular heartbeat that the hub told of the box's page says when; it asks nothing, and no state of the case changes"
    )
    func irregularRhythm() async throws {
        let sos = SOSFixture(hub: ScriptedSOSHub.answer { $0.rhythm = .init(ago: 600_000) }, settings: SOSFixture.settings())
        let fixture = try await sos.box()
        await fixture.rest(40)
        let status = try #require(await fixture.sos), answered = try #require(status.hubAnswered)
        #expect(
            status.rhythmAt == answered - 600_000
                && status.lines(at: answered).contains { $0.contains("irregular heartbeat at rest 10 min") })
        #expect(status.isProtected && status.question == nil && status.alarm == nil && sos.caller.calls == 0)
        sos.hub.mode = ScriptedSOSHub.answer()
        await fixture.rest(40)
        #expect(await fixture.sos?.rhythmAt == nil)
        _ = try await fixture.stored()
    }

    @Test("SOS-9: the hub's own name for the case becomes an alias, its owner counts, and it stays one case")
    func otherName() async throws {
        let other = IncidentID(
            person: PersonID(high: 1, low: 1), first: SampleKey(stream: .random(), sequence: 7, kind: .heartRate, index: 1))
        let sos = SOSFixture(settings: SOSFixture.settings()), fixture = try await sos.box()
        await fixture.rest()
        await fixture.distress()
        let id = try #require(await fixture.sos?.alarm).id
        sos.hub.mode = ScriptedSOSHub.answer(reached: true) { ($0.incident, $0.owner) = (other, Owner("r1")) }
        await fixture.distress(5)
        #expect(await fixture.sos?.alarm?.phase == .taken)
        #expect(await fixture.sos?.alarm?.id == id)
        #expect(await fixture.box.stations.all[fixture.person]?.alarm?.aliases == [other])
        #expect(sos.caller.calls == 1)
        _ = try await fixture.stored()
    }

    @Test("SOS-20: \"help\" again while somebody has it forgets nothing: when they cannot come, the box calls")
    func helpAgain() async throws {
        let sos = SOSFixture(hub: ScriptedSOSHub.answer(reached: true) { $0.owner = Owner("r1") }, settings: SOSFixture.settings())
        let fixture = try await sos.box()
        await fixture.rest()
        await fixture.distress(12)
        #expect(await fixture.sos?.alarm?.phase == .taken)
        let before = await fixture.box.stations.all[fixture.person]?.calls
        sos.hub.mode = ScriptedSOSHub.answer()
        #expect(await fixture.box.perform(ControlRequest(.help)).isDone)
        #expect(await fixture.box.stations.all[fixture.person]?.calls == before)
        await fixture.distress(6)
        #expect(await fixture.sos?.alarm?.phase == .calling)
        _ = try await fixture.stored()
    }

    @Test("SOS-9: what the hub calls a test, or says of a case of before, ends no case")
    func otherOutcome() async throws {
        let sos = SOSFixture(hub: ScriptedSOSHub.answer(reached: true) { $0.outcome = .test }, settings: SOSFixture.settings())
        let fixture = try await sos.box()
        await fixture.rest()
        await fixture.distress(8)
        let open = await fixture.sos?.alarm
        #expect(open != nil && open?.outcome == nil)
        let report = try #require(sos.hub.reports.last { $0.alarm != nil })
        var earlier = report
        earlier.revision += 100_000_000
        earlier.alarm?.id = IncidentID(person: fixture.person, first: SampleKey(stream: .random(), sequence: 0, kind: .event, index: 3))
        let over = SOSAnswer(utc: 0, isDurable: true, addresseeReached: true, outcome: .finished(Owner("r1")), settingsVersion: 1)
        await fixture.box.hubAnswers.heard(.success(over), to: earlier)
        #expect(await fixture.sos?.alarm?.outcome == nil)
        _ = try await fixture.stored()
    }

    @Test("SOS-10: a button and an ending that only a newer hub knows do nothing here, and the buttons beside it count")
    func newerWords() async throws {
        let sos = SOSFixture(hub: ScriptedSOSHub.answer(), settings: SOSFixture.settings()), fixture = try await sos.box()
        await fixture.rest()
        await fixture.distress(9)
        #expect(await fixture.sos?.alarm?.phase == .calling)
        let report = try #require(sos.hub.reports.last { $0.alarm != nil })
        func heard(_ json: String, revision: UInt64) async throws {
            var later = report
            later.revision += revision
            let answer = try JSONDecoder().decode(WireForm<SOSAnswer>.self, from: Data(json.utf8)).message
            await fixture.box.hubAnswers.heard(.success(answer), to: later)
        }
        let start = #"{"utc":0,"isDurable":true,"addresseeReached":false,"repeatAfter":2000,"settingsVersion":1"#
        try await heard(
            start + #","outcome":{"beamedUp":{}},"pressed":[{"button":"satellite","number":1,"ago":0}]}"#, revision: 100_000_000)
        #expect(await fixture.sos?.alarm?.phase == .calling)
        try await heard(
            start + #","pressed":[{"button":"satellite","number":2,"ago":0},{"button":"falseAlarm","number":3,"ago":0}]}"#,
            revision: 100_000_001)
        #expect(await fixture.sos?.alarm?.outcome != nil)
        _ = try await fixture.stored()
    }
}
