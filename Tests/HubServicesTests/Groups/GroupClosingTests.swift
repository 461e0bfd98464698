import Accounts
import Database
import Groups
import TestSupport
import Testing
import Vitals

@testable import HubServices
@testable import HubStore

/// The hub closes windows.
@Suite struct GroupClosingTests {
    private static let day: Milliseconds = 86_400_000

    /// A hub with groups turned on; a new one over the same stores is the hub after a restart.
    private struct Scene {
        let crowd: MadeCrowd
        let index: AttributeIndex
        let answers: GroupAnswers
        let door: GroupDoor
        let closing: GroupClosing
        let told = Locked<[GroupWindow]>([])

        /// Most of the budget on one kind at one level, so that some hundred people are enough for a released cell beside the least size.
        static let budget = GroupBudget(shares: BudgetShares(kinds: [.heartRate: 3, .sleep: 1], levels: [.region: 1]))

        init(
            _ crowd: MadeCrowd, weeks: Milliseconds = 1, budget: GroupBudget = Self.budget,
            step: @escaping @Sendable (GroupClosing.Step) throws -> Void = { _ in }
        ) throws {
            self.crowd = crowd
            let own = crowd.groups.own, clock = own.hub.clock, settings = GroupSettings(budget: budget)
            let regions = HomeRegions(accounts: own.hub.accounts, list: try MadeGroups.regions(), now: { clock.now })
            index = AttributeIndex(accounts: own.hub.accounts, regions: regions, deletion: own.deletion, logger: own.logger)
            answers = crowd.groups.answers(budget)
            door = GroupDoor(own.hub.accounts, tree: crowd.groups.tree, budget: budget, now: { clock.now })
            closing = GroupClosing(
                accounts: own.hub.accounts, series: own.hub.series, index: index, answers: answers, door: door, settings: settings,
                logger: own.logger, now: { clock.now }, past: (weeks + 1) * 7 * GroupClosingTests.day, step: step)
            answers.whenWindowCloses { [told] window in told.change { $0.append(window) } }
        }

        /// How often each person was charged, by the order of the crowd.
        func charged() throws -> [Int] {
            try crowd.people.map { try crowd.accounts.consents.groupYears.ledgers(of: $0).flatMap(\.lines).reduce(0) { $0 + $1.releases } }
        }

        func kept(_ window: GroupWindow) throws -> WindowPeople? {
            PeopleCodec.decoded(try crowd.accounts.consents.groupWindows.contributions(to: window))
        }
    }

    private struct Killed: Error {}

    /// The newest window that is closed by the time of the clock, and those before it.
    private static func windows(_ crowd: MadeCrowd, _ count: Int = 1) -> [GroupWindow] {
        let now = crowd.groups.own.hub.clock.now
        return GroupWindow.closed(.week, from: now - Milliseconds(count + 1) * 7 * day, to: now).suffix(count)
    }

    @Test("GRP-2, GRP-4, GRP-5: a window closes once: noisy counts of large cells, everybody charged, nothing of small ones")
    func closes() async throws {
        var crowd = try MadeCrowd()
        let window = try #require(Self.windows(crowd).last)
        try crowd.add(1_700, in: [window]) { number in .init(rates: [Int64](repeating: 60 + Int64(number % 2) * 10, count: 7)) }
        try crowd.add(400, in: [window]) { _ in .init(residence: "Torino") }
        let scene = try Scene(crowd)
        try await scene.closing.work()
        #expect(scene.told.current == [window])
        #expect(try scene.charged() == [Int](repeating: 2, count: 2_100), "heart rate and sleep, once each")

        let women = try GroupQuestion(.heartRate, sexes: [.female], in: crowd.groups.tree)
        let answer = try #require(try scene.answers.answer(to: women, in: window)), figures = try #require(answer.answer)
        #expect(answer.cells == 1 && abs(figures.count.value - 1_700) < 400 && figures.counts != [Int64](repeating: 0, count: 16))
        // Of 60 and 70: classes 4 and 6.
        #expect(abs(figures.counts[4] - 850) < 150 && abs(figures.counts[6] - 850) < 150 && abs(figures.counts[5]) < 150)
        let turin = try GroupQuestion(.heartRate, regions: [MadeGroups.code("IT-21")], in: crowd.groups.tree)
        #expect(try scene.answers.answer(to: turin, in: window)?.answer == nil)
        let people = try #require(try scene.kept(window))
        #expect(people.count == 2_100 && people.kinds == [.heartRate, .sleep])

        // Data that comes late opens nothing.
        let releases = crowd.groups.releases, before = try releases.releases(of: .heartRate, in: window)
        try crowd.change(crowd.people[0], to: .init(rates: [200, 200, 200, 200, 200, 200, 200]), in: window)
        scene.closing.rolledUp(window.start / 3_600_000...window.start / 3_600_000)
        #expect(scene.closing.late == 1)
        try await scene.closing.work()
        try await Scene(crowd).closing.work()
        #expect(try releases.releases(of: .heartRate, in: window) == before && scene.told.current == [window])
        #expect(try scene.charged().allSatisfy { $0 == 2 } && scene.kept(window) == people)
    }

