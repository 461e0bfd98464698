import Accounts
import Groups
import HubStore
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// What groups have used of a person, as the person sees it.
@Suite struct GroupFootprintTests {
    private struct Scene {
        let base: ConsentFixture
        var footprints: GroupFootprints
        let tree: RegionTree
        let budget = GroupBudget()
        /// A week of November 2026; the clock stands in the week behind it.
        let window = GroupWindow(.week, at: 1_793_836_800_000)

        init() throws {
            base = try ConsentFixture()
            let list = try MadeGroups.regions(), accounts = base.accounts
            tree = RegionTree(list)
            footprints = GroupFootprints(
                consents: base.consents, regions: HomeRegions(accounts: accounts, list: list, now: { 0 }), tree: tree, budget: budget)
            base.clock.advance(window.end + 4 * 86_400_000 - base.clock.now)
            let ada = try #require(try accounts.account(base.ada.id))
            let details = [Field.dateOfBirth: "1993-04-02", .gender: "female", .residence: "Milano", .taxCountry: "IT"]
            try accounts.setDetails(ada.details.merging(details.map { ($0.key.rawValue, $0.value) }) { $1 }, of: ada, now: 0)
        }

        func charge(_ window: GroupWindow, _ costs: GroupCost...) throws {
            let charge = GroupYearStore.Charge(base.person, costs.map { [$0] })
            #expect(try base.accounts.consents.groupYears.charge([charge], window, within: budget.perYear) != [0])
            _ = try base.accounts.consents.groupReleases.close(window, releases: [], now: window.closes())
        }

        func ask(
            _ kinds: Set<DataKind>, sexes: Set<CellSex>? = nil, bands: Set<AgeBand>? = nil, regions: [String]? = nil,
            isApproved: Bool = true
        ) throws {
            let codes = try regions.map { Set(try $0.map(MadeGroups.code)) }
            let ask = try GroupAsk(kinds: kinds, sexes: sexes, bands: bands, regions: codes, in: tree)
            let request = try GroupRequest(
                ask: ask, purpose: "\(kinds.map(\.name).sorted())", term: .once, past: 1, mails: false, created: base.consents.now)
            let stored = try base.accounts.consents.groupRequests.ask(request, by: base.hospital, now: base.consents.now)
            if isApproved { try base.accounts.consents.groupRequests.approve(stored.id, now: base.consents.now) }
        }

        func footprint() throws -> GroupFootprint { try footprints.footprint(of: base.person, for: base.ada.id) }
    }

    @Test("GRP-4: a person sees which kinds and levels counted them, how often, and how much of the year's budget that was")
    func years() throws {
        let scene = try Scene(), none = try scene.footprint()
        #expect(none.years.isEmpty && none.asked.isEmpty && none.standing.isCounted)
        #expect(none.attributes == GroupAttributes(gender: .female, band: AgeBand(age: 33), region: try MadeGroups.code("IT-015146")))
        let cost = Rho(try #require(scene.budget.variance(of: .heartRate, at: .region)))
        try scene.charge(scene.window, GroupCost(.heartRate, .region, cost))
        // Another window of the year, in which somebody else alone counted.
        _ = try scene.base.accounts.consents.groupReleases.close(
            GroupWindow(.week, number: scene.window.number - 1), releases: [], now: scene.window.start)
        let year = try #require(try scene.footprint().years.first)
        #expect(year.ledger.lines == [.init(purpose: .cube(.heartRate, .region), releases: 1, cost: cost)])
        #expect(year.windows == 2 && year.last == scene.window && year.first?.next == scene.window && year.ledger.year == 2026)
        // Of the year before.
        try scene.charge(GroupWindow(.week, number: scene.window.number - 60), GroupCost(.sleep, .region, cost))
        #expect(try scene.footprint().years.map(\.ledger.year) == [2026, 2025], "the newest first")
    }

    @Test("GRP-4: a person sees who asked about groups that may hold them, and nothing of others, of refused and of waiting requests")
    func asked() throws {
        let scene = try Scene(), band = AgeBand(age: 33)
        func purposes() throws -> [String] { try scene.footprint().asked.map(\.request.purpose).sorted() }
        try scene.ask([.heartRate], sexes: [.female], bands: [band], regions: ["IT-25"])
        #expect(try purposes().isEmpty, "nothing of them was used")
        try scene.charge(scene.window, GroupCost(.heartRate, .region, Rho(trillionths: 1)), GroupCost(.sleep, .region, Rho(trillionths: 1)))
        try scene.ask([.sleep], sexes: [.male])
        try scene.ask([.sleep], bands: [AgeBand(age: 40)])
        try scene.ask([.heartRate, .sleep], regions: ["IT-21"])
        try scene.ask([.weight], sexes: [.female])
        try scene.ask([.steps, .sleep], sexes: [.female], isApproved: false)
        try scene.ask([.steps, .heartRate], sexes: [.female], regions: ["IT-015146"])
        let found = try scene.footprint().asked
        #expect(try purposes() == ["[\"heart_rate\", \"steps\"]", "[\"heart_rate\"]"].sorted() && found.allSatisfy { !$0.name.isEmpty })
    }

    @Test("GRP-4: where there are more requests than are looked at, it is told how far back they go")
    func more() throws {
        var scene = try Scene()
        try scene.charge(scene.window, GroupCost(.heartRate, .region, Rho(trillionths: 1)))
        for sexes in [[.female], [.male], [.female, .other]] as [Set<CellSex>] { try scene.ask([.heartRate], sexes: sexes) }
        #expect(try scene.footprint().asked.count == 2 && scene.footprint().askedBackTo == nil)
        scene.footprints.askedMax = 2
        #expect(try scene.footprint().askedBackTo == scene.base.consents.now)
        scene.footprints.askedMax = 3
        #expect(try scene.footprint().askedBackTo == nil)
    }

    @Test("GRP-4: nobody but the person sees it")
    func others() throws {
        let scene = try Scene(), base = scene.base
        for account in [base.hospital.id, base.checker.id] {
            #expect(throws: ConsentProblem.notYours) { try scene.footprints.footprint(of: base.person, for: account) }
        }
    }

    @Test("GRP-4: an objection shows at once, and what was used before stays in the list")
    func objected() throws {
        let scene = try Scene(), base = scene.base
        try scene.charge(scene.window, GroupCost(.heartRate, .region, Rho(trillionths: 5)))
        try base.consents.setCounted(false, of: base.person, by: base.ada.id)
        let footprint = try scene.footprint()
        #expect(!footprint.standing.isCounted && footprint.years.first?.ledger.spent == Rho(trillionths: 5))
    }
}
