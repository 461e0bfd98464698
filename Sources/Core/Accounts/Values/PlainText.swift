/// One line that somebody typed: a name, a city, a residence. In Normalization Form C, without spaces at its ends, with single ones
/// within, and without characters that cannot be seen.
public struct Line: Sendable, Hashable, CustomStringConvertible {
    public let text: String

    public var description: String { text }

    /// Of a first or last name, in characters as people count them.
    public static let nameLength = 1...100
    public static let cityLength = 1...100
    public static let residenceLength = 2...200
    public static let organisationLength = 2...200

    /// - Throws: ``FieldError`` `.tooShort`, `.tooLong`, `.characters` (also without any letter or digit).
    public init(_ text: String, length: ClosedRange<Int>) throws(FieldError) {
        let plain = try PlainText.checked(text, length: length) { _ in false }
        let words = plain.unicodeScalars.split { $0.properties.generalCategory == .spaceSeparator }
        self.text = words.map { String($0) }.joined(separator: " ")
        try PlainText.bound(self.text, length)
    }
}

/// Some lines that somebody typed: a purpose, a proof. As ``Line``, but lines and tabs stay, and every line ends alike.
public struct Paragraph: Sendable, Hashable, CustomStringConvertible {
    public let text: String

    public var description: String { text }

    public static let proofLength = 3...2000
    public static let purposeLength = 10...2000

    /// - Throws: ``FieldError`` as ``Line``.
    public init(_ text: String, length: ClosedRange<Int>) throws(FieldError) {
        let lines = String(text.map { $0 == "\r\n" || $0 == "\r" ? "\n" : $0 })
        self.text = try PlainText.checked(lines, length: length) { $0 == "\n" || $0 == "\t" }
    }
}

enum PlainText {
    /// A character may carry marks, but not hundreds of them: beyond this many scalars a character on average, the text is too long.
    private static let scalarsPerCharacter = 8

    static func checked(_ text: String, length: ClosedRange<Int>, allowed: (Unicode.Scalar) -> Bool) throws(FieldError) -> String {
        let tooLong = FieldError(.tooLong, limit: length.upperBound)
        let trimmed = Normalisation.trimmed(text)
        guard trimmed.unicodeScalars.count <= length.upperBound * scalarsPerCharacter else { throw tooLong }
        let result = Normalisation.composed(trimmed)
        guard result.unicodeScalars.allSatisfy({ isVisible($0) || allowed($0) }),
            result.unicodeScalars.contains(where: { $0.properties.isAlphabetic || $0.properties.numericType != nil })
        else { throw FieldError(.characters) }
        try bound(result, length)
        return result
    }

    static func bound(_ text: String, _ length: ClosedRange<Int>) throws(FieldError) {
        if text.count < length.lowerBound { throw FieldError(.tooShort, limit: length.lowerBound) }
        if text.count > length.upperBound { throw FieldError(.tooLong, limit: length.upperBound) }
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        // Scripts of Persia and India need the joiners; the others hide or turn what follows.
        case .format: scalar.properties.isJoinControl
        default: true
        }
    }
}
