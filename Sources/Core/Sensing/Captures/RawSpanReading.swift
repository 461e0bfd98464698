/// Integers out of bytes that came from outside. Every access is checked against the span, in release builds too.
extension RawSpan {
    @inline(__always)
    func byte(at offset: Int) -> UInt8 { unsafeLoad(fromByteOffset: offset, as: UInt8.self) }
    @inline(__always)
    func littleEndian16(at offset: Int) -> UInt16 { UInt16(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self)) }
    @inline(__always)
    func littleEndian32(at offset: Int) -> UInt32 { UInt32(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self)) }
    @inline(__always)
    func bigEndian16(at offset: Int) -> UInt16 { UInt16(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self)) }
    @inline(__always)
    func bigEndian32(at offset: Int) -> UInt32 { UInt32(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self)) }
    @inline(__always)
    func bigEndian64(at offset: Int) -> UInt64 { UInt64(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)) }

    /// A copy.
    var bytes: [UInt8] { withUnsafeBytes { Array($0) } }
}
