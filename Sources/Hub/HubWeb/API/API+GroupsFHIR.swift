import Exchange
import Foundation
import Groups
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Vitals

/// Answers about groups as FHIR R4 MeasureReports: summaries, with no subject and nothing about anybody (CONS-12, GRP-3).
extension APIGroups {
    private static let reportsDefault = 100, reportsMax = 1_000

    var fhirOperations: [APIController.Operation] {
        [
            APIController.Operation(method: .get, path: "\(APIController.fhir)/MeasureReport") { request, _ in
                let organisation = try api.organisation(request), query = try FHIRQuery(request, allowed: ["request", "_count"])
                guard let id = query["request"].flatMap({ GroupRequestID($0) }) else {
                    throw APIProblem(.badRequest, "no_request", "Name the request: request=ID.")
                }
                let count = min(try query.number("_count", 1...1_000_000) ?? Self.reportsDefault, Self.reportsMax)
                let found = try requests.request(id, of: organisation).map { try reports($0.stored, $0.windows) } ?? []
                let kind = FHIRBundleWriter.Kind.searchset(
                    total: found.count, selfLink: query.link("\(api.fhirBase)/MeasureReport"), next: nil)
                var writer = FHIRBundleWriter(kind, base: api.fhirBase, created: requests.now), json: [UInt8] = []
                writer.begin(&json)
                for report in found.prefix(count) { writer.add(report, to: &json) }
                writer.end(&json)
                return APIController.fhir(json)
            },
            APIController.Operation(method: .get, path: "\(APIController.fhir)/MeasureReport/{id}") { request, context in
                let organisation = try api.organisation(request)
                _ = try FHIRQuery(request, allowed: [])
                // REQUEST-WINDOW-KIND
                let parts = try context.parameters.require("id").split(separator: "-").map(String.init)
                guard parts.count == 3, let id = GroupRequestID(parts[0]), let found = try requests.request(id, of: organisation),
                    let report = try reports(found.stored, found.windows).first(where: { $0.id.description == parts.joined(separator: "-") }
                    )
                else { throw APIProblem.notFound }
                return APIController.fhir(report.json(base: api.fhirBase))
            },
        ]
    }

    /// A report for each window and kind, the newest window first.
    private func reports(_ stored: StoredGroupRequest, _ windows: [GroupDelivery]) throws -> [FHIRMeasureReport] {
        let name = try api.accounts.account(stored.organisation.account)?.name ?? ""
        return windows.flatMap { delivery in
            delivery.results.compactMap { FHIRMeasureReport(stored, delivery, $0, reporter: name) }
        }
    }
}

extension FHIRMeasureReport {
    /// nil for an identifier that FHIR does not take, which there is none of.
    fileprivate init?(_ stored: StoredGroupRequest, _ delivery: GroupDelivery, _ result: GroupResult, reporter: String) {
        guard let id = FHIRID("\(stored.id)-\(delivery.window.number)-\(result.kind.rawValue)", lengthMax: 64),
            let bins = GroupBins(result.kind)
        else { return nil }
        let answer = result.answer
        self.init(
            id: id, measure: result.kind.name, date: delivery.at, from: delivery.window.start, to: delivery.window.end, reporter: reporter,
            unit: bins.unit, count: answer.map { Self.figure($0.count) }, mean: answer?.mean.map(Self.figure),
            classes: (answer?.histogram ?? []).enumerated().map { number, estimate in
                .init(name: bins.isOrdered ? "\(bins.lowest(of: number))" : "\(number)", count: Self.figure(estimate))
            })
    }

    private static func figure(_ estimate: Estimate) -> Figure { Figure(value: estimate.value, low: estimate.low, high: estimate.high) }
}
