/// RFC 2045, 6.7.
enum QuotedPrintable {
    private static let lineMaximum = 76
    private static let digits = Array("0123456789ABCDEF".utf8)

    static func escaped(_ byte: UInt8) -> String {
        String(decoding: [UInt8(ascii: "="), digits[Int(byte >> 4)], digits[Int(byte & 15)]], as: UTF8.self)
    }

    /// Lines of at most 76 characters that end with LF.
    static func encoded(_ text: String) -> [UInt8] {
        var result: [UInt8] = []
        for line in lines(of: text) {
            var column = 0
            for index in line.indices {
                let isLast = index == line.endIndex - 1
                func piece() -> [UInt8] {
                    let escapes = column == 0 && isRisky(line[index...]) || mustEscape(line[index], isLast: isLast)
                    return escapes ? Array(escaped(line[index]).utf8) : [line[index]]
                }
                var next = piece()
                if column + next.count > lineMaximum - (isLast ? 0 : 1) {
                    result += [UInt8(ascii: "="), UInt8(ascii: "\n")]
                    column = 0
                    next = piece()
                }
                result += next
                column += next.count
            }
            result.append(UInt8(ascii: "\n"))
        }
        return result
    }

    /// Some mail systems change a line that begins with "From ", or take a single dot for the end.
    private static func isRisky(_ line: ArraySlice<UInt8>) -> Bool {
        line.first == UInt8(ascii: ".") || line.starts(with: "From ".utf8)
    }

    private static func mustEscape(_ byte: UInt8, isLast: Bool) -> Bool {
        switch byte {
        case 0x20, 0x09: isLast
        case UInt8(ascii: "="): true
        default: !(0x21...0x7E).contains(byte)
        }
    }

    /// Ended by CR LF, LF or CR, which are left out; no empty one behind the last end.
    private static func lines(of text: String) -> [ArraySlice<UInt8>] {
        let bytes = Array(text.utf8)
        var found: [ArraySlice<UInt8>] = []
        var start = 0, index = 0
        while index < bytes.count {
            defer { index += 1 }
            guard bytes[index] == 0x0A || bytes[index] == 0x0D else { continue }
            found.append(bytes[start..<index])
            if bytes[index] == 0x0D, index + 1 < bytes.count, bytes[index + 1] == 0x0A { index += 1 }
            start = index + 1
        }
        if start < bytes.count { found.append(bytes[start...]) }
        return found
    }
}
