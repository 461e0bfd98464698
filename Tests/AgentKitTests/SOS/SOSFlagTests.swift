import Distress
import Foundation
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import AgentKit

/// A detector on the box reports falls and seizures over the control socket. Time is the test's.
@Suite(.timeLimit(.minutes(1)))
struct SOSFlagTests {
    @Test("SOS-2, SOS-24, EDGE-12: a reported fall asks for 30 s, and then the box calls by itself; said twice it is one, and it is kept")
    func fall() async throws {
        let sos = SOSFixture(settings: SOSFixture.settings(asksFirst: false)), fixture = try await sos.box()
        let reply = await fixture.box.perform(ControlRequest(.flag, flag: "fall"))
        #expect(reply.isDone && reply.message.contains("30 s"), "\(reply.message)")
        let question = try #require(await fixture.sos?.question)
        #expect(question.trigger == .fall && question.answerBy == fixture.clock.now + 30_000)
        fixture.clock.advance(9000)
        let again = await fixture.box.perform(ControlRequest(.flag, flag: "fall"))
        #expect(again.isDone && again.message.contains("21 s"), "\(again.message)")
        for _ in 0..<20 {
            fixture.clock.advance(1000)
            await fixture.box.tick()
        }
        #expect(sos.callers.allSatisfy { $0.calls == 0 })
        fixture.clock.advance(1000)
        await fixture.box.tick()
        #expect(sos.caller.asked == [.raised(isDrill: false, isUpdate: false)])
        let open = await fixture.box.perform(ControlRequest(.flag, flag: "seizure"))
        #expect(open.isDone && open.message.contains("open already"), "\(open.message)")
        try await fixture.settled()
        try await #require(eventually { sos.hub.reports.contains { $0.alarm?.abnormalities.map(\.trigger) == [.fall] } })
        let codes = try await fixture.stored()[fixture.person]?.events.map(\.code).filter(\.isSOS)
        #expect(codes == [.fall, .seizure])
    }

    @Test("SOS-2: \"I'm OK\" ends the question of a reported seizure, and a later one asks anew")
    func answered() async throws {
        let sos = SOSFixture(settings: SOSFixture.settings()), fixture = try await sos.box()
        _ = await fixture.box.perform(ControlRequest(.flag, flag: "seizure"))
        fixture.clock.advance(2000)
        #expect(await fixture.box.perform(ControlRequest(.ok)).isDone)
        #expect(await fixture.sos?.question == nil)
        let same = await fixture.box.perform(ControlRequest(.flag, flag: "seizure"))
        #expect(same.isDone && same.message.contains("answered"), "\(same.message)")
        fixture.clock.advance(9000)
        #expect(await fixture.box.perform(ControlRequest(.flag, flag: "seizure")).isDone)
        #expect(await fixture.sos?.question?.trigger == .seizure)
        _ = try await fixture.stored()
    }

    @Test("SOS-24: where AutomatedSOS is off, paused or waits, a reporter is told that nobody is asked, why, and what to do")
    func unheard() async throws {
        let sos = SOSFixture(settings: SOSFixture.settings()), fixture = try await sos.box()
        #expect(await fixture.box.perform(ControlRequest(.pause, minutes: 5)).isDone)
        let paused = await fixture.box.perform(ControlRequest(.flag, flag: "fall"))
        #expect(!paused.isDone && paused.message.contains("Nobody is asked") && paused.advice?.contains("resume") == true)
        #expect(await fixture.box.perform(ControlRequest(.resume)).isDone)
        fixture.clock.advance(11_000)
        #expect(await fixture.box.perform(ControlRequest(.flag, flag: "fall")).isDone)
        for _ in 0..<31 {
            fixture.clock.advance(1000)
            await fixture.box.tick()
        }
        await fixture.box.sos.feed(.taken(by: Owner("r1")), of: fixture.person)
        await fixture.box.sos.feed(.finished(by: Owner("r1")), of: fixture.person)
        let waiting = await fixture.box.perform(ControlRequest(.flag, flag: "fall"))
        #expect(!waiting.isDone && waiting.advice?.contains("reactivate") == true, "\(waiting.message)")
        let off = try await SOSFixture().box()
        let reply = await off.box.perform(ControlRequest(.flag, flag: "fall"))
        #expect(!reply.isDone && reply.advice?.contains("AutomatedSOS is off") == true, "\(reply.message)")
        #expect(await off.sos?.question == nil)
        // A pause collects nothing; the others are kept.
        #expect(try await fixture.stored()[fixture.person]?.events.count { $0.code == .fall } == 2)
        #expect(try await off.stored()[off.person]?.events.count { $0.code == .fall } == 1)
    }

    @Test("SOS-4, SOS-24: what a phone reported to the hub is asked here as well, once and under the hub's name; the hub hears the answer")
    func askedForTheHub() async throws {
        let sos = SOSFixture(hub: ScriptedSOSHub.answer(), settings: SOSFixture.settings()), fixture = try await sos.box()
        await fixture.rest()
        let key = SampleKey(stream: StreamID(high: 3, low: 4), sequence: 9, kind: .event, index: 0)
        let unknown = SampleKey(stream: StreamID(high: 3, low: 4), sequence: 10, kind: .event, index: 0)
        sos.hub.mode = ScriptedSOSHub.answer {
            $0.flagged = [.init(flag: "tremor", key: unknown), .init(flag: "fall", key: key)]
        }
        try await fixture.beats(70, most: 45) { await fixture.sos?.question != nil }
        let question = try #require(await fixture.sos?.question), id = IncidentID(person: fixture.person, first: key)
        #expect(question.trigger == .fall && question.id == id)
        #expect(await fixture.box.perform(ControlRequest(.ok)).isDone)
        try await fixture.settled()
        try await #require(eventually { sos.hub.reports.last?.answered == id })
        // The hub has not heard it yet, and says it again.
        await fixture.rest(45)
        #expect(await fixture.sos?.question == nil && sos.callers.allSatisfy { $0.calls == 0 })
        _ = try await fixture.stored()
    }

    @Test("EDGE-12, EDGE-13: on a box of several people a detector has to say whose fall it is; an event that there is not is named")
    func whose() async throws {
        let fixture = try await SOSFixture(settings: SOSFixture.settings()).box(people: ["Ada", "Berta"])
        let nobodys = await fixture.box.perform(ControlRequest(.flag, flag: "fall"))
        #expect(!nobodys.isDone && nobodys.message.contains("several") && nobodys.advice?.contains("--person") == true)
        #expect(await fixture.box.perform(ControlRequest(.flag, person: "Ada", flag: "fall")).isDone)
        let status = await fixture.box.status().persons
        #expect(status.map { $0.sos?.question?.trigger } == [.fall, nil])
        for (word, what) in [("tremor", "tremor"), (nil, "does not say")] {
            let reply = await fixture.box.perform(ControlRequest(.flag, person: "Ada", flag: word))
            #expect(!reply.isDone && reply.message.contains(what) && reply.advice?.contains("fall, seizure") == true, "\(reply.message)")
        }
        _ = try await fixture.stored()
    }
}
