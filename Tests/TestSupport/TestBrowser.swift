public import Crypto
import Foundation

/// A browser with a subscription: it reads messages as RFC 8188 and RFC 8291 tell receivers to, with code of its own.
public struct TestBrowser: Sendable {
    public var key: P256.KeyAgreement.PrivateKey
    public var secret: [UInt8]
    public var endpoint = "https://push.example.net/send/abc?d=1"

    struct Unreadable: Error { let why: String }

    public init(key: P256.KeyAgreement.PrivateKey = .init(), secret: [UInt8] = (0..<16).map { _ in UInt8.random(in: 0...255) }) {
        (self.key, self.secret) = (key, secret)
    }

    /// The subscription, as a browser hands it to a page.
    public func json(_ extra: String = ",\"expirationTime\":null") -> [UInt8] {
        let point = Self.base64URL(key.publicKey.x963Representation)
        return Array(#"{"endpoint":"\#(endpoint)"\#(extra),"keys":{"p256dh":"\#(point)","auth":"\#(Self.base64URL(Data(secret)))"}}"#.utf8)
    }

    /// What a message says.
    public func read(_ body: [UInt8]) throws -> [UInt8] {
        guard body.count > 21 + 16 else { throw Unreadable(why: "too short") }
        let salt = Array(body[0..<16]), size = body[16..<20].reduce(0) { $0 << 8 | Int($1) }, length = Int(body[20])
        guard length == 65, body.count > 86 + 16, body.count - 86 <= size else { throw Unreadable(why: "header") }
        let sender = Array(body[21..<86]), record = body[86...]
        let shared = try key.sharedSecretFromKeyAgreement(with: P256.KeyAgreement.PublicKey(x963Representation: sender))
        // HMAC in place of HKDF, as the RFC spells it out: other code than the sender's.
        func mac(_ key: [UInt8], _ data: [UInt8]) -> [UInt8] {
            Array(HMAC<SHA256>.authenticationCode(for: data, using: SymmetricKey(data: key)))
        }
        let first = mac(secret, shared.withUnsafeBytes { Array($0) })
        let input = mac(first, Array("WebPush: info".utf8) + [0] + Array(key.publicKey.x963Representation) + sender + [1])
        let second = mac(salt, input)
        let content = mac(second, Array("Content-Encoding: aes128gcm".utf8) + [0, 1]).prefix(16)
        let nonce = mac(second, Array("Content-Encoding: nonce".utf8) + [0, 1]).prefix(12)
        let box = try AES.GCM.SealedBox(nonce: AES.GCM.Nonce(data: nonce), ciphertext: record.dropLast(16), tag: record.suffix(16))
        var plain = Array(try AES.GCM.open(box, using: SymmetricKey(data: content)))
        while plain.last == 0 { plain.removeLast() }
        guard plain.popLast() == 2 else { throw Unreadable(why: "no end of the last record") }
        return plain
    }

    private static func base64URL(_ bytes: Data) -> String {
        bytes.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
