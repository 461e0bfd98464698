public import Seams

/// The secret that a person's authenticator program and the hub share for one-time codes (RFC 6238). Stored encrypted: it cannot be
/// hashed.
public struct OneTimeSecret: Sendable, CustomStringConvertible, CustomReflectable {
    /// For storage; 20 in new ones, the length of the HMAC (RFC 4226, section 4, R6).
    public let bytes: [UInt8]

    /// A stored secret; nil unless it has 16 to 64 bytes.
    public init?(bytes: [UInt8]) {
        guard (16...64).contains(bytes.count) else { return nil }
        self.bytes = bytes
    }

    private init(new bytes: [UInt8]) { self.bytes = bytes }

    /// A new secret of 160 random bits.
    public static func random(using randomness: Randomness = .system) -> OneTimeSecret { OneTimeSecret(new: randomness.bytes(20)) }

    /// The secret for a person who cannot scan: 32 characters.
    public var base32: String { Base32.text(bytes) }

    /// The text of the QR code: an `otpauth://` address. `issuer` is the hub's name, `account` the person's e-mail address. SHA-1, six digits and
    /// 30 seconds are every program's defaults and are left out: so the code has room for long addresses.
    public func address(issuer: String, account: String) -> String {
        // A colon parts the two in the label, so neither may hold one.
        let (issuer, account) = (Self.escaped(issuer.replacing(":", with: " ")), Self.escaped(account.replacing(":", with: " ")))
        return "otpauth://totp/\(issuer):\(account)?secret=\(base32)&issuer=\(issuer)"
    }

    public var description: String { "OneTimeSecret(secret)" }
    public var customMirror: Mirror { Mirror(self, children: []) }

    private static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            let isUnreserved =
                (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || [45, 46, 95, 126].contains(byte)
            if isUnreserved { return String(UnicodeScalar(byte)) }
            let digits = String(byte, radix: 16, uppercase: true)
            return "%" + (digits.count == 1 ? "0" : "") + digits
        }.joined()
    }
}
