import Accounts
import Database
import Foundation
import Groups
import TestSupport
import Testing
import Vitals

@testable import HubServices
@testable import HubStore

/// A hub that is put back to an older copy of its databases.
@Suite struct GroupRestoreTests {
    private static let week = GroupWindow.Length.week.milliseconds
    private static let budget = GroupBudget(shares: BudgetShares(kinds: [.heartRate: 3, .sleep: 1], levels: [.region: 1]))

    /// What a new process makes over the stores.
    private static func closing(_ crowd: MadeCrowd) throws -> GroupClosing {
        let own = crowd.groups.own, clock = own.hub.clock
        let regions = HomeRegions(accounts: own.hub.accounts, list: try MadeGroups.regions(), now: { clock.now })
        let index = AttributeIndex(accounts: own.hub.accounts, regions: regions, deletion: own.deletion, logger: own.logger)
        return GroupClosing(
            accounts: own.hub.accounts, series: own.hub.series, index: index, answers: crowd.groups.answers(budget),
            door: GroupDoor(own.hub.accounts, tree: crowd.groups.tree, budget: budget, now: { clock.now }),
            settings: GroupSettings(budget: budget), logger: own.logger, now: { clock.now }, past: 3 * week, step: { _ in })
    }

    /// Forgets all that was closed after a time: the databases are then as a copy of that time would be.
    private static func putBack(_ crowd: MadeCrowd, to window: GroupWindow) throws {
        try crowd.accounts.pool.write { db in
            try db.execute(sql: "DELETE FROM group_closed WHERE start > ?", arguments: [window.start])
            try db.execute(sql: "DELETE FROM group_release WHERE start > ?", arguments: [window.start])
            try db.execute(sql: "DELETE FROM group_window WHERE start > ?", arguments: [window.start])
        }
    }

    @Test("GRP-4: put back to an older copy, a hub draws no window again that it may have closed since, and says how to go on")
    func restored() async throws {
        var crowd = try MadeCrowd()
        let clock = crowd.groups.own.hub.clock, watch = crowd.accounts.consents.groupWatch, releases = crowd.groups.releases
        let first = try #require(GroupWindow.closed(.week, from: clock.now - 3 * Self.week, to: clock.now).last), second = first.next
        clock.advance(first.closes() + 1 - clock.now)
        try crowd.add(20, in: [first, second, second.next])
        try await Self.closing(crowd).work()
        #expect(try releases.isClosed(first) && watch.doubt() == nil)
        let copied = try #require(try crowd.accounts.pool.read { try seen($0) })
        #expect(copied == clock.now, "the copy says when the hub last ran on it")

        // The hub runs on: each minute it says so, and the next window closes as it should.
        clock.advance(second.closes() + 1 - clock.now)
        try crowd.accounts.pool.write { try set(clock.now - 60_000, $0) }
        try await Self.closing(crowd).work()
        #expect(try releases.isClosed(second) && watch.doubt() == nil)

        // The disk dies an hour later, and the copy comes back.
        clock.advance(3_600_000)
        try Self.putBack(crowd, to: first)
        try crowd.accounts.pool.write { try set(copied, $0) }
        let restored = try Self.closing(crowd)
        try await restored.work()
        #expect(try !releases.isClosed(second) && watch.doubt() == clock.now)
        #expect(try restored.dueWindows().isEmpty && Self.closing(crowd).dueWindows().isEmpty, "after a restart as well")
        // What comes due while it runs is drawn.
        clock.advance(second.next.closes() + 1 - clock.now)
        try crowd.accounts.pool.write { try set(clock.now - 60_000, $0) }
        try await restored.work()
        #expect(try releases.isClosed(second.next) && !releases.isClosed(second))
        // The operator says that it was only off: the window in between closes, and is not the newest one.
        #expect(try watch.wasOff(now: clock.now) && !watch.wasOff(now: clock.now))
        try await restored.work()
        #expect(try releases.isClosed(second) && crowd.accounts.consents.groupWindows.contributions(to: second).isEmpty)
        #expect(try !crowd.accounts.consents.groupWindows.contributions(to: second.next).isEmpty)
    }

