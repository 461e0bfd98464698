import Accounts
import Distress
import Foundation
import HubStore
import SyncProtocol
import Synchronization
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// Nobody is silently unprotected (SOS-21), and help calls always (SOS-16).
@Suite(.timeLimit(.minutes(3)))
struct SOSUnprotectedTests {
    private func guardian(_ town: SOSTown, of person: PersonID? = nil, _ name: String = "parent") throws -> StoredAccount {
        let parent = try SOSTown.account(town.hub, .caregiver, "\(name)@example.org")
        try town.hub.accounts.consents.setGuardians([parent.id], of: person ?? town.person.id.person, adultFrom: .max / 2)
        return parent
    }

    private func told(_ town: SOSTown, _ account: StoredAccount? = nil, _ kind: NoticeKind = .sosUnprotected) throws -> Int {
        try town.hub.accounts.notices.notices(of: account ?? town.person).count { $0.kind == kind }
    }

    // MARK: Watched on, and waiting

    @Test("SOS-21: a false alarm that nobody had taken leaves box and hub watching, and the page says until when it is silent")
    func watchedOn() async throws {
        let town = try await SOSTown(), person = town.person.id.person, alarm = try town.helpAlarm()
        try await town.send(town.report(1, alarm))
        let answer = try await town.send(town.report(2, alarm, outcome: .falseAlarm))
        #expect(answer.outcome == .falseAlarm)
        try await town.send(town.report(3))
        let view = try #require(try town.sos.views.view(of: person))
        #expect(view.isProtected && !view.isWaiting && view.answeredUntil == town.hub.clock.now + SOSTimings.quietTime)
        await town.pass(SOSTimings.quietTime + 1000)
        #expect(try town.sos.views.view(of: person)?.answeredUntil == nil)
    }

    @Test("SOS-8, SOS-21: a case that somebody took waits for \"reactivate\"; a box that never heard of that and watches is right")
    func takenMeanwhile() async throws {
        let town = try await SOSTown(), person = town.person.id.person, alarm = try town.helpAlarm()
        try await town.send(town.report(1, alarm))
        #expect(await town.sos.helpers.act(.take, .contact(0, name: "Bruno"), on: alarm.id))
        _ = try await town.sos.presses.press(.falseAlarm, for: person)
        #expect(try town.sos.views.view(of: person)?.isWaiting == true)
        // The box had ended it before it heard of Bruno.
        try await town.send(town.report(2, alarm, outcome: .falseAlarm))
        #expect(try town.sos.views.view(of: person)?.isProtected == true)
    }

