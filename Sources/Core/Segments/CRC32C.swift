/// CRC-32C (Castagnoli, RFC 3720 appendix B.4): reflected polynomial 0x82F63B78, start and final XOR 0xFFFFFFFF.
public enum CRC32C {
    /// Eight tables of 256 entries, so that eight bytes take one step ("slicing by 8").
    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: 8 * 256)
        for index in 0..<256 {
            var value = UInt32(index)
            for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0x82F6_3B78 : value >> 1 }
            tables[index] = value
        }
        for index in 256..<tables.count {
            let before = tables[index - 256]
            tables[index] = before >> 8 ^ tables[Int(before & 255)]
        }
        return tables
    }()

    /// The checksum of `bytes`; 0xE3069283 for the nine ASCII digits "123456789".
    public static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        tables.withUnsafeBufferPointer { buffer in
            guard let table = buffer.baseAddress, let base = bytes.baseAddress else { return 0 }
            var crc = UInt32.max
            var offset = 0
            while offset + 8 <= bytes.count {
                let word = UInt64(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) ^ UInt64(crc)
                crc =
                    table[1792 + Int(word & 255)] ^ table[1536 + Int(word >> 8 & 255)]
                    ^ table[1280 + Int(word >> 16 & 255)] ^ table[1024 + Int(word >> 24 & 255)]
                    ^ table[768 + Int(word >> 32 & 255)] ^ table[512 + Int(word >> 40 & 255)]
                    ^ table[256 + Int(word >> 48 & 255)] ^ table[Int(word >> 56)]
                offset += 8
            }
            while offset < bytes.count {
                crc = crc >> 8 ^ table[Int(UInt8(truncatingIfNeeded: crc) ^ bytes[offset])]
                offset += 1
            }
            return ~crc
        }
    }
}
