/// From a line to its sentences: checksum, kind, and what to do about glued and interrupted ones.
extension NMEADecoder {
    mutating func line(_ bytes: RawSpan, _ range: Range<Int>, _ emit: (NMEAFix) -> Void) {
        guard !range.isEmpty else { return }
        guard range.count <= Self.lineBytesMax else { return report.skip(.tooLong) }
        if bytes.byte(at: range.lowerBound) == UInt8(ascii: "#") {
            report.comments += 1
            return
        }
        guard var start = begin(bytes, range) else { return report.skip(.noise) }
        // The text before the first `$` is the end of a sentence whose beginning is lost, or noise.
        if start > range.lowerBound { report.skip(.noise) }
        while true {
            let next = begin(bytes, (start + 1)..<range.upperBound)
            sentence(bytes, start..<(next ?? range.upperBound), isInterrupted: next != nil, emit)
            guard let next else { return }
            start = next
        }
    }

    private func begin(_ bytes: RawSpan, _ range: Range<Int>) -> Int? {
        var position = range.lowerBound
        while position < range.upperBound {
            let byte = bytes.byte(at: position)
            if byte == UInt8(ascii: "$") || byte == UInt8(ascii: "!") { return position }
            position += 1
        }
        return nil
    }

    /// One sentence, from its `$` on. `isInterrupted`: another one follows in the same line.
    private mutating func sentence(
        _ bytes: RawSpan, _ range: Range<Int>, isInterrupted: Bool, _ emit: (NMEAFix) -> Void
    ) {
        // Binary data in between holds a `$` now and then: an address begins with a capital.
        guard range.count > 1, (0x41...0x5A).contains(bytes.byte(at: range.lowerBound + 1)) else { return report.skip(.noise) }
        var checksum: UInt8 = 0
        var position = range.lowerBound + 1
        while position < range.upperBound {
            let byte = bytes.byte(at: position)
            if byte == UInt8(ascii: "*") { break }
            checksum ^= byte
            position += 1
        }
        let hasChecksum = position < range.upperBound
        if hasChecksum {
            guard position + 2 < range.upperBound, let high = Self.hex(bytes.byte(at: position + 1)),
                let low = Self.hex(bytes.byte(at: position + 2))
            else { return report.skip(.cutShort) }
            guard high << 4 | low == checksum else { return report.skip(isInterrupted ? .cutShort : .badChecksum) }
        } else if isInterrupted {
            return report.skip(.cutShort)
        }
        kind(bytes, (range.lowerBound + 1)..<position, hasChecksum: hasChecksum, at: range.lowerBound, emit)
    }

    private static func hex(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }

    /// The address field decides; talkers are not looked at.
    private mutating func kind(
        _ bytes: RawSpan, _ range: Range<Int>, hasChecksum: Bool, at start: Int, _ emit: (NMEAFix) -> Void
    ) {
        var name: UInt64 = 0, length = 0, position = range.lowerBound
        while position < range.upperBound, bytes.byte(at: position) != UInt8(ascii: ",") {
            let byte = bytes.byte(at: position)
            let isName = (0x41...0x5A).contains(byte) || (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte)
            guard isName || hasChecksum else { return report.skip(.noise) }
            if length < 8 { name |= UInt64(isName ? byte : UInt8(ascii: "?")) << UInt64(8 * length) }
            length += 1
            position += 1
        }
        guard position < range.upperBound || hasChecksum else { return report.skip(.cutShort) }
        // `$P...` is proprietary: no talker.
        let isStandard = length == 5 && name & 0xFF != UInt64(UInt8(ascii: "P")) && bytes.byte(at: start) == UInt8(ascii: "$")
        let kind = isStandard ? NMEAKind(rawValue: UInt32(truncatingIfNeeded: name >> 16 & 0xFF_FFFF)) : nil
        let fields = min(position + 1, range.upperBound)..<range.upperBound
        if let kind, !hasChecksum {
            guard commas(bytes, fields) >= kind.commasMin else { return report.skip(.cutShort) }
            report.withoutChecksum += 1
        }
        report.sentences += 1
        report.kinds.count(name, isUsed: kind != nil)
        guard let kind else { return }
        merger.take(kind, bytes, NMEAFields(fields), at: lineOffset(start), &report, emit)
    }

    private func commas(_ bytes: RawSpan, _ range: Range<Int>) -> Int {
        var count = 0
        for position in range where bytes.byte(at: position) == UInt8(ascii: ",") { count += 1 }
        return count
    }
}

/// The sentences that are used, by the letters behind the talker, the first in the lowest byte.
enum NMEAKind: UInt32 {
    case rmc = 0x43_4D52
    case gga = 0x41_4747
    case gll = 0x4C_4C47
    case gns = 0x53_4E47
    case gsa = 0x41_5347
    case gst = 0x54_5347
    case vtg = 0x47_5456
    case zda = 0x41_445A

    /// Commas behind the address that a sentence must have to be used without a checksum: all that is read from it is complete then.
    var commasMin: Int {
        switch self {
        case .rmc: 9
        case .gga: 10
        case .gll: 5
        case .gns: 9
        case .gsa: 15
        case .gst: 7
        case .vtg: 7
        case .zda: 4
        }
    }
}
