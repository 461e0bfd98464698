import Testing
import Vitals

@testable import Distress

@Suite struct ScenarioParserTests {
    @Test(
        "A mistake in a scenario file is told with its line, what it is, and what to write",
        arguments: [
            ("age 40\n0:05 hart 72", 2, "`hart` is no event"), ("0:05 heart", 1, "missing or out of range"),
            ("0:05 heart 999", 1, "0 to 300"),
            ("5 o'clock heart 72", 1, "no event"), ("0:99 heart 72", 1, "no time"), ("0:30-0:10 heart 72", 1, "ends before it begins"),
            ("colour red", 1, "neither a time nor a setting"), ("question maybe", 1, "off, on"), ("", 1, "Nothing happens"),
            ("0:05 heart 72\nexpect 0:05 explosion", 2, "asked"), ("0:05 fix 45", 1, "latitude"),
            ("0:05 again", 1, "nothing to deliver again"),
            ("0:05 heart 72 rr 0", 1, "RR interval"), ("0:05 taken", 1, "Nobody is named"), ("0:05", 1, "Nothing happens at 0:05"),
        ] as [(String, Int, String)])
    func mistakes(text: String, line: Int, words: String) {
        do throws(ScenarioProblem) {
            _ = try Scenario(text: text)
            Issue.record("`\(text)` was taken")
        } catch {
            #expect(error.line == line)
            #expect(error.description.contains(words), "\(error)")
        }
    }

    @Test("Times, ranges, rising values, comments and settings are read")
    func reads() throws {
        let scenario = try Scenario(
            text:
                "# Somebody.\nage 33\nprovenance drill\nside hub\n1:00:00-1:00:02 heart 70>72 # three\n3600.5 speed 1.5\n1:00:09 end\r\nexpect end calm"
        )
        #expect(scenario.settings.age == 33 && scenario.provenance == .drill && scenario.side == .hub)
        #expect(scenario.events.map(\.time) == [3_600_000, 3_600_500, 3_601_000, 3_602_000])
        #expect(scenario.end == 3_609_000)
        let rates = scenario.events.compactMap { if case .heartRate(let sample, _) = $0.event { sample.beatsPerMinute } else { nil } }
        #expect(rates == [70, 71, 72])
        #expect(scenario.expectations.count == 1)
    }

    @Test("A wrong expectation, and a question that no line expects, are both named")
    func differences() throws {
        let scenario = try Scenario(
            text: "0:00-0:30 heart 72 rr 833\n0:31-0:33 heart 180 rr 333 333 333\nexpect 0:40 raised\nexpect end waiting")
        let found = Replay.run(scenario).differences(from: scenario.expectations)
        #expect(found.contains { $0.contains("line 3: expected raised") })
        #expect(found.contains { $0.contains("line 4: expected waiting") })
        #expect(found.contains { $0.contains("not expected: 0:00:31 asked") })
    }
}
