/// Why a passkey's answer was refused. The person is told that it did not work and to try again or by another way; code and detail go
/// to the log.
public struct PasskeyRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Code: String, Sendable, CaseIterable {
        /// The browser's JSON cannot be read, or a field of it; `detail` names it.
        case malformed
        /// A field is longer than it can be.
        case tooLarge = "too-large"
        /// No challenge is open for this session: it was used, replaced, or never asked for.
        case noChallenge = "no-challenge"
        /// The challenge was made more than five minutes ago.
        case challengeExpired = "challenge-expired"
        /// The challenge was made for the other ceremony.
        case wrongPurpose = "wrong-purpose"
        /// `type` in the client data is that of another ceremony.
        case wrongType = "wrong-type"
        case wrongChallenge = "wrong-challenge"
        /// Another site asked for this answer: phishing, or the hub goes by another name than in its settings.
        case wrongOrigin = "wrong-origin"
        /// The page was in a frame of another site.
        case crossOrigin = "cross-origin"
        /// The answer was made for another RP ID.
        case wrongRelyingParty = "wrong-relying-party"
        /// Nobody touched the authenticator (UP).
        case notPresent = "not-present"
        /// The authenticator did not check who it was (UV: fingerprint, face, PIN).
        case notVerified = "not-verified"
        /// The flags of backup contradict each other, or the registration.
        case backupFlags = "backup-flags"
        /// A registration without a credential (AT).
        case noCredential = "no-credential"
        /// The authenticator's data is of another credential than the browser's answer, or the answer of another than the stored one.
        case wrongCredential = "wrong-credential"
        /// Another algorithm than ES256.
        case wrongAlgorithm = "wrong-algorithm"
        /// The public key is no P-256 key in SPKI form.
        case badKey = "bad-key"
        /// The browser's public key is not the one in the authenticator's data.
        case wrongKey = "wrong-key"
        /// The answer is of another account, or does not say of which where it must.
        case wrongUser = "wrong-user"
        case wrongSignature = "wrong-signature"
        /// The counter went back or stood still: there are two copies of the authenticator. Tell the owner.
        case cloned
    }

    public let code: Code
    /// English, for the log. Holds no secret.
    public let detail: String

    public var description: String { detail.isEmpty ? code.rawValue : "\(code.rawValue): \(detail)" }

    init(_ code: Code, _ detail: String = "") { (self.code, self.detail) = (code, detail) }
}
