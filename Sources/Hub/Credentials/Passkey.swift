/// A registered passkey, as it is stored beside its account. Nothing in it is secret.
public struct Passkey: Sendable, Hashable {
    /// The credential's identifier for browser and authenticator; unique in the store, 1 to 1023 bytes.
    public let credentialID: [UInt8]
    /// The uncompressed point (65 bytes, X9.63).
    public let publicKey: [UInt8]
    /// The model of the authenticator as it says itself, 16 bytes, often zeros: for a name in a list, never for a decision.
    public let aaguid: [UInt8]
    /// How a browser reaches the authenticator (`internal`, `hybrid`, `usb`…), handed back to it at log-in.
    public let transports: [String]
    /// Whether it can exist on several devices of its owner.
    public let isBackupEligible: Bool
    public var isBackedUp: Bool
    /// The authenticator's counter at its last use; 0 for those that don't count.
    public var signCount: UInt32

    public init(
        credentialID: [UInt8], publicKey: [UInt8], aaguid: [UInt8], transports: [String], isBackupEligible: Bool, isBackedUp: Bool,
        signCount: UInt32
    ) {
        self.credentialID = credentialID
        self.publicKey = publicKey
        self.aaguid = aaguid
        self.transports = transports
        self.isBackupEligible = isBackupEligible
        self.isBackedUp = isBackedUp
        self.signCount = signCount
    }
}
