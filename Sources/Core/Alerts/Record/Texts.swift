internal import Vitals

extension String {
    /// One line of at most `max` characters. Control characters become blanks, and what reverses the direction of the text around it is
    /// left out: a name must not change how the rest of an alarm reads.
    func cleaned(max: Int) -> String {
        var cleaned = String.UnicodeScalarView()
        for scalar in unicodeScalars.prefix(max * 4) {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: cleaned.append(" ")
            case .format where ("\u{202A}"..."\u{202E}").contains(scalar) || ("\u{2066}"..."\u{2069}").contains(scalar): continue
            default: cleaned.append(scalar)
            }
        }
        let words = String(cleaned).split(separator: " ").joined(separator: " ")
        return String(words.prefix(max))
    }

    /// At most `max` of letters, digits, `-` and `.`: what every format takes as part of an identifier.
    func asIdentifier(max: Int) -> String {
        String(
            decoding: utf8.prefix(max).map { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "-"), UInt8(ascii: "."):
                    byte
                default: UInt8(ascii: "-")
                }
            }, as: UTF8.self)
    }
}

extension Int {
    var twoDigits: String { self < 10 ? "0\(self)" : "\(self)" }

    /// Tenths with their decimal point: `38.5`.
    var tenthsText: String { Int64(self).text(places: 1) }
}

extension Int32 {
    /// 1e-7 degrees, rounded to `places` of 0 to 7.
    func degreesText(places: Int) -> String {
        var divisor: Int64 = 1
        for _ in places..<7 { divisor *= 10 }
        let value = Int64(self)
        return ((value + (value < 0 ? -divisor : divisor) / 2) / divisor).text(places: places)
    }
}
