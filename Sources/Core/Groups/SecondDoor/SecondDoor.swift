/// The second door: questions that the cube cannot answer, each with noise of its own and so with a cost (GRP-1, GRP-4).
///
/// Every answer of a year costs every person the same, whether they are in the group or not: a ledger that told them apart would tell
/// something itself. The same question again, by whomever, has the answer that it had, and costs nothing.
public struct SecondDoor<Organisation: Hashable & Sendable>: Sendable {
    /// The outcome of a question.
    public enum Outcome: Sendable, Hashable {
        /// 16 noisy counts.
        case answered([Int64])
        /// The group is too small, or its noise says so.
        case refused
        /// The organisation has had its answers of this year.
        case organisationSpent
        /// All have been given.
        case yearSpent
    }

    public let year: Int
    public let rule: ReleaseRule
    public let questionsMax: Int
    public let questionsOfOrganisationMax: Int
    /// Answers and refusals of this year by question.
    public private(set) var given: [DoorQuestion: [Int64]?] = [:]
    public private(set) var asked: [Organisation: Int]
    /// The number of answers and refusals of this year that are kept elsewhere.
    private let earlier: Int

    /// - Parameters:
    ///   - earlier: how many questions of this year were answered or refused before; whoever keeps them does not ask them again.
    ///   - asked: how many of them were each organisation's.
    /// - Returns: nil where the budget has no share for it.
    public init?(
        year: Int, budget: GroupBudget, minimum: Int = ReleaseRule.minimumOfSecondDoor, earlier: Int = 0, asked: [Organisation: Int] = [:]
    ) {
        guard let variance = budget.varianceOfSecondDoor, budget.questionsPerYear > 0 else { return nil }
        (self.year, self.earlier, self.asked) = (year, earlier, asked)
        rule = ReleaseRule(
            minimum: max(minimum, ReleaseRule.minimumOfSecondDoor), variance: variance, chance: budget.chanceOfMargin)
        (questionsMax, questionsOfOrganisationMax) = (budget.questionsPerYear, budget.questionsPerOrganisation)
    }

    /// The cost of one answer to each person.
    public var cost: Rho { Rho(rule.variance) }
    /// The spent budget, where all earlier answers cost the same.
    public var spent: Rho { cost * (earlier + given.count) }

    /// Answers a question, and keeps the answer.
    /// - Parameters:
    ///   - people: of the question's window.
    ///   - generator: the system's; a seeded one is for tests alone.
    public mutating func ask(
        _ question: DoorQuestion, by organisation: Organisation, of people: WindowPeople, in tree: RegionTree,
        using generator: inout some RandomNumberGenerator
    ) -> Outcome {
        if let known = given[question] { return known.map(Outcome.answered) ?? .refused }
        guard earlier + given.count < questionsMax else { return .yearSpent }
        guard asked[organisation, default: 0] < questionsOfOrganisationMax else { return .organisationSpent }
        asked[organisation, default: 0] += 1
        let released = rule.release(people.counts(for: question, in: tree), using: &generator)
        given.updateValue(released, forKey: question)
        return released.map(Outcome.answered) ?? .refused
    }
}
