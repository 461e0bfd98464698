import Crypto
import Foundation

@testable import Credentials

/// A browser with an authenticator, as one, with a real key: every field of what it answers can be bent before it is signed.
struct TestAuthenticator {
    let key = P256.Signing.PrivateKey()
    let credentialID = (0..<32).map { _ in UInt8.random(in: 0...255) }
    let userHandle = Array("account-1".utf8)

    /// What goes into an answer.
    struct Answer {
        var type: String
        var challenge: [UInt8]
        var origin = "https://hub.example.org"
        var crossOrigin: Bool? = false
        var topOrigin: String?
        var relyingPartyID = "hub.example.org"
        /// UP and UV, and AT in a registration.
        var flags: UInt8
        var signCount: UInt32
        var aaguid = [UInt8](repeating: 0xA5, count: 16)
        /// In the authenticator's data.
        var attestedID: [UInt8]
        /// The COSE key in the authenticator's data.
        var cose: [UInt8]
        var extensions: [UInt8] = []

        var clientDataJSON: [UInt8] {
            let crossOrigin = crossOrigin.map { ",\"crossOrigin\":\($0)" } ?? ""
            let topOrigin = topOrigin.map { ",\"topOrigin\":\"\($0)\"" } ?? ""
            return Array(
                #"{"type":"\#(type)","challenge":"\#(Base64.url(challenge))","origin":"\#(origin)"\#(crossOrigin)\#(topOrigin),"other_keys":1}"#
                    .utf8)
        }

        var authenticatorData: [UInt8] {
            let count = (0..<4).map { UInt8(truncatingIfNeeded: signCount >> (24 - 8 * $0)) }
            let head = Array(SHA256.hash(data: Data(relyingPartyID.utf8))) + [flags] + count
            guard flags & 0x40 != 0 else { return head + extensions }
            return head + aaguid + [UInt8(attestedID.count >> 8), UInt8(attestedID.count & 255)] + attestedID + cose + extensions
        }
    }

    func registrationAnswer(_ challenge: PasskeyChallenge) -> Answer {
        Answer(
            type: "webauthn.create", challenge: challenge.bytes, flags: 0x45, signCount: 0, attestedID: credentialID,
            cose: Self.cose(key.publicKey))
    }

    /// A registration, bent by `change`.
    func registration(_ challenge: PasskeyChallenge, _ change: (inout Answer) -> Void = { _ in }) -> PasskeyRegistration {
        var answer = registrationAnswer(challenge)
        change(&answer)
        return PasskeyRegistration(
            credentialID: credentialID, clientDataJSON: answer.clientDataJSON, authenticatorData: answer.authenticatorData,
            publicKey: Array(key.publicKey.derRepresentation), algorithm: -7, transports: ["internal"])
    }

    /// An assertion, bent by `change` before it is signed.
    func assertion(
        _ challenge: PasskeyChallenge, signCount: UInt32 = 0, _ change: (inout Answer) -> Void = { _ in }
    ) throws -> PasskeyAssertion {
        var answer = Answer(
            type: "webauthn.get", challenge: challenge.bytes, flags: 0x05, signCount: signCount, attestedID: credentialID, cose: [])
        change(&answer)
        return try sign(answer.authenticatorData, answer.clientDataJSON)
    }

    func sign(_ authenticatorData: [UInt8], _ clientDataJSON: [UInt8]) throws -> PasskeyAssertion {
        let signature = try key.signature(for: authenticatorData + Array(SHA256.hash(data: clientDataJSON)))
        return PasskeyAssertion(
            credentialID: credentialID, clientDataJSON: clientDataJSON, authenticatorData: authenticatorData,
            signature: Array(signature.derRepresentation), userHandle: userHandle)
    }

    /// The key in CBOR, written here anew from RFC 9053, section 7.1.1.
    static func cose(_ key: P256.Signing.PublicKey) -> [UInt8] {
        let x = Array(key.x963Representation)[1..<33], y = Array(key.x963Representation)[33..<65]
        func pair(_ label: UInt8, _ value: [UInt8]) -> [UInt8] { [label] + value }
        return [0xA5] + pair(1, [2]) + pair(3, [0x26]) + pair(0x20, [1]) + pair(0x21, [0x58, 32] + x) + pair(0x22, [0x58, 32] + y)
    }
}
