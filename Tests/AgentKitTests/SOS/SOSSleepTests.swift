import Distress
import Peripherals
import Sensing
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import AgentKit

/// A machine that falls asleep, as logind tells it: pages and hub hear of it before and after.
@Suite(.timeLimit(.minutes(1)))
struct SOSSleepTests {
    private func box(_ sos: SOSFixture) async throws -> BoxFixture {
        let fixture = try await sos.box()
        await fixture.fix()
        await fixture.rest(3)
        return fixture
    }

    private func weaknesses(_ fixture: BoxFixture) async -> [BoxStatus.Weakness] { await fixture.sos?.weaknesses ?? [] }

    /// What the hub was told last.
    private func told(_ sos: SOSFixture) -> [String] { sos.hub.reports.max { $0.revision < $1.revision }?.weaknesses ?? [] }

    @Test("SOS-18: before a machine falls asleep page and hub are told that nobody will watch, and that nobody did once it is awake again")
    func asleep() async throws {
        let sos = SOSFixture(hub: ScriptedSOSHub.answer(), settings: SOSFixture.settings()), fixture = try await box(sos)
        await fixture.box.take(.sleep(.held))
        #expect(await !weaknesses(fixture).contains(.mayFallAsleep) && !told(sos).contains("mayFallAsleep"))
        await fixture.box.take(.sleep(.fallsAsleep))
        #expect(await weaknesses(fixture).contains(.mayFallAsleep))
        try await #require(eventually { told(sos).contains("mayFallAsleep") })
        fixture.clock.advance(3_600_000)
        await fixture.box.take(.sleep(.wokeUp))
        #expect(await weaknesses(fixture).contains(.wasAsleep))
        #expect(await !weaknesses(fixture).contains(.mayFallAsleep))
        try await #require(eventually { told(sos).contains("wasAsleep") && !told(sos).contains("mayFallAsleep") })
        fixture.clock.advance(600_000)
        await fixture.box.tick()
        #expect(await !weaknesses(fixture).contains(.wasAsleep))
        _ = try await fixture.stored()
    }

    @Test(
        "SOS-18: a machine that nothing keeps awake says so, from its first word on, and a lock ends that; not to whom nobody watches",
        arguments: [true, false])
    func unheld(isOn: Bool) async throws {
        var settings = SOSFixture.settings()
        settings.people[0].distress.isOn = isOn
        let sos = SOSFixture(hub: ScriptedSOSHub.answer(), settings: settings), fixture = try await box(sos)
        let refused = SourceProblem(what: "Refused", advice: "Allow it", retries: true)
        for event in [SleepEvent.released, .refused(refused)] {
            await fixture.box.take(.sleep(event))
            #expect(await weaknesses(fixture).contains(.mayFallAsleep) == isOn)
            await fixture.box.tick()
            try await #require(eventually { told(sos).contains("mayFallAsleep") == isOn })
        }
        await fixture.box.take(.sleep(.fallsAsleep))
        await fixture.box.take(.sleep(.held))
        #expect(await !weaknesses(fixture).contains(.mayFallAsleep))
        _ = try await fixture.stored()
    }

    @Test("SOS-4: a box that stood still for six seconds across its question asks again before it calls")
    func stoodStill() async throws {
        let sos = SOSFixture(settings: SOSFixture.settings()), fixture = try await box(sos)
        await fixture.rest(15)
        await fixture.distress(3)
        let question = try #require(await fixture.sos?.question)
        fixture.clock.advance(6000)
        await fixture.box.tick()
        #expect(sos.caller.calls == 0 && fixture.clock.now > question.answerBy)
        #expect(await fixture.sos?.question?.answerBy == fixture.clock.now + 5000)
        for _ in 0..<5 {
            fixture.clock.advance(1000)
            await fixture.box.tick()
        }
        #expect(sos.caller.calls == 1)
        _ = try await fixture.stored()
    }
}
