import HTTPTypes
import HubServices

/// Whose word counts for where a request comes from (`hub.proxy.trusted`).
struct TrustedProxies: Sendable {
    private let networks: [IPNetwork]
    /// TLS is off and nothing was set: the machine's own proxy is believed, and may say nothing.
    let isAssumed: Bool

    /// For the log and /readyz.
    static let assumed =
        "hub.tls.enabled is false and hub.proxy.trusted is not set: a proxy on this machine is taken for granted. Without X-Forwarded-For of its, tries are limited by account and log-in instead of the address. Set hub.proxy.trusted to the proxy's addresses"

    private static let loopback = ["127.0.0.0/8", "::1"].compactMap { IPNetwork($0) }
    /// Addresses of one request that are looked at, from the last one on.
    private static let hopsMax = 32

    init(_ configuration: HubConfiguration) {
        let set = configuration.proxy.trusted.compactMap { IPNetwork($0) }
        isAssumed = set.isEmpty && !configuration.tls.enabled
        networks = isAssumed ? Self.loopback : set
    }

    /// Whether anybody stands before the hub.
    var isEmpty: Bool { networks.isEmpty }

    /// - Parameter address: without port; any other text is not trusted.
    func trusts(_ address: String) -> Bool {
        guard !networks.isEmpty, let address = Self.address(address) else { return false }
        return networks.contains { $0.contains(address) }
    }

    /// The address that a request comes from.
    /// - Parameters:
    ///   - peer: of the connection, or what its PROXY header says.
    ///   - isNamed: a PROXY header named the peer.
    /// - Returns: the last address that is not a trusted proxy's; empty where a proxy does not say it.
    func client(of peer: String, isNamed: Bool = false, _ headers: HTTPFields) -> String {
        guard trusts(peer) else { return peer }
        let hops = Self.hops(headers)
        guard !hops.isEmpty else { return isNamed ? peer : "" }
        var last = ""
        for hop in hops.reversed().prefix(Self.hopsMax) {
            guard let address = Self.address(hop) else { return "" }
            last = address.description
            if !networks.contains(where: { $0.contains(address) }) { return last }
        }
        return last
    }

    private static let forwardedFor = HTTPField.Name("X-Forwarded-For"), forwarded = HTTPField.Name("Forwarded")

    /// What the proxies wrote, in their order. X-Forwarded-For goes first, which nearly every proxy writes: most let a Forwarded of the client's own
    /// through.
    private static func hops(_ headers: HTTPFields) -> [String] {
        guard let forwardedFor, let forwarded else { return [] }
        let simple = headers[values: forwardedFor]
        if !simple.isEmpty { return simple.joined(separator: ",").split(separator: ",").map { trimmed($0) } }
        // RFC 7239: `for=192.0.2.1;proto=https, for="[2001:db8::1]:4711"`.
        return headers[values: forwarded].joined(separator: ",").split(separator: ",").map { element in
            let pairs = element.split(separator: ";").map { $0.split(separator: "=", maxSplits: 1).map { trimmed($0) } }
            let named = pairs.first { $0.count == 2 && $0[0].lowercased() == "for" }?[1] ?? ""
            return named.count > 1 && named.hasPrefix("\"") && named.hasSuffix("\"") ? String(named.dropFirst().dropLast()) : named
        }
    }

    private static func trimmed(_ text: Substring) -> String {
        String(text.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }

    /// Of an address with a port or without one.
    private static func address(_ text: String) -> IPAddress? {
        if text.hasPrefix("[") { return IPAddress(text.dropFirst().prefix { $0 != "]" })?.effective }
        let isWithPort = text.contains(".") && text.count { $0 == ":" } == 1
        return IPAddress(isWithPort ? text.prefix { $0 != ":" } : text.prefix { $0 != "%" })?.effective
    }
}
