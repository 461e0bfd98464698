/// Base32 (RFC 4648, section 6), as authenticator programs take secrets. A library would be longer than this.
enum Base32 {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    /// Upper case, without padding.
    static func text(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        var buffer = 0, bits = 0
        for byte in bytes {
            buffer = (buffer << 8 | Int(byte)) & 0xFFFF
            bits += 8
            while bits >= 5 {
                bits -= 5
                text.append(digits[buffer >> bits & 31])
            }
        }
        if bits > 0 { text.append(digits[buffer << (5 - bits) & 31]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Takes either case, blanks and padding, as people copy it; nil for other characters and for what no encoder writes.
    static func bytes(_ text: String) -> [UInt8]? {
        var letters = Array(text.uppercased().utf8.filter { $0 != UInt8(ascii: " ") })
        while letters.last == UInt8(ascii: "=") { letters.removeLast() }
        var bytes: [UInt8] = []
        var buffer = 0, bits = 0
        for letter in letters {
            guard let value = digits.firstIndex(of: letter) else { return nil }
            buffer = (buffer << 5 | value) & 0xFFFF
            bits += 5
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(buffer >> bits & 0xFF))
            }
        }
        guard bits < 5, buffer & (1 << bits - 1) == 0 else { return nil }
        return bytes
    }
}
