import Foundation
import TestSupport
import Testing
import Vitals

@testable import Groups

@Suite struct AttackTests {
    /// `TRACKME_ATTACK_TARGETS=10000` is the long run.
    static let targets = ProcessInfo.processInfo.environment["TRACKME_ATTACK_TARGETS"].flatMap(Int.init) ?? 600

    @Test("GRP-4: no attack does better than the accounting says", arguments: Attack.allCases)
    func bounded(attack: Attack) throws {
        let result = try attack.run(targets: Self.targets)
        #expect(result.isBounded, "\(attack): \(result.text)")
        // An attack that reads something must also learn something, or it would see no fault.
        if [.likelihood, .lowBits].contains(attack) { #expect(result.success > 0.58, "\(attack): \(result.text)") }
    }

    @Test(
        "GRP-4: each planted fault is caught by an attack",
        arguments: [
            (.halfNoise, .likelihood), (.freshNoise, .averaging), (.trueCountInRefusal, .refusals), (.twoContributions, .likelihood),
            (.floatingPoint, .lowBits), (.unsnappedPolygon, .tracker), (.reopened, .lateData), (.optOutIgnored, .objection),
            (.newMembersCount, .fakeMembers), (.boundOffByOne, .twoClasses), (.recounted, .leaving),
        ] as [(Fault, Attack)])
    func caught(fault: Fault, attack: Attack) throws {
        let result = try attack.run(fault, targets: Self.targets)
        #expect(!result.isBounded, "\(fault) by \(attack): \(result.text)")
    }

    @Test(
        "GRP-4: more questions at the second door than the budget has show somebody, and are not answered",
        arguments: [nil, Fault.budgetNotStopped])
    func secondDoor(fault: Fault?) throws {
        let budget = GroupBudget(), unstopped = GroupBudget(questionsPerYear: 400, questionsPerOrganisation: 400)
        let variance = try #require(budget.varianceOfSecondDoor)
        // Six organisations together ask 400 questions that the target falls under.
        var door = try #require(SecondDoor<Int>(year: 2026, budget: fault == nil ? budget : unstopped))
        let question = try GroupQuestion(.heartRate, sexes: [.female], in: MadeRegions.tree),
            nobody = WindowPeople(kinds: [.heartRate], homes: [])
        var generator = SeededGenerator(seed: 9), answered = 0
        for number in 0..<400 {
            let ranges = [DoorQuestion.Range(.sleep, bins: 0...number % 15), DoorQuestion.Range(.steps, bins: 0...number / 15 % 15)]
            let asked = try #require(
                DoorQuestion(question, in: GroupWindow(.week, number: Int64(number / 225)), where: ranges + [.init(.weight, bins: 0...14)]))
            let outcome = door.ask(asked, by: number % 6, of: nobody, in: MadeRegions.tree, using: &generator)
            if outcome != .yearSpent && outcome != .organisationSpent { answered += 1 }
        }
        #expect(answered == (fault == nil ? budget.questionsPerYear : 400))
        var result = AttackResult(rho: budget.perYear.share(1, of: 10).value)
        let noise = DiscreteGaussian(variance), targets = Self.targets / 2
        for _ in 0..<targets {
            for isThere in [1.0, 0] {
                let score = (0..<answered).reduce(0.0) { sum, _ in sum + isThere + Double(noise.sample(using: &generator)) - 0.5 }
                if isThere == 1 { result.with.append(score) } else { result.without.append(score) }
            }
        }
        #expect(result.isBounded == (fault == nil), "\(result.text)")
    }

    @Test("GRP-4: the measure itself is right: scores of normal noise reach the bound")
    func measure() {
        var generator = SeededGenerator(seed: 11), result = AttackResult(rho: 0.5)
        // Moved by sqrt(2 rho) = 1 deviation.
        for _ in 0..<20_000 {
            result.with.append(MadeNormal.draw(using: &generator) + 0.5)
            result.without.append(MadeNormal.draw(using: &generator) - 0.5)
        }
        #expect(abs(result.success - result.successMax) < 0.01 && abs(result.auc - result.aucMax) < 0.01 && result.isBounded)
        #expect(abs(result.successMax - 0.6915) < 1e-4 && abs(result.aucMax - 0.7602) < 1e-4)
        result.rho = 0.4
        #expect(!result.isBounded, "a bound that is a little too low is seen")
        #expect(AttackResult(with: [1, 1], without: [-1, -1]).auc == 1 && AttackResult(with: [0, 0], without: [0, 0]).auc == 0.5)
    }
}
