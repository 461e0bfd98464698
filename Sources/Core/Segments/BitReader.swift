/// Reads bits, the least significant first.
///
/// Behind the end it reads zeros, so that inner loops need no check; whoever reads asks ``isOverrun`` before believing a block.
package struct BitReader {
    private let base: UnsafeRawPointer?
    let byteCount: Int
    /// The next byte to load. Goes on counting behind the end.
    private var position = 0
    private var pending: UInt64 = 0
    private var pendingCount = 0

    package init(_ bytes: UnsafeRawBufferPointer) {
        base = bytes.baseAddress
        byteCount = bytes.count
    }

    /// Whether more was read than there was.
    package var isOverrun: Bool { consumedBits > byteCount * 8 }

    /// The number of bits not read yet.
    package var remainingBits: Int { max(0, byteCount * 8 - consumedBits) }

    /// Whether nothing is left but the zeros that fill the last byte.
    package mutating func isFinished() -> Bool {
        let rest = remainingBits
        return !isOverrun && rest < 8 && read(rest) == 0
    }

    private var consumedBits: Int { position * 8 - pendingCount }

    /// Up to 56 bits.
    @inline(__always)
    package mutating func read(_ width: Int) -> UInt64 {
        refill()
        let value = pending & ((1 as UInt64) &<< UInt64(width) &- 1)
        drop(width)
        return value
    }

    /// The most zeros that ``readZeros()`` takes at once.
    package static let zerosMax = 56

    /// Takes zeros and the one behind them.
    /// - Returns: how many zeros; ``zerosMax`` where no one came within as many bits, which are taken.
    @inline(__always)
    package mutating func readZeros() -> Int {
        refill()
        let zeros = (pending | 1 << UInt64(Self.zerosMax)).trailingZeroBitCount
        drop(zeros < Self.zerosMax ? zeros &+ 1 : Self.zerosMax)
        return zeros
    }

    /// Up to 64 bits.
    package mutating func readWide(_ width: Int) -> UInt64 {
        guard width > 32 else { return read(width) }
        let low = read(32)
        return low | read(width - 32) << 32
    }

    /// A value that `BitWriter.writeSized` wrote; nil when the width is impossible.
    mutating func readSized() -> UInt64? {
        let width = Int(read(7))
        return width <= 64 ? readWide(width) : nil
    }

    /// A Rice code with parameter `parameter` (0 to 23): so many zeros, a one, and that many low bits; nil for the escape.
    @inline(__always)
    mutating func readRice(_ parameter: Int) -> UInt64? {
        refill()
        let zeros = (pending | 1 << UInt64(riceEscape)).trailingZeroBitCount
        if zeros == riceEscape {
            drop(riceEscape)
            return nil
        }
        let low = pending &>> UInt64(zeros &+ 1) & ((1 as UInt64) &<< UInt64(parameter) &- 1)
        drop(zeros &+ 1 &+ parameter)
        return UInt64(zeros) &<< UInt64(parameter) | low
    }

    @inline(__always)
    private mutating func drop(_ width: Int) {
        pending &>>= UInt64(width)
        pendingCount &-= width
    }

    /// At least 56 bits are pending afterwards.
    @inline(__always)
    private mutating func refill() {
        guard let base, position &+ 8 <= byteCount else { return refillAtEnd() }
        let word = UInt64(littleEndian: base.loadUnaligned(fromByteOffset: position, as: UInt64.self))
        pending |= word &<< UInt64(pendingCount)
        position &+= (63 &- pendingCount) >> 3
        pendingCount |= 56
    }

    @inline(never)
    private mutating func refillAtEnd() {
        while pendingCount <= 56 {
            if let base, position < byteCount {
                pending |= UInt64(base.load(fromByteOffset: position, as: UInt8.self)) << UInt64(pendingCount)
            }
            position += 1
            pendingCount += 8
        }
    }
}
