import Testing

@testable import AgentKit

@Suite struct ComparingTests {
    private func compare(_ expected: [String], _ got: [String], chunk: Int = 7) -> Comparing.Report {
        var comparing = Comparing(expected: expected)
        var text = Substring(got.map { $0 + "\n" }.joined())
        while !text.isEmpty {
            comparing.take(String(text.prefix(chunk)))
            text = text.dropFirst(chunk)
        }
        return comparing.finish()
    }

    private let lines = (0..<500).map { "{\"time\":\"2026-01-01T00:00:00.\($0)Z\",\"bpm\":\($0 % 90)}" }

    @Test("EDGE-10: a recording that gives the expected events passes, whatever the line ends and blank lines")
    func equal() {
        let report = compare(lines.map { $0 + "\r" } + [""], [""] + lines, chunk: 1000)
        #expect(report.isEqual)
        #expect(report.equal == 500)
        #expect(report.description == "500 events as expected, 0 different, 0 missing, 0 unexpected\n")
    }

    @Test("EDGE-10: one lost, one extra and one changed event are one difference each, with their lines", arguments: [1, 60, 10_000])
    func differences(chunk: Int) {
        var got = lines
        got[400] = "changed"
        got.insert("extra", at: 200)
        got.remove(at: 100)
        let report = compare(lines, got, chunk: chunk)
        #expect(!report.isEqual)
        #expect(report.equal == 498)
        #expect(
            report.differences == [
                .init(line: 101, expected: lines[100], got: nil), .init(line: 201, expected: nil, got: "extra"),
                .init(line: 401, expected: lines[400], got: "changed"),
            ])
        #expect(report.description.contains("line 401\n  expected \(lines[400])\n  got      changed\n"))
    }

    @Test("EDGE-10: a run of lines too many, or of missing ones, is told as such up to the lookahead", arguments: [1, 5, 63])
    func runs(count: Int) {
        let extra = (0..<count).map { "extra \($0)" }
        let more = compare(lines, Array(lines.prefix(50)) + extra + lines.dropFirst(50))
        #expect((more.equal, more.different, more.missing, more.unexpected) == (500, 0, 0, count))
        let less = compare(lines, Array(lines.prefix(50)) + lines.dropFirst(50 + count))
        #expect((less.equal, less.different, less.missing, less.unexpected) == (500 - count, 0, count, 0))
    }

    @Test("EDGE-10: a recording that ends early or goes on too long fails, with the count of what differs")
    func ends() {
        let early = compare(lines, Array(lines.prefix(100)))
        #expect((early.equal, early.missing, early.unexpected) == (100, 400, 0))
        #expect(early.differences.count == Comparing.shownMax)
        #expect(early.description.hasSuffix("and 390 more\n"))
        let long = compare(Array(lines.prefix(100)), lines)
        #expect((long.equal, long.missing, long.unexpected) == (100, 0, 400))
        #expect(!early.isEqual && !long.isEqual)
    }

    @Test("EDGE-10: nothing against nothing does not pass")
    func nothing() {
        #expect(!compare([], []).isEqual)
        #expect(compare([], []).description.contains("nothing was compared"))
        #expect(!compare(lines, []).isEqual)
        #expect(!compare([], lines).isEqual)
    }

    @Test("EDGE-10: the last line counts without its end, and long lines are cut where they are shown")
    func lastLine() {
        var comparing = Comparing(expected: ["a"])
        comparing.take("a")
        #expect(comparing.finish().isEqual)
        let long = compare([String(repeating: "x", count: 5000)], ["y"])
        #expect(long.description.utf8.count < 600)
    }

    @Test("EDGE-10: two recordings that share nothing are told as different, pair by pair")
    func foreign() {
        let report = compare(lines, lines.map { "other " + $0 })
        #expect((report.equal, report.different) == (0, 500))
    }
}
