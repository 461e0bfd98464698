internal import Crypto
internal import Foundation

/// Encrypts a message for one browser (RFC 8291) as a single record of the content coding aes128gcm (RFC 8188).
enum MessageEncryption {
    /// The record size that push services must take (RFC 8291, section 4).
    static let recordSize = 4096
    /// Salt, record size, length and value of the sender's key.
    static let headerSize = 16 + 4 + 1 + 65
    private static let tagSize = 16

    /// Bytes of plaintext beside header, tag and the delimiter behind the text.
    static let plaintextMax = recordSize - headerSize - tagSize - 1

    /// - Parameters:
    ///   - key: the sender's, made for this one message.
    ///   - salt: 16 random bytes.
    static func body(
        _ plaintext: [UInt8], for subscription: PushSubscription, key: P256.KeyAgreement.PrivateKey, salt: [UInt8]
    ) throws -> [UInt8] {
        guard plaintext.count <= plaintextMax else { throw PushProblem.payloadTooLarge(bytes: plaintext.count) }
        let receiver = try P256.KeyAgreement.PublicKey(x963Representation: subscription.publicKey)
        let sender = Array(key.publicKey.x963Representation)
        let shared = try key.sharedSecretFromKeyAgreement(with: receiver).withUnsafeBytes { Array($0) }
        let keys = MessageKeys(
            shared: shared, secret: subscription.secret, receiver: subscription.publicKey, sender: sender, salt: salt)
        // 2 marks the end of the last record (RFC 8188, section 2).
        let sealed = try AES.GCM.seal(plaintext + [2], using: keys.content, nonce: AES.GCM.Nonce(data: keys.nonce))
        let size = (0..<4).map { UInt8(truncatingIfNeeded: recordSize >> (24 - 8 * $0)) }
        return salt + size + [UInt8(sender.count)] + sender + sealed.ciphertext + sealed.tag
    }
}

/// Key and nonce of one message (RFC 8291, section 3.4).
struct MessageKeys {
    let content: SymmetricKey
    let nonce: [UInt8]

    init(shared: [UInt8], secret: [UInt8], receiver: [UInt8], sender: [UInt8], salt: [UInt8]) {
        let input = Self.derive(shared, salt: secret, info: Array("WebPush: info\0".utf8) + receiver + sender, count: 32)
        content = SymmetricKey(data: Self.derive(input, salt: salt, info: Array("Content-Encoding: aes128gcm\0".utf8), count: 16))
        nonce = Self.derive(input, salt: salt, info: Array("Content-Encoding: nonce\0".utf8), count: 12)
    }

    private static func derive(_ input: [UInt8], salt: [UInt8], info: [UInt8], count: Int) -> [UInt8] {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: SymmetricKey(data: input), salt: salt, info: info, outputByteCount: count)
            .withUnsafeBytes { Array($0) }
    }
}
