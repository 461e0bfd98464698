import Segments

/// Numbers as LEB128, seven bits a byte and the lowest first; signed ones in zigzag.
struct NumberWriter {
    private(set) var bytes: [UInt8] = []

    mutating func write(_ value: UInt64) {
        var rest = value
        while rest >= 128 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 128)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func write(signed value: Int64) { write(UInt64(zigzag: value)) }
}

/// Reads what ``NumberWriter`` wrote. Everything is nil from the first number on that is none.
struct NumberReader {
    private let bytes: [UInt8]
    private var at = 0

    init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    var isAtEnd: Bool { at == bytes.count }

    mutating func number() -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: 0 as UInt64, to: 70, by: 7) {
            guard at < bytes.count else { return nil }
            let next = bytes[at], part = UInt64(next & 127)
            at += 1
            guard shift < 63 || part <= 1 else { break }
            value |= part << shift
            if next < 128 { return value }
        }
        at = bytes.count
        return nil
    }

    mutating func signed() -> Int64? { number().map { Int64(zigzag: $0) } }

    /// A number of things that are in memory at once; nil also where there are more than `most`.
    mutating func count(_ most: Int) -> Int? { number().flatMap { $0 <= UInt64(most) ? Int($0) : nil } }
}
