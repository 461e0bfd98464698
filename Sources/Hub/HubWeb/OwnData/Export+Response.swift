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
            body: body(writer, grant, span, logger: logger))
    }

    /// As ``response(_:_:_:name:logger:)``.
    /// - Parameter whole: done when all of it was taken, before the answer ends.
    func body<Writer: SampleWriter>(
        _ writer: Writer, _ grant: Grant, _ span: ClosedRange<Milliseconds>, logger: Logger,
        whole: @escaping @Sendable () throws -> Void = {}
    ) -> ResponseBody {
        ResponseBody { body in
            var body = body
            do {
                try await write(writer, grant, in: span) { try await body.write(ByteBuffer(bytes: $0)) }
                try whole()
            } catch {
                logger.error("a download ended before its end", metadata: ["error": "\(error)"])
                throw error
            }
            try await body.finish(nil)
        }
    }
}
