public import Vitals

/// The factors of an account beside its password.
public struct StoredFactors: Sendable, Hashable {
    /// nil when no one-time codes are set up.
    public let oneTime: StoredOneTime?
    /// The oldest first.
    public let passkeys: [StoredPasskey]
    /// Hashes of the recovery codes that still work.
    public let recovery: [[UInt8]]

    /// Recovery codes alone are no factor: they stand in for one.
    public var isEmpty: Bool { oneTime == nil && passkeys.isEmpty }
}

/// One-time codes of an account.
public struct StoredOneTime: Sendable, Hashable {
    /// The secret that the person's program and the hub share.
    public let secret: [UInt8]
    public let created: Milliseconds
    /// The step of the last code that was taken; nil when there was none.
    public let lastStep: Int64?
}

/// A passkey of an account.
public struct StoredPasskey: Sendable, Hashable {
    public let row: Int64
    public let account: Int64
    public let credential: [UInt8]
    public let publicKey: [UInt8]
    public let aaguid: [UInt8]
    public let transports: [String]
    public let isBackupEligible: Bool
    public let isBackedUp: Bool
    public let counter: UInt32
    /// As its owner calls it.
    public let name: String
    public let created: Milliseconds
    public let used: Milliseconds?
}

/// A passkey that is to be stored.
public struct NewPasskey: Sendable {
    public var credential: [UInt8]
    public var publicKey: [UInt8]
    public var aaguid: [UInt8]
    public var transports: [String]
    public var isBackupEligible: Bool
    public var isBackedUp: Bool
    public var counter: UInt32
    /// 1 to 60 characters; longer ones are cut.
    public var name: String

    public init(
        credential: [UInt8], publicKey: [UInt8], aaguid: [UInt8], transports: [String], isBackupEligible: Bool, isBackedUp: Bool,
        counter: UInt32, name: String
    ) {
        (self.credential, self.publicKey, self.aaguid, self.transports) = (credential, publicKey, aaguid, transports)
        (self.isBackupEligible, self.isBackedUp, self.counter) = (isBackupEligible, isBackedUp, counter)
        self.name = String(name.prefix(60))
    }
}

/// A factor that was given and found right. It is used up in the transaction that lets the person in.
public enum FactorProof: Sendable, Hashable {
    /// The code of this step.
    case oneTime(step: Int64)
    /// The recovery code with this hash.
    case recovery(hash: [UInt8])
    /// The passkey of this row, with the counter that it had and the one that it has.
    case passkey(row: Int64, from: UInt32, to: UInt32, isBackedUp: Bool)
    /// The password, which is not used up: for step-up.
    case password
}
