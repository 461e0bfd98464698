internal import Crypto
internal import Foundation
public import Vitals

/// The key by which push services know this hub (VAPID, RFC 8292). One for the hub's life: browsers subscribe for it alone.
public struct ServerKey: Sendable, CustomStringConvertible, CustomReflectable {
    private let key: P256.Signing.PrivateKey

    /// A new key.
    public init() { key = P256.Signing.PrivateKey() }

    /// A stored key: the 32 bytes of ``bytes``.
    public init(bytes: [UInt8]) throws(PushProblem) {
        guard let key = try? P256.Signing.PrivateKey(rawRepresentation: bytes) else { throw .badKey }
        self.key = key
    }

    /// The private key, 32 bytes, to store encrypted.
    public var bytes: [UInt8] { Array(key.rawRepresentation) }

    /// The public key in base64url, for the page's `applicationServerKey` and for `k=`.
    public var publicText: String { Base64URL.text(key.publicKey.x963Representation) }

    /// Seconds that a signature counts: half of what is allowed (24 h, section 2), so that clocks may differ.
    static let lifetime: Int64 = 43_200

    private struct Claims: Encodable { let aud: String, exp: Int64, sub: String }

    /// The value of the header `Authorization`: a token (JWT, ES256) that says for which push service, until when, and whom to ask.
    /// - Parameters:
    ///   - origin: ``PushSubscription/origin``.
    ///   - contact: `mailto:` or `https:` of the operator.
    public func authorization(for origin: String, contact: String, utc: Milliseconds) throws -> String {
        guard contact.utf8.count <= 256, contact.hasPrefix("mailto:") || contact.hasPrefix("https://") else {
            throw PushProblem.badContact(contact)
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let claims = try encoder.encode(Claims(aud: origin, exp: utc / 1000 + Self.lifetime, sub: contact))
        let signed = Base64URL.text(#"{"typ":"JWT","alg":"ES256"}"#.utf8) + "." + Base64URL.text(claims)
        let signature = try key.signature(for: Array(signed.utf8))
        return "vapid t=\(signed).\(Base64URL.text(signature.rawRepresentation)), k=\(publicText)"
    }

    public var description: String { "ServerKey(secret)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
