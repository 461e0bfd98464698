internal import Foundation

/// Where a hub is: scheme, host and port, written as a URL without a path.
public struct HubAddress: Sendable, Hashable, Codable, CustomStringConvertible {
    public let scheme: String
    public let host: String
    public let port: Int?

    /// Reads `https://host[:port]`. Plain http is taken for this machine only (tests and benchmarks).
    public init(_ text: String) throws(AgentProblem) {
        let advice = "Give it as the hub printed it: https://HOST:PORT#FINGERPRINT"
        guard let url = URLComponents(string: text), let scheme = url.scheme?.lowercased(), let host = url.host, !host.isEmpty,
            url.path.isEmpty || url.path == "/", url.query == nil, url.user == nil
        else { throw AgentProblem("\(text) is not the address of a hub", advice: advice) }
        let isLocal = ["localhost", "127.0.0.1", "[::1]", "::1"].contains(host)
        guard scheme == "https" || (scheme == "http" && isLocal) else {
            throw AgentProblem("\(text) would send health data without encryption", advice: advice)
        }
        self.scheme = scheme
        self.host = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        port = url.port
    }

    public var description: String { "\(scheme)://\(host)" + (port.map { ":\($0)" } ?? "") }

    func url(_ path: String) -> String { description + path }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        self = try HubAddress(container.decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
