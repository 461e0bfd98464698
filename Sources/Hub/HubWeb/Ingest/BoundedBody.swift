import Foundation
import HTTPTypes
import HubServices
import Hummingbird
import NIOCore
import SyncProtocol
import Vitals

extension Request {
    /// The token of a box (RFC 6750, 2.1).
    /// - Throws: `Authenticator.Refusal.invalidToken` where there is none.
    var bearer: String {
        get throws(Authenticator.Refusal) {
            guard let field = headers[.authorization], field.hasPrefix("Bearer ") else { throw .invalidToken }
            return String(field.dropFirst(7))
        }
    }

    /// The body, when it has at most so many bytes.
    /// - Throws: `HTTPError` 413 for a longer one, whether or not it says its length.
    func body(upTo bytesMax: Int) async throws -> ByteBuffer {
        let tooLarge = HTTPError(.contentTooLarge, message: "A request has at most \(bytesMax) bytes here: send less at once.")
        if let length = headers[.contentLength].flatMap({ Int($0) }), length > bytesMax { throw tooLarge }
        do { return try await body.collect(upTo: bytesMax) } catch is NIOTooManyBytesError { throw tooLarge }
    }

    /// What a box says, in JSON of at most so many bytes.
    /// - Parameter name: as a refusal calls it, such as "a report of a box".
    /// - Throws: `HTTPError` 413 for a longer body, `ErrorAnswer` for one that says no such thing.
    func said<Message: Decodable & Sendable>(
        _ message: Message.Type, called name: String, upTo bytesMax: Int
    ) async throws -> WireForm<Message> {
        let body = try await body(upTo: bytesMax)
        do { return try JSONDecoder().decode(WireForm<Message>.self, from: Data(body.readableBytesView)) } catch {
            throw ErrorAnswer(error: "invalid_request", description: "The body is not \(name) in JSON.")
        }
    }
}
