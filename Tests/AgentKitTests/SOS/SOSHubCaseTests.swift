import Distress
import Foundation
import Peripherals
import Sensing
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import AgentKit

/// Cases that the hub has and the box has not, or has no more.
@Suite(.timeLimit(.minutes(1)))
struct SOSHubCaseTests {
    private let id = IncidentID(high: 7, low: 8)

    /// Somebody asked for help on a page of the hub long ago, or the hub's own detector raised it.
    private func open(_ fixture: BoxFixture) -> Alarm {
        let key = SampleKey(stream: StreamID(high: 1, low: 2), sequence: 1, kind: .heartRate, index: 0)
        let reading = Reading(time: -5000, value: 33, key: key)
        let found = Abnormality(
            trigger: .heartRateLow, tier: .critical, limit: 40, context: .unknown, first: reading, latest: reading, worst: 33, count: 3,
            isLost: false, answerTime: 0)
        return Alarm(id: id, person: fixture.person, provenance: .live, raisedAt: -1000, abnormalities: [found])
    }

    @Test(
        "SOS-18, SOS-10: a case that only the hub has is shown on a calm box, calls nobody there, and a false alarm pressed there reaches the hub"
    )
    func shown() async throws {
        let sos = SOSFixture(hub: ScriptedSOSHub.answer(), settings: SOSFixture.settings()), fixture = try await sos.box()
        await fixture.rest()
        let open = open(fixture)
        sos.hub.mode = ScriptedSOSHub.answer { ($0.incident, $0.open) = (open.id, open) }
        try await fixture.beats(70, most: 45) { await fixture.sos?.alarm != nil }
        let shown = try #require(await fixture.sos?.alarm)
        #expect(shown.id == id && shown.phase == .atHub && shown.trigger == .heartRateLow)
        // The hub goes on by itself, for as long as it answers, and has reached nobody yet.
        sos.hub.mode = ScriptedSOSHub.answer { $0.incident = open.id }
        await fixture.rest(25)
        #expect(sos.caller.asked.isEmpty)
        sos.hub.mode = ScriptedSOSHub.answer(reached: true) { ($0.incident, $0.owner, $0.ownerName) = (open.id, Owner("crew:1"), "A1") }
        try await fixture.beats(70, most: 45) { await fixture.sos?.alarm?.phase == .taken }
        #expect(await fixture.sos?.alarm?.owner == "A1")
        #expect(await fixture.box.perform(ControlRequest(.falseAlarm)).isDone)
        try await #require(eventually { sos.hub.reports.contains { $0.outcome == .falseAlarm && $0.alarm?.id == id } })
        #expect(sos.caller.calls == 0)
        _ = try await fixture.stored()
    }

    @Test("SOS-9: where the hub falls silent with a case that nobody has taken, the box calls, as an update")
    func silent() async throws {
        let sos = SOSFixture(hub: ScriptedSOSHub.answer(), settings: SOSFixture.settings()), fixture = try await sos.box()
        await fixture.rest()
        let open = open(fixture)
        sos.hub.mode = ScriptedSOSHub.answer { ($0.incident, $0.open) = (open.id, open) }
        try await fixture.beats(70, most: 45) { await fixture.sos?.alarm != nil }
        sos.hub.mode = .unreachable
        try await fixture.beats(70, most: 45) { sos.caller.calls > 0 }
        #expect(sos.caller.asked == [.raised(isDrill: false, isUpdate: true)])
        #expect(await fixture.sos?.alarm?.id == id)
        _ = try await fixture.stored()
    }

    @Test(
        "SOS-9: where the hub says that it has reached nobody in a case that it began, the box sounds and calls, and whom the hub has texted gets an update"
    )
    func nobodyReached() async throws {
        let sos = SOSFixture(hub: ScriptedSOSHub.answer(), settings: SOSFixture.settings()), fixture = try await sos.box()
        await fixture.rest()
        let open = open(fixture), number = "+393331112222"
        sos.hub.mode = ScriptedSOSHub.answer { ($0.incident, $0.open, $0.told) = (open.id, open, [number]) }
        try await fixture.beats(70, most: 45) { await fixture.sos?.alarm != nil }
        // From the answer that brings the case: the next one may not come.
        #expect(await fixture.box.stations.all[fixture.person]?.hub.told == [number])
        // Too early to say: the hub goes on alone.
        sos.hub.mode = ScriptedSOSHub.answer { $0.incident = open.id }
        await fixture.rest(25)
        #expect(sos.caller.asked.isEmpty)
        sos.hub.mode = ScriptedSOSHub.answer { ($0.incident, $0.reachedNobody) = (open.id, true) }
        try await fixture.beats(70, most: 10) { sos.caller.calls > 0 }
        #expect(sos.caller.asked == [.raised(isDrill: false, isUpdate: true)])
        #expect(sos.caller.plan.recipients.map(\.isTold) == [true])
        #expect(await fixture.sos?.alarm?.phase == .calling)
        // Somebody was reached after all: no further round.
        sos.hub.mode = ScriptedSOSHub.answer(reached: true) { ($0.incident, $0.reachedNobody) = (open.id, false) }
        try await fixture.beats(70, most: 10) { await fixture.sos?.alarm?.phase == .handedOver }
        await fixture.rest(70)
        #expect(sos.caller.calls == 1)
        _ = try await fixture.stored()
    }

