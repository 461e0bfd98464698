import Accounts
import Groups
import HubStore
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// What closed windows say to a question.
@Suite struct GroupAnswersTests {
    @Test("GRP-2, GRP-7: an answer is put together from the fewest released cells, and says what was not released")
    func answered() throws {
        let made = try MadeGroups(), answers = made.answers()
        let (women, men) = (try MadeGroups.cell(.female, 30, "IT-25"), try MadeGroups.cell(.male, 30, "IT-MI"))
        try made.close(
            made.window,
            [
                .region: [women], .province: [men, try MadeGroups.cell(.female, 30, "IT-MI")],
                .municipality: [try MadeGroups.cell(.male, 30, "IT-015146")],
            ])
        let question = try GroupQuestion(.heartRate, bands: [AgeBand(age: 30)], regions: [MadeGroups.code("IT-25")], in: made.tree)
        let answer = try #require(try answers.answer(to: question, in: made.window))
        // Women have a cell of the region, men one of a province; of other sexes there is nothing.
        #expect(answer.cells == 2 && answer.window == made.window && answer.closed == made.window.closes())
        #expect(answer.answer?.counts == [Int64](repeating: 200, count: 16) && answer.answer?.variance == 800)
        #expect(answer.missing == [try MadeGroups.cell(.male, 30, "IT-LC"), try MadeGroups.cell(.other, 30, "IT-25")])
        #expect(try answers.answer(to: question, in: made.window.next) == nil, "it is not closed")
    }

    @Test("GRP-2: a refusal is the same for too few people, for nobody, and for a kind that is not released")
    func refused() throws {
        let made = try MadeGroups(), answers = made.answers()
        try made.close(made.window, [.region: [try MadeGroups.cell(.female, 30, "IT-25")], .province: []])
        func ask(_ kind: DataKind, _ age: Int, _ region: String) throws -> GroupWindowAnswer? {
            let question = try GroupQuestion(
                kind, sexes: [.male], bands: [AgeBand(age: age)], regions: [MadeGroups.code(region)], in: made.tree)
            return try answers.answer(to: question, in: made.window)
        }
        for (kind, age, region) in [(DataKind.heartRate, 30, "IT-25"), (.heartRate, 30, "IT-21"), (.sleep, 90, "IT-LC")] {
            let answer = try #require(try ask(kind, age, region))
            #expect(try answer.answer == nil && answer.cells == 0 && answer.missing == [MadeGroups.cell(.male, age, region)])
        }
    }

    @Test("GRP-5, GRP-7: a span is answered window by window, and what was closed later is found")
    func span() throws {
        let made = try MadeGroups(), answers = made.answers(), cell = try MadeGroups.cell(.female, 30, "IT-25")
        let question = try GroupQuestion(.heartRate, sexes: [.female], in: made.tree)
        #expect(try answers.newest() == nil && answers.answers(to: question, from: .min, to: .max).isEmpty)
        try made.close(made.window, [.region: [cell]])
        #expect(try answers.answers(to: question, from: .min, to: .max).map(\.window) == [made.window])
        try made.close(made.window.next, [.region: []])
        let found = try answers.answers(to: question, from: .min, to: .max)
        #expect(found.map(\.window) == [made.window, made.window.next] && found.map { $0.answer != nil } == [true, false])
        #expect(try answers.answers(to: question, from: made.window.end, to: .max) == [found[1]])
        #expect(try answers.newest() == made.window.next && answers.newest(.day) == nil)
    }

    @Test("GRP-4: the second door answers once, for everybody, and after a restart as well")
    func door() throws {
        let made = try MadeGroups(), clinic = try made.own.addAccount(email: "clinic@example.org").id
        let insurer = try made.own.addAccount(email: "insurer@example.org").id
        let budget = GroupBudget(questionsPerYear: 3, questionsPerOrganisation: 2)
        func open() -> GroupDoor { GroupDoor(made.accounts, tree: made.tree, budget: budget, now: { 7 }) }
        func question(_ bins: ClosedRange<Int>, in window: GroupWindow? = nil) throws -> DoorQuestion {
            let asked = try GroupQuestion(.heartRate, sexes: [.female], regions: [MadeGroups.code("IT-25")], in: made.tree)
            return try #require(DoorQuestion(asked, in: window ?? made.window, where: [.init(.sleep, bins: bins)]))
        }
        let door = open(), year = made.window.year
        #expect(try door.ask(question(10...15), by: clinic) == .windowGone && door.left(of: clinic, in: year) == (2, 3))
        try made.close(made.window, [:], contributions: PeopleCodec.encoded(try MadeGroups.people(14_000)))
        let first = try door.ask(question(10...15), by: clinic)
        guard case .answered(let answer) = first else {
            Issue.record("7,000 people are enough")
            return
        }
        #expect(abs(answer.count.value - 7_000) < 1_000 && answer.counts != [3_500, 0, 3_500] + [Int64](repeating: 0, count: 13))
        let again = open()
        for account in [clinic, insurer] { #expect(try again.ask(question(10...15), by: account) == first) }
        #expect(try again.left(of: clinic, in: year) == (1, 2) && again.left(of: insurer, in: year) == (2, 2))
        // Men who sleep so are too few, and nobody is told how many.
        #expect(try again.ask(question(0...3), by: clinic) == .refused && again.ask(question(4...5), by: clinic) == .organisationSpent)
        #expect(try again.ask(question(4...5), by: insurer) == .refused && open().ask(question(6...7), by: insurer) == .yearSpent)
        #expect(try open().ask(question(0...3), by: insurer) == .refused && open().known(question(6...7)) == nil)
    }

    @Test("GRP-4: the door spends nothing that the cube has spent, or is spending")
    func doorWithinBudget() throws {
        let made = try MadeGroups(), clinic = try made.own.addAccount(email: "clinic@example.org").id, budget = GroupBudget()
        let door = GroupDoor(made.accounts, tree: made.tree, budget: budget, now: { 7 })
        try made.close(made.window, [:], contributions: PeopleCodec.encoded(try MadeGroups.people(10)))
        let asked = try GroupQuestion(.heartRate, sexes: [.female], in: made.tree)
        let question = try #require(DoorQuestion(asked, in: made.window, where: [.init(.sleep, bins: 0...5)]))
        #expect(try door.reserve(budget.perYear, in: made.window.year) == .zero)
        #expect(try door.ask(question, by: clinic) == .yearSpent)
        door.closed(made.window, nil)
        #expect(try door.ask(question, by: clinic) == .refused && door.reserve(.zero, in: made.window.year) > .zero)
    }

    @Test("DATA-10: contributions survive their bytes, and bytes that are none are told")
    func codec() throws {
        let people = try MadeGroups.people(60_000), parts = PeopleCodec.encoded(people)
        #expect(parts.count == 1 && PeopleCodec.decoded(parts) == people)
        let many = parts[0].chunked(100_000)
        #expect(many.count > 3 && PeopleCodec.decoded(many) == people && PeopleCodec.decoded(many.dropLast()) == nil)
        #expect(PeopleCodec.decoded([]) == nil && PeopleCodec.decoded([parts[0], [0]]) == nil && PeopleCodec.decoded([[1, 255]]) == nil)
    }
}

extension [UInt8] {
    fileprivate func chunked(_ length: Int) -> [[UInt8]] {
        stride(from: 0, to: count, by: length).map { Array(self[$0..<Swift.min($0 + length, count)]) }
    }
}
