internal import Foundation

/// The options that the page hands to the browser: JSON for `PublicKeyCredential.parseCreationOptionsFromJSON()` and
/// `parseRequestOptionsFromJSON()` (WebAuthn Level 3, section 5.1).
public enum PasskeyOptions {
    /// The account that a new passkey is for.
    public struct User: Sendable {
        /// 1 to 64 bytes that say nothing of the person (section 14.6.1): its random identifier.
        public let handle: [UInt8]
        /// The user name, which the authenticator's list shows.
        public let name: String
        public let displayName: String

        public init(handle: [UInt8], name: String, displayName: String) {
            (self.handle, self.name, self.displayName) = (handle, name, displayName)
        }
    }

    /// For `navigator.credentials.create()`. `existing` are the account's passkeys, of which no authenticator makes a second one.
    public static func creation(
        _ challenge: PasskeyChallenge, relyingParty: RelyingParty, siteName: String, user: User, existing: [Passkey],
        requiresVerification: Bool
    ) throws -> String {
        try text(
            Creation(
                rp: .init(id: relyingParty.id, name: siteName),
                user: .init(id: Base64.url(user.handle), name: user.name, displayName: user.displayName), challenge: challenge.text,
                excludeCredentials: existing.map(Descriptor.init),
                authenticatorSelection: .init(userVerification: verification(requiresVerification))))
    }

    /// For `navigator.credentials.get()`. Without `allowed` the browser offers every passkey that it has for this hub.
    public static func request(
        _ challenge: PasskeyChallenge, relyingParty: RelyingParty, allowed: [Passkey] = [], requiresVerification: Bool
    ) throws -> String {
        try text(
            Request(
                challenge: challenge.text, rpId: relyingParty.id, allowCredentials: allowed.map(Descriptor.init),
                userVerification: verification(requiresVerification)))
    }

    private static func verification(_ isRequired: Bool) -> String { isRequired ? "required" : "preferred" }

    private static func text(_ options: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(options), as: UTF8.self)
    }

    private struct Descriptor: Encodable {
        let type = "public-key", id: String, transports: [String]

        init(_ passkey: Passkey) { (id, transports) = (Base64.url(passkey.credentialID), passkey.transports) }
    }

    private struct Creation: Encodable {
        struct Party: Encodable { let id: String, name: String }
        struct Account: Encodable { let id: String, name: String, displayName: String }
        struct Parameters: Encodable { let type = "public-key", alg = PasskeyKey.algorithm }
        struct Selection: Encodable { let residentKey = "preferred", userVerification: String }

        let rp: Party, user: Account, challenge: String
        let pubKeyCredParams = [Parameters()]
        let timeout = PasskeyChallenge.lifetime
        let excludeCredentials: [Descriptor], authenticatorSelection: Selection
        let attestation = "none"
    }

    private struct Request: Encodable {
        let challenge: String, rpId: String
        let timeout = PasskeyChallenge.lifetime
        let allowCredentials: [Descriptor], userVerification: String
    }
}
