/// Bytes as text: base64url without padding (RFC 4648, section 5), as browsers, tokens and links write it.
public enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// Four characters for each three bytes, and no `=` at the end.
    public static func text(_ bytes: some Sequence<UInt8>) -> String {
        var characters: [UInt8] = [], held: UInt32 = 0, bits: UInt32 = 0
        for byte in bytes {
            (held, bits) = (held << 8 | UInt32(byte), bits + 8)
            while bits >= 6 {
                bits -= 6
                characters.append(alphabet[Int(held >> bits & 63)])
            }
            held &= 63
        }
        if bits > 0 { characters.append(alphabet[Int(held << (6 - bits) & 63)]) }
        return String(decoding: characters, as: UTF8.self)
    }

    /// Reads ``text(_:)``. Takes padding, which some browsers' scripts leave in.
    /// - Returns: nil for other characters, and for what no bytes are written as.
    public static func bytes(_ text: String) -> [UInt8]? {
        var characters = text.utf8[...], bytes: [UInt8] = [], held: UInt32 = 0, bits: UInt32 = 0
        while characters.last == UInt8(ascii: "=") { characters.removeLast() }
        for character in characters {
            guard let value = value(of: character) else { return nil }
            (held, bits) = ((held << 6 | value) & 0xFFFF, bits + 6)
            guard bits >= 8 else { continue }
            bits -= 8
            bytes.append(UInt8(truncatingIfNeeded: held >> bits))
        }
        // The remaining bits are less than a character, and zero.
        return bits < 6 && held & (1 << bits - 1) == 0 ? bytes : nil
    }

    private static func value(of character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
