internal import Crypto
public import Seams

/// A secret of 256 random bits as text, for cookies and links. Who holds the text is let in; the store keeps the ``hash`` alone. It is
/// never printed by accident: only ``text`` gives it away.
public struct SecretToken: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let bytes: [UInt8]

    private init(bytes: [UInt8]) { self.bytes = bytes }

    public static func random(using randomness: Randomness = .system) -> SecretToken { SecretToken(bytes: randomness.bytes(32)) }

    /// Reads ``text``; nil for anything else.
    public init?(_ text: some StringProtocol) {
        guard text.utf8.count == 43, let bytes = Base64.bytes(url: String(text)), bytes.count == 32 else { return nil }
        self.init(bytes: bytes)
    }

    /// 43 characters of base64url, fit for a cookie, a header or a URL.
    public var text: String { Base64.url(bytes) }

    /// SHA-256 of the bytes, to store and to look up by. A fast hash does, as nobody can try 2^256.
    public var hash: [UInt8] { Array(SHA256.hash(data: bytes)) }

    public var description: String { "SecretToken(secret)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
