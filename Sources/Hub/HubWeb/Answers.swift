import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import SyncProtocol

extension Response {
    static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
        json(bytes: Array(try JSONEncoder().encode(value)), status: status)
    }

    static func json(bytes: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// What a program is told when its request could not be answered (``SyncProtocol/ErrorAnswer``).
    static func refusal(_ error: any Error, logger: Logger) -> Response {
        let (status, answer, header): (HTTPResponse.Status, ErrorAnswer, (HTTPField.Name, String)?)
        switch error {
        case let refusal as Authenticator.Refusal:
            (status, answer, header) =
                refusal == .revoked
                ? (.forbidden, refusal.answer, nil) : (.unauthorized, refusal.answer, (.wwwAuthenticate, "Bearer error=\"invalid_token\""))
        case let refused as ErrorAnswer:
            (status, answer, header) = (refused.error == "invalid_client" ? .unauthorized : .badRequest, refused, nil)
        case let fast as AgentLimits.TooFast:
            answer = ErrorAnswer(
                error: "slow_down", description: "This box sends or begins more than any box does. Keep your data and wait.")
            (status, header) = (.tooManyRequests, (.retryAfter, "\(fast.seconds)"))
        case let overloaded as Overloaded:
            (status, answer, header) = (
                .serviceUnavailable, .overloaded(overloaded.seconds), (.retryAfter, "\(overloaded.seconds)")
            )
        case is StorageFailure:
            answer = ErrorAnswer(
                error: "storage", description: "The hub cannot store anything at the moment. Keep your data and try again.")
            (status, header) = (.serviceUnavailable, (.retryAfter, "5"))
        case let http as HTTPError:
            answer = ErrorAnswer(error: "invalid_request", description: http.body ?? "The request cannot be read.")
            (status, header) = (http.status, nil)
        case is HTTPParserError:
            answer = ErrorAnswer(error: "invalid_request", description: "The request cannot be read.")
            (status, header) = (.badRequest, nil)
        default:
            logger.error("a request failed", metadata: ["error": "\(error)"])
            answer = ErrorAnswer(error: "server_error", description: "Something went wrong on the hub. Try again.")
            (status, header) = (.internalServerError, (.retryAfter, "5"))
        }
        let bytes = (try? JSONEncoder().encode(answer)).map(Array.init) ?? []
        var response = Response.json(bytes: bytes, status: status)
        if let (name, value) = header { response.headers[name] = value }
        return response
    }
}
