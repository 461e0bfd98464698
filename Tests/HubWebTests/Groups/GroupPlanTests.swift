import Foundation
import Testing

@testable import HubWeb

@Suite struct GroupPlanTests {
    private let configuration = HubConfiguration(directory: URL(fileURLWithPath: "/nowhere"))

    private func plan(_ wanted: HubCommands.GroupPlanning = .init()) throws -> String {
        try HubCommands.planGroups(wanted, json: false, configuration)
    }

    @Test("GRP-4: `groups plan` shows an operator noise, sizes, errors and budget of what is installed, and reads nothing")
    func installed() throws {
        let text = try plan(), lines = text.split(separator: "\n").map(String.init)
        #expect(text.contains("at most epsilon 4.49 in a year") || text.contains("at most epsilon 4.50 in a year"), "\(text)")
        #expect(text.contains("right at most 64 times in 100") && text.contains("Windows: one a week, 53 in a year at most"))
        let region = try #require(lines.first { $0.hasPrefix("heart_rate  region ") })
        // One row of the table of docs/groups.md, which DocumentTests keeps true; cells of 1,000 may be refused.
        let figures = ["21.5", "1661", "2322", "(4.11)", "0.41", "0.04", "(13.0)", "(1.30)", "0.13"]
        #expect(figures.allSatisfy { region.split(separator: " ").contains(Substring($0)) }, "\(region)")
        #expect(lines.filter { ["heart_rate ", "steps ", "weight ", "sleep "].contains(where: $0.hasPrefix) }.count == 12)
        #expect(Set(lines.filter { $0.contains(" municipality ") || $0.contains(" region ") }.map(\.count)).count == 1, "a table")
        #expect(text.contains("24 answers in a year, 6 for one organisation"))
    }

    @Test("GRP-4: `groups plan` shows what other settings buy before they hold")
    func wanted() throws {
        let whole = try plan(.init(kinds: ["heart_rate=1"], levels: ["municipality=1"], cube: 1, secondDoor: 0))
        let row = try #require(whole.split(separator: "\n").first { $0.hasPrefix("heart_rate  municipality") })
        #expect(row.split(separator: " ").contains("(1.95)") && whole.contains("ranges of health values are not answered"), "\(whole)")
        #expect(whole.split(separator: "\n").filter { $0.contains("municipality") }.count == 1)
        let lower = try plan(.init(epsilon: 1, window: "day", minimum: 5_000, questions: 2))
        #expect(lower.contains("Windows: one a day, 366 in a year") && lower.contains("Groups: 5000 people and more"))
        #expect(lower.contains("at most epsilon 1.00") || lower.contains("at most epsilon 0.99"), "\(lower)")
        #expect(lower.contains("2 answers in a year, 2 for one organisation"))
        let small = try plan(.init(kinds: ["heart_rate=10000", "sleep=1"], levels: ["region=1"], window: "hour"))
        #expect(small.contains("too small: sleep by region.") && !small.contains("\nsleep"), "\(small)")
        let none = try plan(.init(cube: 0))
        #expect(none.contains("No windows are released.") && none.contains("24 answers in a year"))
    }

    @Test("GRP-4: `groups plan --json` is one object with the same figures")
    func json() throws {
        let text = try HubCommands.planGroups(.init(), json: true, configuration)
        let plan = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let rows = try #require(plan["cube"] as? [[String: Any]]), region = try #require(rows.first)
        #expect(rows.count == 12 && region["kind"] as? String == "heart_rate" && region["level"] as? String == "region")
        #expect(region["unit"] as? String == "/min" && region["releasedFrom"] as? Int == 1_661 && region["certainFrom"] as? Int == 2_322)
        #expect((region["errorsOfMean"] as? [[String: Any]])?.count == 6)
        let epsilon = try #require(plan["epsilon"] as? Double), delta = try #require(plan["delta"] as? Double)
        #expect(epsilon <= 4.5 && epsilon > 4.45 && delta == 1e-9 && plan["windowsPerYear"] as? Int == 53)
        #expect((plan["secondDoor"] as? [String: Any])?["questionsPerYear"] as? Int == 24 && (plan["tooSmall"] as? [Any])?.isEmpty == true)
    }

    @Test("what `groups plan` cannot plan is named with what to write instead")
    func wrong() {
        let cases: [(HubCommands.GroupPlanning, String)] = [
            (.init(kinds: ["heart=1"]), "like heart_rate=3"), (.init(kinds: ["heart_rate"]), "like heart_rate=3"),
            (.init(kinds: ["heart_rate=x"]), "whole number"), (.init(kinds: ["sleep=1", "sleep=2"]), "twice"),
            (.init(kinds: ["ecg=1"]), "ecg cannot be grouped. These can: heart_rate"), (.init(kinds: ["sleep=-1"]), "0 to 10000"),
            (.init(levels: ["town=1"]), "like region=3"), (.init(levels: ["region=0"]), "a level"),
            (.init(window: "month"), "week, day or hour"),
            (.init(epsilon: 5), "4.5 at most"), (.init(epsilon: 0), "more than 0"), (.init(minimum: 999), "1000 or more"),
            (.init(questions: 5, questionsOfOrganisation: 6), "no more for one"), (.init(questions: 2_000), "0 to 1000"),
        ]
        for (wanted, words) in cases {
            let error = #expect(throws: HubConfigurationError.self) { try plan(wanted) }
            #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
        }
    }
}
