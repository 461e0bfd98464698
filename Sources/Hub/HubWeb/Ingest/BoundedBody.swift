import HTTPTypes
import Hummingbird
import NIOCore

extension Request {
    /// The body, when it has at most so many bytes.
    /// - Throws: `HTTPError` 413 for a longer one, whether or not it says its length.
    func body(upTo bytesMax: Int) async throws -> ByteBuffer {
        let tooLarge = HTTPError(.contentTooLarge, message: "A request has at most \(bytesMax) bytes here: send less at once.")
        if let length = headers[.contentLength].flatMap({ Int($0) }), length > bytesMax { throw tooLarge }
        do { return try await body.collect(upTo: bytesMax) } catch is NIOTooManyBytesError { throw tooLarge }
    }
}