    @Test(
        "GRP-4: whatever step the hub is killed in, a window is released once, and costs everybody once",
        arguments: [GroupClosing.Step.charged(500), .charged(600), .drawn, .stored])
    func killed(at step: GroupClosing.Step) async throws {
        var crowd = try MadeCrowd()
        let window = try #require(Self.windows(crowd).last)
        try crowd.add(600, in: [window])
        let dying = try Scene(crowd) { if $0 == step { throw Killed() } }
        await #expect(throws: Killed.self) { try await dying.closing.work() }
        let releases = crowd.groups.releases, isStored = step == .stored
        #expect(try releases.isClosed(window) == isStored)
        let before = try releases.releases(of: .heartRate, in: window)
        // Meanwhile one more has come, and one has objected.
        try crowd.add(1, in: [window])
        let objector = AccountID(crowd.people[0])
        try crowd.accounts.consents.groups.choose(isCounted: false, of: crowd.people[0], by: objector, now: 1)

        let scene = try Scene(crowd)
        try await scene.closing.work()
        #expect(try releases.isClosed(window))
        if isStored { #expect(try releases.releases(of: .heartRate, in: window) == before) }
        // Who objected after they were charged has paid for nothing; nobody has paid twice.
        let charged = try scene.charged()
        #expect(charged[1..<600].allSatisfy { $0 == 2 } && charged[0] <= 2 && charged[600] == (isStored ? 0 : 2))
        #expect(try scene.kept(window)?.count == 600)
    }

    @Test("GRP-4: windows of the past are released, the oldest first, within the same budget, and go on after a restart")
    func past() async throws {
        var crowd = try MadeCrowd()
        let windows = Self.windows(crowd, 3)
        try crowd.add(20, in: windows)
        let stored = Locked(0)
        let dying = try Scene(crowd, weeks: 3) { step in
            guard step == .stored else { return }
            stored.change { $0 += 1 }
            if stored.current == 2 { throw Killed() }
        }
        #expect(try dying.closing.dueWindows() == windows)
        await #expect(throws: Killed.self) { try await dying.closing.work() }
        #expect(dying.told.current == [windows[0]])
        let scene = try Scene(crowd, weeks: 3)
        #expect(try scene.closing.dueWindows() == [windows[2]])
        try await scene.closing.work()
        #expect(try scene.charged() == [Int](repeating: 6, count: 20) && scene.closing.dueWindows().isEmpty)
        #expect(try scene.kept(windows[1]) == nil && scene.kept(windows[2])?.count == 20, "the newest alone can be asked with ranges")
        // With days instead of weeks no day is released that a week has told of.
        let days = try Scene(crowd, weeks: 3, budget: GroupBudget(window: .day))
        #expect(try days.closing.dueWindows().allSatisfy { $0.start >= windows[2].end })
    }

    @Test("GRP-4: objection and deletion hold from the next window on, minors count with a parent's yes alone, new accounts not")
    func eligible() async throws {
        var crowd = try MadeCrowd()
        let windows = Self.windows(crowd, 2)
        try crowd.add(3, in: windows)
        try crowd.add(1, in: windows) { _ in .init(born: "2015-01-01") }
        try crowd.add(1, in: windows, created: windows[0].start)
        try crowd.add(1, in: windows) { _ in .init(rates: [60, 61, 62]) }
        try crowd.add(1, in: windows) { _ in .init(residence: "Atlantis") }
        let objector = crowd.people[1], gone = crowd.people[2], count = Locked(0), deletion = crowd.groups.own.deletion
        let accounts = crowd.accounts
        let scene = try Scene(crowd, weeks: 2) { step in
            guard step == .stored else { return }
            count.change { $0 += 1 }
            guard count.current == 1 else { return }
            try accounts.consents.groups.choose(isCounted: false, of: objector, by: AccountID(objector), now: 1)
            try deletion.deletePerson(gone, by: nil, now: 1)
        }
        try await scene.closing.work()
        #expect(count.current == 2)
        // The one with data on three days of each window has not seven before the second one, and six after it.
        #expect(try scene.charged() == [4, 2, 0, 0, 0, 0, 0])
        #expect(try scene.kept(windows[1])?.count == 1)
    }

    @Test("GRP-4: who has nothing left of their year is left out of the release")
    func spent() async throws {
        var crowd = try MadeCrowd()
        let window = try #require(Self.windows(crowd).last)
        try crowd.add(3, in: [window])
        let people = crowd.people.sorted(), all = Scene.budget.perYear
        let earlier = GroupWindow(.day, at: window.start)
        let spent = [GroupYearStore.Charge(people[0], [[GroupCost(.steps, .region, all)]])]
        #expect(try crowd.accounts.consents.groupYears.charge(spent, earlier, within: all) == [1])
        let scene = try Scene(crowd)
        try await scene.closing.work()
        #expect(try scene.kept(window)?.count == 2)
        let ledger = try #require(try crowd.accounts.consents.groupYears.ledgers(of: people[0]).first)
        #expect(ledger.spent == all && ledger.lines.count == 1)
    }

    @Test("GRP-4: what is worked out ahead is worked out anew where it changed, so that a window holds what was there at its close")
    func ahead() async throws {
        var crowd = try MadeCrowd()
        let window = try #require(Self.windows(crowd).last)
        try crowd.add(3, in: [window])
        let scene = try Scene(crowd), contributions = WindowContributions(series: crowd.series, index: scene.index)
        try scene.index.rebuild()
        func bins() throws -> [PersonID: Int?] {
            try contributions.begin(window, [.heartRate])
            while try contributions.prepare(2) {}
            return Dictionary(uniqueKeysWithValues: try #require(try contributions.rows()).rows.map { ($0.person, $0.value.bin(0)) })
        }
        #expect(try bins().values.allSatisfy { $0 == 4 })
        try contributions.begin(window, [.heartRate])
        #expect(try !contributions.prepare(2), "nothing changed")
        try crowd.change(crowd.people[1], to: .init(rates: [100, 100, 100, 100, 100, 100, 100]), in: window)
        let changed = try bins()
        #expect(crowd.people.map { changed[$0] } == [4, 12, 4])
    }

    @Test("GRP-4: with what somebody counts survives in its 16 bytes")
    func value() {
        let bins: [Int?] = [0, 15, nil, 7, 8, 1, 2, 3, 4, 5, 6, 9, 10, nil, 0, 15, 12, 11]
        let value = GroupValue(changes: 5 << 32 + 7, bins: bins), none = GroupValue(changes: 0, bins: nil)
        #expect((0..<20).map { value.bin($0) } == bins + [nil, nil] && value.isSomething && MemoryLayout<GroupValue>.size == 16)
        #expect(value.holds(at: 5 << 32 + 7) && !value.holds(at: 8) && !none.isSomething && none.holds(at: 0))
        #expect(!GroupValue(changes: 0, bins: [nil, nil]).isSomething)
        #expect(GroupBins.kinds.count <= GroupValue.kindsMax + 1, "all but positions")
    }

    @Test("GRP-4: the last weight counts while it is at most a year old, one of the window before it")
    func latest() throws {
        var crowd = try MadeCrowd()
        let window = try #require(Self.windows(crowd).last), end = window.end / Self.day
        try crowd.add(4, in: [window])
        for (person, days) in zip(crowd.people, [[365], [366], [400, 20], [20, 3]] as [[Int64]]) {
            // 70 kg, and the later one 90: classes 8 and 10.
            for (number, away) in days.enumerated() { try crowd.put(7_000 + 2_000 * Int64(number), .weight, on: end - away, of: person) }
        }
        let scene = try Scene(crowd), contributions = WindowContributions(series: crowd.series, index: scene.index)
        try scene.index.rebuild()
        try contributions.begin(window, [.heartRate, .weight])
        while try contributions.prepare(100) {}
        let found = Dictionary(uniqueKeysWithValues: try #require(try contributions.rows()).rows.map { ($0.person, $0.value.bin(1)) })
        #expect(crowd.people.map { found[$0] } == [8, .some(nil), 10, 10])
    }

    @Test("GRP-5: a window waits for what is being rolled up, an hour at most")
    func waits() async throws {
        var crowd = try MadeCrowd()
        let window = try #require(Self.windows(crowd).last), clock = crowd.groups.own.hub.clock
        try crowd.add(1, in: [window])
        try crowd.series.series.write {
            try $0.execute(
                sql: "INSERT INTO rollup_due(person, kind, first, last) VALUES(1, 1, ?, ?)",
                arguments: [window.start / 3_600_000, window.start / 3_600_000])
        }
        #expect(try crowd.series.groupValues.isWaiting(before: window.end) && !crowd.series.groupValues.isWaiting(before: window.start))
        let closes = window.closes()
        let early = GroupClosing(
            accounts: crowd.accounts, series: crowd.series, index: try Scene(crowd).index, answers: crowd.groups.answers(),
            door: try Scene(crowd).door, settings: GroupSettings(budget: Scene.budget), logger: crowd.groups.own.logger,
            now: { closes + 60_000 }, past: 14 * Self.day, step: { _ in })
        try await early.work()
        #expect(try !crowd.groups.releases.isClosed(window) && clock.now > closes + GroupClosing.waitMax)
        // The clock of this test jumps: the hub was not away.
        #expect(try crowd.accounts.consents.groupWatch.wasOff(now: clock.now))
        try await Scene(crowd).closing.work()
        #expect(try crowd.groups.releases.isClosed(window))
    }
}
