import Accounts
import Database
import Foundation
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct MaintenanceTests {
    @Test("SOS-15: an outage is announced at once, two days and an hour ahead, as far as that is still ahead", arguments: Engine.allCases)
    func planned(engine: Engine) throws {
        let fixture = try HubFixture(engine), maintenance = fixture.accounts.maintenance, timers = fixture.accounts.timers
        let begin = 3 * day
        let id = try #require(try maintenance.planMaintenance(begin: begin, end: begin + hour, now: 0))
        let due = try timers.dueTimers(9, lease: 0, now: begin)
        #expect(due.map(\.due) == [0, day, begin - hour] && due.allSatisfy { $0.kind == .maintenance })
        #expect(try due.map { try maintenance.maintenance(of: $0.subject)?.step } == [.planned, .twoDays, .oneHour])
        #expect(try maintenance.maintenance(of: due[0].subject)?.window.id == id)
        #expect(try maintenance.maintenance(of: [1]) == nil && maintenance.maintenance(of: [UInt8](repeating: 9, count: 16)) == nil)
        try maintenance.dropMaintenance(due[1].subject)
        #expect(try timers.dueTimers(9, lease: 0, now: begin).count == 2)
        let soon = try HubFixture(engine)
        _ = try soon.accounts.maintenance.planMaintenance(begin: hour / 2, end: hour, now: 0)
        #expect(try soon.accounts.timers.dueTimers(9, lease: 0, now: hour).map(\.due) == [0])
    }

    @Test("SOS-15: two outages do not overlap; one that was cancelled takes no time", arguments: Engine.allCases)
    func overlap(engine: Engine) throws {
        let fixture = try HubFixture(engine), maintenance = fixture.accounts.maintenance
        let id = try #require(try maintenance.planMaintenance(begin: 100, end: 200, now: 0))
        #expect(try maintenance.planMaintenance(begin: 199, end: 300, now: 0) == nil)
        #expect(try maintenance.planMaintenance(begin: 0, end: 101, now: 0) == nil)
        #expect(try maintenance.planMaintenance(begin: 200, end: 300, now: 0) != nil)
        #expect(try !maintenance.cancelMaintenance(id, now: 100), "it began")
        #expect(
            try maintenance.cancelMaintenance(id, now: 99) && !maintenance.cancelMaintenance(id, now: 99)
                && !maintenance.cancelMaintenance(77, now: 1))
        #expect(try maintenance.planMaintenance(begin: 150, end: 180, now: 0) != nil)
        let list = try maintenance.maintenance(endingAfter: 0)
        #expect(list.map(\.begin) == [100, 150, 200] && list.map(\.isPlanned) == [false, true, true])
        #expect(try maintenance.maintenance(endingAfter: 200).map(\.begin) == [200])
    }

    @Test(
        "SOS-15, PERF-4: announcements go out in parts, to everybody with an account once, over a restart too", arguments: Engine.allCases)
    func announced(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts
        let people = try (0..<5).map { try fixture.account("P\($0)") }.map(\.id).sorted()
        _ = try accounts.maintenance.planMaintenance(begin: day, end: day + hour, now: 0)
        func window(_ accounts: AccountStore) throws -> MaintenanceWindow {
            try #require(try accounts.maintenance.maintenance(endingAfter: 0).first)
        }
        #expect(try accounts.maintenance.tellMaintenance(window(accounts), .planned, at: 2, now: 1))
        #expect(try window(accounts).told == 2)
        let again = try fixture.reopened().accounts
        #expect(try again.maintenance.tellMaintenance(window(again), .planned, at: 3, now: 2), "as many as fit: perhaps more")
        #expect(try !again.maintenance.tellMaintenance(window(again), .planned, at: 3, now: 3))
        #expect(try window(again).told == 5 && fixture.count("notice") == 5)
        #expect(try again.timers.dueTimers(9, lease: 0, now: 0).isEmpty)
        #expect(try !again.maintenance.announceMaintenance(window(again), .cancelled, now: 4))
        let first = try #require(try again.account(people[0]))
        #expect(try again.notices.notices(of: first).map(\.kind) == [.maintenanceCancelled, .maintenancePlanned])
    }
}
