/// CRC-32 as ZIP has it (ISO 3309): reflected polynomial 0xEDB88320, start and final XOR 0xFFFFFFFF; eight bytes at once.
struct CRC32: Sendable {
    private var state: UInt32 = .max

    var value: UInt32 { ~state }

    private static let tables: [[UInt32]] = {
        var tables = [[UInt32]](repeating: [UInt32](repeating: 0, count: 256), count: 8)
        for byte in 0..<256 {
            var rest = UInt32(byte)
            for _ in 0..<8 { rest = rest & 1 == 1 ? rest >> 1 ^ 0xEDB8_8320 : rest >> 1 }
            tables[0][byte] = rest
        }
        for byte in 0..<256 {
            for step in 1..<8 { tables[step][byte] = tables[step - 1][byte] >> 8 ^ tables[0][Int(tables[step - 1][byte] & 0xFF)] }
        }
        return tables
    }()
    private static let flat = tables.flatMap { $0 }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        var state = state, offset = 0
        Self.flat.withUnsafeBufferPointer { table in
            while offset + 8 <= bytes.count {
                let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) ^ UInt64(state)
                state = 0
                for step in 0..<8 { state ^= table[(7 - step) << 8 | Int(word >> UInt64(step * 8) & 0xFF)] }
                offset += 8
            }
            while offset < bytes.count {
                state = state >> 8 ^ table[Int((state ^ UInt32(bytes[offset])) & 0xFF)]
                offset += 1
            }
        }
        self.state = state
    }
}
