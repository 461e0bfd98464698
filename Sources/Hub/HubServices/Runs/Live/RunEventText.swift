import NIOCore

/// Server-sent events with JSON in them, written straight into the buffer that is sent.
extension ByteBuffer {
    mutating func begin(event: StaticString) {
        writeString("event: ")
        writeStaticString(event)
        writeString("\ndata: ")
    }

    mutating func endEvent() { writeString("\n\n") }

    mutating func write(_ number: some BinaryInteger) {
        // Short numbers make short strings, which need no memory of their own.
        writeString(String(number))
    }

    mutating func comma() { writeInteger(UInt8(ascii: ",")) }

    /// A string in quotes (RFC 8259, section 7). What could end a script or a line of the stream is escaped.
    mutating func quoted(_ text: String) {
        writeInteger(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                writeInteger(UInt8(ascii: "\\"))
                writeInteger(byte)
            case 0..<0x20, UInt8(ascii: "<"), 0x7F: writeString("\\u00" + Self.hexadecimal(byte))
            default: writeInteger(byte)
            }
        }
        writeInteger(UInt8(ascii: "\""))
    }

    private static func hexadecimal(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }

    /// Degrees with five decimals, of 1e-7 degrees.
    mutating func degrees(_ value: Int32) {
        let whole = (Int(value) + (value < 0 ? -50 : 50)) / 100, size = whole.magnitude
        if whole < 0 { writeInteger(UInt8(ascii: "-")) }
        writeString(String(size / 100_000))
        let part = String(size % 100_000)
        writeString("." + String(repeating: "0", count: 5 - part.utf8.count) + part)
    }

    mutating func null() { writeString("null") }

    mutating func list<Items: Sequence>(_ items: Items, _ write: (inout ByteBuffer, Items.Element) -> Void) {
        writeInteger(UInt8(ascii: "["))
        var isFirst = true
        for item in items {
            if !isFirst { comma() }
            isFirst = false
            write(&self, item)
        }
        writeInteger(UInt8(ascii: "]"))
    }
}
