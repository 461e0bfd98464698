extension String {
    /// As character data of XML 1.0, see `append(xml:)`.
    package var escapedForXML: String {
        var bytes: [UInt8] = []
        bytes.append(xml: self)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension [UInt8] {
    /// `text` as character data of XML 1.0: what is markup is escaped, and a character that XML cannot hold (2.2) becomes U+FFFD.
    package mutating func append(xml text: String) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": append("&amp;")
            case "<": append("&lt;")
            case ">": append("&gt;")
            case "\"": append("&quot;")
            case "\t", "\n": append(UInt8(scalar.value))
            case "\r": append("&#13;")
            case "\u{0}"..<" ", "\u{FFFE}", "\u{FFFF}": append("\u{FFFD}")
            default: append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
    }
}
