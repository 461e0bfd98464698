import Dispatch
import Distress
import Foundation
import Sensing
import SyncProtocol
import Synchronization
import TestSupport
import Testing
import Vitals

@testable import AgentKit

/// A box that does not watch, for whatever reason, says so, and lets the hub do it.
@Suite(.timeLimit(.minutes(1)))
struct SOSWatchingTests {
    private func box(_ sos: SOSFixture) async throws -> BoxFixture {
        let fixture = try await sos.box()
        await fixture.rest()
        return fixture
    }

    /// What the hub was told last.
    private func isDown(_ sos: SOSFixture) -> Bool? { sos.hub.reports.max { $0.revision < $1.revision }?.detectorDown }

    @Test("SOS-18: readings that are taken long after they were measured: this box cannot watch, the hub is asked to, and it is shown")
    func behind() async throws {
        let sos = SOSFixture(hub: ScriptedSOSHub.answer(), settings: SOSFixture.settings()), fixture = try await box(sos)
        try await #require(eventually { isDown(sos) == false })
        let late = HeartRateSample(time: fixture.clock.now - 20_000, beatsPerMinute: 70, contact: .detected, rrIntervals: [])
        await fixture.box.take(.heartRate(.measurement(late), fixture.person, fixture.strap(of: fixture.person)))
        await fixture.box.tick()
        #expect(await fixture.sos?.reasons.contains(.detectorDown) == true)
        try await #require(eventually { isDown(sos) == true })
        await fixture.rest(3)
        #expect(await fixture.sos?.reasons.contains(.detectorDown) == false)
        try await #require(eventually { isDown(sos) == false })
        _ = try await fixture.stored()
    }

    @Test(
        "SOS-4: whom a gateway hears is at home, and whom a carried box hears is anywhere; over a restart of the agent, too",
        arguments: [(BoxRole.gateway, Context.home), (.phone, .unknown)])
    func home(role: BoxRole, context: Context) async throws {
        let sos = SOSFixture(hub: ScriptedSOSHub.answer(), settings: SOSFixture.settings())
        let fixture = try BoxFixture(role: role, sos: sos)
        try await fixture.box.begin(listening: false)
        await fixture.rest(3)
        #expect(await fixture.box.stations.all.values.map(\.watch.detector.context) == [context])
        let kept = try #require(await fixture.box.stations.all.values.first?.kept)
        // What another start's stream told of its box says nothing of this start's.
        let state = SOSState(boot: BoxFixture.boot, at: fixture.clock.now, utc: 0, persons: [kept])
        let again = try BoxFixture(
            role: role, at: fixture.clock.now + 20_000, sos: SOSFixture(settings: SOSFixture.settings(), state: state))
        try await again.box.begin(listening: false)
        await again.rest(3)
        #expect(await again.box.stations.all.values.map(\.watch.detector.context) == [context])
    }

    @Test(
        "SOS-4, SOS-24: what a receiver at a gateway finds is the place of an alarm, and no word of whether its wearer moves; at a carried box it is",
        arguments: [(BoxRole.gateway, Context.home), (.phone, .rest)])
    func receiver(role: BoxRole, context: Context) async throws {
        var settings = SOSFixture.settings()
        settings.people[0].distress.inactivity = InactivityPlan(hours: 12, timeZone: "Etc/UTC")
        let sos = SOSFixture(hub: ScriptedSOSHub.answer(), settings: settings), fixture = try BoxFixture(role: role, sos: sos)
        try await fixture.box.begin(listening: false)
        await fixture.box.tick()
        // It drifts in the end.
        for second in 0..<360 {
            let sample = PositionSample(
                time: fixture.clock.now, latitude: 454_781_234 + (second > 350 ? 20_000 : 0), longitude: 92_270_005, speed: 0,
                horizontalError: 40)
            await fixture.box.take(.position(.fix(sample, utc: fixture.clock.now + BoxFixture.utcOffset)))
            await fixture.beat(70)
        }
        let station = try #require(await fixture.box.stations.all[fixture.person]), isGateway = role == .gateway
        #expect(station.watch.detector.context == context)
        #expect((station.activity?.seen == nil) == isGateway && (station.activity?.sign == nil) == isGateway)
        #expect(station.watch.detector.position?.source == .gnss)
        #expect(await fixture.box.places.all[fixture.person]?.position.latitude != nil, "it is kept over a restart")
        let stored = try await fixture.stored()[fixture.person]?.positions ?? []
        #expect(!stored.isEmpty && stored.allSatisfy { ($0.source == .fixed) == isGateway && ($0.speed == nil) == isGateway })
    }

    @Test("SOS-2: a box that was upgraded fetches its settings anew: those that it has were made for a detector that caps no baseline")
    func upgraded() async throws {
        var kept = SOSFixture.settings()
        kept.detector = nil
        kept.people[0].distress.overrides.criticalLow = 35
        let sos = SOSFixture(hub: ScriptedSOSHub.answer { $0.settingsVersion = 1 }, settings: kept)
        sos.hub.give(SOSFixture.settings())
        let fixture = try await sos.box()
        try await #require(eventually { await fixture.box.stations.all.values.first?.settings.distress.overrides.criticalLow == nil })
        #expect(await !fixture.box.sosSettings.areOld)
    }

