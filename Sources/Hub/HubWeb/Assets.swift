import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Seams

/// Style, scripts and pictures, embedded in the program, and Debian's Leaflet from where it is installed.
struct Assets: Sendable {
    let leaflet: String
    let files: any FileSystem

    static let script = "text/javascript; charset=utf-8"
    private static let types = [
        "css": "text/css; charset=utf-8", "js": script, "png": "image/png", "svg": "image/svg+xml",
        "webmanifest": "application/manifest+json",
    ]

    /// As it is, and packed where a browser takes that and it is less.
    private struct File: Sendable {
        let type: String
        let plain: ByteBuffer
        let packed: ByteBuffer?
    }

    /// What browsers may ask for, by its name. It is packed once, and holds nothing of anybody.
    private static let embedded: [String: File] = Dictionary(
        uniqueKeysWithValues: EmbeddedFiles.all.compactMap { name, bytes in
            guard let type = type(of: name) else { return nil }
            let packed = Gzip.packed(bytes).flatMap { $0.count < bytes.count ? ByteBuffer(bytes: $0) : nil }
            return (name, File(type: type, plain: ByteBuffer(bytes: bytes), packed: packed))
        })

    private static func type(of name: String) -> String? { types[URL(fileURLWithPath: name).pathExtension] }

    func routes(_ router: Router<HubContext>) {
        router.get("/assets/:name") { request, context in
            Self.response(to: request, with: try context.parameters.require("name"))
        }
        router.get("/vendor/leaflet/**") { request, context in
            let path = context.parameters.getCatchAll().map(String.init)
            guard !path.isEmpty, path.count <= 2, path.allSatisfy({ !$0.hasPrefix(".") && !$0.contains("/") }),
                let type = Self.type(of: path[path.count - 1])
            else { return Response(status: .notFound) }
            let file = ([leaflet] + path).joined(separator: "/")
            // Debian has it compressed beside: a quarter of the bytes, on a phone's slow line.
            if request.takesGzip, let data = try? files.read(file + ".gz") { return Self.packed(ByteBuffer(bytes: data), type) }
            guard let data = try? files.read(file) else { return Response(status: .notFound) }
            return Self.file(ByteBuffer(bytes: data), type)
        }
    }

    /// An embedded file; 404 for what is none.
    static func response(to request: Request, with name: String) -> Response {
        guard let file = embedded[name] else { return Response(status: .notFound) }
        return response(with: file.plain, packed: request.takesGzip ? file.packed : nil, file.type)
    }

    /// Of nobody: packed where there is that.
    static func response(with plain: ByteBuffer, packed: ByteBuffer?, _ type: String) -> Response {
        packed.map { Self.packed($0, type) } ?? file(plain, type)
    }

    static func file(_ buffer: ByteBuffer, _ type: String) -> Response {
        Response(
            status: .ok, headers: [.contentType: type, .cacheControl: "public, max-age=300", .vary: "Accept-Encoding"],
            body: .init(byteBuffer: buffer))
    }

    private static func packed(_ buffer: ByteBuffer, _ type: String) -> Response {
        var response = file(buffer, type)
        response.headers[.contentEncoding] = "gzip"
        return response
    }
}

extension Request {
    /// Whether the reader takes answers that are packed as gzip.
    var takesGzip: Bool { (headers[.acceptEncoding] ?? "").contains("gzip") }
}
