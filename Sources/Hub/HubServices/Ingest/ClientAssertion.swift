import Crypto
import Foundation
import JWTKit
import Seams
import SyncProtocol
import Vitals

/// A program's proof of who it is: a JWT that it signed with its own key (RFC 7523, `private_key_jwt` with ES256), in a request for a token.
/// Agents and organisations give one; what differs is whose keys count and how far a clock may be off.
struct ClientAssertion {
    /// The named agent, which proves nothing before it is ``verified(by:)``.
    let subject: String
    private let text: String

    /// Longer ones are not looked at.
    static let bytesMax = 4096

    /// The claims of a verified assertion.
    struct Verified {
        let audiences: [String]
        let expires: Milliseconds
        let jti: String
    }

    private struct Claims: JWTPayload {
        var iss: IssuerClaim
        var sub: SubjectClaim
        var aud: AudienceClaim
        var exp: ExpirationClaim
        var jti: IDClaim

        func verify(using algorithm: some JWTAlgorithm) throws {}
    }

    /// Reads the form fields of a request for a token; nil for a JWT that cannot be read.
    /// - Throws: `ErrorAnswer` for a request of another kind.
    init?(_ form: [String: String]) throws {
        guard form[TokenField.grantType] == TokenField.clientCredentials else {
            throw ErrorAnswer(error: "unsupported_grant_type", description: "Only client_credentials is supported here.")
        }
        guard form[TokenField.assertionType] == TokenField.jwtBearer, let text = form[TokenField.assertion] else {
            throw ErrorAnswer(error: "invalid_client", description: "A client_assertion of type jwt-bearer is needed (RFC 7523).")
        }
        guard text.utf8.count <= Self.bytesMax,
            let claims = try? DefaultJWTParser().parse(Array(text.utf8), as: Claims.self).payload
        else { return nil }
        (subject, self.text) = (claims.sub.value, text)
    }

    /// What it says, when one of these keys signed it (SEC 1 uncompressed points on P-256) and it was issued by whom it names.
    func verified(by keys: [[UInt8]]) async -> Verified? {
        for bytes in keys {
            guard let key = try? ECDSA.PublicKey<P256>(backing: P256.Signing.PublicKey(x963Representation: bytes)) else { continue }
            // A collection of one key: which one it is, the header does not decide.
            let collection = await JWTKeyCollection().add(ecdsa: key)
            guard let claims = try? await collection.verify(text, as: Claims.self) else { continue }
            guard claims.iss.value == claims.sub.value, (1...256).contains(claims.jti.value.utf8.count) else { return nil }
            let expires = claims.exp.value.timeIntervalSince1970 * 1000
            guard let expires = Milliseconds(exactly: expires.rounded(.down)) else { return nil }
            return Verified(audiences: claims.aud.value, expires: expires, jti: claims.jti.value)
        }
        return nil
    }
}

/// An access token: opaque, 128 random bits. The store has its hash.
enum AccessToken {
    static func make(_ randomness: Randomness) -> String { randomness.id(StreamID.self).description }
    static func hash(_ token: String) -> [UInt8] { Array(SHA256.hash(data: Data(token.utf8))) }
}