    @Test(
        "SOS-8, SOS-21: a parent who ends a case that nobody had taken leaves box and hub watching; one that somebody had waits",
        arguments: [false, true])
    func parentEnds(isTaken: Bool) async throws {
        let town = try await SOSTown(), person = town.person.id.person, parent = try guardian(town), alarm = try town.helpAlarm()
        try await town.send(town.report(1, alarm))
        if isTaken { #expect(await town.sos.helpers.act(.take, .contact(0, name: "Bruno"), on: alarm.id)) }
        #expect(await town.sos.helpers.act(.finish, .account(parent.id, name: "Parent"), on: alarm.id))
        let view = try #require(try town.sos.views.view(of: person))
        #expect(view.item == nil && view.isWaiting == isTaken && (view.answeredUntil != nil) == !isTaken)
        let outcome = try await town.send(town.report(2, alarm)).outcome
        #expect(outcome == (isTaken ? .finished(.account(parent.id)) : .answeredLate))
    }

    @Test("SOS-21: a box of release 0.3.0 that waits is shown as waiting, is woken by the page, and by the hub once its silence is over")
    func oldBox() async throws {
        let town = try await SOSTown(), person = town.person.id.person, alarm = try town.helpAlarm()
        try await town.send(town.report(1, alarm))
        func waits(_ revision: UInt64) async throws -> [SOSAnswer.Pressed.Button] {
            try await town.send(town.report(revision, alarm, outcome: .answeredLate, unprotected: [.waitingForReactivation])).pressed.map(
                \.button)
        }
        #expect(try await waits(2) == [])
        let view = try #require(try town.sos.views.view(of: person))
        #expect(view.isWaiting && view.reasons == ["waitingForReactivation"] && view.answeredUntil == nil)
        await town.pass(SOSTimings.quietTime - 1000)
        #expect(try await waits(3) == [])
        await town.pass(1000)
        #expect(try await waits(4) == [.reactivate])
        #expect(try await waits(5) == [.reactivate], "each press has one number")
        try await town.send(town.report(6))
        #expect(try town.sos.views.view(of: person)?.isProtected == true)
    }

    @Test("SOS-21: one press at one box reactivates the person's other box, also one that was offline for longer than a press is kept")
    func bothBoxes() async throws {
        let town = try await SOSTown(), person = town.person.id.person, alarm = try town.helpAlarm(), boot = BootID.random()
        let other = try await town.hub.enrol([person])
        func sendOther(_ report: SOSReport) async throws -> SOSAnswer {
            try await town.sos.reports.take(
                report, from: town.hub.authenticator.session(bearer: other.token, now: town.hub.clock.now, takesExpired: true))
        }
        func waiting(_ revision: UInt64, boot: BootID? = nil) -> SOSReport {
            town.report(revision, alarm, outcome: .finished(Owner("r1")), unprotected: [.waitingForReactivation], boot: boot)
        }
        try await town.send(town.report(1, alarm))
        #expect(await town.sos.helpers.act(.take, .contact(0, name: "Bruno"), on: alarm.id))
        #expect(await town.sos.helpers.act(.finish, .contact(0, name: "Bruno"), on: alarm.id))
        try await town.send(waiting(2))
        #expect(try await sendOther(waiting(1, boot: boot)).pressed.isEmpty)
        #expect(try town.sos.views.view(of: person)?.isWaiting == true)
        await town.pass(20_000)
        // The button of the first box.
        try await town.send(town.report(3))
        #expect(try await sendOther(waiting(2, boot: boot)).pressed.map(\.button) == [.reactivate])
        #expect(try town.sos.views.view(of: person)?.isProtected == true)
        await town.pass(SOSTimings.pressLifetime + 1000)
        try await town.send(town.report(4))
        #expect(try await sendOther(waiting(3, boot: boot)).pressed.map(\.button) == [.reactivate])
        _ = try await sendOther(town.report(4, boot: boot))
        #expect(try town.sos.views.view(of: person)?.isProtected == true)
    }

    @Test("SOS-21, SOS-7: a hub that was killed between the person's answer and its commit of the case ends the case when it runs again")
    func killedBetween() async throws {
        var town = try await SOSTown()
        let person = town.person.id.person, alarm = try town.helpAlarm()
        try await town.send(town.report(1, alarm))
        try await town.sent()
        let item = try #require(town.sos.openCase(of: person))
        _ = try await town.sos.presses.press(.falseAlarm, for: person)
        try await town.sent()
        // The watch is on the disk, and the case as it was before.
        try town.sos.store.save([.init(person: person, state: nil, incident: item)])
        town = try town.restarted()
        #expect(town.sos.openCase(of: person) == nil)
        #expect(
            try town.sos.store.incident(alarm.id)?.outcome == .falseAlarm
                || town.sos.state.withLock { $0.cases[alarm.id]?.outcome } == .falseAlarm)
    }

    @Test("SOS-7: a case that ended before it began, by clocks that were set, is compared with the next alarm")
    func endedBeforeItBegan() async throws {
        let town = try await SOSTown(), alarm = try town.helpAlarm(), later = try town.helpAlarm(sequence: 2)
        let last = EndedCase(id: alarm.id, outcome: .falseAlarm, at: 0, opened: 3_600_000)
        #expect(!last.covers(later, steps: []) && later.raisedAt < 3_000_000)
        var raised = later
        raised.raisedAt = 3_000_000
        #expect(last.covers(raised, steps: []))
    }

    // MARK: Said at once and again

