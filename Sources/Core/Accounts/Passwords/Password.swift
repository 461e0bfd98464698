/// A password in the one form in which it is hashed: Normalization Form C, with plain spaces for all others (the OpaqueString profile of
/// RFC 8265, 4.2). So the same password typed on another keyboard stays the same. Nothing is cut off, trimmed or put in small letters.
/// NFKC would also make different characters equal, and let a password lose what it was made strong with.
public struct Password: Sendable, Hashable {
    /// The bytes to hash.
    public let bytes: [UInt8]

    /// In Unicode scalars after normalisation (NIST SP 800-63B counts so). Hashing has to be paid for each one; 64 is the least to accept.
    public static let maximum = 256

    /// The password as typed to log in; nil for nothing and for more than 256 scalars, which nobody's password is.
    public init?(attempt typed: String) {
        // A scalar can come from at most four typed ones.
        guard typed.unicodeScalars.count <= 4 * Self.maximum else { return nil }
        let text = Self.normalised(typed)
        guard !text.isEmpty, text.unicodeScalars.count <= Self.maximum else { return nil }
        bytes = Array(text.utf8)
    }

    init(normalised text: String) { bytes = Array(text.utf8) }

    static func normalised(_ typed: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in typed.unicodeScalars { scalars.append(scalar.properties.generalCategory == .spaceSeparator ? " " : scalar) }
        return Normalisation.composed(String(scalars))
    }
}

// A password must not reach a log by being printed.
extension Password: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "(password)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
