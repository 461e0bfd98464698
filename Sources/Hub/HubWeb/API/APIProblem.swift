import Exchange
import Foundation
import HTTPTypes
import HubServices
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import SyncProtocol

/// What a program is told when its request could not be answered: `application/problem+json` (RFC 9457).
struct APIProblem: Error, Encodable {
    let type = "about:blank"
    let title: String
    let status: Int
    /// The problem and its remedy, for people.
    let detail: String
    /// Short, for programs.
    let code: String
    /// What can be done at this address, where it was something else.
    private var allow: [String]?
    /// What is wrong with which member of the body, where several may be.
    var members: [Member]?

    struct Member: Encodable {
        let member: String, detail: String
    }

    init(_ status: HTTPResponse.Status, _ code: String, _ detail: String) {
        (title, self.status, self.code, self.detail) = (status.reasonPhrase, status.code, code, detail)
    }

    static let notFound = APIProblem(.notFound, "not_found", "There is nothing here for this organisation. See /api/v1/openapi.json.")

    static func notAllowed(_ allowed: [String]) -> APIProblem {
        let methods = allowed.sorted()
        var problem = APIProblem(.methodNotAllowed, "not_allowed", "Here there is only \(methods.joined(separator: ", ")).")
        problem.allow = methods
        return problem
    }

    /// - Parameter isFHIR: as an OperationOutcome.
    func response(_ isFHIR: Bool = false) -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let bytes = isFHIR ? outcome.json : (try? encoder.encode(self)).map(Array.init) ?? []
        var headers: HTTPFields = [
            .contentType: isFHIR ? APIController.fhirType : "application/problem+json", .cacheControl: "no-store",
        ]
        if let allow { headers[.allow] = allow.joined(separator: ", ") }
        if status == HTTPResponse.Status.unauthorized.code { headers[.wwwAuthenticate] = "Bearer error=\"invalid_token\"" }
        if status == HTTPResponse.Status.tooManyRequests.code { headers[.retryAfter] = "60" }
        if status == HTTPResponse.Status.serviceUnavailable.code { headers[.retryAfter] = "5" }
        return Response(status: .init(code: status), headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}

/// Turns what a route of the API threw into a problem; pages have their own.
struct APIProblems: RouterMiddleware {
    let logger: Logger

    func handle(
        _ request: Request, context: HubContext, next: (Request, HubContext) async throws -> Response
    ) async throws -> Response {
        guard request.uri.path.hasPrefix("/api/") else { return try await next(request, context) }
        let isFHIR = request.uri.path.hasPrefix(APIController.fhir + "/")
        do { return try await next(request, context) } catch let problem as APIProblem { return problem.response(isFHIR) } catch {
            return problem(of: error).response(isFHIR)
        }
    }

    private func problem(of error: any Error) -> APIProblem {
        switch error {
        case let refusal as Authenticator.Refusal: return APIProblem(.unauthorized, refusal.answer.error, refusal.answer.description)
        case let http as HTTPError where http.status == .notFound: return .notFound
        case let http as HTTPError:
            return APIProblem(http.status, "invalid_request", http.body ?? "The request cannot be read.")
        case is HTTPParserError: return APIProblem(.badRequest, "invalid_request", "The request cannot be read.")
        default:
            logger.error("a request of an organisation failed", metadata: ["error": "\(error)"])
            return APIProblem(.serviceUnavailable, "unavailable", "The hub cannot answer at the moment. Try again.")
        }
    }
}