    @Test("SOS-6: the hub hears that the person switched position off, and can say why there is none")
    func positionOff() async throws {
        let sos = SOSFixture(hub: ScriptedSOSHub.answer(), settings: SOSFixture.settings()), fixture = try await box(sos)
        #expect(sos.hub.reports.allSatisfy { $0.isPositionOff == nil })
        #expect(await fixture.box.perform(ControlRequest(.kinds, kinds: KindsChoice(position: false))).isDone)
        await fixture.distress()
        #expect(try await eventually { sos.hub.reports.contains { $0.alarm != nil && $0.isPositionOff == true } })
        _ = try await fixture.stored()
    }

    @Test("SOS-18: a box that stands still has the hub asked to watch by somebody else in it, with its last word, and shows it afterwards")
    func stuck() async throws {
        let sos = SOSFixture(hub: ScriptedSOSHub.answer(), settings: SOSFixture.settings()), fixture = try await box(sos)
        try await #require(eventually { isDown(sos) == false })
        let stallDetector = fixture.box.stallDetector, hub = sos.hub
        let clock = BoxClock(boottime: { fixture.clock.now }, utc: { fixture.clock.now })
        let block = DispatchSemaphore(value: 0)
        let (began, begin) = AsyncStream.makeStream(of: Void.self)
        let hanging = Task { await fixture.box.hang(block, began: begin) }
        for await _ in began {}
        fixture.clock.advance(StallDetector.stuckAfter + 1000)
        let running = Task.detached { await stallDetector.run(hub, clock, every: .milliseconds(100)) }
        #expect(try await eventually { isDown(sos) == true })
        let word = try #require(sos.hub.reports.last { $0.detectorDown })
        #expect(word.person == fixture.person && word.sentAt == fixture.clock.now && word.boot == BoxFixture.boot)
        running.cancel()
        block.signal()
        await hanging.value
        await fixture.rest(3)
        #expect(await fixture.sos?.weaknesses.contains(.stoodStill) == true)
        try await #require(eventually { isDown(sos) == false })
        _ = try await fixture.stored()
    }

    @Test("SOS-8: a box that stands still while an alarm waits for \"reactivate\" does not reactivate it at the hub")
    func stuckWaiting() throws {
        let word = StallDetector(), person = PersonID(high: 1, low: 1)
        word.note(
            SOSReport(
                person: person, boot: BoxFixture.boot, revision: 5_000, sentAt: 5_000, provenance: .live,
                unprotected: [.waitingForReactivation]))
        #expect(word.beat(at: 5_000) == nil)
        #expect(word.due(at: 25_000).isEmpty)
        let due = try #require(word.due(at: 25_001).first)
        // The box may live again in the same millisecond, and its word must be the newer one.
        #expect(due.detectorDown && due.revision == 25_000 && due.unprotected == [.waitingForReactivation])
        #expect(word.due(at: 30_000).isEmpty && word.due(at: 35_001).count == 1)
        #expect(word.beat(at: 40_000) == 35_000 && word.beat(at: 41_000) == nil && word.due(at: 50_000).isEmpty)
    }

    @Test("SOS-18: a box without a sensor, or whose heart rate is switched off, leaves the watching to the hub")
    func nothingToWatch() async throws {
        let sos = SOSFixture(hub: ScriptedSOSHub.answer(), settings: SOSFixture.settings()), fixture = try await box(sos)
        try await #require(eventually { isDown(sos) == false })
        _ = await fixture.box.perform(ControlRequest(.kinds, kinds: KindsChoice(heartRate: false)))
        await fixture.box.tick()
        try await #require(eventually { isDown(sos) == true })
        _ = await fixture.box.perform(ControlRequest(.kinds, kinds: KindsChoice(heartRate: true)))
        await fixture.box.tick()
        try await #require(eventually { isDown(sos) == false })
        _ = try await fixture.stored()
    }

    @Test("EDGE-11: a folder of hooks on a disk that hangs holds up neither the watching nor the alarm")
    func hangingFolder() async throws {
        let sos = SOSFixture(settings: SOSFixture.settings()), block = DispatchSemaphore(value: 0), looks = Mutex(0)
        var parts = sos.parts
        parts.hooks = {
            let number = looks.withLock { looks in
                looks += 1
                return looks
            }
            if number > 1 { block.wait() }
            return HooksGlance(names: (0..<number).map { "hook\($0)" })
        }
        let fixture = try BoxFixture(sos: sos, parts: parts)
        try await fixture.box.begin(listening: false)
        await fixture.rest()
        for _ in 0..<3 { await fixture.box.lookAtHooks() }
        await fixture.distress()
        #expect(sos.caller.calls == 1)
        #expect(try await eventually { looks.withLock { $0 } == 2 })
        block.signal()
        try await #require(eventually { await fixture.sos?.hooks == 2 })
        #expect(looks.withLock { $0 } == 2, "one look at a time")
        _ = try await fixture.stored()
    }
}

extension Box {
    /// As in a call of the system that does not return; `began` is told before.
    func hang(_ block: DispatchSemaphore, began: AsyncStream<Void>.Continuation) {
        began.finish()
        block.wait()
    }
}