    @Test(
        "SOS-21: a pause is told at once, after an hour, then daily; relatives after the person's own time, once", arguments: [false, true])
    func reminded(isOwnTime: Bool) async throws {
        let town = try await SOSTown(), parent = try guardian(town), hour: Milliseconds = 3_600_000
        if isOwnTime {
            try await town.sos.choices.setReminders(
                ReminderPlan(first: hour * 2, every: hour * 4), relativesAfter: hour, of: town.person.id.person, by: town.person.id)
        }
        var revision: UInt64 = 0
        func look(_ unprotected: [Absence] = [.paused]) async throws {
            revision += 1
            try await town.send(town.report(revision, unprotected: unprotected))
            await town.sos.chain.look()
            await town.pass(0)
        }
        try await look([])
        #expect(try told(town) == 0)
        try await look()
        #expect(try told(town) == 1 && told(town, parent) == 0)
        var after: [Int] = [], relatives: [Int] = []
        for _ in 0..<26 {
            town.hub.clock.advance(hour)
            try await look()
            after.append(try told(town))
            relatives.append(try told(town, parent))
        }
        #expect(after == (1...26).map { isOwnTime ? $0 < 2 ? 1 : 2 + ($0 - 2) / 4 : $0 < 25 ? 2 : 3 })
        #expect(relatives == (1...26).map { $0 >= (isOwnTime ? 1 : 4) ? 1 : 0 })
        try await look([])
        town.hub.clock.advance(hour)
        try await look()
        #expect(try told(town) == after[25] + 1, "a new pause is told at once")
    }

    @Test(
        "SOS-21: over starts of the hub a pause goes on: it is told again after an hour and not with each start, and relatives hear of it")
    func remindedOverRestarts() async throws {
        var town = try await SOSTown(), revision: UInt64 = 0, after: [Int] = [], relatives: [Int] = []
        let parent = try guardian(town)
        func report(_ town: SOSTown, _ unprotected: [Absence]) async throws {
            revision += 1
            try await town.send(town.report(revision, unprotected: unprotected))
            await town.sos.chain.look()
            await town.pass(0)
        }
        try await report(town, [])
        try await report(town, [.paused])
        #expect(try told(town) == 1)
        for _ in 0..<5 {
            town.hub.clock.advance(3_600_000)
            town = try town.restarted()
            // No box has been heard by then.
            await town.sos.chain.look()
            try await report(town, [.paused])
            after.append(try told(town))
            relatives.append(try told(town, parent))
        }
        #expect(after == [2, 2, 2, 2, 2] && relatives == [0, 0, 0, 1, 1], "\(after) \(relatives)")
    }

    @Test("SOS-21: turning it off is told at once and again, and turning it on ends that; who never had it on is not told")
    func turnedOff() async throws {
        let town = try await SOSTown(), never = try await SOSTown(isOn: false), person = town.person.id.person
        try await never.send(never.report(1, unprotected: [.switchedOff]))
        await never.sos.chain.look()
        await never.pass(0)
        #expect(try told(never) == 0)
        try await town.sos.choices.turnOff(person, by: town.person.id)
        await town.sos.chain.look()
        await town.pass(0)
        #expect(try told(town) == 1)
        let session = try town.hub.authenticator.session(bearer: town.box.token, now: town.hub.clock.now, takesExpired: true)
        #expect(try town.sos.boxSettings.settings(for: session, capsBaselines: true).people[0].wasTurnedOff == true)
        town.hub.clock.advance(3_600_000)
        await town.sos.chain.look()
        await town.pass(0)
        #expect(try told(town) == 2)
        try await town.sos.choices.turnOn(person, consented: true, strict: false, by: town.person.id)
        town.hub.clock.advance(86_400_000)
        try await town.send(town.report(1))
        await town.sos.chain.look()
        await town.pass(0)
        #expect(try told(town) == 2)
    }

    // MARK: Help

