import Database
import Foundation
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct DrillTests {
    private let plan = SOSDrillPlan(everyWeeks: 2, weekday: 3, hour: 10, timeZone: "Europe/Rome")

    @Test("SOS-19: a plan has a timer, and who set it is written down; without a plan there is neither", arguments: Engine.allCases)
    func plans(engine: Engine) throws {
        let cases = try CaseFixture(engine), store = cases.store, by = cases.ada.id
        #expect(try store.drill(of: cases.person) == nil)
        try store.setDrillPlan(nil, due: 0, of: cases.person, by: by, now: 1)
        #expect(try store.changes(of: cases.person).isEmpty, "nothing was changed")
        try store.setDrillPlan(plan, due: 100, of: cases.person, by: by, now: 2)
        #expect(try store.drill(of: cases.person) == SOSPlannedDrill(person: cases.person, plan: plan, due: 100))
        try store.setDrillPlan(plan, due: 200, of: cases.person, by: by, now: 3)
        #expect(try store.drillsDue(9, now: 199).isEmpty && store.drillsDue(9, now: 200).map(\.due) == [200])
        try store.setDrillPlan(nil, due: 0, of: cases.person, by: by, now: 4)
        #expect(try store.drill(of: cases.person) == nil && store.changes(of: cases.person).map(\.time) == [4, 3, 2])
        #expect(try store.changes(of: cases.person).last?.what == ["drill: 2 w, 3, 10:00 Europe/Rome"])
    }

    @Test("SOS-19: a timer moves unless the plan was changed meanwhile; the oldest come first", arguments: Engine.allCases)
    func moves(engine: Engine) throws {
        let cases = try CaseFixture(engine), store = cases.store, bob = try cases.fixture.account("Bob")
        try store.setDrillPlan(plan, due: 100, of: cases.person, by: cases.ada.id, now: 1)
        try store.setDrillPlan(plan, due: 50, of: bob.id.person, by: bob.id, now: 1)
        let due = try store.drillsDue(9, now: 100)
        #expect(try due.map(\.person) == [bob.id.person, cases.person] && store.drillsDue(1, now: 100) == [due[0]])
        try store.moveDrill(due[0], to: 500)
        try store.setDrillPlan(plan, due: 90, of: cases.person, by: cases.ada.id, now: 2)
        try store.moveDrill(due[1], to: 900)
        #expect(try store.drillsDue(9, now: 499).map(\.due) == [90])
    }

    @Test("SOS-19: a damaged plan is told, and takes no other one's turn", arguments: Engine.allCases)
    func damaged(engine: Engine) throws {
        let cases = try CaseFixture(engine), store = cases.store
        let people = try (0..<4).map { try cases.fixture.account("P\($0)") }
        for (number, account) in people.enumerated() {
            try store.setDrillPlan(plan, due: Milliseconds(number), of: account.id.person, by: account.id, now: 1)
        }
        try cases.damage("drill", where: "due < 2")
        #expect(try store.drillsDue(2, now: 9).map(\.due) == [2, 3])
        #expect(cases.fixture.unreadable == [.sosDrill, .sosDrill])
        #expect(Set(cases.fixture.keys.unreadable.rows.map(\.row)) == Set(people[0..<2].map(\.id.person.description)))
        #expect(throws: HubStoreError.self) { try store.drill(of: people[0].id.person) }
        // Setting it anew puts it right.
        try store.setDrillPlan(plan, due: 0, of: people[0].id.person, by: people[0].id, now: 2)
        #expect(try store.drillsDue(9, now: 9).map(\.due) == [0, 2, 3])
    }

    @Test("SOS-19: the times of a plan are those of the person's clocks, over the change to summer time")
    func times() throws {
        let winter = try #require(plan.first(after: noon)), spring: Milliseconds = 1_806_537_600_000
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "Europe/Rome"))
        func parts(_ time: Milliseconds) -> DateComponents {
            calendar.dateComponents([.weekday, .hour, .minute], from: Date(timeIntervalSince1970: Double(time) / 1000))
        }
        #expect(parts(winter).weekday == 4 && parts(winter).hour == 10 && parts(winter).minute == 0)
        let next = try #require(plan.next(after: winter, now: winter))
        #expect(next == winter + 14 * day)
        let later = try #require(plan.next(after: winter, now: spring))
        #expect(later > spring && parts(later).hour == 10 && parts(later).weekday == 4 && (later - winter) % (14 * day) != 0)
        #expect(plan.first(after: winter - 1) == winter && plan.first(after: winter) == winter + 7 * day)
    }

    @Test("SOS-19: a plan that is none has no time, and each person has a place of their own within the hour")
    func invalid() throws {
        for bad in [
            SOSDrillPlan(everyWeeks: 0, weekday: 1, hour: 1), SOSDrillPlan(everyWeeks: 27, weekday: 1, hour: 1),
            SOSDrillPlan(everyWeeks: 1, weekday: 0, hour: 1), SOSDrillPlan(everyWeeks: 1, weekday: 8, hour: 1),
            SOSDrillPlan(everyWeeks: 1, weekday: 1, hour: 24), SOSDrillPlan(everyWeeks: 1, weekday: 1, hour: 1, timeZone: "Nowhere"),
        ] {
            #expect(!bad.isValid && bad.first(after: noon) == nil && bad.next(after: noon, now: noon) == nil)
            #expect(bad.first(after: noon, for: .random()) == nil && bad.place(of: noon, for: .random()) == noon)
        }
        let one = PersonID(high: 0, low: 5), two = PersonID(high: 0, low: UInt64(SOSDrillPlan.spread) + 7)
        let first = try #require(plan.first(after: noon, for: one)), full = first - 5
        #expect(plan.first(after: full - 1) == full && plan.place(of: full, for: one) == first && plan.place(of: first, for: one) == first)
        #expect(plan.first(after: noon, for: two) == full + 7 && plan.next(after: first, for: one, now: first) == first + 14 * day)
        #expect(plan.next(after: full, for: one, now: full) == first + 14 * day, "an older hub's timer stood at the full hour")
        #expect(plan.place(of: full + 1_000_000, for: one) == first, "one that waited")
    }
}
