internal import Crypto

/// The authenticator's own record (WebAuthn Level 3, section 6.1): hash of the RP ID, flags, counter, and in a registration the new
/// credential.
struct AuthenticatorData {
    struct Flags: OptionSet {
        let rawValue: UInt8
        static let userPresent = Flags(rawValue: 0x01)
        static let userVerified = Flags(rawValue: 0x04)
        static let backupEligible = Flags(rawValue: 0x08)
        static let backedUp = Flags(rawValue: 0x10)
        static let attestedCredential = Flags(rawValue: 0x40)
        static let extensions = Flags(rawValue: 0x80)
    }

    /// The attested credential data (section 6.5.1).
    struct Credential {
        /// 16 bytes: the model, which nothing vouches for without attestation.
        let aaguid: [UInt8]
        let id: [UInt8]
        /// The COSE key, and behind it the extensions where the flags say so.
        let rest: [UInt8]
    }

    let relyingPartyHash: [UInt8]
    let flags: Flags
    let signCount: UInt32
    let credential: Credential?

    init(_ bytes: [UInt8]) throws(PasskeyRefusal) {
        guard bytes.count >= 37 else { throw PasskeyRefusal(.malformed, "authenticatorData has \(bytes.count) bytes") }
        relyingPartyHash = Array(bytes[0..<32])
        flags = Flags(rawValue: bytes[32])
        signCount = bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
        if flags.contains(.attestedCredential) {
            guard let read = Credential(bytes[37...]) else { throw PasskeyRefusal(.malformed, "the credential in authenticatorData") }
            credential = read
        } else {
            guard flags.contains(.extensions) == (bytes.count > 37) else {
                throw PasskeyRefusal(.malformed, "authenticatorData has \(bytes.count) bytes, and flags that say otherwise")
            }
            credential = nil
        }
    }

    /// The checks that both ceremonies share (sections 7.1 and 7.2).
    func check(_ relyingParty: RelyingParty, requiresVerification: Bool) throws(PasskeyRefusal) {
        guard relyingPartyHash == Array(SHA256.hash(data: Array(relyingParty.id.utf8))) else { throw PasskeyRefusal(.wrongRelyingParty) }
        guard flags.contains(.userPresent) else { throw PasskeyRefusal(.notPresent) }
        guard flags.contains(.userVerified) || !requiresVerification else { throw PasskeyRefusal(.notVerified) }
        guard flags.contains(.backupEligible) || !flags.contains(.backedUp) else {
            throw PasskeyRefusal(.backupFlags, "backed up, but not eligible for it")
        }
    }
}

extension AuthenticatorData.Credential {
    /// Longer ones are refused by every browser (section 7.1).
    static let idBytesMax = 1023

    init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count >= 18 else { return nil }
        let bytes = Array(bytes)
        let length = Int(bytes[16]) << 8 | Int(bytes[17])
        guard (1...Self.idBytesMax).contains(length), bytes.count >= 18 + length else { return nil }
        aaguid = Array(bytes[0..<16])
        id = Array(bytes[18..<18 + length])
        rest = Array(bytes[(18 + length)...])
    }
}
