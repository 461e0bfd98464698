// Only for Unicode's normal forms, which the standard library does not offer.
import Foundation

enum Normalisation {
    /// Normalization Form C (UAX 15): the same text in the same bytes, however it was typed. Nothing that looks different becomes equal.
    static func composed(_ text: String) -> String { text.precomposedStringWithCanonicalMapping }

    /// As names are compared: small ASCII letters and digits without accents, one space between words. `packaging/regions/make` folds alike.
    static func folded(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 128 }) { return foldedASCII(text) }
        var result = "", isBetween = false
        for scalar in text.decomposedStringWithCompatibilityMapping.lowercased().unicodeScalars {
            if scalar.properties.generalCategory == .nonspacingMark { continue }
            if scalar == "ß" {
                if isBetween, !result.isEmpty { result.append(" ") }
                result += "ss"
                isBetween = false
                continue
            }
            guard scalar.isASCII, scalar.properties.isAlphabetic || scalar.properties.numericType != nil else {
                isBetween = true
                continue
            }
            if isBetween, !result.isEmpty { result.append(" ") }
            isBetween = false
            result.unicodeScalars.append(scalar)
        }
        return result
    }

    /// The same for most names, without the tables of Unicode.
    private static func foldedASCII(_ text: String) -> String {
        var result: [UInt8] = [], isBetween = false
        for byte in text.utf8 {
            let small = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
            guard (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(small) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(small) else {
                isBetween = true
                continue
            }
            if isBetween, !result.isEmpty { result.append(UInt8(ascii: " ")) }
            isBetween = false
            result.append(small)
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// An identifier without spaces, dashes, dots and slashes, in capitals.
    /// - Throws: `.characters` for anything but A to Z and digits; `.tooLong` beyond `maximum` characters.
    static func compact(_ text: String, maximum: Int) throws(FieldError) -> [UInt8] {
        var result: [UInt8] = []
        for scalar in text.unicodeScalars {
            if isSeparator(scalar) { continue }
            guard scalar.isASCII, let byte = capital(UInt8(truncatingIfNeeded: scalar.value)) else { throw FieldError(.characters) }
            guard result.count < maximum else { throw FieldError(.tooLong, limit: maximum) }
            result.append(byte)
        }
        return result
    }

    static func trimmed(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return String(scalars[first...last])
    }

    private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "." || scalar == "/" || scalar.properties.isDash || scalar.properties.isWhitespace
    }

    private static func capital(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - 32
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): byte
        default: nil
        }
    }
}

extension UInt8 {
    /// The value of an ASCII digit.
    var digit: Int? { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) ? Int(self) - 48 : nil }

    /// The place of an ASCII capital in the alphabet, from 0.
    var capital: Int? { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? Int(self) - 65 : nil }
}
