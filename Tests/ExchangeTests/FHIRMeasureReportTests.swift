import Foundation
import Testing
import Vitals

@testable import Exchange

@Suite struct FHIRMeasureReportTests {
    private func report(_ count: FHIRMeasureReport.Figure?) throws -> [String: Any] {
        let report = FHIRMeasureReport(
            id: try #require(FHIRID("abc-1-2")), measure: "heart_rate", date: 1_800_000_000_000, from: 1_799_000_000_000,
            to: 1_799_600_000_000,
            reporter: "Clinic \"A\"", unit: "/min", count: count, mean: count.map { _ in .init(value: 71.25, low: 70.1, high: 72.4) },
            classes: count.map { [.init(name: "40.0", count: $0)] } ?? [])
        let json = report.json(base: "https://hub.example/fhir")
        return try #require(try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any])
    }

    @Test("CONS-12, GRP-7: a MeasureReport is a summary with its interval, and has no subject")
    func summary() throws {
        let json = try report(.init(value: 8_000.4, low: 7_900, high: 8_100))
        for name in ["status", "type", "measure", "period", "group"] { #expect(json[name] != nil, "\(name) is required, or ours") }
        #expect(json["type"] as? String == "summary" && json["subject"] == nil)
        #expect(json["measure"] as? String == "https://hub.example/fhir/Measure/group-heart_rate")
        let group = try #require((json["group"] as? [[String: Any]])?.first)
        #expect(((group["population"] as? [[String: Any]])?.first?["count"]) as? Int == 8_000)
        let score = try #require(group["measureScore"] as? [String: Any])
        #expect(score["value"] as? Double == 71.25 && score["code"] as? String == "/min")
        let range = ((score["extension"] as? [[String: Any]])?.first?["valueRange"]) as? [String: [String: Double]]
        #expect(range?["low"]?["value"] == 70.1 && range?["high"]?["value"] == 72.4)
        let stratum = (((group["stratifier"] as? [[String: Any]])?.first)?["stratum"] as? [[String: Any]])?.first
        #expect((stratum?["value"] as? [String: String])?["text"] == "40.0")
    }

    @Test("GRP-2: a refusal is masked, and holds no number")
    func refusal() throws {
        let group = try #require((try report(nil)["group"] as? [[String: Any]])?.first)
        #expect(Set(group.keys) == ["extension"])
        #expect((group["extension"] as? [[String: String]])?.first?["valueCode"] == "masked")
    }
}
