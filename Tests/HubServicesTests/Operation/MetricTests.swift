import Foundation
import TestSupport
import Testing

@testable import HubServices

/// The figures that Prometheus reads, and their page. With `TRACKME_WRITE_TABLES=1` the page's table is written instead.
struct MetricTests {
    private static let page = Repository.url("docs/metrics.md")
    private static let writes = ProcessInfo.processInfo.environment["TRACKME_WRITE_TABLES"] != nil

    @Test("OPS-3: the page has each figure with its type, labels and meaning, and no other")
    func documented() throws {
        let page = try String(contentsOf: Self.page, encoding: .utf8), start = try #require(page.range(of: "| name | type |")).lowerBound
        if Self.writes {
            try (page[..<start] + HubMetric.table).write(to: Self.page, atomically: true, encoding: .utf8)
        } else {
            #expect(page[start...] == HubMetric.table)
        }
    }

    @Test("OPS-3: names are those that Prometheus wants: a unit at the end, counters end in _total, labels and names in small letters")
    func names() {
        #expect(Set(HubMetric.allCases.map(\.rawValue)).count == HubMetric.allCases.count)
        for metric in HubMetric.allCases {
            let facts = metric.facts
            #expect(metric.rawValue.wholeMatch(of: /(trackme|process)_[a-z_]+/) != nil && facts.help.hasSuffix("."), "\(metric)")
            #expect((facts.kind == .counter) == metric.rawValue.hasSuffix("_total"), "\(metric)")
            #expect(facts.labels.allSatisfy { $0.wholeMatch(of: /[a-z]+/) != nil && $0 != "le" }, "\(metric)")
        }
    }

    @Test("OPS-3: figures are written in Prometheus' text format, with ranges of times and labels that can hold anything")
    func exposition() {
        let histogram = MetricHistogram()
        for milliseconds in [1, 4, 40_000] { histogram.note(.milliseconds(milliseconds)) }
        let samples =
            histogram.samples(of: .ingestCommit) + [
                MetricSample(.ready, 1), MetricSample(.diskSync, 0.25), MetricSample(.build, 1, "a\"b\\c\nd"),
            ]
        let text = samples.exposition, lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(text.hasPrefix("# HELP trackme_ready 1 while /readyz answers 200, else 0.\n# TYPE trackme_ready gauge\ntrackme_ready 1\n"))
        #expect(lines.last == "" && lines.contains("trackme_disk_sync_seconds 0.25"))
        #expect(lines.contains(#"trackme_build_info{version="a\"b\\c\nd"} 1"#))
        #expect(lines.contains("# TYPE trackme_ingest_commit_seconds histogram"))
        #expect(lines.contains(#"trackme_ingest_commit_seconds_bucket{le="0.001"} 1"#))
        #expect(lines.contains(#"trackme_ingest_commit_seconds_bucket{le="0.005"} 2"#))
        #expect(lines.contains(#"trackme_ingest_commit_seconds_bucket{le="10"} 2"#))
        #expect(lines.contains(#"trackme_ingest_commit_seconds_bucket{le="+Inf"} 3"#))
        #expect(lines.contains("trackme_ingest_commit_seconds_sum 40.005") && lines.contains("trackme_ingest_commit_seconds_count 3"))
    }

    @Test(
        "OPS-3: rules, board and their tests name no figure, check or label that the hub does not have",
        arguments: ["alerts.yml", "alerts_test.yml", "dashboard.json"])
    func used(file: String) throws {
        let text = try String(contentsOf: Repository.url("packaging/monitoring/\(file)"), encoding: .utf8)
        let known = Set(HubMetric.allCases.map(\.rawValue))
        var found: Set<String> = []
        for match in text.matches(of: /\b(?:trackme|process)_[a-z_]+/) {
            let name = String(match.0).replacing(/_(bucket|sum|count)$/, with: "")
            #expect(known.contains(name), "\(name)")
            found.insert(name)
        }
        #expect(found.count > 10, "\(found)")
        for match in text.matches(of: /check=\\?"([a-z]+)/) { #expect(HealthCheck(rawValue: String(match.1)) != nil, "\(match.1)") }
    }

    @Test("OPS-3: each check has a rule that fires when it fails")
    func ruled() throws {
        let rules = try String(contentsOf: Repository.url("packaging/monitoring/alerts.yml"), encoding: .utf8)
        for check in HealthCheck.allCases {
            #expect(rules.contains("check=\"\(check.rawValue)\"") || rules.contains("check: \(check.rawValue)"), "\(check)")
        }
    }
}
