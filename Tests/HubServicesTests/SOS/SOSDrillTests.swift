import Accounts
import Alerts
import Distress
import Foundation
import HubStore
import SyncProtocol
import Synchronization
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// Tests by plan (SOS-19).
@Suite(.timeLimit(.minutes(3)))
struct SOSDrillTests {
    private func utc(_ text: String) throws -> Milliseconds {
        Milliseconds(try Date(text, strategy: .iso8601).timeIntervalSince1970 * 1000)
    }

    @Test("SOS-19: a plan is of a weekday and an hour where the person lives, over the change of clocks")
    func dates() throws {
        let plan = SOSDrillPlan(everyWeeks: 2, weekday: 1, hour: 10, timeZone: "Europe/Rome")
        let first = try #require(plan.first(after: utc("2026-10-14T12:00:00Z")))
        #expect(try first == utc("2026-10-19T08:00:00Z"))
        #expect(try plan.next(after: first, now: first) == utc("2026-11-02T09:00:00Z"))
        #expect(
            try plan.next(after: first, now: utc("2026-11-20T00:00:00Z")) == utc("2026-11-30T09:00:00Z"),
            "what was missed is not made up for")
        #expect(
            try SOSDrillPlan(everyWeeks: 1, weekday: 7, hour: 2, timeZone: "Europe/Rome").first(after: utc("2026-03-27T12:00:00Z")) != nil)
        for wrong in [
            SOSDrillPlan(everyWeeks: 0, weekday: 1, hour: 1, timeZone: "UTC"),
            SOSDrillPlan(everyWeeks: 1, weekday: 0, hour: 1, timeZone: "UTC"),
            SOSDrillPlan(everyWeeks: 1, weekday: 1, hour: 24, timeZone: "UTC"),
            SOSDrillPlan(everyWeeks: 1, weekday: 1, hour: 1, timeZone: "Mars"),
        ] { #expect(!wrong.isValid && wrong.first(after: 0) == nil) }
    }

    @Test(
        "SOS-19: a plan is set by the person or who looks after them; its test goes out once, as a test, over restarts, and not in a real case"
    )
    func planned() async throws {
        var town = try await SOSTown(isRoom: true)
        let person = town.person.id.person, plan = SOSDrillPlan(everyWeeks: 4, weekday: 3, hour: 10, timeZone: "UTC")
        await #expect(throws: SOSDrills.Problem.notAllowed) { try await town.sos.drills.setPlan(plan, for: person, by: .random()) }
        await #expect(throws: SOSDrills.Problem.plan) {
            try await town.sos.drills.setPlan(.init(everyWeeks: 99, weekday: 1, hour: 1, timeZone: "UTC"), for: person, by: town.person.id)
        }
        try await town.sos.drills.setPlan(plan, for: person, by: town.person.id)
        #expect(try await town.sos.drills.plan(of: person) == plan)
        let due = try #require(try await town.sos.drills.next(of: person))
        await town.sos.drills.beginDue()
        #expect(town.outbox.all.isEmpty)
        town.hub.clock.advance(due - town.hub.clock.now + 1000)
        await town.sos.drills.beginDue()
        try await town.until { try town.sos.store.cases(of: person).first?.calls.allSatisfy { $0.state == .sent } == true }
        for _ in 0..<3 {
            town = try town.restarted(isRoom: true)
            await town.sos.drills.beginDue()
        }
        await town.pass(60_000)
        #expect(town.outbox.all.count == 3)
        #expect(town.outbox.texts(to: "room")[0].contains("<status>Test</status>"))
        #expect(try await town.sos.drills.next(of: person) == due + 28 * 86_400_000)
        #expect(try town.sos.store.changes(of: person).first?.what.first?.hasPrefix("drill: 4 w") == true)
        // A real case goes first; a hub that was down for long does it the next time.
        try await town.send(town.report(1, try town.helpAlarm()))
        try await town.until { town.outbox.texts(to: "room").count == 2 }
        town.hub.clock.advance(28 * 86_400_000 + 4 * 3_600_000)
        let count = town.outbox.texts(to: "room").count
        await town.sos.drills.beginDue()
        #expect(try #require(try await town.sos.drills.next(of: person)) > town.hub.clock.now)
        #expect(town.outbox.texts(to: "room").count == count)
        try await town.sos.drills.setPlan(nil, for: person, by: town.person.id)
        #expect(try await town.sos.drills.plan(of: person) == nil)
        #expect(try await town.sos.drills.next(of: person) == nil)
    }

    @Test("SOS-19: the tests of all who chose one hour are spread over it, each person always at the same place, over the change of clocks")
    func spread() throws {
        let plan = SOSDrillPlan(everyWeeks: 1, weekday: 7, hour: 10, timeZone: "Europe/Rome")
        let hour = try utc("2026-10-18T08:00:00Z"), people = (0..<3000).map { _ in PersonID.random() }
        var minutes: [Milliseconds: Int] = [:]
        for person in people {
            let first = try #require(plan.first(after: hour - 1, for: person))
            #expect((hour..<hour + 3_600_000).contains(first) && plan.place(of: first, for: person) == first)
            minutes[(first - hour) / 60_000, default: 0] += 1
            // The clocks go back on the 25th: the same place of an hour that is 25 hours later.
            #expect(plan.next(after: first, for: person, now: first) == first + (7 * 24 + 1) * 3_600_000)
            // A timer of an older hub stands at the full hour, one that waited for a case behind its place.
            for due in [hour, first + 3 * SOSDrills.wait, hour + 5 * 3_600_000] {
                #expect(plan.place(of: due, for: person) == first)
                #expect(plan.next(after: due, for: person, now: due) == first + (7 * 24 + 1) * 3_600_000)
            }
        }
        #expect(minutes.values.max() ?? 0 < 110, "3,000 in 55 minutes: \(minutes)")
    }

    @Test("SOS-19: a plan that an older hub set to the full hour waits for its place in the hour, and goes out there once")
    func olderPlan() async throws {
        let town = try await SOSTown(isRoom: true), person = town.person.id.person
        let plan = SOSDrillPlan(everyWeeks: 1, weekday: 3, hour: 10, timeZone: "UTC")
        let hour = try #require(plan.first(after: town.hub.clock.now))
        try town.sos.store.setDrillPlan(plan, due: hour, of: person, by: town.person.id, now: town.hub.clock.now)
        let place = plan.place(of: hour, for: person)
        town.hub.clock.advance(hour - town.hub.clock.now)
        await town.sos.drills.beginDue()
        #expect(try await town.sos.drills.next(of: person) == place)
        if place > hour { #expect(town.outbox.all.isEmpty) }
        town.hub.clock.advance(place - town.hub.clock.now)
        for _ in 0..<3 { await town.sos.drills.beginDue() }
        try await town.until { town.outbox.texts(to: "room").count == 1 }
        #expect(try await town.sos.drills.next(of: person) == place + 7 * 86_400_000)
        #expect(try town.sos.store.cases(of: person).count == 1)
    }

    @Test("SOS-19, SOS-1: caregivers get a test that says so, by the ways that they chose for alarms; whom none reaches is nobody to call")
    func caregivers() async throws {
        let town = try await SOSTown(isOn: false), person = town.person.id.person, accounts = town.hub.accounts
        let parent = try SOSTown.account(town.hub, .caregiver, "parent@example.org")
        try accounts.consents.setGuardians([parent.id], of: person, adultFrom: .max / 2)
        func turnOn() async throws { try await town.sos.choices.turnOn(person, consented: true, strict: false, by: town.person.id) }
        // A browser that was never turned on.
        try accounts.notices.setNoticeWays([.sosRaised: .push], of: parent)
        await #expect(throws: SOSSettingProblem.nobodyToCall) { try await turnOn() }
        let phone = PushAddress(endpoint: "https://push.example/1", publicKey: [1], secret: [2], name: "Phone")
        try accounts.pushes.addPushDevice(phone, to: parent, now: town.hub.clock.now)
        try await turnOn()
        try accounts.notices.setNoticeWays([.sosRaised: .mail], of: parent)
        #expect(try town.sos.reachability.canDeliver(SOSChoice(), of: person))

        try await town.sos.drills.run(for: person)
        func last() throws -> SOSCase? { try town.sos.store.cases(of: person).first }
        try await town.until { try last()?.calls.map(\.state) == [.sent] }
        #expect(try last()?.isTest == true && last()?.calls.map(\.recipient) == [.account(parent.id)])
        let told = try accounts.notices.notices(of: parent).compactMap(\.kind)
        #expect(told.contains(.sosTest) && !told.contains(.sosRaised))
        #expect(try accounts.notices.notices(of: town.person).allSatisfy { $0.kind != .sosTest })
        #expect(town.outbox.all.isEmpty && town.sos.openCase(of: person) == nil)

        // A choice for tests alone changes nothing: they go the way of alarms.
        try accounts.notices.setNoticeWays([.sosRaised: [], .sosTest: [.mail, .push]], of: parent)
        #expect(try !town.sos.reachability.canDeliver(SOSChoice(), of: person) && !accounts.notices.goesOut(.sosTest, to: parent))
        town.hub.clock.advance(1000)
        try await town.sos.drills.run(for: person)
        try await town.until { try last()?.calls.map(\.state) == [.failed] }
        #expect(try accounts.notices.notices(of: parent).count { $0.kind == .sosTest } == 1)
        try await town.until {
            await town.sos.owedNotices.tell()
            return try accounts.notices.notices(of: town.person).contains { $0.kind == .sosUnprotected }
        }
    }

    @Test("SOS-19, SOS-18: a test that did not reach somebody is told to the person")
    func failed() async throws {
        let town = try await SOSTown(), person = town.person.id.person
        try await town.sos.choices.addContact(
            SOSContact(name: "Nobody", phone: nil, email: "x@example.org", language: "en"), of: person, by: town.person.id)
        try await town.sos.choices.removeContact(0, of: person, by: town.person.id)
        town.outbox.failing.withLock { $0 = ["x@example.org"] }
        try await town.sos.drills.run(for: person)
        for _ in 0..<60 {
            await town.pass(61_000)
            try await Task.sleep(for: .milliseconds(10))
        }
        try await town.until {
            await town.sos.owedNotices.tell()
            return try town.hub.accounts.notices.notices(of: town.person).contains { $0.kind == .sosUnprotected }
        }
    }

    @Test("SOS-22: turning AutomatedSOS on plans the tests that were chosen, on the day and at the hour of before, and counts from then")
    func plannedByTurningOn() async throws {
        let town = try await SOSTown(isOn: false), person = town.person.id.person, by = town.person.id, drills = town.sos.drills
        let contact = SOSContact(name: "Bruno", phone: "+39021", email: nil, language: "en")
        try await town.sos.choices.addContact(contact, of: person, by: by)
        func turnOn(_ weeks: Int?) async throws -> SOSDrillPlan? {
            try await town.sos.choices.turnOn(person, consented: true, strict: false, testWeeks: weeks, by: by)
            return try await drills.plan(of: person)
        }
        // Who has it on already gets no plan by themselves.
        #expect(try await turnOn(nil) == nil)
        #expect(try await turnOn(SOSDrills.usualWeeks) == SOSDrillPlan(everyWeeks: 4, weekday: 1, hour: 10))
        let first = try #require(try await drills.next(of: person))
        #expect(first > town.hub.clock.now && first - town.hub.clock.now <= 8 * 86_400_000)
        town.hub.clock.advance(first - town.hub.clock.now)
        await drills.beginDue()
        #expect(try town.sos.store.cases(of: person).filter(\.isTest).count == 1)
        // Turned off, and on again months later: nothing is overdue.
        try await drills.setPlan(SOSDrillPlan(everyWeeks: 2, weekday: 3, hour: 18, timeZone: "UTC"), for: person, by: by)
        try await town.sos.choices.turnOff(person, by: by)
        town.hub.clock.advance(70 * 86_400_000)
        #expect(try await turnOn(8) == SOSDrillPlan(everyWeeks: 8, weekday: 3, hour: 18, timeZone: "UTC"))
        #expect(try drills.standing(of: person).overdueSince == nil)
        for weeks in [0, nil] { #expect(try await turnOn(weeks) == nil) }
        await #expect(throws: SOSDrills.Problem.plan) { _ = try await turnOn(99) }
    }

    @Test(
        "SOS-22: a planned test that is overdue is told once to the person and the relatives, over a restart too, until one has reached everybody"
    )
    func overdue() async throws {
        var town = try await SOSTown(isRoom: true)
        let person = town.person.id.person, week: Milliseconds = 7 * 86_400_000
        let parent = try SOSTown.account(town.hub, .caregiver, "parent@example.org")
        try town.hub.accounts.consents.setGuardians([parent.id], of: person, adultFrom: .max / 2)
        func told(_ account: StoredAccount) throws -> Int {
            try town.hub.accounts.notices.notices(of: account).count { $0.kind == .drillOverdue }
        }
        let plan = SOSDrillPlan(everyWeeks: 1, weekday: 3, hour: 10, timeZone: "UTC"), set = town.hub.clock.now
        try await town.sos.drills.setPlan(plan, for: person, by: town.person.id)
        let due = set + week + SOSDrills.grace
        town.hub.clock.advance(due - 1 - town.hub.clock.now)
        await town.sos.drills.lookForOverdue()
        #expect(
            try town.sos.drills.standing(of: person) == DrillStanding(everyWeeks: 1, passed: nil, wasHeartHeard: nil, overdueSince: nil))
        #expect(try told(town.person) == 0)
        town.hub.clock.advance(1)
        for _ in 0..<2 {
            await town.sos.drills.lookForOverdue()
            #expect(try told(town.person) == 1 && told(parent) == 1)
            town = try town.restarted(isRoom: true)
        }
        #expect(try town.sos.drills.standing(of: person).overdueSince == due)
        try await town.send(town.report(1))
        try await town.sos.drills.run(for: person)
        try await town.until { try town.sos.drills.standing(of: person).passed == town.hub.clock.now }
        await town.sos.drills.lookForOverdue()
        #expect(try town.sos.drills.standing(of: person).overdueSince == nil)
        town.hub.clock.advance(week + SOSDrills.grace)
        await town.sos.drills.lookForOverdue()
        #expect(try told(town.person) == 2 && told(parent) == 2)
    }

    @Test("SOS-22: a test reached no relative whose mail does not leave, a day later as well, unless they say that it arrived")
    func relatives() async throws {
        let town = try await SOSTown(), person = town.person.id.person, mail = "parent@example.org"
        let parent = try SOSTown.account(town.hub, .caregiver, mail)
        try town.hub.accounts.consents.setGuardians([parent.id], of: person, adultFrom: .max / 2)
        func passed() throws -> Milliseconds? { try town.sos.drills.standing(of: person).passed }
        try await town.send(town.report(1))
        let first = town.hub.clock.now
        try await town.sos.drills.run(for: person)
        try await town.sent()
        #expect(try passed() == first)
        for _ in 0..<4 { town.sos.ways.attempted(.mail, to: mail, .failure(StorageFailure(description: "no way"))) }
        #expect(try passed() == nil, "the notice was written down, and its mail does not leave")
        await town.sos.drills.confirmAll(of: person, by: parent.id)
        #expect(try passed() == first)
        town.hub.clock.advance(1000)
        try await town.sos.drills.run(for: person)
        try await town.sent()
        #expect(try passed() == first)
        await town.sos.drills.lookForOverdue()
        #expect(try town.sos.store.cases(of: person).map(\.unreached) == [[parent.id], nil])
        // That the way works again says nothing of that test.
        town.hub.clock.advance(SOSDrills.testShown)
        town.sos.ways.attempted(.mail, to: mail, .success("taken"))
        #expect(try passed() == first)
    }

    @Test("SOS-22: a test has reached everybody once a box with a modem has, too; without a heart rate it does not count")
    func wholeChain() async throws {
        let town = try await SOSTown(), person = town.person.id.person
        func standing() throws -> DrillStanding { try town.sos.drills.standing(of: person) }
        var calm = town.report(1)
        calm.means = ["text", "call"]
        try await town.send(calm)
        let first = town.hub.clock.now
        try await town.sos.drills.run(for: person)
        try await town.sent()
        #expect(try town.sos.store.cases(of: person).first?.calls.map(\.state) == [.sent, .sent])
        #expect(try await town.send(town.report(2)).drill != nil, "the box is asked")
        #expect(try standing().passed == nil, "it was away")
        var report = town.report(3, try town.helpAlarm(sequence: 9, provenance: .drill), provenance: .drill, isDrill: true)
        try await town.send(report)
        report.calls = [
            .init(channel: .sound, recipient: "", state: .sent, at: 1),
            .init(channel: .text, recipient: "+39025B", state: .failed, at: 1, problem: "There is no modem", why: "noModem"),
        ]
        try await town.send(report)
        #expect(try standing().passed == nil, "its modem is dead")
        report.calls.append(.init(channel: .text, recipient: "+39025B", state: .sent, at: 2))
        try await town.send(report)
        #expect(try standing().passed == first && standing().wasHeartHeard == true)
        // A box that was put away is no part of the chain.
        town.hub.clock.advance(SOSTimings.awayAfter)
        let second = town.hub.clock.now
        try await town.sos.drills.run(for: person)
        try await town.sent()
        #expect(try standing().passed == first && standing().unheardAt == second && standing().wasHeartHeard == true)
        // What was given up on has reached nobody.
        town.hub.clock.advance(1000)
        var item = try #require(try town.sos.store.cases(of: person).first)
        item.calls[0].state = .dropped
        try town.sos.store.save([.init(person: person, incident: item)])
        #expect(try standing().passed == first && standing().unheardAt == nil)
    }
}
