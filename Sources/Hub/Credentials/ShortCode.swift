public import Seams

/// A random code to read aloud and type: no 0, O, 1, I, L, U.
///
/// 8 characters have 39 bits: enough for what lives some minutes behind an ``AttemptLimiter`` (claim, enrolment). 16 have 78, enough to
/// lie in a stolen database as a fast hash (recovery).
public struct ShortCode: Sendable, CustomStringConvertible, CustomReflectable {
    private static let alphabet = Array("ABCDEFGHJKMNPQRSTVWXYZ23456789")

    /// In upper case, without hyphens.
    public let text: String

    private init(text: String) { self.text = text }

    /// A new code of `length` characters.
    public static func random(length: Int = 8, using randomness: Randomness = .system) -> ShortCode {
        var generator = randomness
        return ShortCode(text: String((0..<length).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &generator)] }))
    }

    /// A code as a person typed it, in either case, with hyphens and blanks wherever; nil unless it can be a code of `length` characters.
    public init?(typed: String, length: Int = 8) {
        guard typed.utf8.count <= 4 * length else { return nil }
        let kept = typed.uppercased().filter { $0 != "-" && !$0.isWhitespace }
        guard kept.count == length, kept.allSatisfy(Self.alphabet.contains) else { return nil }
        text = kept
    }

    /// In groups of four: `ABCD-EFGH`.
    public var grouped: String {
        let characters = Array(text)
        return stride(from: 0, to: characters.count, by: 4).map { String(characters[$0..<min($0 + 4, characters.count)]) }
            .joined(separator: "-")
    }

    /// The stored form of it. A code made for one purpose is worth nothing for another.
    public func hash(purpose: String) -> [UInt8] { SecretBytes.hash(text, purpose: purpose) }

    public var description: String { "ShortCode(secret)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
