/// SipHash-2-4 (Aumasson, Bernstein 2012) of one 64-bit word: short, fast, and not to be reversed without the key.
struct KeyedHash: Sendable, Hashable, Codable {
    var first: UInt64
    var second: UInt64

    func callAsFunction(_ word: UInt64) -> UInt64 {
        var state = State(first, second)
        state.take(word)
        // The last block holds the length, eight bytes.
        state.take(8 << 56)
        return state.finish()
    }

    private struct State {
        var a, b, c, d: UInt64

        init(_ first: UInt64, _ second: UInt64) {
            a = first ^ 0x736F_6D65_7073_6575
            b = second ^ 0x646F_7261_6E64_6F6D
            c = first ^ 0x6C79_6765_6E65_7261
            d = second ^ 0x7465_6462_7974_6573
        }

        mutating func take(_ word: UInt64) {
            d ^= word
            for _ in 0..<2 { round() }
            a ^= word
        }

        mutating func finish() -> UInt64 {
            c ^= 0xFF
            for _ in 0..<4 { round() }
            return a ^ b ^ c ^ d
        }

        private mutating func round() {
            a &+= b
            b = Self.rotate(b, 13) ^ a
            a = Self.rotate(a, 32)
            c &+= d
            d = Self.rotate(d, 16) ^ c
            a &+= d
            d = Self.rotate(d, 21) ^ a
            c &+= b
            b = Self.rotate(b, 17) ^ c
            c = Self.rotate(c, 32)
        }

        private static func rotate(_ value: UInt64, _ count: UInt64) -> UInt64 { value << count | value >> (64 - count) }
    }
}
