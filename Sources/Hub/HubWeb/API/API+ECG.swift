import Exchange
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Privacy
import Vitals

/// ECG strips of people who agreed to a request that names them. They are no samples: neither the stream nor webhooks carry them.
extension APIController {
    var ecgOperations: [Operation] {
        [
            Operation(method: .get, path: "/api/v1/consents/{id}/ecg") { request, context in
                try await ecg(request, context) { id, reader, service in
                    guard let strips = try consents.strips(id, as: reader, for: service) else { throw APIProblem.notFound }
                    return try .json(strips.map(ECGAnswer.init))
                }
            },
            Operation(method: .get, path: "/api/v1/consents/{id}/ecg/{strip}") { request, context in
                let format = request.uri.queryParameters["format"].map(String.init) ?? "json"
                guard ECGViews.formats.contains(format) else {
                    throw APIProblem(.badRequest, "invalid_format", "format is json, csv or fhir.")
                }
                let strip = ECGID(try context.parameters.require("strip"))
                return try await ecg(request, context) { id, reader, service in
                    guard let strip, let found = try consents.strip(strip, id, as: reader, for: service) else { throw APIProblem.notFound }
                    return try ECGViews.file(found, request, patient: nil)
                }
            },
        ]
    }

    private func ecg(
        _ request: Request, _ context: HubContext,
        _ answer: @escaping @Sendable (ConsentID, Reader, ServiceID?) throws -> Response
    ) async throws -> Response {
        let organisation = try organisation(request), reader = Reader.organisation(organisation)
        guard let id = ConsentID(try context.parameters.require("id")) else { throw APIProblem.notFound }
        let text = request.uri.queryParameters["service"].map(String.init), service = text.flatMap { ServiceID($0) }
        guard (text == nil) == (service == nil) else { throw APIProblem.notFound }
        return try await reading(for: organisation) {
            let response = try answer(id, reader, service)
            try consents.deliveredECG(id, to: reader)
            return response
        }
    }
}

/// A strip without its values.
struct ECGAnswer: Encodable {
    let id: String, time: String, received: String
    let rate: Double, duration: Double
    let leads: [String]
    let source: String?
    /// The device's own words, and no diagnosis.
    let said: String?

    init(_ stored: StoredECG) {
        (id, time, received) = (stored.id.description, APITime.text(stored.time), APITime.text(stored.received))
        (rate, duration) = (Double(stored.head.millihertz) / 1000, Double(stored.duration) / 1000)
        (leads, source, said) = (stored.head.leads, stored.head.source, stored.head.said)
    }

    enum CodingKeys: String, CodingKey {
        case id, time, received, leads, source
        case rate = "rate_hz"
        case duration = "duration_s"
        case said = "said_by_device"
    }
}
