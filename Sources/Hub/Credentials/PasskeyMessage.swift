internal import Foundation

/// The browser's answer as `PublicKeyCredential.toJSON()` writes it (WebAuthn Level 3, section 5.1): bytes are base64url.
struct PasskeyMessage: Decodable {
    /// A whole answer in bytes; larger ones are not read.
    static let bytesMax = 32_768
    /// `clientDataJSON` and the other fields, each, in bytes.
    static let fieldBytesMax = 8192

    struct Response: Decodable {
        let clientDataJSON: String
        let authenticatorData: String
        let transports: [String]?
        let publicKey: String?
        let publicKeyAlgorithm: Int?
        let signature: String?
        let userHandle: String?
    }

    let id: String
    let type: String
    let response: Response

    static func read(_ json: [UInt8]) throws(PasskeyRefusal) -> PasskeyMessage {
        guard json.count <= bytesMax else { throw PasskeyRefusal(.tooLarge, "\(json.count) bytes of JSON, of \(bytesMax) at most") }
        guard let message = try? JSONDecoder().decode(Self.self, from: Data(json)) else { throw PasskeyRefusal(.malformed, "JSON") }
        guard message.type == "public-key" else { throw PasskeyRefusal(.malformed, "type") }
        return message
    }

    static func bytes(_ text: String?, _ name: String, max: Int = fieldBytesMax) throws(PasskeyRefusal) -> [UInt8] {
        guard let text, let bytes = Base64.bytes(url: text), !bytes.isEmpty else { throw PasskeyRefusal(.malformed, name) }
        guard bytes.count <= max else { throw PasskeyRefusal(.tooLarge, name) }
        return bytes
    }
}
