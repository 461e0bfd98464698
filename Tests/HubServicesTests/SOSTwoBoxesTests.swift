import Distress
import HubStore
import SyncProtocol
import Synchronization
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// What one box of a person is told of the other one (SOS-21), by the hub.
@Suite(.timeLimit(.minutes(1)))
struct SOSTwoBoxesTests {
    /// The box that pauses is the town's; the other one is beside it.
    private struct Two {
        var town: SOSTown
        let other: ServicesFixture.Box, boot = BootID.random()
        var revision: UInt64 = 0

        init() async throws {
            town = try await SOSTown()
            other = try await town.hub.enrol([town.person.id.person])
        }

        private mutating func report(_ unprotected: [Absence], _ isDown: Bool, _ boot: BootID?) -> SOSReport {
            revision += 1
            var report = town.report(revision, unprotected: unprotected, detectorDown: isDown, boot: boot)
            report.sentAt = 1_000_000 + town.hub.clock.now % 1_000_000_000
            return report
        }

        @discardableResult
        mutating func first(_ unprotected: [Absence], isDown: Bool = false) async throws -> SOSAnswer {
            try await town.send(report(unprotected, isDown, nil))
        }

        /// - Parameter pressed: so many milliseconds before the report, to have the first box watch again.
        @discardableResult
        mutating func second(_ unprotected: [Absence], isDown: Bool = false, pressed: Milliseconds? = nil, at: Milliseconds? = nil)
            async throws -> SOSAnswer
        {
            var report = report(unprotected, isDown, boot)
            report.broughtBack = at ?? pressed.map { report.sentAt - $0 }
            return try await town.sos.reports.take(
                report, from: town.hub.authenticator.session(bearer: other.token, now: town.hub.clock.now, takesExpired: true))
        }
    }

    @Test("SOS-21: what keeps one box from watching until somebody ends it, the other one is told while nobody watches")
    func told() async throws {
        var two = try await Two()
        try await two.first([.paused])
        #expect(try await two.second([.noSignal]).elsewhere == "paused")
        #expect(try await two.second([]).elsewhere == nil, "it watches by itself")
        #expect(try await two.first([.paused]).elsewhere == nil, "the other box watches")
        try await two.second([.noSignal])
        #expect(try await two.first([.paused]).elsewhere == nil, "it says so itself")
        try await two.first([.notWorn])
        #expect(try await two.second([.noSignal]).elsewhere == nil, "nobody chose that")
        try await two.first([])
        #expect(try await two.second([.noSignal]).elsewhere == nil, "the first one watches")
        try await two.first([.paused, .waitingForReactivation])
        #expect(try await two.second([.noSignal]).elsewhere == "waitingForReactivation")
        try await two.first([.switchedOff], isDown: true)
        #expect(try await two.second([.noSignal]).elsewhere == "switchedOff")
        try await two.first([.paused, .noSignal], isDown: true)
        #expect(try await two.second([.noSignal]).elsewhere == nil, "without a sensor it would not watch either")
        try await two.first([.paused])
        await two.town.pass(SOSTimings.linkSilentAfter)
        #expect(try await two.second([.noSignal]).elsewhere == nil, "that box is not heard")
        try await two.first([.paused])
        try await two.town.sos.choices.turnOff(two.town.person.id.person, by: two.town.person.id)
        #expect(try await two.second([.switchedOff]).elsewhere == nil, "each box has that in its settings")
    }

    @Test("SOS-21: while the hub has the heart rate that no box can watch, no box is told that nobody does")
    func watchedByHub() async throws {
        var two = try await Two()
        let phone = SOSLinkTests.Phone(two.town)
        try await two.first([.switchedOff], isDown: true)
        #expect(try await two.second([.noSignal], isDown: true).elsewhere == "switchedOff")
        for rate: UInt16 in [70, 71, 72] { try await phone.heart(rate) }
        #expect(try await two.second([.noSignal], isDown: true).elsewhere == nil)
    }

    @Test("SOS-21: a press at the other box goes to the paused one, once, also over a restart of the hub; the next press is another one")
    func broughtBack() async throws {
        var two = try await Two()
        try await two.first([.paused])
        let answer = try await two.second([.noSignal], pressed: 100)
        #expect(answer.elsewhere == "paused", "not before that box watches")
        let pressed = try await two.first([.paused]).pressed
        #expect(pressed.map(\.button) == [.reactivate] && pressed.map(\.bringsBack) == [true])
        #expect(pressed.first.map { $0.ago >= 100 } == true)
        let at = try #require(
            two.town.sos.state.withLock { $0.entries[two.town.person.id.person]?.state.boxes.values.compactMap(\.broughtBack).first })
        try await two.second([.noSignal], at: at)
        #expect(try await two.first([.paused]).pressed.map(\.number) == pressed.map(\.number), "the same press")
        try await two.town.sent()
        two.town = try two.town.restarted()
        try await two.second([.noSignal], at: at)
        #expect(try await two.first([.paused]).pressed.map(\.number) == pressed.map(\.number), "the same press, behind a restart")
        await two.town.pass(1000)
        try await two.second([.noSignal], pressed: 10)
        #expect(try await two.first([.paused]).pressed.count == 2)
    }

    @Test("SOS-21: a press that the hub hears of too late brings nothing back, and a button of a page ends no pause at a box")
    func notBroughtBack() async throws {
        var two = try await Two()
        try await two.first([.paused])
        try await two.second([.noSignal], pressed: SOSTimings.pressLifetime)
        #expect(try await two.first([.paused]).pressed.isEmpty)
        _ = try await two.town.sos.presses.press(.reactivate, for: two.town.person.id.person)
        #expect(try await two.first([.paused]).pressed.map(\.bringsBack) == [nil])
    }

    @Test("SOS-21: a press at a box that heard nothing of the case reactivates the hub, and the box that waits")
    func reactivated() async throws {
        var two = try await Two()
        let person = two.town.person.id.person, alarm = try two.town.helpAlarm()
        try await two.town.send(two.town.report(1, alarm))
        #expect(await two.town.sos.helpers.act(.take, .contact(0, name: "Bruno"), on: alarm.id))
        #expect(await two.town.sos.helpers.act(.finish, .contact(0, name: "Bruno"), on: alarm.id))
        #expect(try two.town.sos.views.view(of: person)?.isWaiting == true)
        two.revision = 1
        try await two.first([.waitingForReactivation])
        #expect(try await two.second([.noSignal]).elsewhere == "waitingForReactivation")
        try await two.second([.noSignal], pressed: 0)
        #expect(two.town.sos.state.withLock { $0.entries[person]?.state.watch.incident.isWaiting } == false)
        #expect(try await two.first([.waitingForReactivation]).pressed.map(\.button) == [.reactivate])
    }
}
