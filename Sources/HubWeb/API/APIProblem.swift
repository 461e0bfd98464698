import Foundation
import HTTPTypes
import HubServices
import Hummingbird
import Logging
import NIOCore
import SyncProtocol

/// What a program is told when its request could not be answered: `application/problem+json` (RFC 9457).
struct APIProblem: Error, Encodable {
    let type = "about:blank"
    let title: String
    let status: Int
    /// What is wrong and what to do, for people.
    let detail: String
    /// Short, for programs.
    let code: String

    init(_ status: HTTPResponse.Status, _ code: String, _ detail: String) {
        (title, self.status, self.code, self.detail) = (status.reasonPhrase, status.code, code, detail)
    }

    static let notFound = APIProblem(.notFound, "not_found", "There is nothing here for this organisation. See /api/v1/openapi.json.")

    func response() -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let bytes = (try? encoder.encode(self)).map(Array.init) ?? []
        var headers: HTTPFields = [.contentType: "application/problem+json", .cacheControl: "no-store"]
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
        do { return try await next(request, context) } catch let problem as APIProblem { return problem.response() } catch {
            return problem(of: error).response()
        }
    }

    private func problem(of error: any Error) -> APIProblem {
        switch error {
        case let refusal as Authenticator.Refusal: return APIProblem(.unauthorized, refusal.answer.error, refusal.answer.description)
        case let http as HTTPError where http.status == .notFound: return .notFound
        case let http as HTTPError:
            return APIProblem(http.status, "invalid_request", http.body ?? "The request cannot be read.")
        default:
            logger.error("a request of an organisation failed", metadata: ["error": "\(error)"])
            return APIProblem(.serviceUnavailable, "unavailable", "The hub cannot answer at the moment. Try again.")
        }
    }
}
