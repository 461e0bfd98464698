/// An e-mail address: the part of RFC 5321 and 5322 that real mailboxes use. No quoted local parts, no comments, no address literals, and
/// ASCII only (a domain with other letters is given in its xn-- form).
public struct EmailAddress: Sendable, Hashable, CustomStringConvertible {
    /// Where mail goes: the local part as it was typed (it is the receiving host's to read), the domain in small letters.
    public let address: String
    /// All in small letters: what makes an account unique, and finds it. No host of today tells local parts apart by case.
    public var canonical: String { address.lowercased() }
    /// The part before the @.
    public var localPart: Substring { address.prefix { $0 != "@" } }

    public var description: String { address }

    /// RFC 5321, 4.5.3.1: 64 octets before the @, and 256 with < and > for all.
    public static let localMaximum = 64, maximum = 254
    private static let labelMaximum = 63
    private static let symbols = Set("!#$%&'*+/=?^_`{|}~-".utf8)

    /// - Throws: ``FieldError`` `.tooLong`, `.formEmail`.
    public init(_ text: String) throws(FieldError) {
        let text = Normalisation.trimmed(text)
        guard text.utf8.count <= Self.maximum else { throw FieldError(.tooLong, limit: Self.maximum) }
        let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard parts.count == 2, Self.isLocalPart(Array(parts[0])), Self.isDomain(Array(parts[1])) else { throw FieldError(.formEmail) }
        address = String(decoding: parts[0], as: UTF8.self) + "@" + String(decoding: parts[1], as: UTF8.self).lowercased()
    }

    private static func isLocalPart(_ bytes: [UInt8]) -> Bool {
        guard bytes.count <= localMaximum else { return false }
        let atoms = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return atoms.allSatisfy { !$0.isEmpty && $0.allSatisfy { isLetterOrDigit($0) || symbols.contains($0) } }
    }

    private static func isDomain(_ bytes: [UInt8]) -> Bool {
        let labels = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let dash = UInt8(ascii: "-")
        let wellFormed = labels.allSatisfy { label in
            (1...labelMaximum).contains(label.count) && label.first != dash && label.last != dash
                && label.allSatisfy { isLetterOrDigit($0) || $0 == dash }
        }
        // A last label of digits alone would be an address of IPv4.
        return wellFormed && labels.count >= 2 && labels.last?.contains { $0.digit == nil } == true
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool { byte.digit != nil || (byte & 0xDF).capital != nil }
}
