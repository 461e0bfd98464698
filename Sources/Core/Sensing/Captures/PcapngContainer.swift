/// pcapng (draft-ietf-opsawg-pcapng): sections of either byte order, several interfaces, unknown blocks skipped.
struct PcapngContainer {
    private struct Interface {
        /// nil: a link type that is not ours. Its packets are counted and skipped.
        var link: CaptureLink?
        /// Ticks a second.
        var resolution: UInt64
        /// Seconds to add.
        var offset: Int64
    }

    private var isBigEndian = false
    private var interfaces: [Interface] = []
    private var linkTypes: [UInt32] = []
    private static let interfacesMax = 256
    private static let sectionHeader: UInt32 = 0x0A0D_0D0A

    var name: String { "pcapng, link types " + (linkTypes.isEmpty ? "none" : linkTypes.map { "\($0)" }.joined(separator: ", ")) }

    /// Whether there were interfaces, and none of a kind that can be read.
    var hasOnlyForeignInterfaces: Bool { !linkTypes.isEmpty && linkTypes.allSatisfy { CaptureLink.pcap(linkType: $0) == nil } }

    mutating func step(_ bytes: RawSpan, at position: Int) -> CaptureStep {
        let left = bytes.byteCount - position
        guard left >= 12 else { return .needsMore }
        if bytes.bigEndian32(at: position) == Self.sectionHeader {
            switch bytes.bigEndian32(at: position + 8) {
            case 0x1A2B_3C4D: isBigEndian = true
            case 0x4D3C_2B1A: isBigEndian = false
            default: return .unreadable("a section header without a byte order")
            }
            interfaces = []
        }
        let kind = word(bytes, position), length = Int(word(bytes, position + 4))
        guard length >= 12, length % 4 == 0, length <= capturedBytesMax + 4096 else { return .unreadable("a block of \(length) bytes") }
        guard left >= length else { return .needsMore }
        let next = position + length
        guard Int(word(bytes, next - 4)) == length else { return .unreadable("a block whose two lengths differ") }
        switch kind {
        case Self.sectionHeader: return .structure(next: next)
        case 1: return interface(bytes, at: position, length: length)
        case 3: return simplePacket(bytes, at: position, length: length)
        case 6: return enhancedPacket(bytes, at: position, length: length)
        // Name resolution, interface statistics, systemd journal, decryption secrets: nothing about packets.
        case 4, 5, 9, 10: return .structure(next: next)
        default: return .skipped(.unknownBlock, next: next)
        }
    }

    private func word(_ bytes: RawSpan, _ offset: Int) -> UInt32 {
        isBigEndian ? bytes.bigEndian32(at: offset) : bytes.littleEndian32(at: offset)
    }

    private func half(_ bytes: RawSpan, _ offset: Int) -> UInt16 {
        isBigEndian ? bytes.bigEndian16(at: offset) : bytes.littleEndian16(at: offset)
    }

    private mutating func interface(_ bytes: RawSpan, at position: Int, length: Int) -> CaptureStep {
        let next = position + length
        guard length >= 20, interfaces.count < Self.interfacesMax else { return .skipped(.malformedBlock, next: next) }
        let linkType = UInt32(half(bytes, position + 8))
        var interface = Interface(link: CaptureLink.pcap(linkType: linkType), resolution: 1_000_000, offset: 0)
        var option = position + 16
        let end = next - 4
        while option + 4 <= end {
            let code = half(bytes, option), size = Int(half(bytes, option + 2))
            guard code != 0, option + 4 + size <= end else { break }
            if code == 9, size == 1 { interface.resolution = Self.resolution(bytes.byte(at: option + 4)) }
            if code == 14, size == 8 { interface.offset = offsetSeconds(bytes, option + 4) }
            option += 4 + (size + 3) / 4 * 4
        }
        interfaces.append(interface)
        if !linkTypes.contains(linkType) { linkTypes.append(linkType) }
        return .structure(next: next)
    }

    /// if_tsresol (4.2): a negative power of 10, or of 2 where the top bit is set. What 64 bits cannot hold becomes their finest.
    private static func resolution(_ byte: UInt8) -> UInt64 {
        if byte & 0x80 != 0 { return 1 << UInt64(min(byte & 0x7F, 63)) }
        return (0..<min(byte, 19)).reduce(1) { power, _ in power * 10 }
    }

    /// if_tsoffset (4.2), a signed count of seconds; an absurd one is cut to what a time can hold.
    private func offsetSeconds(_ bytes: RawSpan, _ offset: Int) -> Int64 {
        let first = UInt64(word(bytes, offset)), second = UInt64(word(bytes, offset + 4))
        let value = Int64(bitPattern: isBigEndian ? first << 32 | second : second << 32 | first)
        return min(max(value, -100_000_000_000), 100_000_000_000)
    }

    private func enhancedPacket(_ bytes: RawSpan, at position: Int, length: Int) -> CaptureStep {
        let next = position + length
        guard length >= 32 else { return .skipped(.malformedBlock, next: next) }
        let number = Int(word(bytes, position + 8)), included = Int(word(bytes, position + 20))
        guard interfaces.indices.contains(number), included <= length - 32 else { return .skipped(.malformedBlock, next: next) }
        let interface = interfaces[number]
        guard let link = interface.link else { return .skipped(.foreignInterface, next: next) }
        let ticks = UInt64(word(bytes, position + 12)) << 32 | UInt64(word(bytes, position + 16))
        let (seconds, rest) = ticks.quotientAndRemainder(dividingBy: interface.resolution)
        // 64 bits of ticks at one a second would leave the range of microseconds: such a time is damaged, and pinned to the range.
        let bounded = Int64(min(seconds, 1_000_000_000_000)) + interface.offset
        // rest < resolution, so that the quotient is below a million.
        let product = rest.multipliedFullWidth(by: 1_000_000)
        let micros = Int64(interface.resolution.dividingFullWidth(product).quotient)
        let record = CaptureRecord(
            microseconds: bounded * 1_000_000 + micros, link: link,
            data: (position + 28)..<(position + 28 + included), isCut: included < Int(word(bytes, position + 24)))
        return .record(record, next: next)
    }

    /// Simple packets have no time: without one nothing can be replayed in step, so they are counted and skipped.
    private func simplePacket(_ bytes: RawSpan, at position: Int, length: Int) -> CaptureStep {
        .skipped(length >= 16 ? .packetWithoutTime : .malformedBlock, next: position + length)
    }
}
