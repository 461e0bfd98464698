/// Reads whole bytes, fixed-size integers and variable-length numbers with every bound checked.
struct ByteReader {
    private let bytes: UnsafeRawBufferPointer
    private(set) var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var remaining: Int { bytes.count - offset }

    mutating func byte() throws(SegmentError) -> UInt8 {
        guard offset < bytes.count else { throw .truncated(at: offset) }
        defer { offset += 1 }
        return bytes[offset]
    }

    /// Eight bytes, most significant first.
    mutating func word() throws(SegmentError) -> UInt64 {
        guard remaining >= 8 else { throw .truncated(at: offset) }
        defer { offset += 8 }
        return UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// LEB128: seven bits a byte, the lowest first, the highest bit set on all but the last byte; at most ten bytes.
    mutating func number() throws(SegmentError) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: 0 as UInt64, to: 70, by: 7) {
            let next = try byte()
            let part = UInt64(next & 127)
            guard shift < 63 || part <= 1 else { break }
            value |= part << shift
            if next < 128 { return value }
        }
        throw .malformed(what: "variable-length number")
    }

    /// The next `count` bytes, in place.
    mutating func slice(_ count: UInt64) throws(SegmentError) -> UnsafeRawBufferPointer {
        guard count <= UInt64(remaining) else { throw .truncated(at: bytes.count) }
        defer { offset += Int(count) }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + Int(count)])
    }
}

extension [UInt8] {
    /// Appends a number as ``ByteReader/number()`` reads it.
    mutating func append(number: UInt64) {
        var rest = number
        while rest >= 128 {
            append(UInt8(truncatingIfNeeded: rest) | 128)
            rest >>= 7
        }
        append(UInt8(rest))
    }

    /// Appends eight bytes, most significant first.
    mutating func append(word: UInt64) {
        Swift.withUnsafeBytes(of: word.bigEndian) { append(contentsOf: $0) }
    }
}
