/// A number of IEEE 11073-20601 in 32 bits: an exponent of 8 bits to the base of 10, and a mantissa of 24.
struct MedicalFloat: Hashable, Sendable {
    /// -128 to 127.
    let exponent: Int
    /// -8,388,608 to 8,388,607.
    let mantissa: Int

    /// NaN, NRes ("not at this resolution"), both infinities, and the one that is reserved: what stands there instead of a number.
    private static let noNumbers: Set<UInt32> = [0x007F_FFFE, 0x007F_FFFF, 0x0080_0000, 0x0080_0001, 0x0080_0002]

    private static let noShortNumbers: Set<UInt16> = [0x07FE, 0x07FF, 0x0800, 0x0801, 0x0802]

    /// nil for what is no number.
    init?(_ word: UInt32) {
        guard !Self.noNumbers.contains(word) else { return nil }
        exponent = Int(Int8(truncatingIfNeeded: word >> 24))
        // The sign is carried down from bit 23.
        mantissa = Int(Int32(truncatingIfNeeded: word << 8) >> 8)
    }

    /// One of 16 bits (SFLOAT): an exponent of 4 bits, and a mantissa of 12; nil for what is no number.
    init?(short word: UInt16) {
        guard !Self.noShortNumbers.contains(word) else { return nil }
        exponent = Int(Int16(bitPattern: word) >> 12)
        mantissa = Int(Int16(bitPattern: word << 4) >> 4)
    }

    init(exponent: Int, mantissa: Int) { (self.exponent, self.mantissa) = (exponent, mantissa) }

    /// In units of 10 to the power of -`places`, rounded to the nearest; nil beyond 10 to the power of 15.
    func scaled(places: Int) -> Int? {
        let power = exponent + places
        if mantissa == 0 { return 0 }
        if power < 0 {
            guard power >= -8 else { return 0 }
            let divisor = Self.power(-power)
            return (mantissa + (mantissa < 0 ? -divisor : divisor) / 2) / divisor
        }
        return power <= 8 ? mantissa * Self.power(power) : nil
    }

    var encoded: UInt32 { UInt32(truncatingIfNeeded: exponent) << 24 | UInt32(truncatingIfNeeded: mantissa) & 0x00FF_FFFF }

    /// As an SFLOAT.
    var encodedShort: UInt16 { UInt16(truncatingIfNeeded: exponent) << 12 | UInt16(truncatingIfNeeded: mantissa) & 0x0FFF }

    private static func power(_ exponent: Int) -> Int { (0..<exponent).reduce(1) { product, _ in product * 10 } }
}
