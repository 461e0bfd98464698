import HTTPTypes
import HubServices
import Hummingbird
import NIOCore

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
}
