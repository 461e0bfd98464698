import Foundation
import HTTPTypes
import Hummingbird

/// The headers that every answer carries.
struct SecurityHeaders: RouterMiddleware {
    let tls: Bool
    let policy: String

    init(tls: Bool, tiles: String?) {
        self.tls = tls
        // The origin of the template: scheme, host and port, with a wildcard for the subdomain that Leaflet fills in.
        let origin = tiles.flatMap { template -> String? in
            let parts = template.replacingOccurrences(of: "{s}", with: "*").split(separator: "/", omittingEmptySubsequences: false)
            return parts.count > 3 && parts[1].isEmpty ? parts[0...2].joined(separator: "/") : nil
        }
        policy =
            "default-src 'self'; img-src 'self' data:\(origin.map { " " + $0 } ?? ""); style-src 'self'; script-src 'self'; "
            + "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; object-src 'none'"
    }

    func handle(
        _ request: Request, context: HubContext, next: (Request, HubContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        response.headers[.contentSecurityPolicy] = policy
        response.headers[.xContentTypeOptions] = "nosniff"
        if let name = HTTPField.Name("Referrer-Policy") { response.headers[name] = "no-referrer" }
        if tls { response.headers[.strictTransportSecurity] = "max-age=31536000" }
        return response
    }
}
