internal import Foundation
internal import NIOCore
internal import NIOHTTP1

/// An answer in one piece.
struct PageAnswer {
    var status = HTTPResponseStatus.ok
    var type: String
    var body: ByteBuffer

    init(_ file: PageContent.File) {
        type = file.type
        body = file.bytes
    }

    init(_ status: HTTPResponseStatus, _ text: String) {
        self.status = status
        type = "text/plain; charset=utf-8"
        body = ByteBuffer(string: text + "\n")
    }

    init(_ status: HTTPResponseStatus = .ok, json value: some Encodable) throws {
        self.status = status
        type = "application/json"
        body = try Self.json(value)
    }

    /// One line of JSON.
    static func json(_ value: some Encodable) throws -> ByteBuffer { try ControlLine.write(value) }

    /// Of every answer: nothing is kept, nothing is guessed, nothing comes from or goes to elsewhere, nobody frames it.
    static func headers(type: String) -> HTTPHeaders {
        [
            "content-type": type, "cache-control": "no-store", "x-content-type-options": "nosniff", "referrer-policy": "no-referrer",
            "x-frame-options": "DENY", "cross-origin-resource-policy": "same-origin", "cross-origin-opener-policy": "same-origin",
            "content-security-policy":
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
                + "form-action 'none'; frame-ancestors 'none'",
        ]
    }

    func head(_ request: HTTPRequestHead?, closes: Bool) -> HTTPResponseHead {
        var headers = Self.headers(type: type)
        headers.add(name: "content-length", value: String(body.readableBytes))
        if status == .methodNotAllowed { headers.add(name: "allow", value: "GET, POST") }
        if closes { headers.add(name: "connection", value: "close") }
        return HTTPResponseHead(version: request?.version ?? .http1_1, status: status, headers: headers)
    }
}
