import Accounts
import Alerts
import Distress
import Foundation
import HubStore
import Segments
import SyncProtocol
import Synchronization
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// What is not done without consent to calls, by whom nothing is ended, and what is told of an end.
@Suite(.timeLimit(.minutes(2)))
struct SOSConsentBoundsTests {
    /// A position that the person's phone sends.
    private func send(_ town: SOSTown, ago: Milliseconds, provenance: Provenance = .live) async throws {
        let sample = PositionSample(
            time: town.hub.clock.now - ago, latitude: 454_000_000, longitude: 91_900_000, horizontalError: 100)
        let segment = Segment(
            stream: town.stream, sequence: 1, person: town.person.id.person, provenance: provenance, clock: .wall,
            samples: SampleSet(positions: [sample]))
        let session = try town.hub.authenticator.session(bearer: town.box.token, now: town.hub.clock.now)
        let body = try SegmentBatch.encode([segment.encoded()])
        _ = try await town.hub.ingest.commit(body.withUnsafeBytes { try town.hub.ingest.receive(session: session, body: $0) })
        await town.sos.detection.detect(in: Array(town.hub.bus.arrivedForSOS.take()))
    }

    private func contact(_ town: SOSTown, _ link: Int) throws -> SOSHelper {
        let item = try #require(town.sos.openCase(of: town.person.id.person))
        return try #require(town.sos.helpers.contact(link: item.links[link])).helper
    }

    @Test(
        "SOS-1, SOS-16, design rule 10: without consent, and without a call for help, nobody learns whom to call, nor where the person was")
    func withoutConsent() async throws {
        let town = try await SOSTown(isRoom: true), crews = try town.crews(3), person = town.person.id.person
        let session = try town.hub.authenticator.session(bearer: town.box.token, now: town.hub.clock.now)
        #expect(try town.sos.boxSettings.settings(for: session, capsBaselines: true).people[0].contacts.map(\.name) == ["Bruno", "Carla"])
        try await town.sos.choices.turnOff(person, by: town.person.id)
        let settings = try town.sos.boxSettings.settings(for: session, capsBaselines: true).people[0]
        #expect(!settings.distress.isOn && settings.contacts.map(\.name) == ["Bruno", "Carla"], "for a call for help")
        try await send(town, ago: 60_000)
        var fall = try town.helpAlarm(isWithPosition: false)
        fall.abnormalities[0].trigger = .fall
        try await town.send(town.report(1, fall))
        #expect(town.sos.openCase(of: person)?.alarm.position == nil)
        // The person's own box tells where they are.
        fall.position = try town.helpAlarm().position
        try await town.send(town.report(2, fall))
        for _ in 0..<4 { await town.pass(30_000) }
        let item = try #require(town.sos.openCase(of: person))
        #expect(item.alarm.position != nil && item.offers.isEmpty && item.calls.isEmpty && town.outbox.all.isEmpty)
        #expect(town.sos.crews.cases(of: crews[0].id).isEmpty)
    }

    @Test("design rule 11: where a replayed stream says that somebody was is not where somebody in distress is looked for")
    func replayedPosition() async throws {
        let town = try await SOSTown(), person = town.person.id.person
        try await send(town, ago: 60_000, provenance: .replay)
        try await town.send(town.report(1, try town.helpAlarm(isWithPosition: false)))
        await town.pass(5000)
        let item = try #require(town.sos.openCase(of: person))
        #expect(item.alarm.position == nil)
    }

    @Test("SOS-20: a contact neither takes, gives back nor ends what another one has")
    func notTheirs() async throws {
        let town = try await SOSTown(), person = town.person.id.person, alarm = try town.helpAlarm()
        try await town.send(town.report(1, alarm))
        let (bruno, carla) = (try contact(town, 0), try contact(town, 1))
        #expect(!bruno.hasAuthority && !SOSHelper.account(town.person.id, name: "").hasAuthority)
        #expect(await town.sos.helpers.act(.take, bruno, on: alarm.id))
        for act in [SOSHelperAct.take, .release, .finish] {
            #expect(await !town.sos.helpers.act(act, carla, on: alarm.id), "\(act)")
            #expect(town.sos.openCase(of: person)?.owner == .contact(0))
        }
        #expect(await town.sos.helpers.act(.finish, bruno, on: alarm.id))
        // Nobody takes what is over.
        #expect(await !town.sos.helpers.act(.take, bruno, on: alarm.id))
    }

