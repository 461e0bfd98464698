internal import Crypto

/// The one kind of key that is taken: P-256 for ES256, which every authenticator has.
enum PasskeyKey {
    /// ES256 in COSE's list of algorithms.
    static let algorithm = -7

    /// The key in a SubjectPublicKeyInfo (RFC 5480), which is always the same 26 bytes before the uncompressed point.
    static func key(spki: [UInt8]) throws(PasskeyRefusal) -> P256.Signing.PublicKey {
        guard spki.count == 91, let key = try? P256.Signing.PublicKey(derRepresentation: spki), Array(key.derRepresentation) == spki else {
            throw PasskeyRefusal(.badKey)
        }
        return key
    }

    /// The key as the authenticator wrote it (section 6.5.1.1). CTAP2's canonical form leaves it no choice in any byte, so that it can be
    /// compared without reading CBOR: a map of key type EC2, ES256, P-256, x, y.
    static func cose(_ key: P256.Signing.PublicKey) -> [UInt8] {
        let point = Array(key.rawRepresentation)
        return [0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20] + point[0..<32] + [0x22, 0x58, 0x20] + point[32..<64]
    }
}
