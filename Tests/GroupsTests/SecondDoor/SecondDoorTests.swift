import Accounts
import TestSupport
import Testing
import Vitals

@testable import Groups

@Suite struct SecondDoorTests {
    private let tree = MadeRegions.tree
    private let window = GroupWindow(.week, number: 2_900)

    /// Women of 30 to 34 by the lake, of whom every second one sleeps long.
    private func people(_ count: Int) -> WindowPeople {
        var people = WindowPeople(kinds: [.heartRate, .sleep], homes: [MadeRegions.lakeTown, MadeRegions.harbour])
        for number in 0..<count {
            _ = people.append(.female, AgeBand(age: 30), home: 0, bins: [number % 4, number % 2 == 0 ? 10 : nil])
            if number % 10 == 0 { _ = people.append(.male, AgeBand(age: 30), home: 1, bins: [0, 10]) }
        }
        return people
    }

    private func question(_ ranges: DoorQuestion.Range..., regions: Set<RegionCode>? = nil) throws -> DoorQuestion? {
        DoorQuestion(try GroupQuestion(.heartRate, sexes: [.female], regions: regions, in: tree), in: window, where: ranges)
    }

    @Test("GRP-1: ranges of health values become classes, and ways to say the same one question")
    func ranges() throws {
        let long = try #require(DoorQuestion.Range(.sleep, from: 420, below: nil))
        #expect(long.bins == 8...15 && DoorQuestion.Range(.sleep, from: 411, below: 5_000)?.bins == 8...14)
        #expect(DoorQuestion.Range(.sleep, from: 600, below: 300)?.bins == 14...14, "one class at least")
        #expect(DoorQuestion.Range(.position, from: 1, below: 2) == nil && DoorQuestion.Range(.ecg, from: nil, below: nil) == nil)
        let heavy = try #require(DoorQuestion.Range(.weight, from: 100, below: nil))
        #expect(try question(long, heavy) == question(heavy, .init(.sleep, bins: 3...15), .init(.sleep, bins: 8...15)))
        #expect(try question() == nil && question(.init(.sleep, bins: 0...3), .init(.sleep, bins: 4...9)) == nil)
    }

    @Test("GRP-1: people are counted of whom every condition holds")
    func counting() throws {
        let people = people(8_000)
        let asked = try #require(try question(.init(.sleep, bins: 10...10)))
        let counts = people.counts(for: asked, in: tree)
        #expect(counts.bins == [2_000, 0, 2_000] + [Int64](repeating: 0, count: 13))
        let slow = try #require(try question(.init(.sleep, bins: 10...15), .init(.heartRate, bins: 0...1), regions: [MadeRegions.lake]))
        #expect(people.counts(for: slow, in: tree).bins.prefix(3) == [2_000, 0, 0])
        #expect(people.counts(for: try #require(try question(.init(.weight, bins: 0...15))), in: tree).total == 0)
        #expect(
            people.counts(for: try #require(try question(.init(.sleep, bins: 0...15), regions: [MadeRegions.south])), in: tree).total == 0)
    }

    @Test("GRP-4: the same question has the answer that it had, by whomever, and costs once")
    func repeated() throws {
        var door = try #require(SecondDoor<String>(year: 2026, budget: GroupBudget())), generator = SeededGenerator(seed: 1)
        let people = people(14_000), asked = try #require(try question(.init(.sleep, bins: 10...10)))
        let first = door.ask(asked, by: "hospital", of: people, in: tree, using: &generator)
        guard case .answered(let noisy) = first else { throw TestFailure() }
        #expect(abs(noisy.reduce(0, +) - 7_000) < 500 && noisy[0] != 3_500)
        for organisation in ["hospital", "insurer"] {
            #expect(door.ask(asked, by: organisation, of: people, in: tree, using: &generator) == first)
        }
        #expect(door.spent == door.cost && door.asked == ["hospital": 1])
        #expect(door.ask(asked, by: "hospital", of: self.people(1), in: tree, using: &generator) == first, "late data changes nothing")
    }
    private struct TestFailure: Error {}

    @Test("GRP-4: used up means refusal, for an organisation and for all, and nothing beyond the budget is ever answered")
    func spent() throws {
        let budget = GroupBudget(questionsPerYear: 5, questionsPerOrganisation: 3)
        var door = try #require(SecondDoor<Int>(year: 2026, budget: budget)), generator = SeededGenerator(seed: 1)
        let people = people(10)
        func ask(_ number: Int, by organisation: Int) throws -> SecondDoor<Int>.Outcome {
            let asked = try #require(try question(.init(.sleep, bins: 0...number)))
            return door.ask(asked, by: organisation, of: people, in: tree, using: &generator)
        }
        for number in 0..<3 { #expect(try ask(number, by: 1) == .refused) }
        #expect(try ask(3, by: 1) == .organisationSpent && ask(0, by: 1) == .refused, "what was asked before stays")
        for number in 3..<5 { #expect(try ask(number, by: 2) == .refused) }
        #expect(try ask(5, by: 2) == .yearSpent && ask(5, by: 3) == .yearSpent)
        #expect(door.spent <= budget.perYear.share(1, of: 10) && door.given.count == 5)
    }

    @Test("GRP-2: the second door's groups are well above 1000, and it needs a share")
    func minimum() throws {
        let door = try #require(SecondDoor<Int>(year: 2026, budget: GroupBudget(), minimum: 1_000))
        #expect(door.rule.minimum == 5_000 && door.rule.certain > 5_000)
        #expect(SecondDoor<Int>(year: 2026, budget: GroupBudget(shares: BudgetShares(secondDoor: 0))) == nil)
        #expect(SecondDoor<Int>(year: 2026, budget: GroupBudget(questionsPerYear: 0)) == nil)
    }
}
