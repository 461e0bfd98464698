import Distress
import Foundation
import Languages
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import AgentKit
@testable import Peripherals

/// What a box shows of another box of its person, and what a press here does there (SOS-21).
@Suite(.timeLimit(.minutes(1)))
struct SOSTwoBoxesTests {
    /// A box whose hub says that of another one.
    private static func box(_ elsewhere: String?, log: KeptLog = KeptLog()) async throws -> (SOSFixture, BoxFixture) {
        let sos = SOSFixture(hub: ScriptedSOSHub.answer { $0.elsewhere = elsewhere }, settings: SOSFixture.settings())
        let fixture = try BoxFixture(sos: sos, logger: log.logger)
        try await fixture.box.begin(listening: false)
        try await fixture.settled()
        return (sos, fixture)
    }

    private func light(_ fixture: BoxFixture) async -> ButtonLight { await ButtonLight(fixture.box.status(), person: nil) }

    @Test(
        "SOS-21: what keeps the person from being watched at another box stands here, with the light and a notice, and is said once; not while this box watches",
        arguments: SOSStation.lasting)
    func shown(why: Absence) async throws {
        let log = KeptLog(), (sos, fixture) = try await Self.box(why.rawValue, log: log)
        func said() -> Int { log.lines.count { $0.contains("nobody is watched at another box of the person: \(why.rawValue)") } }
        await fixture.box.tick()
        let shown = try #require(await fixture.sos)
        #expect(shown.elsewhere == BoxStatus.Unprotected(why) && shown.standing == shown.elsewhere && !shown.isProtected)
        #expect(await light(fixture) == .steady && said() == 1)
        let status = await fixture.box.status()
        var desktop = DesktopNotifications(language: .english)
        let notices = desktop.update(status).shown.filter { $0.key.contains("elsewhere-\(why.rawValue)") }
        #expect(notices.map { notice in notice.actions.map { $0.key } } == [["reactivate"]])
        #expect(status.sosText.contains(Wording(.english)["sos.elsewhere.\(why.rawValue)"]))
        await fixture.rest()
        let watched = await fixture.sos
        #expect(watched?.isProtected == true && watched?.elsewhere == nil)
        #expect(await light(fixture) == .off)
        // The strap goes for a while: no second voice within two minutes of the first.
        fixture.clock.advance(70_000)
        await fixture.box.tick()
        try await fixture.settled()
        await fixture.box.tick()
        #expect(await fixture.sos?.elsewhere != nil)
        #expect(said() == 1)
        fixture.clock.advance(3_600_000)
        await fixture.box.tick()
        try await fixture.settled()
        await fixture.box.tick()
        #expect(said() == 2, "after an hour it is said again")
        // A hub that is not heard says nothing of now.
        sos.hub.mode = .unreachable
        fixture.clock.advance(HubReportState.every)
        await fixture.box.tick()
        try await fixture.settled()
        #expect(await fixture.sos?.elsewhere == nil)
        _ = try await fixture.stored()
    }

    @Test("SOS-21: a word of a newer hub, and one of a hub of 0.3.0 that says none, show nothing here", arguments: ["teleported", nil])
    func unknown(word: String?) async throws {
        let (_, fixture) = try await Self.box(word)
        await fixture.box.tick()
        let shown = await fixture.sos
        #expect(shown?.elsewhere == nil && shown?.standing == nil)
        #expect(await fixture.box.perform(ControlRequest(.ok, isButton: true)).message == "Recorded: you are OK.")
        _ = try await fixture.stored()
    }

    @Test("SOS-21: a press here tells the hub, until it has heard of it, and says that another box is asked", arguments: [true, false])
    func asked(isButton: Bool) async throws {
        let (sos, fixture) = try await Self.box("paused"), answering = sos.hub.mode
        sos.hub.mode = .unreachable
        let reply = await fixture.box.perform(ControlRequest(isButton ? .ok : .reactivate, isButton: isButton ? true : nil))
        let pressed = fixture.clock.now
        #expect(reply.words == "reply.reactivate.elsewhere" && reply.message.contains("Another box of the person is asked"))
        try await fixture.settled()
        for _ in 0..<3 {
            fixture.clock.advance(1000)
            await fixture.box.tick()
            try await fixture.settled()
        }
        #expect(sos.hub.reports.last?.broughtBack == pressed)
        sos.hub.mode = answering
        fixture.clock.advance(1000)
        await fixture.box.tick()
        try await fixture.settled()
        #expect(sos.hub.reports.last?.broughtBack == pressed)
        fixture.clock.advance(HubReportState.every)
        await fixture.box.tick()
        try await fixture.settled()
        #expect(sos.hub.reports.last?.broughtBack == nil)
        _ = try await fixture.stored()
    }

    enum Press: CaseIterable, Sendable { case elsewhere, page, before }

    @Test(
        "SOS-21: a press at another box ends this one's pause and takes the heart rate in; a page's does not, nor one from before the person chose so",
        arguments: Press.allCases)
    func broughtBack(press: Press) async throws {
        let (sos, fixture) = try await Self.box(nil)
        await fixture.rest()
        #expect(await fixture.box.perform(ControlRequest(.pause, minutes: 30)).isDone)
        #expect(await fixture.box.perform(ControlRequest(.kinds, kinds: KindsChoice(heartRate: false))).isDone)
        let chosen = await fixture.sos?.reasons ?? []
        #expect(chosen.contains(.paused) && chosen.contains(.switchedOff))
        fixture.clock.advance(5000)
        var pressed = SOSAnswer.Pressed(button: .reactivate, number: 5, ago: press == .before ? 6000 : 1000)
        pressed.bringsBack = press == .page ? nil : true
        sos.hub.mode = ScriptedSOSHub.answer { $0.pressed = [pressed] }
        fixture.clock.advance(HubReportState.every)
        pressed.ago += HubReportState.every
        sos.hub.mode = ScriptedSOSHub.answer { $0.pressed = [pressed] }
        await fixture.box.tick()
        try await fixture.settled()
        let choices = await fixture.box.choices[fixture.person], isBack = press == .elsewhere
        #expect((choices.pause == nil) == isBack && choices.kinds.heartRate == isBack)
        #expect(await fixture.sos?.reasons.contains(.paused) == !isBack)
        _ = try await fixture.stored()
    }
}
