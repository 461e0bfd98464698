/// Writes bits, the least significant first, behind whatever `bytes` already holds.
package struct BitWriter {
    private(set) var bytes: [UInt8]
    private var pending: UInt64 = 0
    private var pendingCount = 0

    package init(_ bytes: [UInt8] = []) { self.bytes = bytes }

    /// The low `count` bits of `value` (0 to 64); the others must be zero.
    @inline(__always)
    package mutating func write(_ value: UInt64, _ count: Int) {
        pending |= value << UInt64(pendingCount)
        let total = pendingCount + count
        guard total >= 64 else {
            pendingCount = total
            return
        }
        flushWord()
        pending = value >> UInt64(64 - pendingCount)  // a shift by 64 gives 0
        pendingCount = total - 64
    }

    /// Seven bits with the width of `value`, then as many bits.
    mutating func writeSized(_ value: UInt64) {
        let width = 64 - value.leadingZeroBitCount
        write(UInt64(width), 7)
        write(value, width)
    }

    /// Fills the last byte with zeros and gives back all bytes.
    package consuming func finish() -> [UInt8] {
        while pendingCount > 0 {
            bytes.append(UInt8(truncatingIfNeeded: pending))
            pending >>= 8
            pendingCount -= 8
        }
        return bytes
    }

    private mutating func flushWord() {
        withUnsafeBytes(of: pending.littleEndian) { bytes.append(contentsOf: $0) }
    }
}

extension UInt64 {
    /// Signed to unsigned so that small magnitudes become small numbers: 0, -1, 1, -2, … to 0, 1, 2, 3, …
    @inline(__always)
    package init(zigzag value: Int64) { self = UInt64(bitPattern: value << 1 ^ value >> 63) }
}

extension Int64 {
    /// The inverse of `UInt64.init(zigzag:)`.
    @inline(__always)
    package init(zigzag value: UInt64) { self = Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1) }
}
