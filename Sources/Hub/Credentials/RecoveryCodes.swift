public import Seams

/// Ten codes on paper for who lost the phone: each works once in place of a one-time code or a passkey.
public struct RecoveryCodes: Sendable {
    public static let count = 10
    private static let length = 16
    private static let purpose = "recovery"

    /// SHA-256 of the codes that still work, for storage.
    public private(set) var hashes: [[UInt8]]

    /// The stored hashes.
    public init(hashes: [[UInt8]]) { self.hashes = hashes }

    /// Makes ten and the text of each (`ABCD-EFGH-JKMN-PQRS`), which is shown once and kept nowhere.
    public static func make(using randomness: Randomness = .system) -> (codes: RecoveryCodes, texts: [String]) {
        let new = (0..<count).map { _ in ShortCode.random(length: length, using: randomness) }
        return (RecoveryCodes(hashes: new.map { $0.hash(purpose: purpose) }), new.map(\.grouped))
    }

    /// Takes the code out when it is one of them. Store ``hashes`` in the same transaction that lets the person in.
    public mutating func redeem(_ typed: String) -> Bool {
        guard let hash = ShortCode(typed: typed, length: Self.length)?.hash(purpose: Self.purpose) else { return false }
        let rest = hashes.filter { !SecretBytes.same($0, hash) }
        defer { hashes = rest }
        return rest.count < hashes.count
    }
}
