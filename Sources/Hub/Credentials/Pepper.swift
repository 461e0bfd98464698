internal import Crypto
internal import Foundation
internal import Vitals

/// The key that is mixed into each password before it is hashed, and that does not lie in the database: a stolen database alone lets
/// nobody guess passwords. Without it no password can be checked any more: it belongs into the backup of the keys.
public struct Pepper: Sendable, CustomStringConvertible {
    private let key: SymmetricKey

    /// nil for fewer than 32 bytes.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count >= 32 else { return nil }
        key = SymmetricKey(data: bytes)
    }

    public var description: String { "Pepper(secret)" }

    /// 32 hexadecimal digits that say nothing of the key. Stored in the database they show at start whether the hub has the right one;
    /// with a wrong one all passwords would look wrong.
    public var check: String {
        // 0xFF is in no password's UTF-8.
        Hexadecimal.string(mix([0xFF] + Array("trackme pepper check".utf8)).prefix(16))
    }

    /// HMAC-SHA256 of the password in normal form C: the same characters, however a keyboard composes them.
    func apply(to password: String) -> [UInt8] { mix(Array(password.precomposedStringWithCanonicalMapping.utf8)) }

    private func mix(_ bytes: [UInt8]) -> [UInt8] { Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key)) }
}
