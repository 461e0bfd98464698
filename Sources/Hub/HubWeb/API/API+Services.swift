import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import NIOCore
import Privacy
import Vitals

/// What an organisation's program publishes, and what its services send back to those who added them (CONS-8, CONS-12).
extension APIController {
    /// A result of a thousand points and long texts.
    static let resultBytesMax = 128 << 10

    var serviceOperations: [Operation] {
        [
            Operation(method: .get, path: "/api/v1/services") { request, _ in
                try .json(consents.services(of: account(request)).map(ServiceAnswer.init))
            },
            Operation(method: .post, path: "/api/v1/services") { request, _ in
                let account = try account(request), description = try await description(request)
                let id = try published { try consents.publish(description, by: account) }
                var response = try Response.json(answer(id, of: account), status: .created)
                response.headers[.location] = "/api/v1/services/\(id)"
                return response
            },
            Operation(method: .put, path: "/api/v1/services/{id}") { request, context in
                let account = try account(request), id = try serviceID(context), description = try await description(request)
                try published { try consents.change(id, description, by: account) }
                return try .json(answer(id, of: account))
            },
            Operation(method: .delete, path: "/api/v1/services/{id}") { request, context in
                let account = try account(request), id = try serviceID(context)
                try published { try consents.withdraw(id, by: account) }
                return Response(status: .noContent)
            },
            Operation(method: .post, path: "/api/v1/consents/{id}/results") { request, context in try await takeResult(request, context) },
        ]
    }

    private func account(_ request: Request) throws -> StoredAccount {
        guard let account = try accounts.account(try organisation(request).account) else { throw APIProblem.notFound }
        return account
    }

    private func serviceID(_ context: HubContext) throws -> ServiceID {
        guard let id = ServiceID(try context.parameters.require("id")) else { throw APIProblem.notFound }
        return id
    }

    private func answer(_ id: ServiceID, of account: StoredAccount) throws -> ServiceAnswer {
        guard let service = try consents.services(of: account).first(where: { $0.id == id }) else { throw APIProblem.notFound }
        return ServiceAnswer(service)
    }

    // MARK: Services

    private struct NewService: Decodable {
        var name: String
        var english: PublishedService.Words
        var italian: PublishedService.Words
        var kinds: [String]
        var actions: [String]
    }

    private func description(_ request: Request) async throws -> PublishedService.Description {
        let body = try await request.body(upTo: Self.bodyMax)
        guard let wanted = try? JSONDecoder().decode(NewService.self, from: Data(body.readableBytesView)) else {
            throw APIProblem(
                .badRequest, "invalid_request",
                "The body is not {\"name\": …, \"english\": {\"about\": …, \"purpose\": …}, \"italian\": {…}, \"kinds\": […], \"actions\": […]}."
            )
        }
        let actions = try wanted.actions.map { name in
            guard let action = PublishedService.Action(rawValue: name) else {
                throw APIProblem(.badRequest, "invalid_action", "An action is once or daily.")
            }
            return action
        }
        return PublishedService.Description(
            name: wanted.name, english: wanted.english, italian: wanted.italian, kinds: try Self.kinds(wanted.kinds), actions: Set(actions))
    }

    private func published<Value>(_ act: () throws -> Value) throws -> Value {
        do { return try act() } catch ConsentService.PublishProblem.lacks(let lacks) {
            let names = lacks.map { "\($0)" }.joined(separator: ", ")
            throw APIProblem(.badRequest, "incomplete", "Missing, empty or too long: \(names). See /api/v1/openapi.json for the limits.")
        } catch ConsentService.PublishProblem.tooMany {
            throw APIProblem(.conflict, "too_many", "An organisation has \(ServiceStore.servicesMax) services at most.")
        } catch ConsentService.PublishProblem.unknown { throw APIProblem.notFound }
    }

    // MARK: Results

    private struct NewResult: Decodable {
        struct Series: Decodable {
            var name: String
            var unit: String?
            var points: [Point]
        }