    @Test("SOS-16: help calls contacts, crews and rooms of a person who never turned it on, and the record says on what ground")
    func helpWhileOff() async throws {
        let town = try await SOSTown(isRoom: true, isOn: false), person = town.person.id.person, crews = try town.crews(1)
        try await town.sos.choices.addContact(
            SOSContact(name: "Bruno", phone: "+39025B", email: nil, language: "en"), of: person, by: town.person.id)
        let session = try town.hub.authenticator.session(bearer: town.box.token, now: town.hub.clock.now, takesExpired: true)
        #expect(
            try town.sos.boxSettings.settings(for: session, capsBaselines: true).people[0].contacts.map(\.name) == ["Bruno"],
            "its box needs them as well")
        let alarm = try town.helpAlarm()
        try await town.send(town.report(1, alarm, unprotected: [.switchedOff]))
        try await town.until { town.outbox.texts(to: "+39025B").count == 1 && !town.outbox.texts(to: "room").isEmpty }
        let item = try #require(town.sos.openCase(of: person))
        #expect(item.ground == .help && item.isConsented == true && item.offers.map(\.account) == crews.map(\.id))
        #expect(try await SOSTown().sos.store.counts() == (0, 0))
    }

    @Test("SOS-16: what nobody asked for calls no contact without consent; help in that case does, on its own ground")
    func helpInACase() async throws {
        let town = try await SOSTown(isOn: false), person = town.person.id.person, parent = try guardian(town)
        try await town.sos.choices.addContact(
            SOSContact(name: "Bruno", phone: "+39025B", email: nil, language: "en"), of: person, by: town.person.id)
        let help = try town.helpAlarm(sequence: 1)
        var fall = try town.helpAlarm(sequence: 2)
        fall.abnormalities[0].trigger = .fall
        try await town.send(town.report(1, fall))
        try await town.until { try told(town, parent, .sosRaised) == 1 }
        await town.pass(60_000)
        #expect(town.outbox.texts(to: "+39025B").isEmpty && town.sos.openCase(of: person)?.ground == nil)
        fall.abnormalities.append(help.abnormalities[0])
        try await town.send(town.report(2, fall))
        try await town.until { town.outbox.texts(to: "+39025B").count == 1 }
        #expect(town.sos.openCase(of: person)?.ground == .help)
    }

    @Test("SOS-16: where nobody is set up, the box hears it before the press and the case says so", arguments: [false, true])
    func nobody(isContact: Bool) async throws {
        let town = try await SOSTown(isOn: false), person = town.person.id.person
        if isContact {
            try await town.sos.choices.addContact(
                SOSContact(name: "Bruno", phone: nil, email: "bruno@example.org", language: "en"), of: person, by: town.person.id)
        }
        #expect(try await town.send(town.report(1, unprotected: [.switchedOff])).reachesNobody == nil, "not looked at yet")
        await town.sos.chain.look()
        #expect(try await town.send(town.report(2, unprotected: [.switchedOff])).reachesNobody == !isContact)
        try await town.send(town.report(3, try town.helpAlarm()))
        #expect(town.sos.openCase(of: person)?.hasNobody == !isContact)
    }

    @Test("SOS-16: whom this hub has no way to is nobody, and the case does not say that it is repeated", arguments: [false, true])
    func unreachable(isMail: Bool) async throws {
        let start = try await SOSTown(isOn: false), town = try start.restarted(change: { $0.text = nil })
        let person = town.person.id.person
        try await town.sos.choices.addContact(
            SOSContact(name: "Bruno", phone: "+39025B", email: isMail ? "bruno@example.org" : nil, language: "en"), of: person,
            by: town.person.id)
        _ = try await town.sos.presses.press(.help, for: person)
        try await town.sent()
        #expect(town.sos.openCase(of: person)?.calls.contains { $0.state == .failed } == true)
        #expect(town.sos.openCase(of: person)?.hasNobody == !isMail)
        #expect(try town.sos.views.emergencies(for: town.person.id).map(\.hasNobody) == [!isMail])
    }

    // MARK: Whose button

    @Test("SOS-16, EDGE-13: help at a button of two people is one case that names both, and tells the contacts and relatives of both")
    func joint() async throws {
        let town = try await SOSTown(), person = town.person.id.person
        let bruna = try SOSTown.account(town.hub, .person, "bruna@example.org"), parent = try guardian(town, of: bruna.id.person)
        try await town.sos.choices.addContact(
            SOSContact(name: "Dario", phone: "+39027D", email: nil, language: "en"), of: bruna.id.person, by: bruna.id)
        let box = try await town.hub.enrol([person, bruna.id.person]), stranger = PersonID(high: 9, low: 9)
        var report = town.report(1, try town.helpAlarm())
        report.others = [bruna.id.person, stranger]
        _ = try await town.sos.reports.take(
            report, from: town.hub.authenticator.session(bearer: box.token, now: town.hub.clock.now, takesExpired: true))
        let item = try #require(town.sos.openCase(of: person))
        #expect(item.others == [bruna.id.person], "only of this box's people")
        #expect(item.contacts?.map(\.name) == ["Bruno", "Carla", "Dario"])
        #expect(town.sos.openCase(of: bruna.id.person)?.id == item.id && town.sos.state.withLock { $0.cases.values.count } == 1)
        await town.pass(40_000)
        try await town.until { town.outbox.texts(to: "+39027D").count == 1 }
        let text = town.outbox.texts(to: "+39027D")[0]
        #expect(text.hasPrefix("SOS Ada Made-Up, Ada Made-Up"), "\(text)")
        try await town.until { try told(town, parent, .sosRaised) == 1 }
        #expect(await town.sos.helpers.act(.take, .account(parent.id, name: "Parent"), on: item.id))
        // Whoever looks after one of them keeps it, and is led to that one.
        await town.sos.owners.releaseGone()
        #expect(town.sos.openCase(of: person)?.owner == .account(parent.id))
        let notice = try #require(town.hub.accounts.notices.notices(of: parent).first { $0.kind == .sosRaised })
        #expect(notice.arguments["path"] == "/care/person/\(bruna.id.person)/protection")
        let bars = try town.sos.views.emergencies(for: parent.id), own = try town.sos.views.emergencies(for: bruna.id)
        #expect(bars.map(\.person) == [bruna.id.person] && bars.map(\.concern) == [.cared] && bars.first?.isOwner == true)
        #expect(own.map(\.person) == [bruna.id.person] && own.map(\.concern) == [.own])
    }

    /// A case of both.
    private func joint(_ town: SOSTown, _ other: StoredAccount, _ revision: UInt64 = 1) async throws -> SOSCase {
        let box = try await town.hub.enrol([town.person.id.person, other.id.person])
        var report = town.report(revision, try town.helpAlarm(sequence: revision))
        report.others = [other.id.person]
        _ = try await town.sos.reports.take(
            report, from: town.hub.authenticator.session(bearer: box.token, now: town.hub.clock.now, takesExpired: true))
        return try #require(town.sos.openCase(of: town.person.id.person))
    }

    @Test("SOS-16, EDGE-13: OK on a page counts for that person alone, the last one's ends the case, and so does anybody's false alarm")
    func jointOK() async throws {
        let town = try await SOSTown(), person = town.person.id.person
        let bruna = try SOSTown.account(town.hub, .person, "bruna@example.org"), other = bruna.id.person
        var item = try await joint(town, bruna)
        #expect(town.sos.name(of: item, town.person) == "Ada Made-Up, Ada Made-Up")
        #expect(try await town.sos.presses.press(.ok, for: person))
        item = try #require(town.sos.openCase(of: other))
        #expect(item.isOpen && item.meant == [other] && town.sos.name(of: item, town.person) == "Ada Made-Up")
        #expect(try await town.sos.presses.press(.ok, for: other))
        #expect(town.sos.openCase(of: person) == nil && town.sos.openCase(of: other) == nil)

        let second = try await SOSTown(), carla = try SOSTown.account(second.hub, .person, "carla@example.org")
        _ = try await joint(second, carla)
        #expect(try await second.sos.presses.press(.ok, for: carla.id.person))
        #expect(second.sos.openCase(of: carla.id.person) == nil, "it is not about her")
        #expect(second.sos.openCase(of: second.person.id.person)?.meant == [second.person.id.person])

        let third = try await SOSTown(), dora = try SOSTown.account(third.hub, .person, "dora@example.org")
        _ = try await joint(third, dora)
        #expect(try await third.sos.presses.press(.falseAlarm, for: dora.id.person))
        #expect(third.sos.openCase(of: third.person.id.person) == nil)
    }
}
