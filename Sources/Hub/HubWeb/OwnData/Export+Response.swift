import Exchange
import HTTPTypes
import HubServices
import Hummingbird
import Logging
import NIOCore
import Privacy
import Vitals

extension Export {
    /// A download. It streams: a file of years takes no memory. When the right to read ends on the way the connection is cut, so that the file
    /// does not look whole.
    /// - Parameter name: of the file, without its ending.
    func response<Writer: SampleWriter>(
        _ writer: Writer, _ grant: Grant, _ span: ClosedRange<Milliseconds>, name: String, logger: Logger
    ) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: Writer.mediaType, .cacheControl: "no-store",
                .contentDisposition: "attachment; filename=\"\(name).\(Writer.fileExtension)\"",
            ],
            body: .init { body in
                var body = body
                do {
                    try await write(writer, grant, in: span) { try await body.write(ByteBuffer(bytes: $0)) }
                } catch {
                    logger.error("a download ended before its end", metadata: ["error": "\(error)"])
                    throw error
                }
                try await body.finish(nil)
            })
    }
}
