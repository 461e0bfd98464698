internal import Crypto
internal import Foundation
public import Vitals

/// Where a browser wants its messages, and the keys to encrypt them for it alone (Push API, section 8).
///
/// The endpoint comes from the browser's user, and the hub is to send requests there: the caller's HTTP client must refuse addresses
/// inside of the hub's own network, as for webhooks, and must not follow redirects.
public struct PushSubscription: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// An `https` URL, 2048 characters at most; who knows it can send (though nothing readable), so it is treated as a secret.
    public let endpoint: String
    /// The browser's public key: an uncompressed point on P-256, 65 bytes.
    public let publicKey: [UInt8]
    /// The browser's authentication secret, 16 bytes.
    public let secret: [UInt8]
    /// UTC; nil for no end.
    public let expires: Milliseconds?
    /// `https://host[:port]` of the endpoint: the audience of the signature.
    public let origin: String

    static let jsonBytesMax = 8192
    static let endpointBytesMax = 2048

    private struct Fields: Decodable {
        struct Keys: Decodable { let p256dh: String, auth: String }
        let endpoint: String
        let expirationTime: Double?
        let keys: Keys
    }

    /// Reads what `JSON.stringify(subscription)` gives in the browser.
    public init(json: [UInt8]) throws(PushProblem) {
        guard json.count <= Self.jsonBytesMax, let fields = try? JSONDecoder().decode(Fields.self, from: Data(json)) else {
            throw .badSubscription(field: "JSON", why: "does not have endpoint and keys, or is longer than \(Self.jsonBytesMax) bytes")
        }
        guard let publicKey = Base64URL.bytes(fields.keys.p256dh), let secret = Base64URL.bytes(fields.keys.auth) else {
            throw .badSubscription(field: "keys", why: "are no base64url")
        }
        try self.init(
            endpoint: fields.endpoint, publicKey: publicKey, secret: secret,
            expires: fields.expirationTime.flatMap { Milliseconds(exactly: $0.rounded()) })
    }

    /// A stored subscription; checked all the same.
    public init(endpoint: String, publicKey: [UInt8], secret: [UInt8], expires: Milliseconds? = nil) throws(PushProblem) {
        origin = try Self.origin(of: endpoint)
        guard publicKey.count == 65, (try? P256.KeyAgreement.PublicKey(x963Representation: publicKey)) != nil else {
            throw .badSubscription(field: "p256dh", why: "is no uncompressed point on P-256")
        }
        guard secret.count == 16 else { throw .badSubscription(field: "auth", why: "has \(secret.count) bytes, not 16") }
        (self.endpoint, self.publicKey, self.secret, self.expires) = (endpoint, publicKey, secret, expires)
    }

    /// The origin alone, fit for a log.
    public var description: String { "PushSubscription(\(origin))" }
    public var customMirror: Mirror { Mirror(self, children: []) }

    private static func origin(of endpoint: String) throws(PushProblem) -> String {
        func refused(_ why: String) -> PushProblem { .badSubscription(field: "endpoint", why: why) }
        guard endpoint.utf8.count <= endpointBytesMax else { throw refused("is longer than \(endpointBytesMax) bytes") }
        // What is not plain ASCII, different programs read in different ways.
        guard endpoint.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }),
            let url = URLComponents(string: endpoint)
        else { throw refused("is no URL") }
        guard url.scheme == "https" else { throw refused("is not https") }
        guard url.user == nil, url.password == nil else { throw refused("holds a user name") }
        guard url.fragment == nil else { throw refused("holds a fragment") }
        guard let host = url.encodedHost, !host.isEmpty, host.utf8.allSatisfy(isHostByte) else { throw refused("has no host") }
        guard (1...65_535).contains(url.port ?? 443) else { throw refused("has a port that does not exist") }
        return "https://\(host.lowercased())" + (url.port.flatMap { $0 == 443 ? nil : ":\($0)" } ?? "")
    }

    /// Letters, digits, dots, hyphens, and what an IPv6 address has.
    private static func isHostByte(_ byte: UInt8) -> Bool {
        (48...58).contains(byte) || (65...91).contains(byte) || (97...122).contains(byte) || [45, 46, 93].contains(byte)
    }
}