    @Test("SOS-10, SOS-20: a false alarm that is reported behind the end reaches whoever was told, and the crew", arguments: [true, false])
    func falseAlarmLate(byBox: Bool) async throws {
        let town = try await SOSTown(), crews = try town.crews(1), person = town.person.id.person, alarm = try town.helpAlarm()
        try await town.send(town.report(1, alarm))
        try await town.until { town.sos.openCase(of: person)?.calls.contains { $0.isContact(0) && $0.state == .sent } == true }
        #expect(try await town.sos.crews.accept(alarm.id, by: crews[0]) == .yours)
        #expect(await town.sos.crews.setStatus(.done, of: alarm.id, by: crews[0].id))
        await town.pass(1000)
        try await town.until { town.sos.state.withLock { $0.cases[alarm.id] == nil } }
        if byBox {
            try await town.send(town.report(2, alarm, outcome: .falseAlarm))
        } else {
            _ = try await town.sos.presses.press(.falseAlarm, for: person)
        }
        let item = try #require(town.sos.state.withLock { $0.cases[alarm.id] })
        let told = item.calls.filter { $0.message == .falseAlarm }
        #expect(told.contains { $0.isContact(0) } && told.contains { $0.recipient == .account(crews[0].id) })
        #expect(item.outcome == .falseAlarm && item.calls.allSatisfy { $0.message != .over || $0.state == .sent })
        await town.pass(1000)
        try await town.until { try town.sos.store.incident(alarm.id)?.calls.allSatisfy { $0.state != .waiting } == true }
        #expect(try town.sos.store.incident(alarm.id)?.outcome == .falseAlarm)
    }

    @Test("SOS-19: nobody takes a test, and it has no owner")
    func testIsNobodys() async throws {
        let town = try await SOSTown(isRoom: true), person = town.person.id.person
        town.outbox.failing.withLock { $0 = ["never@example.org"] }
        try await town.sos.choices.addContact(
            SOSContact(name: "Never", phone: nil, email: "never@example.org", language: "en"), of: person, by: town.person.id)
        try await town.sos.drills.run(for: person)
        let test = try #require(town.sos.state.withLock { state in state.cases.values.first { $0.isTest } })
        for helper in [SOSHelper.room(name: "room"), .contact(0, name: "Bruno"), .account(town.person.id, name: "Ada")] {
            for act in SOSHelperAct.allCases { #expect(await !town.sos.helpers.act(act, helper, on: test.id)) }
        }
        #expect(town.sos.state.withLock { $0.cases[test.id] }?.owner == nil)
    }

    @Test("SOS-10: a box that hears late of a help that was a false alarm is told of the false alarm, and not to call for help")
    func lateBox() async throws {
        let town = try await SOSTown(), person = town.person.id.person
        _ = try await town.sos.presses.press(.help, for: person)
        await town.pass(1000)
        _ = try await town.sos.presses.press(.falseAlarm, for: person)
        #expect(try await town.send(town.report(1)).pressed.map(\.button) == [.falseAlarm])
        // A help of afterwards is a new one.
        await town.pass(1000)
        _ = try await town.sos.presses.press(.reactivate, for: person)
        _ = try await town.sos.presses.press(.help, for: person)
        #expect(try await town.send(town.report(2)).pressed.map(\.button) == [.falseAlarm, .reactivate, .help])
    }

    @Test("SOS-19: a planned test that was missed is not made up for, and none goes out of somebody who turned it off")
    func missedDrill() async throws {
        let town = try await SOSTown(isRoom: true), person = town.person.id.person
        let plan = SOSDrillPlan(everyWeeks: 1, weekday: 3, hour: 10, timeZone: "UTC")
        try await town.sos.drills.setPlan(plan, for: person, by: town.person.id)
        let due = try #require(try await town.sos.drills.next(of: person))
        town.hub.clock.advance(due - town.hub.clock.now + SOSDrills.lateMax + 1000)
        await town.sos.drills.beginDue()
        let next = try #require(try await town.sos.drills.next(of: person))
        #expect(next == due + 7 * 86_400_000 && town.outbox.all.isEmpty)
        #expect(try town.sos.store.cases(of: person).isEmpty)
        try await town.sos.choices.turnOff(person, by: town.person.id)
        town.hub.clock.advance(next - town.hub.clock.now + 1000)
        await town.sos.drills.beginDue()
        #expect(try town.sos.store.cases(of: person).isEmpty && town.outbox.all.isEmpty)
    }
}
