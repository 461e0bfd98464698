/// Text of people within a header.
enum HeaderText {
    /// Beyond that, a text is encoded in words that can be folded.
    private static let plainMaximum = 60
    /// RFC 2047, 2: 75 characters with "=?UTF-8?Q?" and "?=".
    private static let wordMaximum = 75 - 12

    /// Nothing that ends a line, or that a reader's program could take for an end.
    static func isClean(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy {
            switch $0.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
    }

    /// Printable ASCII without spaces, quotes and what encloses an identifier.
    static func isToken(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"<>\"\\(),".utf8.contains($0) }
    }

    /// As it is where that is safe, otherwise in encoded words (RFC 2047), one a line.
    /// - Parameter unstructured: only there signs such as commas have no meaning.
    static func encoded(_ text: String, unstructured: Bool = false) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            unstructured ? (0x20...0x7E).contains(byte) : isLetterOrDigit(byte) || byte == 0x20
        }
        // Spaces at the ends would get lost, and "=?" would be decoded.
        if isPlain, text.utf8.count <= plainMaximum, text.utf8.first != 0x20, text.utf8.last != 0x20, !text.contains("=?") { return text }
        var words = [""]
        for scalar in text.unicodeScalars {
            let piece = String(scalar).utf8.map(encoded).joined()
            if words[words.count - 1].utf8.count + piece.utf8.count > wordMaximum { words.append("") }
            words[words.count - 1] += piece
        }
        return words.map { "=?UTF-8?Q?\($0)?=" }.joined(separator: "\n ")
    }

    private static func encoded(_ byte: UInt8) -> String {
        if byte == 0x20 { return "_" }
        return isLetterOrDigit(byte) ? String(Unicode.Scalar(byte)) : QuotedPrintable.escaped(byte)
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: false
        }
    }
}
