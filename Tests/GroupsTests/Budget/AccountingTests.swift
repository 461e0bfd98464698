import Accounts
import Foundation
import Groups
import TestSupport
import Testing
import Vitals

@Suite struct AccountingTests {
    @Test("GRP-4: epsilon is OpenDP's, for every rho and delta of the fixture")
    func openDP() throws {
        let fixture = try JSONDecoder().decode(
            OpenDPFixture.self, from: Data(contentsOf: Repository.url("Tests/Fixtures/groups/opendp.json")))
        #expect(fixture.epsilon.count == 36)
        for row in fixture.epsilon {
            let ours = Rho(trillionths: UInt64((row.rho * 1e12).rounded())).epsilon(delta: row.delta)
            #expect(abs(ours - row.epsilon) < 1e-6 * max(1, row.epsilon), "rho \(row.rho), delta \(row.delta): \(ours), not \(row.epsilon)")
        }
    }

    @Test("GRP-4: what answers cost adds up, rounded against whoever spends")
    func composition() throws {
        let variance = try #require(NoiseVariance(7, over: 3)), cost = Rho(variance)
        #expect(cost.trillionths == 214_285_714_286)
        #expect((cost * 53).trillionths == 53 * 214_285_714_286 && cost + cost == cost * 2)
        #expect(Rho(trillionths: .max) + cost == Rho(trillionths: .max) && Rho(trillionths: .max) * 2 == Rho(trillionths: .max))
        #expect(
            Rho.one.share(1, of: 3).trillionths == 333_333_333_333 && Rho.one.share(0, of: 3) == .zero && Rho.one.share(1, of: 0) == .zero)
        #expect(Rho.one.less(cost).trillionths == 785_714_285_714 && cost.less(.one) == .zero)
        #expect(Rho.zero.epsilon(delta: 1e-9) == 0)
    }

    @Test("GRP-4: the budget is the most that keeps a year's epsilon at 4.5")
    func budget() {
        let budget = GroupBudget(), year = budget.perYear
        #expect(year.epsilon(delta: GroupBudget.deltaOfNoise) <= 4.5)
        #expect(Rho(trillionths: year.trillionths + 1).epsilon(delta: GroupBudget.deltaOfNoise) > 4.5)
        #expect(abs(year.value - 0.25534) < 0.0001)
        #expect(GroupBudget.deltaOfNoise + GroupBudget.deltaOfMargin <= GroupBudget.delta)
        #expect(GroupBudget(epsilon: 9).perYear == year, "the operator can only lower it")
        // The profiles of the reference: 52 weeks of 10.2 are 4.4, a month of days of 12.2 is 2.7.
        #expect(abs((Rho(trillionths: 4_800_000_000) * 52).epsilon(delta: 1e-9) - 4.43) < 0.01)
        #expect(abs((Rho(trillionths: 3_300_000_000) * 30).epsilon(delta: 1e-9) - 2.7) < 0.02)
        #expect(abs((Rho(trillionths: 140_000_000) * 720).epsilon(delta: 1e-9) - 2.7) < 0.03)
    }

    @Test("GRP-4: shares never spend more than the budget, over kinds, levels and doors", arguments: GroupWindow.Length.allCases)
    func shares(window: GroupWindow.Length) throws {
        let all = Dictionary(uniqueKeysWithValues: GroupBins.counted.map { ($0, 1) })
        for shares in [BudgetShares(), BudgetShares(kinds: all), BudgetShares(levels: [.province: 1], cube: 1, secondDoor: 0)] {
            try shares.check()
            let budget = GroupBudget(shares: shares, window: window)
            var spent = Rho.zero
            for kind in DataKind.allCases {
                for level in RegionLevel.allCases {
                    if let variance = budget.variance(of: kind, at: level) { spent = spent + Rho(variance) * window.perYear }
                }
            }
            if let variance = budget.varianceOfSecondDoor { spent = spent + Rho(variance) * budget.questionsPerYear }
            #expect(spent <= budget.perYear)
            // Little is lost by rounding, where all kinds get noise that can be drawn.
            if shares != BudgetShares(kinds: all) { #expect(spent.value > 0.98 * budget.perYear.value) }
            #expect(spent.epsilon(delta: GroupBudget.deltaOfNoise) <= 4.5)
        }
    }

    @Test("GRP-4: as installed heart rate has half, sleep, steps and weight a sixth each, and regions more than towns")
    func installed() throws {
        let budget = GroupBudget()
        func cost(_ kind: DataKind, _ level: RegionLevel) throws -> Double { Rho(try #require(budget.variance(of: kind, at: level))).value }
        let region = try cost(.heartRate, .region)
        #expect(abs(region - 0.25534 * 0.9 / 2 / 2 / 53) < 2e-6)
        #expect(abs(try cost(.heartRate, .province) / region - 2.0 / 3) < 0.001)
        #expect(abs(try cost(.heartRate, .municipality) / region - 1.0 / 3) < 0.001)
        for kind in [DataKind.sleep, .steps, .weight] { #expect(abs(try cost(kind, .region) / region - 1.0 / 3) < 0.001) }
        #expect(budget.variance(of: .height, at: .region) == nil, "a kind without a share is not grouped")
    }

    @Test("GRP-4: budgets and shares that mean nothing are refused")
    func wrongShares() throws {
        try GroupBudget().check()
        for epsilon in [0, -1, 4.6, .nan, .infinity] {
            #expect(throws: GroupBudget.Problem.epsilonOutOfRange) { try GroupBudget(epsilon: epsilon).check() }
        }
        for (all, one) in [(-1, 0), (1_001, 6), (5, 6), (5, -1)] {
            let budget = GroupBudget(questionsPerYear: all, questionsPerOrganisation: one)
            #expect(throws: GroupBudget.Problem.questionsOutOfRange) { try budget.check() }
        }
        #expect(throws: BudgetShares.Problem.partsOutOfRange) { try BudgetShares(kinds: [.steps: -1]).check() }
        #expect(throws: BudgetShares.Problem.partsOutOfRange) { try BudgetShares(cube: 10_001).check() }
        #expect(throws: BudgetShares.Problem.nothingShared) { try BudgetShares(kinds: [:]).check() }
        #expect(throws: BudgetShares.Problem.nothingShared) { try BudgetShares(levels: [.region: 0]).check() }
        #expect(throws: BudgetShares.Problem.nothingShared) { try BudgetShares(cube: 0, secondDoor: 0).check() }
        #expect(throws: BudgetShares.Problem.notGrouped(.ecg)) { try BudgetShares(kinds: [.ecg: 1, .steps: 1]).check() }
        // Nobody would be counted by it, and all others would get more noise.
        #expect(throws: BudgetShares.Problem.notGrouped(.position)) { try BudgetShares(kinds: [.position: 1, .steps: 1]).check() }
    }

    @Test("GRP-4: height has no share as installed; with one, all other kinds get the noise that the page says")
    func height() throws {
        var more = BudgetShares()
        more.kinds[.height] = 1
        try more.check()
        let budget = GroupBudget()
        #expect(budget.variance(of: .height, at: .region) == nil && budget.variance(of: .position, at: .region) == nil)
        let before = try #require(budget.variance(of: .heartRate, at: .region)).deviation
        let after = try #require(GroupBudget(shares: more).variance(of: .heartRate, at: .region)).deviation
        #expect(abs(after / before - 1.08) < 0.005)
    }

    @Test("GRP-4: a person's ledger stops at the budget, and shows what was spent on what")
    func ledger() throws {
        let budget = GroupBudget(), variance = try #require(budget.variance(of: .heartRate, at: .region)), cost = Rho(variance)
        var ledger = PersonLedger(year: 2026), charged = 0
        while ledger.charge(cost, for: .cube(.heartRate, .region), within: budget.perYear) { charged += 1 }
        // All of the budget on one line instead of its share of 0.9 / 4: nothing but the sum stops it.
        #expect(charged == Int(budget.perYear.trillionths / cost.trillionths))
        let before = ledger, isCharged = ledger.charge(cost, for: .secondDoor(.weight), within: budget.perYear)
        #expect(!isCharged && ledger == before)
        #expect(ledger.spent <= budget.perYear && ledger.epsilon <= 4.5 && ledger.epsilon > 4.4)
        #expect(ledger.lines == [.init(purpose: .cube(.heartRate, .region), releases: charged, cost: cost * charged)])
        let last = ledger.charge(budget.perYear.less(ledger.spent), for: .secondDoor(.weight), within: budget.perYear)
        let beyond = ledger.charge(Rho(trillionths: 1), for: .secondDoor(.weight), within: budget.perYear)
        #expect(last && !beyond, "to the last trillionth")
        #expect(ledger.lines.count == 2 && ledger.spent == budget.perYear)
        let read = try JSONDecoder().decode(PersonLedger.self, from: JSONEncoder().encode(ledger))
        #expect(read == ledger)
        let setting = try JSONDecoder().decode(GroupBudget.self, from: JSONEncoder().encode(budget))
        #expect(setting == budget)
    }
}
