/// A telephone number with its country's code (ITU-T E.164).
public struct PhoneNumber: Sendable, Hashable, CustomStringConvertible {
    /// + and 7 to 15 digits.
    public let e164: String

    public var description: String { e164 }

    private static let digits = 7...15
    private static let typedMaximum = 40

    /// Takes spaces, dashes, dots, slashes, brackets, and 00 for +.
    /// - Throws: ``FieldError`` `.tooLong`, `.noCountryCode` for a number as it is dialled within its country, `.formPhone`.
    public init(_ text: String) throws(FieldError) {
        let text = Normalisation.trimmed(text)
        guard text.unicodeScalars.count <= Self.typedMaximum else { throw FieldError(.tooLong, limit: Self.typedMaximum) }
        // "+44 (0)20 …" names a zero that must not be dialled, in Italy one that must: ask rather than guess.
        guard !text.contains("(0)") else { throw FieldError(.formPhone) }
        let international = text.hasPrefix("+")
        let typed = try Self.compact(international ? text.dropFirst() : text[...])
        let number = international ? typed[...] : typed.dropFirst(2)
        guard international || typed.starts(with: [48, 48]) else { throw FieldError(.noCountryCode) }
        guard Self.digits.contains(number.count), number.first != 48 else { throw FieldError(.formPhone) }
        e164 = "+" + String(decoding: number, as: UTF8.self)
    }

    private static func compact(_ text: Substring) throws(FieldError) -> [UInt8] {
        let plain = String(text.filter { $0 != "(" && $0 != ")" })
        let digits: [UInt8]
        do { digits = try Normalisation.compact(plain, maximum: typedMaximum) } catch { throw FieldError(.formPhone) }
        guard digits.allSatisfy({ $0.digit != nil }) else { throw FieldError(.formPhone) }
        return digits
    }
}
