import TestSupport
import Testing

@testable import Groups

/// Whether somebody is a member, from all that is released of them: the likelihood ratio over every kind, level and window, and the second
/// door's answers. `TRACKME_ATTACK_TARGETS=10000` is the long run.
@Suite struct SeriesTests {
    private static let targets = AttackTests.targets < 10_000 ? max(150, AttackTests.targets / 4) : AttackTests.targets

    private func guesses(windows: Int, answers: Int, _ fault: Fault?) throws -> (result: AttackResult, spent: Rho) {
        let budget = GroupBudget(), plan = GroupPlan(budget), door = try #require(plan.door)
        var releases: [(variance: NoiseVariance, cost: Rho, times: Int)] = plan.rows.map { ($0.variance, $0.cost, windows) }
        releases.append((door.variance, door.cost, answers))
        let spent = releases.reduce(Rho.zero) { $0 + $1.cost * $1.times }
        // What is accounted for stays; half the deviation is a quarter of the variance.
        let noises = try releases.map { release in
            guard fault == .halfNoise else { return DiscreteGaussian(release.variance) }
            return DiscreteGaussian(try #require(NoiseVariance(release.variance.numerator / 4, over: release.variance.denominator)))
        }
        var generator = SeededGenerator(seed: 26), result = AttackResult(rho: spent.value)
        for _ in 0..<Self.targets {
            for isThere in [1.0, 0] {
                var score = 0.0
                for (release, noise) in zip(releases, noises) {
                    for _ in 0..<release.times {
                        score += (2 * (isThere + Double(noise.sample(using: &generator))) - 1) / (2 * release.variance.value)
                    }
                }
                if isThere == 1 { result.with.append(score) } else { result.without.append(score) }
            }
        }
        return (result, spent)
    }

    @Test("GRP-4: all kinds and levels of one window say no more about anybody than they cost")
    func window() throws {
        let (result, spent) = try guesses(windows: 1, answers: 0, nil)
        #expect(result.isBounded && result.successMax < 0.53, "\(result.text)")
        #expect(spent * GroupWindow.Length.week.perYear <= GroupBudget().perYear)
        // Half the noise shows in one window only over many targets.
        if Self.targets >= 10_000 { #expect(try !guesses(windows: 1, answers: 0, .halfNoise).result.isBounded) }
    }

    @Test(
        "GRP-4: a year of all windows, kinds, levels and answers says no more about anybody than the budget",
        arguments: [nil, Fault.halfNoise])
    func year(fault: Fault?) throws {
        let budget = GroupBudget()
        let (result, spent) = try guesses(windows: budget.window.perYear, answers: budget.questionsPerYear, fault)
        #expect(result.isBounded == (fault == nil), "\(result.text)")
        #expect(spent <= budget.perYear && result.successMax < 0.64 && result.aucMax < 0.7)
    }
}
