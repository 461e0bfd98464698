/// How long a text is as a short message (3GPP TS 23.038 and 23.040): its alphabet, its units and the parts that it is sent in.
public struct SMSLength: Hashable, Sendable {
    public enum Alphabet: Sendable, Hashable {
        /// GSM 03.38, 7 bits a unit.
        case gsm7
        /// UTF-16, for a text with any character that GSM 03.38 lacks.
        case ucs2
    }

    public let alphabet: Alphabet
    /// Septets, or UTF-16 code units.
    public let units: Int
    /// In how many messages it is sent; 0 for an empty text.
    public let parts: Int

    public init(_ text: String) {
        let gsm = text.unicodeScalars.map(Self.septets)
        if gsm.contains(nil) {
            alphabet = .ucs2
            let sizes = text.unicodeScalars.map { UTF16.width($0) }
            (units, parts) = Self.count(sizes, alone: 70, together: 67)
        } else {
            alphabet = .gsm7
            (units, parts) = Self.count(gsm.compactMap { $0 }, alone: 160, together: 153)
        }
    }

    /// A character is not cut: one of two units that does not fit goes to the next part whole.
    private static func count(_ sizes: [Int], alone: Int, together: Int) -> (units: Int, parts: Int) {
        let units = sizes.reduce(0, +)
        if units == 0 { return (0, 0) }
        if units <= alone { return (units, 1) }
        var parts = 1, used = 0
        for size in sizes {
            if used + size > together { (parts, used) = (parts + 1, 0) }
            used += size
        }
        return (units, parts)
    }

    /// 1, or 2 for a character of the extension table; nil for one that GSM 03.38 lacks.
    static func septets(_ scalar: Unicode.Scalar) -> Int? { basic.contains(scalar) ? 1 : extended.contains(scalar) ? 2 : nil }

    private static let basic = Set(
        ("@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿"
            + "abcdefghijklmnopqrstuvwxyzäöñüà").unicodeScalars)
    private static let extended = Set("^{}\\[~]|€\u{0C}".unicodeScalars)
}
