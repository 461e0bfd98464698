import Segments
import Testing

@Suite struct CRC32CTests {
    /// RFC 3720, appendix B.4.
    @Test func publishedValues() {
        #expect(Self.checksum([UInt8](repeating: 0, count: 32)) == 0x8A91_36AA)
        #expect(Self.checksum([UInt8](repeating: 255, count: 32)) == 0x62A8_AB43)
        #expect(Self.checksum(Array(0..<32)) == 0x46DD_794E)
        #expect(Self.checksum((0..<32).reversed()) == 0x113F_DB5C)
        #expect(Self.checksum(Array("123456789".utf8)) == 0xE306_9283)
        #expect(Self.checksum([]) == 0)
    }

    /// The eight-byte steps against one bit after the other.
    @Test func everyLengthAgreesWithTheDefinition() {
        var generator = SeededGenerator(seed: 5)
        for length in 0..<70 {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
            var crc = UInt32.max
            for byte in bytes {
                crc ^= UInt32(byte)
                for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0x82F6_3B78 : crc >> 1 }
            }
            #expect(Self.checksum(bytes) == ~crc)
        }
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt32 { bytes.withUnsafeBytes(CRC32C.checksum) }
}
