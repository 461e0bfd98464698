import Accounts
import Testing
import Vitals

@testable import Groups

@Suite struct YearTests {
    @Test("GRP-4: the windows of a year begin between its start and that of the next one")
    func years() {
        for year in 1_960...2_110 {
            let start = GroupWindow.start(ofYear: year)
            #expect(GroupWindow(.hour, at: start).year == year && GroupWindow(.hour, at: start - 1).year == year - 1)
        }
        #expect(GroupWindow.start(ofYear: 2_026) == 1_767_225_600_000)
    }

    @Test("GRP-4: the second door counts what was answered before it was opened")
    func earlier() throws {
        let budget = GroupBudget(questionsPerYear: 5, questionsPerOrganisation: 3), tree = MadeRegions.tree
        var door = try #require(SecondDoor<Int>(year: 2_026, budget: budget, earlier: 4, asked: [1: 3]))
        let asked = try GroupQuestion(.heartRate, sexes: [.female], in: tree), window = GroupWindow(.week, number: 2_930)
        let people = WindowPeople(kinds: [.heartRate, .sleep], homes: [])
        var generator = SystemRandomNumberGenerator()
        func ask(_ bins: ClosedRange<Int>, by organisation: Int) throws -> SecondDoor<Int>.Outcome {
            let question = try #require(DoorQuestion(asked, in: window, where: [.init(.sleep, bins: bins)]))
            return door.ask(question, by: organisation, of: people, in: tree, using: &generator)
        }
        #expect(try ask(0...3, by: 1) == .organisationSpent && ask(0...3, by: 2) == .refused && ask(0...4, by: 2) == .yearSpent)
        #expect(door.spent == door.cost * 5 && door.asked == [1: 3, 2: 1])
        let texts = try [0...3, 0...4, 1...3].map { bins in
            try #require(DoorQuestion(asked, in: window, where: [.init(.sleep, bins: bins)])).text
        }
        #expect(Set(texts).count == 3 && texts[0].contains("week 2930;1;0;"), "\(texts)")
    }
}
