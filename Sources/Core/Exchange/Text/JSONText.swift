/// JSON strings (RFC 8259, 7).
extension [UInt8] {
    /// `text` in quotation marks. Safe within HTML, too: `<` and `&` are escaped.
    package mutating func append(json text: String) {
        append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                append(UInt8(ascii: "\\"))
                append(byte)
            case 0..<0x20, 0x7F, UInt8(ascii: "<"), UInt8(ascii: "&"):
                append("\\u00")
                append(Self.hexadecimal[Int(byte >> 4)])
                append(Self.hexadecimal[Int(byte & 15)])
            default: append(byte)
            }
        }
        append(UInt8(ascii: "\""))
    }

    /// `text` in quotation marks; it needs no escaping.
    package mutating func append(quoted text: StaticString) {
        append(UInt8(ascii: "\""))
        append(text)
        append(UInt8(ascii: "\""))
    }

    private static let hexadecimal = [UInt8]("0123456789abcdef".utf8)
}
