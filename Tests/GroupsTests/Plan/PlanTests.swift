import Accounts
import Groups
import TestSupport
import Testing
import Vitals

@Suite struct PlanTests {
    @Test("GRP-4: a plan says noise, sizes and errors of what is installed, and stays within the budget")
    func installed() throws {
        let budget = GroupBudget(), plan = GroupPlan(budget)
        #expect(plan.rows.count == 12 && plan.rows.allSatisfy { $0.errors.count == 6 })
        #expect(plan.spent <= budget.perYear && plan.epsilon <= 4.5 && plan.epsilon > 4.45)
        let region = try #require(plan.rows.first { $0.kind == .heartRate && $0.level == .region })
        #expect(abs(region.variance.deviation - 21.5) < 0.1 && region.cost == Rho(region.variance) && region.epsilonOfYear < 2.2)
        #expect(region.threshold == 1_000 + (region.certain - 1_000) / 2)
        for (one, ten) in zip(region.errors, region.errors.dropFirst()) where one.people == ten.people {
            #expect(ten.half > one.half && one.cells == 1 && ten.cells == 10)
        }
        #expect(region.errors.filter(\.isReleased).allSatisfy { $0.people / $0.cells >= region.certain })
        #expect(region.errors.contains { $0.isReleased } && region.errors.contains { !$0.isReleased })
        let town = try #require(plan.rows.first { $0.kind == .heartRate && $0.level == .municipality })
        #expect(town.variance.value > 2.99 * region.variance.value, "a region is no noisier than a town")
    }

    @Test("GRP-4: the whole budget on one kind and level gives the mean heart rate of 1,000 people within 2.2 beats")
    func whole() throws {
        let budget = GroupBudget(shares: BudgetShares(kinds: [.heartRate: 1], levels: [.municipality: 1], cube: 1, secondDoor: 0))
        let row = try #require(GroupPlan(budget).rows.first)
        #expect(abs(row.variance.deviation - 10.2) < 0.1)
        #expect(try #require(row.errors.first { $0.people == 1_000 && $0.cells == 1 }).half < 2.2)
        #expect(try #require(row.errors.first { $0.people == 10_000 && $0.cells == 1 }).half < 0.26)
    }

    @Test("GRP-4: a plan says what the second door gives, which shares are too small, and how well anybody can guess")
    func doorAndLimits() throws {
        let budget = GroupBudget(), plan = GroupPlan(budget), door = try #require(plan.door)
        let rule = try #require(SecondDoor<Int>(year: 2026, budget: budget)).rule
        #expect(door.variance == rule.variance && door.certain == rule.certain && door.threshold == rule.minimum + rule.margin)
        let cube = plan.rows.reduce(Rho.zero) { $0 + $1.cost * budget.window.perYear }
        #expect(plan.spent == cube + door.cost * budget.questionsPerYear && door.epsilonOfYear < 1.4)
        #expect(plan.guess > 0.63 && plan.guess < 0.64 && plan.tooSmall.isEmpty)
        #expect(try #require(GroupPlan(budget, minimum: 9_000).door).certain > 9_000)
        #expect(GroupPlan(GroupBudget(questionsPerYear: 0, questionsPerOrganisation: 0)).door == nil)
        let uneven = BudgetShares(kinds: [.heartRate: 10_000, .sleep: 1, .steps: 0], levels: [.region: 1], secondDoor: 0)
        let hourly = GroupPlan(GroupBudget(shares: uneven, window: .hour))
        #expect(hourly.tooSmall == [.cube(.sleep, .region)] && hourly.rows.map(\.kind) == [.heartRate] && hourly.door == nil)
    }

    @Test(
        "GRP-4: the planned errors are those that answers have: 1,000, 10,000 and 100,000 people in one cell and in ten",
        arguments: GroupPlan.sizes, GroupPlan.cells)
    func planned(people: Int, cells: Int) throws {
        let variance = try #require(NoiseVariance(1665, over: 16)), noise = DiscreteGaussian(variance),
            bins = try #require(GroupBins(.heartRate))
        let planned = try #require(GroupPlan.error(of: .heartRate, people: people, cells: cells, variance: variance))
        var generator = SeededGenerator(seed: 3), errors: [Double] = []
        for _ in 0..<41 {
            // A mean of 71.9.
            var counts = [Int64](repeating: 0, count: 16)
            (counts[5], counts[6], counts[7]) = (Int64(people) * 26 / 100, Int64(people) * 49 / 100, Int64(people) * 25 / 100)
            for _ in 0..<cells { counts = counts.map { $0 + noise.sample(using: &generator) } }
            errors.append(try #require(GroupAnswer(bins: bins, counts: counts, variance: variance.value * Double(cells)).mean).error)
        }
        // The smallest group in ten cells is mostly noise: no such cell is released.
        let tolerance = people / cells >= 1_000 ? 0.06 : 0.15
        #expect(abs(errors.sorted()[20] / planned - 1) < tolerance, "\(errors.sorted()[20]), planned \(planned)")
    }

    @Test("GRP-4: nothing is planned for kinds without a mean, and for nobody")
    func unplanned() throws {
        let variance = try #require(NoiseVariance(100))
        #expect(GroupPlan.error(of: .position, people: 10, cells: 1, variance: variance) == nil)
        #expect(GroupPlan.error(of: .steps, people: 0, cells: 1, variance: variance) == nil)
    }
}
