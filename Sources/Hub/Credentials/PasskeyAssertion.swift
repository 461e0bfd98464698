internal import Crypto

/// A browser's answer to `navigator.credentials.get()`: the proof that its user holds the passkey.
public struct PasskeyAssertion: Sendable, Hashable {
    /// Which passkey: the caller looks it up, with its account.
    public let credentialID: [UInt8]
    public let clientDataJSON: [UInt8]
    public let authenticatorData: [UInt8]
    /// ECDSA in DER.
    public let signature: [UInt8]
    /// The user id of the registration's options, by the authenticator; nil when it doesn't say.
    public let userHandle: [UInt8]?

    public init(
        credentialID: [UInt8], clientDataJSON: [UInt8], authenticatorData: [UInt8], signature: [UInt8], userHandle: [UInt8]?
    ) {
        self.credentialID = credentialID
        self.clientDataJSON = clientDataJSON
        self.authenticatorData = authenticatorData
        self.signature = signature
        self.userHandle = userHandle
    }

    /// Reads what `credential.toJSON()` gives in the browser.
    public init(json: [UInt8]) throws(PasskeyRefusal) {
        let message = try PasskeyMessage.read(json)
        var userHandle: [UInt8]?
        if let text = message.response.userHandle { userHandle = try PasskeyMessage.bytes(text, "userHandle", max: 64) }
        self.init(
            credentialID: try PasskeyMessage.bytes(message.id, "id", max: AuthenticatorData.Credential.idBytesMax),
            clientDataJSON: try PasskeyMessage.bytes(message.response.clientDataJSON, "clientDataJSON"),
            authenticatorData: try PasskeyMessage.bytes(message.response.authenticatorData, "authenticatorData"),
            signature: try PasskeyMessage.bytes(message.response.signature, "signature", max: 128), userHandle: userHandle)
    }

    /// The account that the caller expects.
    public struct Owner: Sendable, Hashable {
        /// The user id that stood in the registration's options.
        public let userHandle: [UInt8]
        /// Whether the account was known before the answer came: by its password, or by a name that was typed. Otherwise the
        /// authenticator must say whose passkey it is (section 7.2, step 6).
        public let wasNamed: Bool

        public init(userHandle: [UInt8], wasNamed: Bool) { (self.userHandle, self.wasNamed) = (userHandle, wasNamed) }
    }

    /// Checks the answer (section 7.2).
    /// - Parameters:
    ///   - passkey: the stored one with ``credentialID``.
    ///   - challenge: what ``PasskeyChallenges/take(_:session:utc:)`` gave.
    ///   - requiresVerification: as in the registration.
    /// - Returns: the passkey with its new counter. Store it in the same transaction that lets the person in, and there only if the stored
    ///   counter is still the old one.
    /// - Throws: ``PasskeyRefusal``; with the code `cloned` the owner is to be told.
    public func check(
        _ passkey: Passkey, of owner: Owner, challenge: PasskeyChallenge, relyingParty: RelyingParty, requiresVerification: Bool
    ) throws(PasskeyRefusal) -> Passkey {
        guard challenge.purpose == .assertion else { throw PasskeyRefusal(.wrongPurpose) }
        guard credentialID == passkey.credentialID else { throw PasskeyRefusal(.wrongCredential) }
        guard userHandle.map({ $0 == owner.userHandle }) ?? owner.wasNamed else { throw PasskeyRefusal(.wrongUser) }
        try ClientData.check(clientDataJSON, type: "webauthn.get", challenge: challenge, of: relyingParty)
        let data = try AuthenticatorData(authenticatorData)
        try data.check(relyingParty, requiresVerification: requiresVerification)
        guard data.flags.contains(.backupEligible) == passkey.isBackupEligible else {
            throw PasskeyRefusal(.backupFlags, "eligible for backup at registration, but not now, or the other way round")
        }
        try checkSignature(by: passkey)
        // Only now: what is not signed could make any passkey look cloned.
        guard (data.signCount == 0 && passkey.signCount == 0) || data.signCount > passkey.signCount else {
            throw PasskeyRefusal(.cloned, "its counter is \(data.signCount), and was \(passkey.signCount) before")
        }
        var used = passkey
        used.signCount = data.signCount
        used.isBackedUp = data.flags.contains(.backedUp)
        return used
    }

    private func checkSignature(by passkey: Passkey) throws(PasskeyRefusal) {
        guard let key = try? P256.Signing.PublicKey(x963Representation: passkey.publicKey) else {
            throw PasskeyRefusal(.badKey, "the stored one")
        }
        guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature),
            key.isValidSignature(signature, for: authenticatorData + SHA256.hash(data: clientDataJSON))
        else { throw PasskeyRefusal(.wrongSignature) }
    }
}
