/// A number of the telephone network, as it is dialled: an optional plus and 2 to 15 digits (ITU-T E.164, section 6).
public struct PhoneNumber: Sendable, Hashable, CustomStringConvertible {
    /// "+" and digits, or digits alone.
    public let digits: String

    /// Takes spaces, dashes, dots, slashes and brackets off. nil for everything that is no number: no pause, no star code, no letter.
    public init?(_ text: String) {
        let kept = text.filter { !" -./()\u{A0}".contains($0) }
        let number = kept.hasPrefix("+") ? kept.dropFirst() : kept[...]
        guard (2...15).contains(number.count), number.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
        guard !kept.hasPrefix("+") || number.count >= 7 else { return nil }
        digits = kept
    }

    /// So short that it means a service of the network, which may be the emergency call (112, 118, 911, 1530): such a number is called only
    /// where the configuration names it.
    public var isShort: Bool { !digits.hasPrefix("+") && digits.count <= 5 }

    /// Whether both reach the same line, as far as their last nine digits say: networks show a sender with or without the country's code.
    public func isSameLine(as other: PhoneNumber) -> Bool {
        func line(_ number: PhoneNumber) -> Substring { number.digits.drop { $0 == "+" || $0 == "0" }.suffix(9) }
        return digits == other.digits || (line(self).count == 9 && line(self) == line(other))
    }

    /// Hides all but the last three digits: numbers are no business of the journal.
    public var description: String { isShort ? digits : "…" + digits.suffix(3) }
}