        struct Point: Decodable {
            var time: String
            var value: Double
        }

        struct Value: Decodable {
            var name: String
            var value: Double
            var unit: String?
        }

        var text: String?
        var values: [Value]?
        var series: Series?
    }

    private func takeResult(_ request: Request, _ context: HubContext) async throws -> Response {
        let organisation = try organisation(request)
        guard let id = ConsentID(try context.parameters.require("id")) else { throw APIProblem.notFound }
        let body = try await request.body(upTo: Self.resultBytesMax)
        guard let sent = try? JSONDecoder().decode(NewResult.self, from: Data(body.readableBytesView)) else {
            throw APIProblem(
                .badRequest, "invalid_request",
                "The body is not {\"text\": …, \"values\": [{\"name\", \"value\", \"unit\"}], \"series\": {\"name\", \"unit\", \"points\": [{\"time\", \"value\"}]}}."
            )
        }
        let result = ServiceResult(
            text: sent.text, values: (sent.values ?? []).map { .init(name: $0.name, value: $0.value, unit: $0.unit ?? "") },
            series: try sent.series.map { series in
                .init(
                    name: series.name, unit: series.unit ?? "",
                    points: try series.points.map { .init(time: try Self.instant($0.time), value: $0.value) })
            })
        do {
            switch try consents.take(result, for: id, by: .organisation(organisation)) {
            case .stored(let number): return try .json(["number": number], status: .created)
            case .unknown: throw APIProblem.notFound
            case .over: throw APIProblem(.conflict, "over", "The person has removed the service, or its time is over.")
            case .suspended:
                throw APIProblem(
                    .forbidden, "suspended", "The operator of this hub has suspended your organisation. Ask the operator for the reason.")
            case .tooMany:
                throw APIProblem(
                    .tooManyRequests, "too_many", "\(ServiceStore.resultsDailyMax) results came within a day. Send the next tomorrow.")
            }
        } catch let fault as ServiceResult.Fault { throw APIProblem(fault) }
    }

    private static func instant(_ text: String) throws -> Milliseconds {
        guard let time = APITime.read(text) else {
            throw APIProblem(.badRequest, "invalid_time", "A time is neither RFC 3339 in UTC nor milliseconds since 1970.")
        }
        return time
    }
}

extension APIProblem {
    init(_ fault: ServiceResult.Fault) {
        let (code, detail) =
            switch fault {
            case .empty: ("empty", "Send a text, values or a series.")
            case .textTooLong: ("text_too_long", "The text has \(ServiceResult.textMax) characters at most.")
            case .name: ("invalid_name", "A name has 1 to \(ServiceResult.nameMax) characters.")
            case .unit: ("invalid_unit", "A unit has \(ServiceResult.unitMax) characters at most.")
            case .tooManyValues: ("too_many_values", "A result has \(ServiceResult.valuesMax) values at most.")
            case .notFinite: ("invalid_value", "A value is no finite number.")
            case .points: ("invalid_points", "A series has 2 to \(ServiceResult.pointsMax) points.")
            case .times: ("invalid_time", "Points stand in the order of time, each at another instant, from 1970 on.")
            }
        self.init(.badRequest, code, detail)
    }
}

/// A service as its organisation's program sees it.
struct ServiceAnswer: Encodable {
    var id: String
    var state: String
    var name: String
    var english: PublishedService.Words
    var italian: PublishedService.Words
    var kinds: [String]
    var actions: [String]

    init(_ service: PublishedService) {
        let nothing = PublishedService.Words(about: "", purpose: "")
        let description =
            service.waiting ?? service.shown ?? .init(name: "", english: nothing, italian: nothing, kinds: [], actions: [])
        (id, state, name) = (service.id.description, service.stateName, description.name)
        (english, italian) = (description.english, description.italian)
        kinds = Texts.kindsOffered.filter(description.kinds.contains).map(\.name)
        actions = PublishedService.Action.allCases.filter(description.actions.contains).map(\.rawValue)
    }
}
