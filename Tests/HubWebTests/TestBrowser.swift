import Crypto
import Foundation

@testable import WebPush

/// A browser with a subscription: it reads messages as RFC 8188 and RFC 8291 tell receivers to, with code of its own.
struct TestBrowser {
    var key = P256.KeyAgreement.PrivateKey()
    var secret = (0..<16).map { _ in UInt8.random(in: 0...255) }
    var endpoint = "https://push.example.net/send/abc?d=1"

    struct Unreadable: Error { let why: String }

    func json(_ extra: String = ",\"expirationTime\":null") -> [UInt8] {
        let point = Base64URL.text(key.publicKey.x963Representation)
        return Array(#"{"endpoint":"\#(endpoint)"\#(extra),"keys":{"p256dh":"\#(point)","auth":"\#(Base64URL.text(secret))"}}"#.utf8)
    }

    func subscription() throws -> PushSubscription { try PushSubscription(json: json()) }

    func read(_ body: [UInt8]) throws -> [UInt8] {
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
}
