internal import NIOSSL

/// Where a control room takes SIP messages.
public struct SIPTarget: Sendable {
    public enum Transport: Sendable {
        /// Messages over ``SIPTarget/datagramMax`` go by TCP to the same port.
        case udp
        case tcp
        case tls(SIPTrust)

        /// As in Via and in `transport=`.
        var token: String {
            switch self {
            case .udp: "UDP"
            case .tcp: "TCP"
            case .tls: "TLS"
            }
        }

        var isReliable: Bool {
            if case .udp = self { false } else { true }
        }
    }

    /// A name or an address. An address needs no name service to be reached.
    public var host: String
    public var port: Int
    public var transport: Transport
    /// For a control room that asks for them (401, 407).
    public var credentials: SIPCredentials?

    /// - Parameter port: 5060, and 5061 for TLS, unless it is given.
    public init(host: String, port: Int? = nil, transport: Transport, credentials: SIPCredentials? = nil) {
        self.host = host.headerSafe
        var isTLS = false
        if case .tls = transport { isTLS = true }
        self.port = port ?? (isTLS ? 5061 : 5060)
        (self.transport, self.credentials) = (transport, credentials)
    }

    /// Bytes of a request that a datagram may have (RFC 3261, 18.1.1).
    public static let datagramMax = 1300

    /// `[::1]:5060`, `pbx.example:5060`.
    public var authority: String { Self.authority(host, port) }

    static func authority(_ host: String, _ port: Int) -> String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }

    /// The way there for a request to a service (RFC 3261, 8.1.2: a route that was set beforehand).
    var route: String { "<sip:\(authority);transport=\(transport.token.lowercased());lr>" }
}

/// Name and password for digest authentication (RFC 3261, 22.4).
public struct SIPCredentials: Sendable, Hashable {
    public var user: String, password: String

    public init(user: String, password: String) { (self.user, self.password) = (user, password) }
}

extension SIPCredentials: CustomStringConvertible {
    /// Without the password: it must not get into a log.
    public var description: String { "SIPCredentials(\(user))" }
}

/// The trust of a TLS connection. Made when the configuration is read: an alarm must not wait for a disk.
public struct SIPTrust: Sendable {
    let context: NIOSSLContext
    /// The name that the certificate must have; nil: the host of the target, be it a name or an address.
    let name: String?

    /// - Parameters:
    ///   - certificates: a PEM file with the authorities to trust; nil: those of the system.
    ///   - name: what the certificate must be for, where that is not the host.
    ///   - own: PEM files with the sender's own certificate and its key, for a control room that asks for them.
    /// - Throws: NIOSSL's error for a file that cannot be read.
    public init(certificates: String? = nil, name: String? = nil, own: (certificate: String, key: String)? = nil) throws {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        if let certificates { configuration.trustRoots = .file(certificates) }
        if let own {
            configuration.certificateChain = try NIOSSLCertificate.fromPEMFile(own.certificate).map { .certificate($0) }
            configuration.privateKey = .privateKey(try NIOSSLPrivateKey(file: own.key, format: .pem))
        }
        context = try NIOSSLContext(configuration: configuration)
        self.name = name
    }
}

extension String {
    /// Without what would end a header line: whatever a name or an address holds, it stays in its header.
    var headerSafe: String { String(String.UnicodeScalarView(unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F })) }
}
