/// A mail server that takes messages of its users (RFC 6409), as an operator names it.
public struct SMTPServer: Sendable, Hashable {
    public enum Security: Sendable, Hashable {
        /// A plain line that turns into TLS before anything else is said (RFC 3207). Never without.
        case startTLS
        /// TLS from the first byte (RFC 8314).
        case tls
        /// For a server on this machine alone.
        case none
    }

    public let host: String
    public let port: Int
    public let security: Security
    /// Both or neither. The line is never plain where there are some.
    public var user: String?, password: String?
    /// A PEM file with the authorities of which the server has its certificate; the system's without.
    public var authority: String?

    private static let portOfSubmission = 587, portOfTLS = 465, portOfThisMachine = 25

    /// - Parameters:
    ///   - address: `smtp://HOST[:PORT]` or `smtps://HOST[:PORT]`.
    ///   - isPlain: without TLS, for a server on this machine.
    /// - Returns: nil for what is no such address, and for a plain line to another machine.
    public init?(_ address: String, isPlain: Bool = false) {
        let isTLS = address.hasPrefix("smtps://")
        guard isTLS || address.hasPrefix("smtp://"), !(isTLS && isPlain) else { return nil }
        var rest = address.dropFirst(isTLS ? 8 : 7)
        if rest.hasSuffix("/") { rest.removeLast() }
        var port: Int?
        if rest.hasPrefix("["), let end = rest.firstIndex(of: "]") {
            let behind = rest[rest.index(after: end)...]
            rest = rest[...end]
            guard behind.isEmpty || behind.hasPrefix(":") else { return nil }
            if !behind.isEmpty { port = Int(behind.dropFirst()) ?? 0 }
        } else if let colon = rest.firstIndex(of: ":") {
            port = Int(rest[rest.index(after: colon)...]) ?? 0
            rest = rest[..<colon]
        }
        let isName = rest.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: ".-_:[]".utf8.contains(byte)
            }
        }
        guard !rest.isEmpty, isName, port.map({ (1...65_535).contains($0) }) ?? true else { return nil }
        if isPlain, !["localhost", "127.0.0.1", "[::1]"].contains(rest) { return nil }
        host = String(rest)
        security = isPlain ? .none : isTLS ? .tls : .startTLS
        self.port = port ?? (isPlain ? Self.portOfThisMachine : isTLS ? Self.portOfTLS : Self.portOfSubmission)
    }

    /// For logs.
    public var name: String { "\(host):\(port)" }

    var url: String { "\(security == .tls ? "smtps" : "smtp")://\(host):\(port)" }
}
