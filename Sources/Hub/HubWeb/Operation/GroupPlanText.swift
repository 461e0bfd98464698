import Accounts
import Foundation
import Groups
import Vitals

/// A plan as a table for a terminal, and as JSON.
struct GroupPlanText {
    let budget: GroupBudget
    let minimum: Int
    let plan: GroupPlan

    init(_ budget: GroupBudget, minimum: Int) {
        (self.budget, self.minimum, plan) = (budget, minimum, GroupPlan(budget, minimum: minimum))
    }

    /// Three digits or so.
    static func short(_ value: Double) -> String { String(format: value >= 100 ? "%.0f" : value >= 10 ? "%.1f" : "%.2f", value) }

    var lines: [String] {
        let head = [
            "A person loses at most epsilon \(Self.short(plan.epsilon)) in a year (delta 1e-9): whoever reads everything and guesses",
            "whether somebody was counted is right at most \(Int((plan.guess * 100).rounded(.up))) times in 100; a coin is right 50 times.",
            "Windows: one a \(budget.window), \(budget.window.perYear) in a year at most. Groups: \(minimum) people and more.", "",
        ]
        return head + cube + [""] + door + problems
    }

    private static let header = ["kind", "level", "unit", "noise", "from", "certain", "epsilon"]

    private var cube: [String] {
        guard !plan.rows.isEmpty else { return ["No windows are released."] }
        let sizes = GroupPlan.sizes.map { $0.formatted(.number.locale(Locale(identifier: "en_GB"))) }
        let table = [Self.header + sizes + sizes] + plan.rows.map(cells)
        let widths = table[0].indices.map { column in table.map { $0[column].count }.max() ?? 0 }
        func padded(_ row: [String]) -> String {
            row.indices.map { column in
                let blanks = String(repeating: " ", count: widths[column] - row[column].count)
                return column < 3 ? row[column] + blanks : blanks + row[column]
            }.joined(separator: "  ")
        }
        let left = widths[..<Self.header.count].reduce(0) { $0 + $1 + 2 }
        let middle = widths[Self.header.count...].prefix(3).reduce(0) { $0 + $1 + 2 }
        func filled(_ text: String, _ width: Int) -> String { text + String(repeating: " ", count: max(0, width - text.count)) }
        let over = filled("", left) + filled("error, in one cell of", middle) + "in ten cells, together"
        return [over] + table.map(padded) + [
            "noise: deviation of each count. from: noisy count from which a cell is released. certain: people from which it surely is.",
            "epsilon: of a year of that line. error: half of the 95 % interval of a mean; in brackets where the cells may be refused.",
        ]
    }

    private func cells(of row: GroupPlan.Row) -> [String] {
        func error(_ error: GroupPlan.Error?) -> String {
            guard let error else { return "-" }
            return error.isReleased ? Self.short(error.half) : "(\(Self.short(error.half)))"
        }
        let errors = GroupPlan.cells.flatMap { cells in
            GroupPlan.sizes.map { people in error(row.errors.first { $0.cells == cells && $0.people == people }) }
        }
        return [
            row.kind.name, "\(row.level)", GroupBins(row.kind)?.unit ?? "", Self.short(row.variance.deviation), "\(row.threshold)",
            "\(row.certain)", Self.short(row.epsilonOfYear),
        ] + errors
    }

    private var door: [String] {
        guard let door = plan.door else { return ["Questions with ranges of health values are not answered."] }
        return [
            """
            Questions with ranges of health values: \(budget.questionsPerYear) answers in a year, \
            \(budget.questionsPerOrganisation) for one organisation; epsilon \(Self.short(door.epsilonOfYear)).
            """,
            """
            Noise \(Self.short(door.variance.deviation)), answered from a noisy count of \(door.threshold), surely from \(door.certain) \
            people.
            """,
        ]
    }

    private var problems: [String] {
        let small = plan.tooSmall.compactMap { purpose in
            guard case .cube(let kind, let level) = purpose else { return String?.none }
            return "\(kind.name) by \(level)"
        }
        return small.isEmpty
            ? [] : ["", "Not released, because their parts of the budget are too small: \(small.joined(separator: ", "))."]
    }
}

extension GroupPlanText {
    private struct Answer: Encodable {
        struct Row: Encodable {
            let kind: String, level: String, unit: String
            let deviation: Double, rhoOfWindow: Double, epsilonOfYear: Double
            let releasedFrom: Int, certainFrom: Int
            let errorsOfMean: [Error]
        }
        struct Error: Encodable {
            let people: Int, cells: Int, half: Double, isReleased: Bool
        }
        struct Door: Encodable {
            let questionsPerYear: Int, questionsPerOrganisation: Int
            let deviation: Double, rhoOfAnswer: Double, epsilonOfYear: Double
            let answeredFrom: Int, certainFrom: Int
        }
        let epsilonMax: Double, delta: Double, epsilon: Double, rho: Double, guess: Double
        let window: String, windowsPerYear: Int, minimum: Int
        let cube: [Row]
        let secondDoor: Door?
        let tooSmall: [[String]]
    }

    func json() throws -> String {
        let rows = plan.rows.map { row in
            Answer.Row(
                kind: row.kind.name, level: "\(row.level)", unit: GroupBins(row.kind)?.unit ?? "", deviation: row.variance.deviation,
                rhoOfWindow: row.cost.value, epsilonOfYear: row.epsilonOfYear, releasedFrom: row.threshold, certainFrom: row.certain,
                errorsOfMean: row.errors.map { .init(people: $0.people, cells: $0.cells, half: $0.half, isReleased: $0.isReleased) })
        }
        let door = plan.door.map { door in
            Answer.Door(
                questionsPerYear: budget.questionsPerYear, questionsPerOrganisation: budget.questionsPerOrganisation,
                deviation: door.variance.deviation, rhoOfAnswer: door.cost.value, epsilonOfYear: door.epsilonOfYear,
                answeredFrom: door.threshold, certainFrom: door.certain)
        }
        let small = plan.tooSmall.compactMap { purpose in
            if case .cube(let kind, let level) = purpose { [kind.name, "\(level)"] } else { [String]?.none }
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return String(
            decoding: try encoder.encode(
                Answer(
                    epsilonMax: budget.epsilon, delta: GroupBudget.delta, epsilon: plan.epsilon, rho: plan.spent.value, guess: plan.guess,
                    window: budget.window.rawValue, windowsPerYear: budget.window.perYear, minimum: minimum, cube: rows, secondDoor: door,
                    tooSmall: small)), as: UTF8.self)
    }
}