    private func seen(_ db: Connection) throws -> Milliseconds? {
        try db.fetchOne(Data.self, sql: "SELECT value FROM meta WHERE key = 'groups.seen'")
            .flatMap { Milliseconds(String(decoding: $0, as: UTF8.self)) }
    }

    private func set(_ seen: Milliseconds, _ db: Connection) throws {
        try db.execute(sql: "UPDATE meta SET value = ? WHERE key = 'groups.seen'", arguments: [Data("\(seen)".utf8)])
    }

    @Test("GRP-4: a clock that stood ahead for a while closes no window, and holds none for good that closes later")
    func clockAhead() async throws {
        var crowd = try MadeCrowd()
        let clock = crowd.groups.own.hub.clock, watch = crowd.accounts.consents.groupWatch, releases = crowd.groups.releases
        let window = GroupWindow(.week, at: clock.now)
        try crowd.add(3, in: [window])
        let closing = try Self.closing(crowd)
        try await closing.work()
        let real = clock.now
        clock.advance(5 * Self.week)
        try await closing.work()
        #expect(try !releases.isClosed(window) && watch.doubt() == clock.now)
        clock.advance(real - clock.now)
        try await closing.work()
        #expect(try !releases.isClosed(window) && watch.doubt() == real)
        clock.advance(window.closes() + 1 - clock.now)
        try crowd.accounts.pool.write { try set(clock.now - 60_000, $0) }
        try await closing.work()
        #expect(try releases.isClosed(window))
    }

    @Test("GRP-4: while it is in doubt what was answered in a year, the second door answers no new question of that year")
    func door() throws {
        let made = try MadeGroups(), clinic = try made.own.addAccount(email: "clinic@example.org").id
        let watch = made.accounts.consents.groupWatch, time = made.window.closes()
        let door = GroupDoor(made.accounts, tree: made.tree, budget: GroupBudget(), now: { time })
        try made.close(made.window, [:], contributions: PeopleCodec.encoded(try MadeGroups.people(14_000)))
        func question(_ bins: ClosedRange<Int>) throws -> DoorQuestion {
            let asked = try GroupQuestion(.heartRate, sexes: [.female], regions: [MadeGroups.code("IT-25")], in: made.tree)
            return try #require(DoorQuestion(asked, in: made.window, where: [.init(.sleep, bins: bins)]))
        }
        #expect(try !watch.note(isEnabled: true, now: time))
        let first = try door.ask(question(10...15), by: clinic)
        guard case .answered = first else {
            Issue.record("7,000 people are enough")
            return
        }
        // 15 minutes are a restart; more may be a copy.
        #expect(try !watch.note(isEnabled: true, now: time + GroupWatch.absenceMax) && watch.doubt() == nil)
        let late = time + 2 * GroupWatch.absenceMax + 1
        #expect(try watch.note(isEnabled: true, now: late) && !watch.note(isEnabled: true, now: late) && watch.doubt() == late)
        #expect(try door.ask(question(0...5), by: clinic) == .windowGone && door.ask(question(10...15), by: clinic) == first)
        #expect(try door.left(of: clinic, in: made.window.year).all == GroupBudget().questionsPerYear - 1, "it cost nothing")
        #expect(try watch.wasOff(now: late))
        #expect(try door.ask(question(0...5), by: clinic) != .windowGone)
    }

    @Test("GRP-4: a hub that never had groups turned on is in no doubt, however long it was off")
    func never() throws {
        let made = try MadeGroups(), watch = made.accounts.consents.groupWatch
        defer { withExtendedLifetime(made) {} }
        #expect(try !watch.note(isEnabled: false, now: 0) && !watch.note(isEnabled: false, now: 1 << 40) && watch.doubt() == nil)
        #expect(try !watch.note(isEnabled: true, now: 1 << 40) && watch.doubt() == nil, "turned on for the first time")
        // Turned off and on again, it has gone on noting.
        #expect(try !watch.note(isEnabled: false, now: 1 << 40 + 60_000) && watch.note(isEnabled: true, now: 1 << 41))
        #expect(try watch.doubt() == 1 << 41 && watch.wasOff(now: 1 << 41) && watch.doubt() == nil && !watch.wasOff(now: 1 << 41))
    }
}
