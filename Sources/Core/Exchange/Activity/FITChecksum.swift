/// The CRC-16 of FIT: polynomial x^16 + x^15 + x^2 + 1, reflected, from 0.
enum FITChecksum {
    private static let table: [UInt16] = (0..<256).map { index in
        (0..<8).reduce(UInt16(index)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xA001 : value >> 1 }
    }

    static func of(_ bytes: ArraySlice<UInt8>) -> UInt16 {
        let table = table
        return bytes.reduce(0) { $0 >> 8 ^ table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] }
    }
}
