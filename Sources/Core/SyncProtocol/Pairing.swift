/// How a box that was set up by its page becomes an agent: box and hub agree on words that the person compares, and nothing is made before
/// the person has confirmed them on both sides.
///
/// The box commits itself to its nonce before it learns the hub's. So whoever stands between has one guess at words of 32 bits, with a
/// code that works once. Three requests, all of the box:
///
/// 1. ``PairingOffer``: the code, the box's key and its commitment. The hub answers with its own nonce (``PairingTerms``).
/// 2. ``PairingOpening``: the box's nonce. From now on both sides show ``KeyWords`` of ``Pairing/words(publicKey:authority:boxNonce:hubNonce:)``.
/// 3. ``PairingClaim``, when the person has confirmed the words at the box: ``PairingOutcome``, again and again until the person has done
///    so at the hub, too.
public enum Pairing {
    /// Bytes of a nonce.
    public static let nonceBytes = 32
    /// Words to compare.
    public static let wordCount = 2

    /// The text whose SHA-256 is the commitment.
    /// - Parameters:
    ///   - publicKey: the box's, uncompressed point, 65 bytes.
    ///   - nonce: the box's, ``nonceBytes``.
    public static func commitment(publicKey: [UInt8], nonce: [UInt8]) -> [UInt8] { Array("trackme pairing 1 box".utf8) + publicKey + nonce }

    /// The text whose SHA-256 makes the words.
    /// - Parameters:
    ///   - publicKey: the box's, uncompressed point, 65 bytes.
    ///   - authority: DER of the hub's CA certificate; empty where the system's trust decides about the hub.
    ///   - boxNonce: ``nonceBytes``.
    ///   - hubNonce: ``nonceBytes``.
    public static func words(publicKey: [UInt8], authority: [UInt8], boxNonce: [UInt8], hubNonce: [UInt8]) -> [UInt8] {
        Array("trackme pairing 1 words".utf8) + publicKey + boxNonce + hubNonce + authority
    }
}

/// The first word of a box that is set up by its page.
public struct PairingOffer: Codable, Sendable, Hashable {
    /// The 8 characters of the hub's page.
    public var code: String
    /// As ``EnrolmentRequest/publicKey``.
    public var publicKey: String
    /// The owner's name for the box; 1 to 64 characters.
    public var name: String
    /// SHA-256 of ``Pairing/commitment(publicKey:nonce:)``, 64 hexadecimal digits.
    public var commitment: String

    public init(code: String, publicKey: String, name: String, commitment: String) {
        (self.code, self.publicKey, self.name, self.commitment) = (code, publicKey, name, commitment)
    }
}

/// The hub's answer to a ``PairingOffer``.
public struct PairingTerms: Codable, Sendable, Hashable {
    /// Names this pairing, 128 random bits in hexadecimal.
    public var pairing: String
    /// The hub's nonce, 64 hexadecimal digits.
    public var nonce: String

    public init(pairing: String, nonce: String) { (self.pairing, self.nonce) = (pairing, nonce) }
}

/// The box's commitment.
public struct PairingOpening: Codable, Sendable, Hashable {
    public var pairing: String
    /// The box's nonce, 64 hexadecimal digits.
    public var nonce: String

    public init(pairing: String, nonce: String) { (self.pairing, self.nonce) = (pairing, nonce) }
}

/// The person has confirmed the words at the box.
public struct PairingClaim: Codable, Sendable, Hashable {
    public var pairing: String

    public init(pairing: String) { self.pairing = pairing }
}

/// The hub's answer to a ``PairingOpening`` and a ``PairingClaim``.
public struct PairingOutcome: Codable, Sendable, Hashable {
    /// The box's enrolment; nil while the person has not confirmed the words at the hub.
    public var enrolment: EnrolmentAnswer?

    public init(enrolment: EnrolmentAnswer? = nil) { self.enrolment = enrolment }
}
