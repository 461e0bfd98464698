internal import Foundation

/// The browser's statement of the ceremony (WebAuthn Level 3, section 5.8.1): signed by an assertion, vouched for by the browser alone in
/// a registration.
struct ClientData: Decodable {
    let type: String
    let challenge: String
    let origin: String
    let crossOrigin: Bool?
    let topOrigin: String?

    static func check(
        _ json: [UInt8], type: String, challenge: PasskeyChallenge, of relyingParty: RelyingParty
    ) throws(PasskeyRefusal) {
        guard let data = try? JSONDecoder().decode(Self.self, from: Data(json)) else {
            throw PasskeyRefusal(.malformed, "clientDataJSON")
        }
        guard data.type == type else { throw PasskeyRefusal(.wrongType, "\(data.type.prefix(32)) in place of \(type)") }
        guard let answered = Base64.bytes(url: data.challenge), SecretBytes.same(answered, challenge.bytes) else {
            throw PasskeyRefusal(.wrongChallenge)
        }
        guard data.origin == relyingParty.origin else {
            throw PasskeyRefusal(.wrongOrigin, "\(data.origin.prefix(256)) in place of \(relyingParty.origin)")
        }
        guard data.crossOrigin != true, data.topOrigin == nil else { throw PasskeyRefusal(.crossOrigin) }
    }
}
