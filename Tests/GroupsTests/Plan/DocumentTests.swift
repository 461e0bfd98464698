import Accounts
import Foundation
import Groups
import TestSupport
import Testing
import Vitals

/// The tables of docs/groups.md. With `TRACKME_WRITE_TABLES=1` they are written instead.
@Suite struct DocumentTests {
    private static let page = Repository.url("docs/groups.md")

    /// Three digits or so.
    private static func short(_ value: Double) -> String { String(format: value >= 100 ? "%.0f" : value >= 10 ? "%.1f" : "%.2f", value) }

    private static func name(_ kind: DataKind) -> String { kind.entry.name.split(separator: "_").joined(separator: " ") }

    private static let classes: [String] = GroupBins.kinds.compactMap { GroupBins($0) }.filter(\.isOrdered).map { bins in
        func text(_ value: Int64) -> String { value.text(places: bins.decimals) }
        return "| \(name(bins.kind)) | \(bins.unit) | \(text(bins.first)) | \(text(bins.first + 15 * bins.width)) | \(text(bins.width)) |"
    }

    private static let plan: [String] = GroupPlan(GroupBudget()).rows.map { row in
        func errors(_ cells: Int) -> String { row.errors.filter { $0.cells == cells }.map { short($0.half) }.joined(separator: ", ") }
        return
            "| \(name(row.kind)), \(row.level) | \(short(row.variance.deviation)) | \(row.threshold) | \(row.certain) | \(errors(1)) | \(errors(10)) |"
    }

    @Test(
        "GRP-4: the page has the classes and figures that hold",
        arguments: [("| kind | unit |", classes), ("| kind and level, as installed |", plan)])
    func tables(header: String, rows: [String]) throws {
        var lines = try String(contentsOf: Self.page, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false).map(
            String.init)
        let first = try #require(lines.firstIndex { $0.hasPrefix(header) }) + 2
        let end = try #require(lines[first...].firstIndex { $0.isEmpty })
        if ProcessInfo.processInfo.environment["TRACKME_WRITE_TABLES"] != nil {
            lines.replaceSubrange(first..<end, with: rows)
            try lines.joined(separator: "\n").write(to: Self.page, atomically: true, encoding: .utf8)
        } else {
            #expect(Array(lines[first..<end]) == rows)
        }
    }

    @Test("GRP-4: the page says what the whole budget on one kind and level would give")
    func whole() throws {
        let budget = GroupBudget(shares: BudgetShares(kinds: [.heartRate: 1], levels: [.region: 1], cube: 1, secondDoor: 0))
        let errors = try #require(GroupPlan(budget).rows.first).errors.filter { $0.cells == 1 }.map { Self.short($0.half) }
        let sentence = "the error is \(errors[0]) /min for 1,000 people, \(errors[1]) for 10,000 and \(errors[2]) for 100,000."
        #expect(try String(contentsOf: Self.page, encoding: .utf8).contains(sentence), "\(sentence)")
    }
}
