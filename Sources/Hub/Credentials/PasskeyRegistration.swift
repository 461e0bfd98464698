internal import Crypto

/// A browser's answer to `navigator.credentials.create()`, with attestation none.
///
/// **What is trusted.** Nothing in a registration is signed. That the key belongs to the person follows from the session alone: it must
/// be logged in, stepped up, on TLS, and have asked for this challenge. Origin and type are the browser's word; a browser that lies
/// can only register a key for the account that it is logged in to anyway. The credential's id and key must be the same in the browser's
/// answer and in the authenticator's data, so that a mistake of the page cannot store a passkey that later never works. The model
/// (AAGUID), the flags of backup and the transports are unproven and decide nothing. From the first assertion on the key proves itself.
public struct PasskeyRegistration: Sendable, Hashable {
    public let credentialID: [UInt8]
    public let clientDataJSON: [UInt8]
    public let authenticatorData: [UInt8]
    /// SubjectPublicKeyInfo in DER, by the browser's `getPublicKey()`.
    public let publicKey: [UInt8]
    /// By `getPublicKeyAlgorithm()`.
    public let algorithm: Int
    public let transports: [String]

    public init(
        credentialID: [UInt8], clientDataJSON: [UInt8], authenticatorData: [UInt8], publicKey: [UInt8], algorithm: Int, transports: [String]
    ) {
        self.credentialID = credentialID
        self.clientDataJSON = clientDataJSON
        self.authenticatorData = authenticatorData
        self.publicKey = publicKey
        self.algorithm = algorithm
        self.transports = transports
    }

    /// Reads what `credential.toJSON()` gives in the browser, which holds the results of `getPublicKey()`, `getPublicKeyAlgorithm()` and
    /// `getAuthenticatorData()`; the attestation object is not read.
    public init(json: [UInt8]) throws(PasskeyRefusal) {
        let message = try PasskeyMessage.read(json)
        guard let algorithm = message.response.publicKeyAlgorithm else { throw PasskeyRefusal(.malformed, "publicKeyAlgorithm") }
        // Names that a later browser adds are short too; what else stands there is left out.
        let transports = (message.response.transports ?? []).filter { (1...16).contains($0.utf8.count) }
        self.init(
            credentialID: try PasskeyMessage.bytes(message.id, "id", max: AuthenticatorData.Credential.idBytesMax),
            clientDataJSON: try PasskeyMessage.bytes(message.response.clientDataJSON, "clientDataJSON"),
            authenticatorData: try PasskeyMessage.bytes(message.response.authenticatorData, "authenticatorData"),
            publicKey: try PasskeyMessage.bytes(message.response.publicKey, "publicKey"),
            algorithm: algorithm, transports: Array(transports.prefix(8)))
    }

    /// Checks the answer (section 7.1). The caller makes sure that no account has the credential's id yet.
    /// - Parameters:
    ///   - challenge: what ``PasskeyChallenges/take(_:session:utc:)`` gave.
    ///   - requiresVerification: whether the authenticator must have checked finger, face or PIN: where the passkey stands alone, without
    ///     a password.
    public func passkey(
        challenge: PasskeyChallenge, relyingParty: RelyingParty, requiresVerification: Bool
    ) throws(PasskeyRefusal) -> Passkey {
        guard challenge.purpose == .registration else { throw PasskeyRefusal(.wrongPurpose) }
        try ClientData.check(clientDataJSON, type: "webauthn.create", challenge: challenge, of: relyingParty)
        let data = try AuthenticatorData(authenticatorData)
        try data.check(relyingParty, requiresVerification: requiresVerification)
        guard let credential = data.credential else { throw PasskeyRefusal(.noCredential) }
        guard credential.id == credentialID else { throw PasskeyRefusal(.wrongCredential) }
        guard algorithm == PasskeyKey.algorithm else { throw PasskeyRefusal(.wrongAlgorithm, "\(algorithm)") }
        let key = try PasskeyKey.key(spki: publicKey)
        let written = PasskeyKey.cose(key)
        guard credential.rest.starts(with: written) else { throw PasskeyRefusal(.wrongKey) }
        guard data.flags.contains(.extensions) == (credential.rest.count > written.count) else {
            throw PasskeyRefusal(.malformed, "what follows the key in authenticatorData")
        }
        return Passkey(
            credentialID: credentialID, publicKey: Array(key.x963Representation), aaguid: credential.aaguid, transports: transports,
            isBackupEligible: data.flags.contains(.backupEligible), isBackedUp: data.flags.contains(.backedUp), signCount: data.signCount)
    }
}
