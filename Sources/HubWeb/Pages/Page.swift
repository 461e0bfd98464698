import HTTPTypes
import Hummingbird
import Mustache
import NIOCore

/// Renders the embedded templates.
struct Templates: Sendable {
    private let library: MustacheLibrary

    init() throws {
        library = MustacheLibrary(templates: [
            "live": try MustacheTemplate(string: String(decoding: PackageResources.live_mustache, as: UTF8.self)),
            "link": try MustacheTemplate(string: String(decoding: PackageResources.link_mustache, as: UTF8.self)),
            "problem": try MustacheTemplate(string: String(decoding: PackageResources.problem_mustache, as: UTF8.self)),
        ])
    }

    func page(_ template: String, _ model: [String: Any], status: HTTPResponse.Status = .ok) -> Response {
        guard let html = library.render(model, withTemplate: template) else { return Response(status: .internalServerError) }
        return Response(
            status: status, headers: [.contentType: "text/html; charset=utf-8", .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(string: html)))
    }

    /// A page that says what went wrong and what to do: texts `NAMETitle` and `NAMEText`.
    func problem(_ name: String, _ texts: Texts, status: HTTPResponse.Status) -> Response {
        page(
            "problem", ["lang": texts.lang, "t": texts.t, "title": texts[name + "Title"], "text": texts[name + "Text"]], status: status)
    }
}
