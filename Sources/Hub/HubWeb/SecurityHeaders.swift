import NIOHTTP1

/// The headers that every answer carries. HSTS goes with each: where the hub speaks no TLS, a proxy before it does, and browsers pass over it on a
/// plain connection.
struct SecurityHeaders: Sendable {
    private let fields: HTTPHeaders

    init(tiles: String?) {
        // The origin of the template: scheme, host and port, with a wildcard for the subdomain that Leaflet fills in.
        let origin = tiles.flatMap { template -> String? in
            let parts = template.replacing("{s}", with: "*").split(separator: "/", omittingEmptySubsequences: false)
            return parts.count > 3 && parts[1].isEmpty ? parts[0...2].joined(separator: "/") : nil
        }
        let policy =
            "default-src 'self'; img-src 'self' data:\(origin.map { " " + $0 } ?? ""); style-src 'self'; script-src 'self'; "
            + "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; object-src 'none'"
        fields = [
            "content-security-policy": policy, "x-content-type-options": "nosniff", "referrer-policy": "no-referrer",
            "strict-transport-security": "max-age=31536000",
        ]
    }

    /// No answer sets one of them by itself.
    func add(to headers: inout HTTPHeaders) { headers.add(contentsOf: fields) }
}
