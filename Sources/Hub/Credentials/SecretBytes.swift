internal import Crypto

/// Compares and derives without telling by time what was compared.
enum SecretBytes {
    /// Whether both are the same. Crypto compares digests in constant time, so the time says nothing of where the two differ.
    static func same(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        SHA256.hash(data: left) == SHA256.hash(data: right)
    }

    /// SHA-256 of a secret for storage; the purpose keeps the hashes of one kind of secret from counting as another's.
    static func hash(_ secret: String, purpose: String) -> [UInt8] {
        Array(SHA256.hash(data: Array("trackme \(purpose) \(secret)".utf8)))
    }
}