    @Test("SOS-9: a hub that has reached somebody in a case that it began is left to it, for as long as that holds")
    func somebodyReached() async throws {
        let sos = SOSFixture(hub: ScriptedSOSHub.answer(), settings: SOSFixture.settings()), fixture = try await sos.box()
        await fixture.rest()
        let open = open(fixture)
        sos.hub.mode = ScriptedSOSHub.answer { ($0.incident, $0.open) = (open.id, open) }
        try await fixture.beats(70, most: 45) { await fixture.sos?.alarm != nil }
        sos.hub.mode = ScriptedSOSHub.answer(reached: true) { ($0.incident, $0.reachedNobody) = (open.id, false) }
        await fixture.rest(25)
        #expect(sos.caller.asked.isEmpty)
        // Whoever saw it did nothing about it.
        sos.hub.mode = ScriptedSOSHub.answer { ($0.incident, $0.reachedNobody) = (open.id, true) }
        try await fixture.beats(70, most: 10) { sos.caller.calls > 0 }
        _ = try await fixture.stored()
    }

    @Test("SOS-7, SOS-18: a case that only the hub has stands on the box's own clock, and is kept for a restart as it is shown")
    func kept() async throws {
        let directory = try TemporaryDirectory(), sos = SOSFixture(hub: ScriptedSOSHub.answer(), settings: SOSFixture.settings())
        let fixture = try BoxFixture(directory: directory, sos: sos)
        try await fixture.box.begin(listening: false)
        await fixture.rest()
        let open = open(fixture)
        sos.hub.mode = ScriptedSOSHub.answer { ($0.incident, $0.open) = (open.id, open) }
        try await fixture.beats(70, most: 45) { await fixture.sos?.alarm != nil }
        let alarm = try #require(await fixture.box.stations.all[fixture.person]?.alarm)
        #expect((1000...10_000).contains(fixture.clock.now - alarm.raisedAt), "\(alarm.raisedAt)")
        try await #require(
            eventually { SOSStateFile.load(from: directory.url.path).state?.persons.first?.watch.incident.alarm?.id == id })
        await fixture.box.end()
        _ = try await fixture.stored()
    }

    @Test("SOS-10: a false alarm that was reported, and monitoring that was reactivated, while the hub was away: the hub hears of both")
    func untold() async throws {
        let sos = SOSFixture(hub: ScriptedSOSHub.answer(reached: true), settings: SOSFixture.settings()), fixture = try await sos.box()
        await fixture.rest()
        await fixture.distress(9)
        let id = try #require(await fixture.sos?.alarm).id
        sos.hub.mode = .unreachable
        await fixture.box.sos.feed(.taken(by: Owner("r1")), of: fixture.person)
        #expect(await fixture.box.perform(ControlRequest(.falseAlarm)).isDone)
        fixture.clock.advance(1000)
        #expect(await fixture.box.perform(ControlRequest(.reactivate)).isDone)
        #expect(await fixture.sos?.alarm == nil)
        try await fixture.settled()
        let before = sos.hub.reports.count
        // The hub, which never heard of the end, still has it open: that is not shown as a new case.
        sos.hub.mode = ScriptedSOSHub.answer(reached: true) { $0.incident = id }
        try await fixture.beats(70, most: 45) {
            sos.hub.reports.dropFirst(before).contains { $0.outcome == .falseAlarm && $0.alarm?.id == id }
        }
        #expect(await fixture.sos?.alarm == nil)
        sos.hub.mode = ScriptedSOSHub.answer { ($0.incident, $0.outcome) = (id, .falseAlarm) }
        try await fixture.beats(70, most: 75) { sos.hub.reports.last?.alarm == nil }
        #expect(await fixture.sos?.alarm == nil)
        _ = try await fixture.stored()
    }

    @Test("SOS-9: a way that has the same problem for hours stands in the log once, until it works or has another one")
    func logged() async throws {
        var watching = SOSStation(person: PersonID(high: 1, low: 1), settings: SOSFixture.settings().people[0], stream: .random(), at: 0)
        func call(_ state: SOSReport.LocalCall.State, _ problem: String? = nil, to name: String = "1") -> SOSReport.LocalCall {
            .init(channel: .text, recipient: name, state: state, at: 0, problem: problem)
        }
        let tries = [
            call(.failed, "no modem"), call(.started), call(.failed, "no modem"), call(.failed, "no modem", to: "2"), call(.failed, "busy"),
            call(.started), call(.sent), call(.failed, "busy"),
        ]
        #expect(tries.map { watching.isNewProblem(of: $0) } == [true, false, false, true, true, false, false, true])
    }
}
